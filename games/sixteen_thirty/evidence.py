"""What the decisions turn on: facts of each question, and what its answers mean (`Kit.turns_on`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from games.sixteen_thirty import setup, war
from games.sixteen_thirty.components import face_of
from games.sixteen_thirty.influence import choosable, may_add, placeable, votes_lost, votes_of
from games.sixteen_thirty.refusals import CHANGE, DISARMED, ENTER, PEACE, REARM, WAR
from games.sixteen_thirty.scoring import points
from games.sixteen_thirty.sequence import inferior
from games.sixteen_thirty.specials import on_table
from games.sixteen_thirty.state import BLUE, RED, ThirtyState
from games.sixteen_thirty.table import KIT, Table
from games.sixteen_thirty.vote import agendas, callable_countries, choices, lying, near
from pbem.kernel.domains import PASS
from pbem.kernel.evidence import Fact, Look, Meaning

Sight = Look[Table]
Votes = dict[str, int]
_LISTED = 8

# -- what one scores and holds -----------------------------------------------------------------------------------------


def counters(look: Sight) -> Iterator[Fact]:
    """Yield the countries that the reader scores: their status, and the points now."""
    state, own = look.table.state, points(look.table.state, look.seat)
    lands = tuple(dict.fromkeys(country for country, _ in own))
    yield Fact("counters", {"status": {land: state.countries[land].status for land in lands}}, lands)
    twice = [land for land in lands if _counted(look, land) > 1]
    if twice:
        yield Fact("counters_twice", {"countries": twice})
    scored = {land: now for land, now in own if now}
    if state.phase != "display":
        main = look.kind in ("remove", "partner", "discard")
        yield Fact("points_now", {"points": scored}, main=main) if scored else Fact("no_points", main=main)


def rivals(look: Sight) -> Iterator[Fact]:
    """Yield who has votes where the reader scores."""
    there = {land: _votes(look, land) for land in _lands(look)}
    yield Fact("rivals", {"votes": {land: found for land, found in there.items() if found}})


def hand(look: Sight) -> Iterator[Fact]:
    """Yield the reader's cards: those of their counters, the others, and the special ones."""
    c, own = look.table.c, sorted(look.table.state.players[look.seat].hand)
    lands = _lands(look)
    held: dict[str, list[int]] = {}
    for key in own:
        if c.cards[key].votes:
            held.setdefault(c.named.get(key, "open"), []).append(c.cards[key].votes)
    cards = {land: "+".join(map(str, held[land])) if land in held else None for land in (*lands, *held)}
    yield Fact("hand_counters", {"cards": {land: cards[land] for land in lands}})
    others = {land: said for land, said in cards.items() if land not in lands}
    if others:
        yield Fact("hand_others", {"cards": others})
    special = [face_of(key) for key in own if key in c.special]
    if special:
        yield Fact("hand_special", {"cards": special})


def hands(look: Sight) -> Iterator[Fact]:
    """Yield how many cards the others hold."""
    players = look.table.state.players
    yield Fact("hands", {"hands": {seat: len(players[seat].hand) for seat in players if seat != look.seat}})


def scores(look: Sight) -> Iterator[Fact]:
    """Yield the points of the game."""
    state = look.table.state
    if state.turn > 1:
        yield Fact(
            "scores", {"scores": {look.who(seat): p.score for seat, p in state.players.items()}}, main=False
        )


# -- a vote ------------------------------------------------------------------------------------------------------------


def votes(look: Sight) -> Iterator[Fact]:
    """Yield the votes in the country, whose piles are inferior, and who may still lay cards."""
    state, country = look.table.state, look.about["country"]
    there = _votes(look, country)
    yield Fact("votes" if there else "no_votes", {"country": country, "votes": there}, (country,))
    piles = {seat: player.piles.get(country) for seat, player in state.players.items()}
    low = [look.who(seat) for seat, pile in piles.items() if pile is not None and pile.inferior]
    if low:
        yield Fact("inferior", {"seats": low})
    more = [seat for seat in _layers(look) if state.players[seat].hand and may_add(state, seat, country)]
    if more:
        yield Fact("may_lay", {"seats": more})


def _layers(look: Sight) -> list[str]:
    """Return the others who may lay cards for this vote at the same time or later."""
    order, caller = look.table.clockwise(look.about["caller"]), look.about["caller"]
    if look.kind == "place":
        return order[order.index(look.seat) + 1 :]
    sealed = look.table.rule("placing") == "sealed"
    return [seat for seat in order if sealed and seat not in (caller, look.seat)]


