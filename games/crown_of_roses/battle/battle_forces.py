"""Leaders and battle forces of a round (20.3.2, 20.4)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from games.crown_of_roses.battle.forces import counted, guard, present, settled, strength
from games.crown_of_roses.battle.losses import take_in
from games.crown_of_roses.blocks import can_host, royal
from games.crown_of_roses.query import ROYALS, command, king, rank
from games.crown_of_roses.refusals import block_meant
from games.crown_of_roses.stacks import may_be_led
from games.crown_of_roses.state import Battle, BattleSide
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.domains import Choice, Form, Optional, Series, Subset, Values
from pbem.kernel.form import Field
from pbem.kernel.game import Play
from pbem.kernel.joint_questions import ask_together
from pbem.kernel.questions import REACTION, Ask
from pbem.kernel.rejections import RejectionReason, because

KIT.chapter("10.5.4", "Earl Marshal", "battle/battle_forces.py", "battle/dice.py")
KIT.chapter("20.4.1", "forces of the first round", "battle/battle_forces.py")
KIT.chapter("20.4.2", "later rounds, blocks laid open", "battle/battle_forces.py", "battle/forces.py")
KIT.chapter(
    "20.4.3", "attached blocks in battle, mercenaries", "battle/battle_forces.py", "battle/losses.py",
    "battle/engagement.py",
)  # fmt: skip
KIT.chapter("20.4.4", "command limit", "battle/battle_forces.py")


_force = KIT.question("force", "20.4.1", REACTION)


Force = dict[str, Any]
"""`leader` (none, where only Henry VI and the Queen are), `blocks` next to them, and new hosts by attached block."""


def leaders(table: Table, battle: Battle, side: BattleSide) -> list[str]:
    """Return who must lead (20.4.1, 20.4.2): the noble who led the attackers in, else the highest there.

    The highest is the King, then the senior heir, then the highest title; of several with that title any. Only nobles
    with a command rating lead, hence not Henry VI (10.3.3).
    """
    able = [key for key in present(side) if table.c.blocks[key].command]
    if battle.round == 1 and side.house == battle.attacker and side.brought in able:
        return [side.brought]
    top = max((rank(table, key) for key in able), default=None)
    return [key for key in able if rank(table, key) == top]


def limit(table: Table, leader: str, chosen: Sequence[str]) -> int:
    """Return how many blocks may fight with the leader (20.4.4); the King's block adds 1 if it fights too (10.5.1)."""
    state = table.state
    found = command(table, leader)
    if state.blocks["office_king"].host == leader and king(state) == leader and "office_king" not in chosen:
        found -= 1
    return found


def _may_join(table: Table, leader: str, so_far: Sequence[str], key: str) -> bool:
    """Return whether a block can fight with those (20.4.3, 20.4.4)."""
    state, c = table.state, table.c
    force = [leader, *so_far]
    # 20.4.4 As many blocks as the leader commands.
    if counted([*so_far, key]) > limit(table, leader, [*so_far, key]):
        return False
    # 20.4.1 Nobody above them.
    if c.blocks[key].noble and key not in ROYALS:
        return may_be_led(table, key, leader)
    # 20.4.3 Office blocks with the holder of the office, whom they do not change …
    if c.blocks[key].kind == "office":
        return state.blocks[key].host in force
    # … Henry VI and the Queen with their host, or one who can host them …
    if key in ROYALS:
        return state.blocks[key].host in force or any(royal(table, noble) for noble in force)
    # … mercenaries one a noble.
    nobles = sum(c.blocks[block].noble and block not in ROYALS for block in force)
    return sum(c.blocks[block].kind == "mercenary" for block in force) < nobles


