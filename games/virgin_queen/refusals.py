"""Why something is not possible now, each with its rule; of others' hands a reason names only public facts."""

from __future__ import annotations

from collections.abc import Container

from games.virgin_queen.components import ActionCost
from games.virgin_queen.courts.deaths import MARY
from games.virgin_queen.diplomacy import gifts, relations
from games.virgin_queen.diplomacy.gifts import DealPromises
from games.virgin_queen.fleets import blockaded
from games.virgin_queen.query import allied, at_war, loc, seat_of
from games.virgin_queen.state import ENGLAND, FRANCE, HRE, OTTOMAN, POWERS, PROTESTANT, SPAIN, pair
from games.virgin_queen.table import KIT, Table
from pbem.kernel.rejections import RejectionReason, because

BARRED = ("espionage", "patronage")


def barred(listed: ActionCost) -> bool:
    """27.1 Return whether activated powers can't buy an action: espionage, patronage, expeditions."""
    return listed.category in BARRED or listed.id == "launch_expedition"


def action(table: Table, power: str, only: Container[str] | None, word: str) -> RejectionReason | None:
    """11.1 Return why a power can't buy an action now; None if the word isn't an action."""
    if word not in KIT.actions:
        return None
    found = KIT.actions[word]
    listed = table.c.actions[found.listed]
    state, impulse = table.state, table.state.now
    if power not in listed.powers:
        return because("list", "11.1", power=power, word=word)
    if only is not None and word not in only:
        return because("only", "6.1", word=word)
    if not state.powers[power].active and barred(listed):
        return because("activated", "27.1", word=word)
    if state.turn < listed.first_turn:
        return because("turn", "19", word=word, turn=listed.first_turn)
    if impulse.cp < listed.cost and not found.free:
        return because("points", "11.1", word=word, cost=listed.cost, cp=impulse.cp)
    if impulse.source == "treasure" and not found.free and listed.category in impulse.families:
        return because("colour", "11", word=word)
    particular = KIT.reasons.get(word)
    problem = particular(table, power) if particular is not None else None
    return problem or because("nothing", found.rule, word=word)


@KIT.reason("assault")
def assault(table: Table, power: str) -> RejectionReason | None:
    """15.1 Return why a power can't assault any space: the reason at the first that it besieges."""
    spaces = [space for space, siege in table.state.sieges.items() if power in siege.by]
    return assaulting(table, power, spaces[0]) if spaces else because("siege", "15.1")


def assaulting(table: Table, power: str, space: str) -> RejectionReason | None:
    """15.1 Return why a power can't assault a space."""
    state = table.state
    if space not in table.c.spaces:
        return None
    siege = state.sieges.get(space)
    if siege is None or power not in siege.by:
        return because("besieged", "15.1", space=space)
    if siege.by[power] >= state.impulses:
        return because("first_impulse", "15.1", space=space)
    if space in state.now.assaulted:
        return because("assaulted", "15.1", space=space)
    if blockaded(table, power, space):
        return because("blockade", "15.1", space=space, power=state.control[space])
    if not loc(table, power, space):
        return because("communications", "12.1", space=space)
    return None


@KIT.reason("assassination")
def _plotted(table: Table, power: str) -> RejectionReason | None:
    """19.3, 19.4 Return the reason after an assassination or English rebellion: one a turn."""
    return because("attempt", "19.3") if table.state.powers[power].used.get("assassination") else None


@KIT.reason("english_catholic_rebellion")
def _plot(table: Table, power: str) -> RejectionReason | None:
    """19.4 Return why a plot is not possible: the same, or less than 3 CP."""
    cp = table.state.now.cp
    dear = because("points", "19.4", word="english_catholic_rebellion", cost=3, cp=cp) if cp < 3 else None
    return _plotted(table, power) or dear


