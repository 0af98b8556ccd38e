"""What each decision of Virgin Queen turns on: facts, faces and prices (`Kit.turns_on`).

`acts` has the impulse, `war` war on land and the windows for cards in moves and battles (`combat_*`, `respond_move`,
`_assault`, `_field_battle`, `_taken`, `_transport`, `_sea_move`, `_sea_hits`, `_dragut`, `_entered`, `_besieging`,
`_flooding`, `_english_battle`), `seasons` spring and winter, `sea` the sea, the oceans and piracy, `court` deals,
wars and minor powers, `weddings` royals and learning, `faith` conversions and revolts, `intrigue` espionage, the
treasure fleet and foreign wars, `events` and `targets` the cards. `shared` and `notes` have what all of them use.
"""

from games.virgin_queen.evidence import acts, court, events, faith, intrigue, sea, seasons, targets, war, weddings  # noqa: F401