def _no_joining(table: Table, side: BattleSide, leader: str, so_far: Sequence[str], key: str) -> RejectionReason | None:
    """Return why a block can't fight with those, in the order of `_may_join` (20.4.1, 20.4.3, 20.4.4)."""
    state, c = table.state, table.c
    if not (key := block_meant(table, key)):
        return None
    if key not in present(side):
        return because("not_in_battle", "20.3.2", block=key)
    if key == leader or key in so_far:
        return because("in_force", "20.4.1", block=key)
    most = limit(table, leader, [*so_far, key])
    if counted([*so_far, key]) > most:
        return because("command", "20.4.4", leader=leader, command=most)
    if c.blocks[key].noble and key not in ROYALS:
        return because("rank", "20.4.1", block=key, leader=leader)
    if c.blocks[key].kind == "office":
        return because("office_host", "20.4.3", block=key, host=state.blocks[key].host)
    return because("no_royal_host" if key in ROYALS else "no_host", "20.4.3", block=key)


def _no_head(table: Table, side: BattleSide, able: Sequence[str], key: str) -> RejectionReason | None:
    """Return why a block doesn't lead: its leader on entry, else the highest (20.4.1, 20.4.2). None if not a block."""
    if not (key := block_meant(table, key)):
        return None
    if key not in present(side):
        return because("not_in_battle", "20.3.2", block=key)
    return because("must_lead", "20.4.1", block=key, leaders=list(able))


def force_domain(table: Table, battle: Battle, side: BattleSide) -> Form[Force]:
    """Return the form of a force: leader, blocks, and new hosts for guests without office (20.4.1, 20.4.2, 20.4.3).

    Without a leader only Henry VI and the Queen can fight, alone or together.
    """
    if not (able := leaders(table, battle, side)):
        alone = [key for key in present(side) if key in ROYALS]
        return Form(blocks=Subset(alone, 1, len(alone), why=partial(_leaderless, table, side)))

    def joining(v: Values) -> Series[str]:
        leader = v.leader  # read now: a description notes what is read while the field is made

        def following(so_far: Sequence[str]) -> Choice[str] | None:
            left = [
                key
                for key in present(side)
                if key != leader and key not in so_far and _may_join(table, leader, so_far, key)
            ]
            return Choice(left, "block") if left else None

        return Series(following, 0, len(present(side)), "blocks", partial(_no_joining, table, side, leader))

    head = Choice(able, "leader", partial(_no_head, table, side, able))
    fields: dict[str, Field] = {"leader": head, "blocks": joining}
    for guest in present(side):
        if table.c.blocks[guest].kind == "mercenary" or guest in ROYALS:
            fields[guest] = partial(_new_host, table, side, guest)
    return Form(fields)


def _leaderless(table: Table, side: BattleSide, word: str) -> RejectionReason | None:
    """Return why a block does not fight where nobody leads (20.4.1); None if it isn't a block."""
    if not (key := block_meant(table, word)):
        return None
    return because("nobody_to_lead" if key in present(side) else "not_in_battle", "20.4.1", block=key)


def _no_new_host(table: Table, guest: str, force: Sequence[str], word: str) -> RejectionReason | None:
    """Return why a block does not become the host of another (20.4.3); None if it isn't a block."""
    if not (key := block_meant(table, word)):
        return None
    if key == table.state.blocks[guest].host:
        return because("host_already", "20.4.3", block=guest, host=key)
    if key not in force:
        return because("no_host_here", "20.4.3", block=key)
    if guest in ROYALS:
        need = table.c.attachment.royal_host_command
        return because("host_command", "10.3.3", block=key, command=command(table, key), need=need)
    return because("has_mercenaries", "20.4.3", block=key)


def _new_host(table: Table, side: BattleSide, guest: str, v: Values) -> Optional[str] | None:
    """Return hosts in the battle force that an attached block may take instead of its own (20.4.3)."""
    if guest not in v.blocks:
        return None
    state, c = table.state, table.c
    force = [v.leader, *v.blocks]
    others = [key for key in present(side) if c.blocks[key].kind == "mercenary" and key != guest]
    moved = {other: host for other in others if (host := getattr(v, other))}
    hosts = [key for key in force if can_host(table, guest, key, moved) and key != state.blocks[guest].host]
    if guest not in ROYALS:
        hosts = [key for key in hosts if key not in moved.values()]
    return Optional(Choice(hosts, "host", partial(_no_new_host, table, guest, force))) if hosts else None