def stake(look: Sight) -> Iterator[Fact]:
    """Yield what the reader scores in the countries of the vote, and what becomes of their pile if they lose it."""
    state, country = look.table.state, look.about["country"]
    lands = [country, *([look.about["target"]] if "target" in look.about else [])]
    for land in lands:
        if _counted(look, land):
            said = {"country": land, "status": state.countries[land].status, "points": _points(look, land)}
            yield Fact("your_counter", said, (land,))
    without = [land for land in lands if not _counted(look, land)]
    if without:
        yield Fact("no_counter", {"countries": without}, main=without == lands)
    pile = state.players[look.seat].piles.get(country)
    if pile is not None:
        yield Fact("outvoted_again" if pile.inferior else "outvoted")


def agenda(look: Sight) -> Iterator[Fact]:
    """Yield the chances of the war, or the sides that countries are on."""
    about, countries = look.about, look.table.state.countries
    if about["agenda"] == WAR:
        yield _war(look, about["country"], about["target"], "war_chances")
        return
    for side in (RED, BLUE):
        on = [key for key, land in countries.items() if land.side == side and key != about["country"]]
        if on and about["agenda"] != REARM:
            yield Fact("on_side", {"side": side, "countries": on})
    if about["agenda"] == CHANGE:
        yield Fact("its_side", {"country": about["country"], "side": countries[about["country"]].side})


def addable(look: Sight) -> Iterator[Fact]:
    """Yield the cards that the reader may lay with their vote."""
    c, country = look.table.c, look.about["country"]
    now = votes_of(look.table.state, look.seat, country)
    _, every = placeable(c, look.table.state, look.seat, country)
    laying = look.kind == "place" or (
        look.table.rule("placing") == "sealed" and look.about["caller"] != look.seat
    )
    if laying and every:
        total = now + sum(c.cards[key].votes for key in every)
        key = "may_add" if now else "may_enter"
        yield Fact(key, {"country": country, "cards": list(map(face_of, every)), "votes": total})


def ballot(look: Sight, answer: Any) -> Meaning | None:
    """Return what a vote leads to, and the votes with the cards laid with it."""
    if answer == PASS:
        return Meaning(follows=(Fact("stays_out"),), rank=-2)
    country, choice = look.about["country"], answer["vote"]
    land, change = look.table.state.countries[country], look.about["agenda"] == CHANGE
    follows: list[Fact] = []
    if choice == WAR:
        follows.append(Fact("winner", {"status": look.table.c.war.winner_status}))
    elif choice in (PEACE, DISARMED) or (change and choice == land.side):
        follows.append(Fact("nothing_changes"))
    elif choice == REARM:
        follows.append(Fact("army_rises", {"now": land.army, "then": land.army + 1}))
    if "place" in answer:
        follows += _laid(look, country, answer["place"])
    return Meaning(follows=tuple(follows), rank=len(answer.get("place", ())) if "do" in answer else 0)


def ballots(look: Sight) -> Iterator[str]:
    """Yield the votes that have a button: both choices; with a card that names the country, if one has none there."""
    country = look.about["country"]
    need, every = placeable(look.table.c, look.table.state, look.seat, country)
    entry = f" place={','.join(_strong(look, need)[:1])}" if need else ""
    if votes_of(look.table.state, look.seat, country) or entry:
        yield from (f"{f'{ENTER} ' if entry else ''}{word}{entry}" for word in choices(look.about["agenda"]))
    if entry and len(every) > 1:
        everything = f"{entry},{','.join(key for key in every if key not in entry)}"
        yield from (f"{ENTER} {word}{everything}" for word in choices(look.about["agenda"]))
    if not votes_of(look.table.state, look.seat, country):
        yield PASS


def placing(look: Sight, answer: list[str]) -> Meaning:
    """Return the votes with the cards laid."""
    return Meaning(follows=tuple(_laid(look, look.about["country"], answer)), rank=len(answer))


KIT.turns_on("ballot", facts=(votes, agenda, stake, addable), means=ballot, likely=ballots)
KIT.turns_on("place", facts=(votes, agenda, stake, addable), means=placing)

# -- calling a vote ----------------------------------------------------------------------------------------------------


