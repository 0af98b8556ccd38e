"""Why something is not possible now: the reasons that refusals give, each with the rule that bars it.

Whoever asks sees his own hand; of others a reason names public facts only.
"""

from __future__ import annotations

from collections.abc import Container

from games.virgin_queen.blockade import blockaded
from games.virgin_queen.components import ActionCost
from games.virgin_queen.courts.deaths import MARY
from games.virgin_queen.diplomacy import gifts, relations
from games.virgin_queen.diplomacy.promised import Promised
from games.virgin_queen.query import allied, at_war, loc, seat_of
from games.virgin_queen.state import ENGLAND, FRANCE, HRE, OTTOMAN, POWERS, PROTESTANT, SPAIN, pair
from games.virgin_queen.table import KIT, Table
from pbem.kernel.problems import Problem, no

# -- actions (11.1) ----------------------------------------------------------------------------------------------------

BARRED = ("espionage", "patronage")


def barred(listed: ActionCost) -> bool:
    """27.1 Whether activated powers cannot buy an action: espionage, patronage, expeditions."""
    return listed.category in BARRED or listed.id == "launch_expedition"


def action(table: Table, power: str, only: Container[str] | None, word: str) -> Problem | None:
    """11.1 Why a power cannot buy an action now; None for what is no action."""
    if word not in KIT.actions:
        return None
    found = KIT.actions[word]
    listed = table.c.actions[found.listed]
    state, impulse = table.state, table.state.now
    if power not in listed.powers:
        return no("list", "11.1", power=power, word=word)
    if only is not None and word not in only:
        return no("only", "6.1", word=word)
    if not state.powers[power].active and barred(listed):
        return no("activated", "27.1", word=word)
    if state.turn < listed.first_turn:
        return no("turn", "19", word=word, turn=listed.first_turn)
    if impulse.cp < listed.cost and not found.free:
        return no("points", "11.1", word=word, cost=listed.cost, cp=impulse.cp)
    if impulse.source == "treasure" and not found.free and listed.category in impulse.families:
        return no("colour", "11", word=word)
    particular = KIT.reasons.get(word)
    problem = particular(table, power) if particular is not None else None
    return problem or no("nothing", found.rule, word=word)


@KIT.reason("assault")
def assault(table: Table, power: str) -> Problem | None:
    """15.1 Why a power can assault no space: what bars it at the first that it besieges."""
    spaces = [space for space, siege in table.state.sieges.items() if power in siege.by]
    return assaulting(table, power, spaces[0]) if spaces else no("siege", "15.1")


def assaulting(table: Table, power: str, space: str) -> Problem | None:
    """15.1 Why a power cannot assault a space."""
    state = table.state
    if space not in table.c.spaces:
        return None
    siege = state.sieges.get(space)
    if siege is None or power not in siege.by:
        return no("besieged", "15.1", space=space)
    if siege.by[power] >= state.impulses:
        return no("first_impulse", "15.1", space=space)
    if space in state.now.assaulted:
        return no("assaulted", "15.1", space=space)
    if blockaded(table, power, space):
        return no("blockade", "15.1", space=space, power=state.control[space])
    if not loc(table, power, space):
        return no("communications", "12.1", space=space)
    return None


@KIT.reason("assassination")
def _plotted(table: Table, power: str) -> Problem | None:
    """19.3, 19.4 One assassination or English rebellion a turn."""
    return no("attempt", "19.3") if table.state.powers[power].used.get("assassination") else None


@KIT.reason("english_catholic_rebellion")
def _plot(table: Table, power: str) -> Problem | None:
    """19.4 The same; 3 CP at least."""
    cp = table.state.now.cp
    return _plotted(table, power) or (
        no("points", "19.4", word="english_catholic_rebellion", cost=3, cp=cp) if cp < 3 else None
    )


# -- the beginning of an impulse (11) ----------------------------------------------------------------------------------


