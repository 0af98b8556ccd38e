"""Initial forces, reserves and reinforcements (20.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Literal, TypedDict

from games.crown_of_roses.battle.battle_order import entry_of
from games.crown_of_roses.query import ROYALS, attached, blocks_in, command, faces, is_heir, party, rank
from games.crown_of_roses.refusals import block_meant, meant
from games.crown_of_roses.stacks import led_by
from games.crown_of_roses.state import Battle, BattleSide
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.domains import PASS, Choice, Domain, Form, Menu, Series
from pbem.kernel.game import Play
from pbem.kernel.questions import REACTION, Ask, AskAll
from pbem.kernel.rejections import RejectionReason, because

KIT.chapter("20.3.1", "reinforcements", "battle/forces.py")
KIT.chapter("20.3.2", "reserve", "battle/forces.py", "battle/battle_forces.py")

_reinforce = KIT.question("reinforce", "20.3.1", REACTION)


class ReinforcementAnswer(TypedDict):
    """A leader of the reinforcements, and the blocks they bring."""

    do: Literal["bring"]
    leader: str
    blocks: list[str]


Reinforcement = Literal["pass", "all"] | ReinforcementAnswer


def present(side: BattleSide) -> list[str]:
    """Return the blocks of a side in the engagement (20.3.2): battle force and reserve."""
    return [*side.force, *side.reserve]


def everything(table: Table, battle: Battle, house: str) -> list[str]:
    """Return all blocks of a house in the shire: force, reserve and reinforcements."""
    return blocks_in(table.state, battle.place, house)


def strength(table: Table, key: str) -> int:
    """Return combat strength: the number of dice at the steps left (8.3, 20.5.3)."""
    return sum(dice(table, key).values())


def dice(table: Table, key: str) -> Mapping[str, int]:
    """Return the dice of a block, or of the garrison, at the steps it has (8.3): colour → number."""
    if key == GARRISON:
        face = table.c.garrison[-table.state.garrison.steps]
    else:
        face = table.c.blocks[key].steps[-table.state.blocks[key].steps]
    return faces(face)


GARRISON = "garrison"
"""9.6 The Tower garrison among the blocks of a battle."""


def guard(table: Table, battle: Battle, side: BattleSide) -> list[str]:
    """Return the garrison, if its host fights in the battle force (9.6)."""
    host = table.state.garrison.host
    return [GARRISON] if battle.place == "london" and host and host in side.force else []


def line_of(table: Table, battle: Battle, side: BattleSide) -> list[str]:
    """Return what fights for a side: its battle force, and the garrison with its host."""
    return [*side.force, *guard(table, battle, side)]


def form_side(table: Table, place: str, house: str) -> BattleSide:
    """Form a side: the blocks of the last entry are the initial force, all others reinforcements (20.3.1).

    The initial force is in reserve until a battle force is chosen; attached blocks are with their host.
    """
    state = table.state
    here = blocks_in(state, place, house)
    entry = entry_of(state, place, house)
    first = [key for key in here if entry is None or (state.blocks[key].host or key) in entry.blocks]
    side = BattleSide(house, reserve=first, waiting=[key for key in here if key not in first])
    if entry is not None:
        side.origin = entry.origin
        side.brought = next((key for key in entry.blocks if key in first and command(table, key)), "")
    return side


def begin(table: Table, place: str, order: Sequence[str]) -> Battle:
    """Return the battle in a shire, with all who are there (20.1, 20.3)."""
    state = table.state
    battle = Battle(place, list(order), {house: form_side(table, place, house) for house in order})
    battle.heirs = [h for h in order if any(is_heir(state, key) for key in blocks_in(state, place, h))]
    battle.blocks = blocks_in(state, place)
    return battle


def counted(keys: Sequence[str]) -> int:
    """Return how many blocks count against command in battle (20.4.4)."""
    return sum(key not in ROYALS for key in keys)


# -- plans (20.2) ------------------------------------------------------------------------------------------------------


def settled(side: BattleSide, field: str) -> str:
    """Return what a side's plan says, `ask` if it leaves it open."""
    return side.plan.get(field, "ask")


def weaker(table: Table, battle: Battle, side: BattleSide) -> bool:
    """Return whether `retreat=weaker` holds: fewer dice in force and reserve than in the enemy's battle force."""
    enemy = battle.sides[battle.enemy(side.house)]
    mine = sum(strength(table, key) for key in present(side))
    return mine < sum(strength(table, key) for key in enemy.force)


# -- reinforcements ----------------------------------------------------------------------------------------------------


def heads(table: Table, side: BattleSide) -> list[str]:
    """Return nobles among the reinforcements who can lead others in (20.3.1)."""
    state = table.state
    return [key for key in side.waiting if table.c.blocks[key].command and not state.blocks[key].host]


def _followers(table: Table, side: BattleSide, leader: str) -> Series[str]:
    """Return blocks to bring: none above the leader, as many as they command; guests come along, never too many."""
    state = table.state
    able = led_by(table, leader, side.waiting)
    room = max(0, command(table, leader) - counted(attached(state, leader)))

    def following(so_far: Sequence[str]) -> Choice[str] | None:
        left = [
            key
            for key in able
            if key not in so_far
            and counted([block for other in (*so_far, key) for block in party(state, other)]) <= room
        ]
        return Choice(left, "block") if left else None

    return Series(following, 0, len(able), "blocks", partial(_not_brought, table, side, leader, able))