def call(look: Sight, answer: Mapping[str, Any]) -> Meaning:
    """Return the votes in a country, how far the caller's cards go, and the chances of a war."""
    country, laid = answer["country"], answer.get("place", [])
    there = {"votes": _votes(look, country), "status": look.table.state.countries[country].status}
    follows = [Fact("votes_there" if there["votes"] else "nobody_there", there)]
    follows += _laid(look, country, laid) if laid else []
    most = _reach(look, country)
    if most > votes_of(look.table.state, look.seat, country) + _sum(look, laid):
        follows.append(Fact("up_to", {"votes": most}))
    if answer["agenda"] == WAR:
        follows.append(_war(look, country, answer["target"], "war_odds"))
    if _counted(look, country):
        follows.append(Fact("is_counter"))
    return Meaning(follows=tuple(follows), rank=_lead(look, country))


def calls(look: Sight) -> Iterator[str]:
    """Yield a vote in each country where the reader can call one: where they lead most, or score, first."""
    c, state = look.table.c, look.table.state
    lands = callable_countries(c, state, look.seat)
    for country in sorted(lands, key=lambda land: -_lead(look, land)):
        word = agendas(c, state, country, near(look.table))[0]
        need, _ = placeable(c, state, look.seat, country)
        words = [country, word, *_target(look, country, word)]
        yield " ".join(words) + (f" place={_strong(look, need)[0]}" if need else "")


def _target(look: Sight, country: str, word: str) -> Iterator[str]:
    """Yield `target=…` of a war: where the country wins most often."""
    c, state = look.table.c, look.table.state
    if word == WAR:
        found = war.targets(c, state, country, near(look.table))
        yield f"target={max(found, key=lambda other: war.odds(c, state, country, other)[0])}"


def must_call(look: Sight) -> Iterator[Fact]:
    """Yield that the reader can't pass."""
    yield Fact("must_call")


KIT.turns_on("call", facts=(must_call, counters, hand), means=call, likely=calls)

# -- special cards -----------------------------------------------------------------------------------------------------


def played(look: Sight) -> Iterator[Fact]:
    """Yield how many special cards have been played, and who has most votes where: whom Unrest hits."""
    yield Fact("played", {"played": look.about["played"], "most": look.table.c.hand.specials})
    struck = {land: _most(look, land) for land in look.table.state.countries}
    yield Fact("most_votes", {"votes": {land: found for land, found in struck.items() if found}})


def special(look: Sight, answer: Any) -> Meaning | None:
    """Return whom or what a special card hits."""
    if isinstance(answer, str):
        return None
    if answer["do"] == "vote":
        return call(look, answer.get("with", answer))
    if answer["do"] == "assassin":
        return _murder(look, answer)
    country = answer["country"]
    land, own = look.table.state.countries[country], (Fact("is_counter"),) if _counted(look, country) else ()
    if answer["do"] == "unrest":
        struck = _most(look, country)
        rank = sum(struck.values()) * (-1 if "you" in struck else 1) * (1 + len(own))
        hit = Fact("hits", {"votes": struck}) if struck else Fact("hits_nobody")
        return Meaning(follows=(hit, *own), rank=rank)
    rank = land.status + 5 * len(own)
    if answer["do"] == "leader":
        return Meaning(follows=(Fact("leader_bonus", {"bonus": look.table.c.war.leader}), *own), rank=rank)
    now = {"army": land.army, "status": land.status, "improvement": land.ability}[answer["do"]]
    rises = Fact(f"{answer['do']}_rises", {"now": now, "then": now + 1})
    return Meaning(follows=(rises, *own), rank=rank)


def _murder(look: Sight, answer: Mapping[str, Any]) -> Meaning:
    piles = look.table.state.players[answer["owner"]].piles
    country, key = on_table(look.table, answer["owner"])[answer["card"]]
    lost = votes_lost(look.table.c, piles[country], key)
    follows = (Fact("loses_votes", {"country": country, "votes": lost, "left": piles[country].votes - lost}),)
    return Meaning(
        follows=follows, rank=lost * (1 + _counted(look, country)) * (answer["owner"] != look.seat)
    )