def opening(table: Table, power: str, keep: int, bound: list[str], word: str) -> Problem | None:
    """11 Why a power may not pass: `keep` cards at most, and none of the cards `bound` in hand."""
    hand = table.state.powers[power].hand
    if word == "event":
        return no("events", "11")
    if word == "cp":
        return no("mandatory_hand", "11")
    if word == "command":
        return no("commands", "10")
    if word != "pass":
        return None
    if bound:
        kind = table.c.cards[bound[0]].type
        return no(kind, "11", card=bound[0])
    return no("hand", "11", count=len(hand), most=keep) if len(hand) > keep else None


def event(table: Table, power: str, card: str) -> Problem | None:
    """11, 6.1 Why a card of the hand cannot be played as an event in an impulse."""
    if card not in table.state.powers[power].hand:
        return _not_in_hand(table, card)
    info = table.c.cards[card]
    if info.type in ("combat", "response"):
        return no(f"{info.type}_card", "6.1", card=card)
    if info.powers and power not in info.powers:
        return no("other_power", "6.1", card=card, powers=list(info.powers))
    return no("conditions", "6.1", card=card)


def points(table: Table, power: str, card: str) -> Problem | None:
    """11 Why a card cannot be played for its CP."""
    if card not in table.state.powers[power].hand:
        return _not_in_hand(table, card)
    return no("mandatory_card", "11", card=card)


def _not_in_hand(table: Table, card: str, rule: str = "11") -> Problem | None:
    return no("not_in_hand", rule, card=card) if card in table.c.cards else None


def voting(word: str) -> Problem | None:
    """6.1 (#86) Why no card can be laid for France or the Empire."""
    return no("no_vote", "6.1") if word in (FRANCE, HRE) else None


def laid(table: Table, power: str, card: str) -> Problem | None:
    """6.1 (#86) Why a card cannot be laid for France or the Empire."""
    if card not in table.state.powers[power].hand:
        return _not_in_hand(table, card, "6.1")
    return no("mandatory_vote", "6.1", card=card)


# -- spring (10) -------------------------------------------------------------------------------------------------------


def escort(table: Table, word: str) -> Problem | None:
    """10 step 1 Why Spain can send no galleons to the escort boxes, or bring none back."""
    boxed, most = (
        table.state.powers[SPAIN].stock["escort"],
        table.c.special["treasure_escort"]["max_galleons"],
    )
    if word == "send":
        return no("escort_full", "10", most=most) if boxed >= most else no("no_galleon", "10")
    if word == "return":
        return no("escort_ports", "10") if boxed else no("escort_empty", "10")
    return None


def leader(table: Table, key: str, word: str) -> Problem | None:
    """10 step 4 Why a leader cannot be placed so."""
    card = table.c.generals[key]
    if word == "wait":
        return no("leader_waits", "10", leader=key)
    if word not in ("army", "navy"):
        return None
    naval = word == "navy"
    if naval != card.naval and not card.also_naval:
        return no("army_leader" if naval else "naval_leader", "10", leader=key)
    return no("no_port" if naval else "no_fortress", "10", leader=key)


def leader_at(table: Table, key: str, naval: bool, space: str) -> Problem | None:
    """10 step 4, 23.6 Why a leader cannot be placed in a space."""
    if space not in table.c.spaces:
        return None
    return no("leader_port" if naval else "leader_fortress", "10", leader=key, space=space)


# -- what a seat announces for itself (9.1, 27) ------------------------------------------------------------------------


def announcing(word: str) -> Problem | None:
    """9.1, 27 Why a seat can announce no couple or no alliance of its own."""
    if word == "wed":
        return no("own_couple", "9.1")
    return no("own_alliance", "27") if word == "ally" else None


# -- deals (9.1) -------------------------------------------------------------------------------------------------------