def opening(table: Table, power: str, keep: int, bound: list[str], word: str) -> RejectionReason | None:
    """11 Return why a power may not pass: more than `keep` cards, or one of the cards `bound` in hand."""
    hand = table.state.powers[power].hand
    if word == "event":
        return because("events", "11")
    if word == "cp":
        return because("mandatory_hand", "11")
    if word == "command":
        return because("commands", "10")
    if word != "pass":
        return None
    if bound:
        return because(table.c.cards[bound[0]].type, "11", card=bound[0])
    return because("hand", "11", count=len(hand), most=keep) if len(hand) > keep else None


def event(table: Table, power: str, card: str) -> RejectionReason | None:
    """11, 6.1 Return why a card of the hand can't be played as an event in an impulse."""
    if card not in table.state.powers[power].hand:
        return _not_in_hand(table, card)
    info = table.c.cards[card]
    if info.type in ("combat", "response"):
        return because(f"{info.type}_card", "6.1", card=card)
    if info.powers and power not in info.powers:
        return because("other_power", "6.1", card=card, powers=list(info.powers))
    return because("conditions", "6.1", card=card)


def points(table: Table, power: str, card: str) -> RejectionReason | None:
    """11 Return why a card can't be played for its CP."""
    if card not in table.state.powers[power].hand:
        return _not_in_hand(table, card)
    return because("mandatory_card", "11", card=card)


def _not_in_hand(table: Table, card: str, rule: str = "11") -> RejectionReason | None:
    return because("not_in_hand", rule, card=card) if card in table.c.cards else None


def voting(word: str) -> RejectionReason | None:
    """6.1 Return why no card can be played for France or the Empire (#86)."""
    return because("no_vote", "6.1") if word in (FRANCE, HRE) else None


def laid(table: Table, power: str, card: str) -> RejectionReason | None:
    """6.1 Return why a card can't be played for France or the Empire (#86)."""
    if card not in table.state.powers[power].hand:
        return _not_in_hand(table, card, "6.1")
    return because("mandatory_vote", "6.1", card=card)


def escort(table: Table, word: str) -> RejectionReason | None:
    """10 step 1 Return why Spain can't send galleons to the escort boxes, or bring any back."""
    boxed, most = (table.state.powers[SPAIN].stock["escort"], table.c.special["treasure_escort"]["max_galleons"])
    if word == "send":
        return because("escort_full", "10", most=most) if boxed >= most else because("no_galleon", "10")
    if word == "return":
        return because("escort_ports", "10") if boxed else because("escort_empty", "10")
    return None


def leader(table: Table, key: str, word: str) -> RejectionReason | None:
    """10 step 4 Return why a leader can't be placed so."""
    card = table.c.generals[key]
    if word == "wait":
        return because("leader_waits", "10", leader=key)
    if word not in ("army", "navy"):
        return None
    naval = word == "navy"
    if naval != card.naval and not card.also_naval:
        return because("army_leader" if naval else "naval_leader", "10", leader=key)
    return because("no_port" if naval else "no_fortress", "10", leader=key)


def leader_at(table: Table, key: str, naval: bool, space: str) -> RejectionReason | None:
    """10 step 4, 23.6 Return why a leader can't be placed in a space."""
    if space not in table.c.spaces:
        return None
    return because("leader_port" if naval else "leader_fortress", "10", leader=key, space=space)


def announcing(word: str) -> RejectionReason | None:
    """9.1, 27 Return why a seat can't announce a couple or an alliance of its own."""
    if word == "wed":
        return because("own_couple", "9.1")
    return because("own_alliance", "27") if word == "ally" else None