def specials(look: Sight) -> Iterator[str]:
    """Yield the best targets of each special card in hand."""
    menu = {"assassin": _victims(look), "vote": [f"vote {text}" for text in calls(look)]}
    cards = look.table.c.special
    held = dict.fromkeys(cards[key] for key in look.table.state.players[look.seat].hand if key in cards)
    for word in held:
        answers = menu.get(word) or _spots(look, word)
        yield from answers[: max(2, _LISTED // len(held) - 1)]
    yield PASS


def _spots(look: Sight, word: str) -> list[str]:
    """Return the countries where a card fits, the best first."""
    found = KIT.actions[word].find(look.table, look.seat) or []

    def rank(country: str) -> float:
        meaning = special(look, {"do": word, "country": country})
        return -meaning.rank if meaning is not None else 0

    return [f"{word} {country}" for country in sorted(found, key=rank)]


def _victims(look: Sight) -> list[str]:
    """Return the cards of others whose loss hurts most, those in the reader's countries first."""
    found = [
        {"owner": owner, "card": card}
        for owner in look.table.state.players if owner != look.seat
        for card in on_table(look.table, owner)
    ]  # fmt: skip
    found.sort(key=lambda answer: -_murder(look, answer).rank)
    return [f"assassin {answer['owner']} {answer['card']}" for answer in found]


KIT.turns_on("special", facts=(played, counters, hand), means=special, likely=specials)

# -- cards that go -----------------------------------------------------------------------------------------------------


def goes(look: Sight, answer: str) -> Meaning | None:
    """Return what is left of a pile without the card, what it scores, and against whom it lies."""
    cards = (
        inferior(look.table, look.seat)
        if look.kind == "remove"
        else lying(look.table, look.seat, look.about["country"])
    )
    found = choosable(cards).get(answer)
    if found is None:
        return None
    country, key = found
    c, pile = look.table.c, look.table.state.players[look.seat].piles[country]
    lost = votes_lost(c, pile, key)
    left = pile.votes - lost
    here = {"country": country, "votes": left, "before": pile.votes}
    follows = [Fact("votes_left" if left else "pile_gone", here)]
    if lost > c.cards[key].votes:
        follows.append(Fact("open_follow"))
    others = {seat: n for seat, n in _votes(look, country).items() if seat != "you"}
    if others:
        top = max(others, key=lambda seat: others[seat])
        follows.append(Fact("against", {"votes": {top: others[top]}}))
    scored = Fact("scores_there", {"points": _points(look, country)})
    follows.append(scored if _counted(look, country) else Fact("not_counter"))
    return Meaning(follows=tuple(follows), rank=-lost - 9 * _counted(look, country))


def outlook(look: Sight) -> Iterator[Fact]:
    """Yield the reader's score in the country, and who has votes there."""
    land = look.about["country"]
    yield Fact("votes", {"country": land, "votes": _votes(look, land)}, (land,))
    if _counted(look, land):
        status = look.table.state.countries[land].status
        yield Fact("your_counter", {"country": land, "status": status, "points": _points(look, land)})
    else:
        yield Fact("no_counter", {"countries": [land]})


def dropped(look: Sight, answer: list[str]) -> Meaning:
    """Return what a card in hand is good for."""
    c = look.table.c
    if len(answer) > 1:
        return Meaning(rank=sum(dropped(look, [key]).rank for key in answer))
    card = c.cards[answer[0]]
    if card.special:
        return Meaning(follows=(Fact("special_card"),), rank=-2.5)
    own = card.country is not None and _counted(look, card.country)
    fact = Fact("of_counter") if own else Fact("for_any") if card.country is None else Fact("not_counter")
    return Meaning(follows=(fact,), rank=-card.votes - 9 * bool(own))


def drops(look: Sight) -> Iterator[str]:
    """Yield the cards that cost least: of no counter, with few votes."""
    ranked = sorted(look.table.state.players[look.seat].hand, key=lambda key: -dropped(look, [key]).rank)
    count = look.about["count"]
    yield from (" ".join(ranked[at : at + count]) for at in range(min(3, len(ranked) - count + 1)))


KIT.turns_on("remove", facts=(counters,), means=goes)
KIT.turns_on("lost", "unrest", facts=(outlook,), means=goes)
KIT.turns_on("discard", facts=(counters, hand), means=dropped, likely=drops)

# -- the first display, and the exchange -------------------------------------------------------------------------------


def displayed(look: Sight, answer: list[str]) -> Meaning:
    """Return what the cards would score now."""
    state, c = look.table.state, look.table.c
    laid: Votes = {}
    for placement in answer:
        key, _, country = placement.partition("@")
        country = country or c.cards[key].country or ""
        laid[country] = laid.get(country, 0) + c.cards[key].votes
    scored = sum(min(state.countries[land].status, n) * _counted(look, land) for land, n in laid.items())
    return Meaning(follows=(Fact("would_score", {"points": scored}),), rank=scored)


def displays(look: Sight) -> Iterator[str]:
    """Yield the strongest cards of the reader's countries, and the strongest of all."""
    c = look.table.c
    named = _strong(look, [key for key in look.table.state.players[look.seat].hand if key in c.named])
    first = sorted(named, key=lambda key: not _counted(look, c.named[key]))
    count = min(c.hand.display, len(named))
    apart = sorted(
        first, key=lambda key: [c.named[other] for other in first[: first.index(key)]].count(c.named[key])
    )
    yield from dict.fromkeys(" ".join(cards[:count]) for cards in (first, apart, named, named[::-1]) if count)


def partner(look: Sight, answer: str) -> Meaning | None:
    """Return how many cards a partner holds, and where they have votes in the reader's countries."""
    player = look.table.state.players.get(answer)
    if player is None:
        return Meaning(follows=(Fact("no_exchange"),), rank=-1)
    there = {land: player.piles[land].votes for land in _lands(look) if land in player.piles}
    known = (Fact("lies_in", {"votes": there}),) if there else ()
    return Meaning(follows=(Fact("holds", {"cards": len(player.hand)}), *known), rank=len(player.hand))


def deal(look: Sight) -> Iterator[Fact]:
    """Yield how many cards may change hands."""
    yield Fact("deal_limit", {"most": look.table.c.hand.exchange}, main=look.kind == "exchange")


KIT.turns_on(setup.DISPLAY.kind, facts=(counters, hand), means=displayed, likely=displays)
KIT.turns_on("partner", facts=(counters, hand, deal, scores), means=partner)
KIT.turns_on("exchange", facts=(counters, rivals, hand, deal, hands, scores))

# -- what builders share -----------------------------------------------------------------------------------------------


def _lands(look: Sight) -> list[str]:
    return list(dict.fromkeys(look.table.state.players[look.seat].counters))


def _counted(look: Sight, country: str) -> int:
    """Return how many counters of a country the reader has."""
    return look.table.state.players[look.seat].counters.count(country)


def _points(look: Sight, country: str) -> int:
    return sum(now for land, now in points(look.table.state, look.seat) if land == country)


def _votes(look: Sight, country: str) -> Votes:
    """Return the votes in a country, most first."""
    state: ThirtyState = look.table.state
    found = {look.who(seat): votes_of(state, seat, country) for seat in state.players}
    return {seat: n for seat, n in sorted(found.items(), key=lambda one: -one[1]) if n}


def _most(look: Sight, country: str) -> Votes:
    found = _votes(look, country)
    return {seat: n for seat, n in found.items() if n == max(found.values())}


def _sum(look: Sight, cards: list[str]) -> int:
    return sum(look.table.c.cards[key].votes for key in cards)


def _reach(look: Sight, country: str) -> int:
    """Return the reader's votes with all the cards that they could lay."""
    _, every = placeable(look.table.c, look.table.state, look.seat, country)
    return votes_of(look.table.state, look.seat, country) + _sum(look, every)


def _lead(look: Sight, country: str) -> float:
    """Return by how many votes the reader can lead those on the table, more where they score."""
    others = [n for seat, n in _votes(look, country).items() if seat != "you"]
    return _reach(look, country) - max(others, default=0) + 3 * _counted(look, country)


def _strong(look: Sight, cards: list[str]) -> list[str]:
    return sorted(cards, key=lambda key: -look.table.c.cards[key].votes)


def _laid(look: Sight, country: str, cards: list[str]) -> Iterator[Fact]:
    total = votes_of(look.table.state, look.seat, country) + _sum(look, cards)
    yield Fact("then_votes", {"votes": total})
    if _counted(look, country):
        scored = min(look.table.state.countries[country].status, total) * _counted(look, country)
        yield Fact("then_points", {"points": scored})


def _war(look: Sight, attacker: str, defender: str, key: str) -> Fact:
    wins, loses = war.odds(look.table.c, look.table.state, attacker, defender)
    return Fact(
        key, {"attacker": attacker, "wins": wins, "defender": defender, "loses": loses}, (attacker, defender)
    )
