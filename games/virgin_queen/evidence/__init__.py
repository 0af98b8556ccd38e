"""What each decision of Virgin Queen turns on: facts, faces and prices (`Kit.turns_on`).

`war` has the impulse, war on land, spring and winter, and the windows for cards in moves and battles
(`combat_*`, `respond_move`, `_assault`, `_field_battle`, `_taken`, `_transport`, `_sea_move`, `_sea_hits`, `_dragut`,
`_entered`, `_besieging`, `_flooding`, `_english_battle`); `sea` the sea, the oceans and piracy. `shared` has the
builders of all of them.
"""

from games.virgin_queen.evidence import court, events, faith, intrigue, targets, weddings  # noqa: F401
