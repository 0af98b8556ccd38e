"""The no-leak law over screens: worlds that differ only in what a seat may not know look the same in every room."""

import random

import pytest

from pbem.tui.key_bindings import SCREENS
from pbem.tui.model.game_source import SaveSource
from pbem.tui.model.seat_view import load_seat_view
from tests.toy import playing as toy
from tests.tui.helpers import LARGE, go, grid, make_app, running


class World(SaveSource):
    """A save in which all that a seat may not know is dealt again."""

    def __init__(self, path, seat, *, concealed, sealed=()):
        self.concealed, self.already = concealed, sealed
        super().__init__(path, seat, toy.load)

    def _open(self):
        super()._open()
        referee = self.session.referee
        if self.concealed:
            referee.game.conceal(referee.table, self.seat, random.Random(7).randrange)
            referee._domains = {}
        for seat in self.already:
            referee.submit(seat, referee.domain(seat).sample(random.Random(3).randrange))

    def desk(self):
        document = self.document(self.seat)
        referee = self.session.referee
        return load_seat_view(
            document,
            self.session.game,
            {question.seat: referee.domain(question.seat) for question in referee.pending()},
        )


async def screens(*worlds):
    """The text of every screen in each of the worlds."""
    app = make_app(worlds[0])
    shown = [{} for _ in worlds]
    async with running(app, LARGE) as pilot:
        for room in SCREENS:
            for world, texts in zip(worlds, shown, strict=True):
                app.source = world
                app.reload()
                await go(pilot, room)
                texts[room] = grid(app)
    return shown


@pytest.mark.parametrize(("answers", "seat"), [(1, "red"), (4, "white"), (6, "white"), (9, "red")])
async def test_two_worlds_one_screen(save, answers, seat):
    path = save(answers, press=True)
    one, other = await screens(World(path, seat, concealed=False), World(path, seat, concealed=True))
    assert one == other
    state = World(path, seat, concealed=True).session.referee.table.state
    hidden = [card for owner, hand in state.hands.items() if owner != seat for card in hand]
    assert hidden != [
        card
        for owner, hand in World(path, seat, concealed=False).session.referee.table.state.hands.items()
        if owner != seat
        for card in hand
    ]


async def test_who_has_answered_a_sealed_question_is_not_seen(save):
    path = save(1)
    nobody = World(path, "white", concealed=False)
    others = World(path, "white", concealed=True, sealed=("red", "blue"))
    one, other = await screens(nobody, others)
    assert one == other
    assert "White" in one["questions"]


async def test_the_text_of_a_world_can_tell_them_apart_for_the_moderator(save):
    """That the test above could fail: the moderator's hand room does differ."""
    path = save(1)
    worlds = [World(path, "red", concealed=concealed) for concealed in (False, True)]
    for world in worlds:
        world.seat = "moderator"
    one, other = await screens(*worlds)
    assert [room for room in SCREENS if one[room] != other[room]] == ["hand"]