def clause(table: Table, p: str, q: str, said: Promised, word: str) -> Problem | None:
    """9.1, 9.2 Why two powers cannot agree on a clause now, beside what other parts of the deal promise."""
    state = table.state
    if relations.barred(state, p, q):
        return no("agree", "9.1", power=q)  # 20.10: only talk
    if word in ("peace", "dynastic-peace"):
        return _peace(table, p, q)
    if word in ("alliance", "lend", "borrow"):
        return _no_alliance(table, p, q, said) or _ships(p, q, word)
    if word == "wed":
        return no("wed_in_war" if at_war(state, p, q) else "couple", "9.1", power=p, partner=q)
    if word in ("return", "recover"):
        captor, owner = (p, q) if word == "return" else (q, p)
        return no("captives", "9.1", power=captor, partner=owner)
    if word in ("cede", "receive"):
        giver, receiver = (p, q) if word == "cede" else (q, p)
        return no("cedable", "9.1", power=giver, partner=receiver)
    give, dash, gift = word.partition("-")
    if dash and give in ("give", "take"):
        giver, receiver = (p, q) if give == "give" else (q, p)
        return _gift(table, giver, receiver, gift, said)
    return None


def _peace(table: Table, p: str, q: str) -> Problem:
    if not at_war(table.state, p, q):
        return no("no_war", "9.1", power=p, partner=q)
    if {p, q} == {ENGLAND, SPAIN}:
        return no("english_war", "9.5")
    if not relations.may_make_peace(table, p, q):
        return no("locked_war", "9.1", power=p, partner=q, turn=table.state.turn)
    return no("couple", "9.1", power=p, partner=q)


def _no_alliance(table: Table, p: str, q: str, said: Promised) -> Problem | None:
    """9.2 Why two powers cannot ally, None if they can."""
    state = table.state
    if at_war(state, p, q):
        return no("alliance_in_war", "9.2", power=p, partner=q)
    if allied(state, p, q):
        return no("allied", "9.2", power=p, partner=q)
    if pair(p, q) in state.peaces:
        return no("peace_made", "9.1", power=p, partner=q)
    if {p, q} == {SPAIN, PROTESTANT}:
        return no("never_allies", "9.2")
    if not relations.may_ally(table, p, q) or said.bars_alliance(p, q):
        return no("both_sides", "9.2")
    return None


def _ships(p: str, q: str, word: str) -> Problem:
    lender, borrower = (p, q) if word == "lend" else (q, p)
    return no("ships", "9.2", power=lender, partner=borrower)


def _gift(table: Table, giver: str, receiver: str, gift: str, said: Promised) -> Problem:
    state = table.state
    if seat_of(state, giver) == seat_of(state, receiver):
        return no("one_player", "27", power=giver, partner=receiver)
    if gift == "mercenaries" and (giver == OTTOMAN or receiver in (OTTOMAN, HRE)):
        return no("no_mercenaries", "9.1", power=giver, partner=receiver)
    if gifts.got(state, giver, receiver, gift, said):
        return no("gift_back", "9.1", power=giver, partner=receiver, what=gift)
    if gift == "mercenaries" and gifts.billets(table, receiver) <= said.count("billets", receiver):
        return no("no_billets", "9.1", partner=receiver)
    return no("gift", "9.1", power=giver, what=gift)


def royal(table: Table, powers: Container[str], key: str) -> Problem | None:
    """9.1 Why a royal cannot be betrothed between two powers."""
    state, c = table.state, table.c
    if key not in c.royals:
        return None
    entry = state.royals[key]
    if entry.power not in powers:
        return no("royal_of", "9.1", royal=key, power=entry.power)
    if key == MARY and state.mary == "captive":
        return no("captive_mary", "9.1", royal=key)
    if entry.state != "free":
        return no(f"royal_{entry.state}", "9.1", royal=key)
    leader = c.royals[key].leader
    if leader and state.leaders[leader].captor:
        return no("captive_leader", "9.1", royal=key, power=state.leaders[leader].captor)
    return no("house", "9.1", royal=key)


def ceding(table: Table, giver: str, receiver: str, space: str) -> Problem | None:
    """9.1 Why a space cannot be ceded."""
    if space not in table.c.spaces:
        return None
    holder = table.state.control[space]
    if holder != giver:
        return no("not_held", "9.1", space=space, power=giver)
    return no("not_ceded", "9.1", space=space, partner=receiver)


def partner(table: Table, power: str) -> Problem | None:
    """9.1 Why nothing can be agreed with a power."""
    if power not in POWERS:
        return None
    return (
        no("unplayed", "9.1", power=power)
        if not seat_of(table.state, power)
        else no("agree", "9.1", power=power)
    )
