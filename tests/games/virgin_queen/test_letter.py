"""A whole impulse in one letter, and the warnings of a game that is not finished."""

from games.virgin_queen import GAME
from pbem.kernel.game import Setup
from pbem.kernel.referee import Referee
from pbem.kernel.standing_orders import AdvanceOrder
from pbem.orders.apply import execute_block
from pbem.orders.parser import read

SETUP = Setup(GAME.slug, GAME.seats_for(6, "campaign"), "1559".zfill(64), "campaign")


def first_impulse():
    """A game whose first negotiations, declarations and deployments have passed by: the Ottomans' first impulse."""
    referee = Referee.new(GAME, SETUP, ask_me="mine")
    for _ in range(200):
        if not referee.over and referee.pending()[0].kind == "impulse":
            return referee
        for pending in referee.pending():
            if pending.seat in referee.waiting():
                referee.submit(pending.seat, quiet(referee, pending))
                break
    raise AssertionError("no impulse came")


def quiet(referee, pending):
    """The answer of somebody who wants nothing to happen."""
    domain = referee.domain(pending.seat)
    for text in ("done", "pass", "none", "wait"):
        try:
            return domain.parse(text)
        except ValueError:
            continue
    return next(iter(domain.options()))


def test_a_whole_impulse_in_one_letter():
    referee = first_impulse()
    assert referee.pending()[0].seat == "ottoman"
    state = referee.table.state
    card = next(card for card in state.powers["ottoman"].hand if referee.table.c.cards[card].type != "mandatory")
    letter = f"""BEGIN ORDERS vq-01 ottoman
cp {card}
move buda szegedin units="regulars=1"
move szegedin buda units="regulars=1"
end
END ORDERS
"""
    reading = read(letter)
    receipt = execute_block(referee, reading.blocks[0], game="vq-01", seat="ottoman", via="letter-1")
    assert receipt.problem is None
    assert list(receipt.refused) == []
    told = [line.key for line in referee.table.lines]
    assert told.count("move.enters") == 2
    assert referee.pending()[0].seat != "ottoman" or referee.pending()[0].kind != "action"


def test_queued_lines_wait_for_their_question():
    referee = first_impulse()
    referee.queue.append(AdvanceOrder("ottoman", "end", kind="action"))
    card = next(
        card for card in referee.table.state.powers["ottoman"].hand if referee.table.c.cards[card].type != "mandatory"
    )
    referee.submit("ottoman", {"do": "cp", "with": card})
    assert referee.queue == []
    assert referee.pending()[0].seat == "spain"