def _not_brought(
    table: Table, side: BattleSide, leader: str, able: Sequence[str], so_far: Sequence[str], key: str
) -> RejectionReason | None:
    """Return why a leader can't bring a block (20.3.1)."""
    if not (key := block_meant(table, key)):
        return None
    if key not in side.waiting:
        return because("not_waiting", "20.3.1", block=key)
    if key == leader or key in so_far:
        return because("in_force", "20.3.1", block=key)
    if host := table.state.blocks[key].host:
        return because("attached", "20.3.1", block=key, host=host)
    if key not in able:
        return because("rank", "20.3.1", block=key, leader=leader)
    return because("command", "20.3.1", leader=leader, command=command(table, leader))


def _no_bringer(table: Table, side: BattleSide, key: str) -> RejectionReason | None:
    """Return why a block brings no reinforcements (20.3.1); None if it isn't a block."""
    if not (key := block_meant(table, key)):
        return None
    if key not in side.waiting:
        return because("not_waiting", "20.3.1", block=key)
    host = table.state.blocks[key].host
    return because("attached", "20.3.1", block=key, host=host) if host else because("no_command", "20.3.1", block=key)


def _no_word(table: Table, side: BattleSide, word: str) -> RejectionReason | None:
    """Return why reinforcements do not come so: under a leader, if there is one; they must come (20.3.1)."""
    word = meant(table, word)
    if word == "all":
        return because("under_leader", "20.3.1", leaders=heads(table, side))
    if word == "bring":
        return because("nobody_leads", "20.3.1")
    return because("must_come", "20.3.1") if word == PASS else None


def reinforcement(table: Table, side: BattleSide, *, free: bool = False) -> Menu[Reinforcement]:
    """Return a leader of the reinforcements and their blocks (20.3.1, 20.4.2); `free`: nobody must come (20.6.2)."""
    entries: dict[str, Domain | None] = {PASS: None} if free else {}
    if able := heads(table, side):
        entries["bring"] = Form(
            leader=Choice(able, "leader", partial(_no_bringer, table, side)),
            blocks=lambda v: _followers(table, side, v.leader),
        )
    else:
        entries["all"] = None
    return Menu(entries, None, partial(_no_word, table, side))


def fullest(table: Table, side: BattleSide) -> Reinforcement:
    """Return the strongest reinforcement: the default at the deadline, or by a plan."""
    if not (able := heads(table, side)):
        return "all"
    leader = max(able, key=lambda key: (rank(table, key), command(table, key)))
    series = _followers(table, side, leader)
    chosen: list[str] = []
    while (choice := series.item(chosen)) is not None:
        chosen.append(max(choice.options(), key=lambda key: strength(table, key)))
    return {"do": "bring", "leader": leader, "blocks": chosen}


def ask(table: Table, battle: Battle, side: BattleSide, *, free: bool = False) -> Ask[Reinforcement]:
    """Return the question for reinforcements."""
    return _reinforce(
        side.house, lambda: reinforcement(table, side, free=free), lambda: PASS if free else fullest(table, side),
        place=battle.place, round=battle.round, count=len(side.waiting),
    )  # fmt: skip


def arrive(table: Table, battle: Battle, side: BattleSide, answer: Reinforcement) -> None:
    """Move reinforcements into the reserve (20.3.1)."""
    if answer == PASS:
        return
    state = table.state
    if answer == "all":
        coming = list(side.waiting)
    else:
        coming = [block for key in (answer["leader"], *answer["blocks"]) for block in party(state, key)]
    side.waiting = [key for key in side.waiting if key not in coming]
    side.reserve += coming
    table.log(
        "battle.reinforced", rule="20.3.1", house=side.house, place=battle.place, count=len(coming),
        private={side.house: {"blocks": coming}},
    )  # fmt: skip


def bring_up(table: Table, battle: Battle) -> Play:
    """Bring up reinforcements of both sides from the second round on; a single block needs no question (20.4.2)."""
    asks: dict[str, Ask[Reinforcement]] = {}
    answers: dict[str, Reinforcement] = {}
    both = [battle.sides[battle.defender], battle.sides[battle.attacker]]
    for side in both:
        if len(side.waiting) == 1:
            answers[side.house] = "all"
        elif side.waiting and settled(side, "force") == "full":
            answers[side.house] = fullest(table, side)
            table.log("battle.settled", rule="20.2", house=side.house, reveals=True)
        elif side.waiting:
            asks[side.house] = ask(table, battle, side)
    if asks:
        answers.update((yield from AskAll(asks)))
    for side in both:
        if side.house in answers:
            arrive(table, battle, side, answers[side.house])


def follow_up(table: Table, battle: Battle, side: BattleSide) -> Play:
    """Let the winner bring up one force of reinforcements before the next engagement (20.6.2)."""
    if side.waiting:
        arrive(table, battle, side, (yield from ask(table, battle, side, free=True)))