def strongest(table: Table, battle: Battle, side: BattleSide) -> Force:
    """Return as many blocks as can fight, the strongest first: the default at the deadline, or by a plan."""
    domain = force_domain(table, battle, side)
    if "leader" not in domain.fields:
        return {"blocks": [key for key in present(side) if key in ROYALS]}
    leader = max(leaders(table, battle, side), key=lambda key: (command(table, key), strength(table, key)))
    series = domain.field("blocks", {"leader": leader})
    assert isinstance(series, Series)
    chosen: list[str] = []
    while (choice := series.item(chosen)) is not None:
        chosen.append(max(choice.options(), key=lambda key: (key == "office_king", strength(table, key))))
    return {"leader": leader, "blocks": chosen}


def select(table: Table, battle: Battle) -> Play:
    """Select forces, defender first; a side led by the Earl Marshal after its enemy (20.4.1, 20.4.2, 10.5.4)."""
    turn = [battle.sides[battle.defender], battle.sides[battle.attacker]]
    marshal = table.state.offices["marshal"].holder
    if marshal and leaders(table, battle, turn[0]) == [marshal]:
        turn.reverse()
        table.log("battle.marshal", rule="10.5.4", house=battle.defender, block=marshal, reveals=True)
    said = yield from ask_together(
        table, {side.house: ask for side in turn if (ask := question(table, battle, side)) is not None}
    )
    for side in turn:
        ask = question(table, battle, side)
        if ask is None:
            form(table, battle, side, strongest(table, battle, side))
        else:
            form(table, battle, side, (yield from said.answer(side.house, ask)))


def choose(table: Table, battle: Battle, side: BattleSide) -> Play:
    """Let one side form its battle force."""
    ask = question(table, battle, side)
    form(table, battle, side, strongest(table, battle, side) if ask is None else (yield from ask))


def question(table: Table, battle: Battle, side: BattleSide) -> Ask[Force] | None:
    """Return the question to a side: asked if it has more than one block there, and no plan settles it."""
    if len(present(side)) == 1 or settled(side, "force") == "full":
        return None
    return _force(
        side.house, lambda: force_domain(table, battle, side), lambda: strongest(table, battle, side),
        place=battle.place, round=battle.round, count=len(present(side)), enemy=battle.enemy(side.house),
        secret={"force": list(side.force), "reserve": list(side.reserve)},
    )  # fmt: skip


def form(table: Table, battle: Battle, side: BattleSide, answer: Force) -> None:
    """Form force and reserve as ordered; attached blocks go to a host in the force."""
    leader: str = answer.get("leader", "")
    every = present(side)
    side.leader = leader
    side.force = [key for key in (leader, *answer["blocks"]) if key]
    side.reserve = [key for key in every if key not in side.force]
    for guest in side.force:
        if guest in answer:
            take_in(table, side, guest, answer[guest])
    for guest in side.force:
        if leader and (guest in ROYALS or table.c.blocks[guest].kind == "mercenary"):
            _settle_guest(table, side, guest)
    table.log(
        "battle.forms", rule="20.4.2", house=side.house, count=len(side.force), rest=len(side.reserve),
        waiting=len(side.waiting),
        private={side.house: {"force": list(side.force), "reserve": list(side.reserve)}},
    )  # fmt: skip
    if guard(table, battle, side):
        table.log("battle.garrison", rule="9.6", house=side.house, reveals=True)


def _settle_guest(table: Table, side: BattleSide, guest: str) -> None:
    """Attach a guest whose host is not in the force to the highest noble there that can host it (20.4.3)."""
    if table.state.blocks[guest].host not in side.force:
        able = [key for key in side.force if can_host(table, guest, key, side.reserve)]
        take_in(table, side, guest, max(able, key=lambda key: rank(table, key)))


def reveal(table: Table, battle: Battle) -> None:
    """Reveal both battle forces until all battles are over (20.4.2, 8.1, 21.2)."""
    state = table.state
    for house in (battle.attacker, battle.defender):
        side = battle.sides[house]
        for key in side.force:
            state.blocks[key].shown = True
        table.log(
            "battle.shown", rule="20.4.2", house=house,
            force=[f"{key} {state.blocks[key].steps}" for key in side.force], reveals=True,
        )  # fmt: skip
