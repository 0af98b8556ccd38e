"""What each decision of Virgin Queen turns on: facts, faces and prices (`Kit.turns_on`).

`acts` has the impulse, `phases` spring, winter, weddings and learning; `war` war on land and at sea, the windows for
cards in moves and battles, the oceans and piracy; `court` deals, wars and minor powers; `faith` conversions, revolts,
espionage and the treasure fleet; `events` and `targets` the cards. `shared` has what all of them say it with.
"""

from games.virgin_queen.evidence import acts, court, events, faith, phases, targets, war  # noqa: F401