def clause(table: Table, p: str, q: str, said: DealPromises, word: str) -> RejectionReason | None:
    """9.1, 9.2 Return why two powers can't agree on a clause now, next to the other parts of the deal."""
    state = table.state
    if relations.is_barred_by_league(state, p, q):
        return because("agree", "9.1", power=q)  # 20.10: only talk
    if word in ("peace", "dynastic-peace"):
        return _peace(table, p, q)
    if word in ("alliance", "lend", "borrow"):
        lender, borrower = (p, q) if word == "lend" else (q, p)
        return _no_alliance(table, p, q, said) or because("ships", "9.2", power=lender, partner=borrower)
    if word == "wed":
        return because("wed_in_war" if at_war(state, p, q) else "couple", "9.1", power=p, partner=q)
    if word in ("return", "recover"):
        captor, owner = (p, q) if word == "return" else (q, p)
        return because("captives", "9.1", power=captor, partner=owner)
    if word in ("cede", "receive"):
        giver, receiver = (p, q) if word == "cede" else (q, p)
        return because("cedable", "9.1", power=giver, partner=receiver)
    give, dash, gift = word.partition("-")
    if dash and give in ("give", "take"):
        giver, receiver = (p, q) if give == "give" else (q, p)
        return _gift(table, giver, receiver, gift, said)
    return None


def _peace(table: Table, p: str, q: str) -> RejectionReason:
    if not at_war(table.state, p, q):
        return because("no_war", "9.1", power=p, partner=q)
    if {p, q} == {ENGLAND, SPAIN}:
        return because("english_war", "9.5")
    if not relations.may_make_peace(table, p, q):
        return because("locked_war", "9.1", power=p, partner=q, turn=table.state.turn)
    return because("couple", "9.1", power=p, partner=q)


def _no_alliance(table: Table, p: str, q: str, said: DealPromises) -> RejectionReason | None:
    state = table.state
    if at_war(state, p, q):
        return because("alliance_in_war", "9.2", power=p, partner=q)
    if allied(state, p, q):
        return because("allied", "9.2", power=p, partner=q)
    if pair(p, q) in state.peaces:
        return because("peace_made", "9.1", power=p, partner=q)
    if {p, q} == {SPAIN, PROTESTANT}:
        return because("never_allies", "9.2")
    if not relations.may_ally(table, p, q) or said.bars_alliance(p, q):
        return because("both_sides", "9.2")
    return None


def _gift(table: Table, giver: str, receiver: str, gift: str, said: DealPromises) -> RejectionReason:
    state = table.state
    if seat_of(state, giver) == seat_of(state, receiver):
        return because("one_player", "27", power=giver, partner=receiver)
    if gift == "mercenaries" and (giver == OTTOMAN or receiver in (OTTOMAN, HRE)):
        return because("no_mercenaries", "9.1", power=giver, partner=receiver)
    if gifts.got(state, giver, receiver, gift, said):
        return because("gift_back", "9.1", power=giver, partner=receiver, what=gift)
    if gift == "mercenaries" and gifts.billets(table, receiver) <= said.count("billets", receiver):
        return because("no_billets", "9.1", partner=receiver)
    return because("gift", "9.1", power=giver, what=gift)


def royal(table: Table, powers: Container[str], key: str) -> RejectionReason | None:
    """9.1 Return why a royal can't be betrothed between two powers."""
    state, c = table.state, table.c
    if key not in c.royals:
        return None
    entry = state.royals[key]
    if entry.power not in powers:
        return because("royal_of", "9.1", royal=key, power=entry.power)
    if key == MARY and state.mary == "captive":
        return because("captive_mary", "9.1", royal=key)
    if entry.state != "free":
        return because(f"royal_{entry.state}", "9.1", royal=key)
    leader = c.royals[key].leader
    if leader and state.leaders[leader].captor:
        return because("captive_leader", "9.1", royal=key, power=state.leaders[leader].captor)
    return because("house", "9.1", royal=key)


def ceding(table: Table, giver: str, receiver: str, space: str) -> RejectionReason | None:
    """9.1 Return why a space can't be ceded."""
    if space not in table.c.spaces:
        return None
    holder = table.state.control[space]
    if holder != giver:
        return because("not_held", "9.1", space=space, power=giver)
    return because("not_ceded", "9.1", space=space, partner=receiver)


def partner(table: Table, power: str) -> RejectionReason | None:
    """9.1 Return why nothing can be agreed with a power."""
    if power not in POWERS:
        return None
    return because("agree" if seat_of(table.state, power) else "unplayed", "9.1", power=power)
