"""What the decisions turn on: facts of each question, and what its answers mean (`Kit.turns_on`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from games.sixteen_thirty import setup, war
from games.sixteen_thirty.components import face_of
from games.sixteen_thirty.influence import choosable, may_add, placeable, votes_lost, votes_of
from games.sixteen_thirty.refusals import CHANGE, DISARMED, ENTER, PEACE, REARM, WAR
from games.sixteen_thirty.scoring import points
from games.sixteen_thirty.sequence import inferior, weakest
from games.sixteen_thirty.specials import on_table
from games.sixteen_thirty.state import BLUE, RED
from games.sixteen_thirty.table import KIT, Table
from games.sixteen_thirty.vote import agendas, callable_countries, choices, lying, near
from pbem.kernel.domains import PASS
from pbem.kernel.evidence import NEVER, YOU, Fact, Look, Meaning
from pbem.kernel.questions import Proposal

ThirtyLook = Look[Table]
_TOLD, _FIELD = 3, 14
"""How many targets of a card come first, and how many votes of others where one can call."""

# -- what builders share -----------------------------------------------------------------------------------------------


def _lands(look: ThirtyLook) -> list[str]:
    """Return the countries of the reader's counters."""
    return list(dict.fromkeys(look.table.state.players[look.seat].counters))


def _counted(look: ThirtyLook, country: str) -> int:
    """Return how many counters of a country the reader has."""
    return look.table.state.players[look.seat].counters.count(country)


def _scored(look: ThirtyLook, country: str) -> int:
    """Return the points of all the reader's counters of a country."""
    return sum(n for land, n in points(look.table.state, look.seat) if land == country)


def _votes(look: ThirtyLook, country: str) -> dict[str, int]:
    """Return the votes in a country, most first."""
    state = look.table.state
    found = {look.who(seat): votes_of(state, seat, country) for seat in state.players}
    return {seat: n for seat, n in sorted(found.items(), key=lambda entry: -entry[1]) if n}


def _strongest(look: ThirtyLook, country: str, most: int = 2) -> dict[str, int]:
    """Return the votes of the strongest others, and the reader's."""
    found = _votes(look, country)
    others = [seat for seat in found if seat != YOU][:most]
    return {seat: n for seat, n in found.items() if seat in (YOU, *others)}


def _most(look: ThirtyLook, country: str) -> dict[str, int]:
    found = _votes(look, country)
    return {seat: n for seat, n in found.items() if n == max(found.values())}


def _sum(look: ThirtyLook, cards: Iterable[str]) -> int:
    return sum(look.table.c.cards[key].votes for key in cards)


def _held(look: ThirtyLook) -> dict[str, str]:
    """Return the votes of the reader's cards, by country: those of their counters first."""
    c, held = look.table.c, dict.fromkeys(_lands(look), "")
    for key in filter(lambda key: c.cards[key].votes, sorted(look.table.state.players[look.seat].hand)):
        land = c.named.get(key, "open")
        held[land] = f"{held[land]}+{c.cards[key].votes}" if held.get(land) else str(c.cards[key].votes)
    return {land: n for land, n in held.items() if n}


def _strong(look: ThirtyLook, cards: Iterable[str]) -> list[str]:
    return sorted(cards, key=lambda key: -look.table.c.cards[key].votes)


def _reach(look: ThirtyLook, country: str) -> int:
    """Return the reader's votes with all the cards that they could lay."""
    every = placeable(look.table.c, look.table.state, look.seat, country)[1]
    return votes_of(look.table.state, look.seat, country) + _sum(look, every)


def _lead(look: ThirtyLook, country: str) -> float:
    """Return by how many votes the reader can lead those on the table, more where they score."""
    others = [n for seat, n in _votes(look, country).items() if seat != YOU]
    return _reach(look, country) - max(others, default=0) + _TOLD * _counted(look, country)


def _laid(look: ThirtyLook, country: str, cards: Iterable[str]) -> Fact:
    """Return the votes after cards are laid, and what they score."""
    total = votes_of(look.table.state, look.seat, country) + _sum(look, cards)
    scored = min(look.table.state.countries[country].status, total) * _counted(look, country)
    return Fact("then_votes", {"votes": total, "points": scored})


def _war(look: ThirtyLook, attacker: str, defender: str, key: str, there: Mapping[str, int] | None = None) -> Fact:
    wins, loses = war.odds(look.table.c, look.table.state, attacker, defender)
    said = {"attacker": attacker, "wins": wins, "defender": defender, "loses": loses, "votes": there or {}}
    return Fact(key, said, (attacker, defender))


# -- what one scores and holds -----------------------------------------------------------------------------------------


def counters(look: ThirtyLook) -> Iterator[Fact]:
    """Yield the countries that the reader scores: their status, and the points now."""
    state, lands = look.table.state, _lands(look)
    double = {land: f"{land}@double" if _counted(look, land) > 1 else land for land in lands}
    status: dict[str, Any] = {double[land]: state.countries[land].status for land in lands}
    if look.kind == "special":  # whether more status scores more, and whether a vote can be won
        status = {double[land]: [state.countries[land].status, votes_of(state, look.seat, land)] for land in lands}
        yield Fact("counters_votes", {"status": status}, tuple(lands))
    else:
        yield Fact("counters", {"status": status}, tuple(lands), look.kind not in ("call", "exchange"))
    scored = {land: n for land in lands if (n := _scored(look, land))}
    yield Fact("points_now", {"points": scored}, main=look.kind == "remove")


def hand(look: ThirtyLook) -> Iterator[Fact]:
    """Yield the reader's cards with votes: those of their counters, and the others."""
    special, own, lands = look.table.c.special, look.table.state.players[look.seat].hand, _lands(look)
    held = _held(look)
    if look.kind in ("call", "exchange", "special"):  # in few words: the votes must be told, too
        voting = any(special.get(key) == "vote" for key in own)
        laying = look.kind != "special" or (voting and not _many(look))
        main = laying and look.kind != "call"  # the votes one can reach say most of it
        yield Fact("hand_all", {"cards": held}, main=main, spare=look.kind != "special")
        return
    yield Fact("hand_counters", {"cards": {land: held.get(land) for land in lands}})
    others = {land: held[land] for land in held if land not in lands}
    yield Fact("hand_others", {"cards": others}, main=look.kind in ("partner", "discard", setup.DISPLAY.kind))


def _specials(look: ThirtyLook) -> list[str]:
    """Return the reader's special cards."""
    own = sorted(look.table.state.players[look.seat].hand)
    return [face_of(key) for key in own if key in look.table.c.special]


def hand_special(look: ThirtyLook) -> Iterator[Fact]:
    """Yield the reader's special cards."""
    held = [f"{card} {count}" if count > 1 else card for card, count in Counter(_specials(look)).items()]
    special = {"cards": held, "most": look.table.c.hand.specials}
    if look.kind == "special":
        yield Fact("played", {**special, "played": look.about["played"]})
    else:
        main = bool(held) and look.kind in ("partner", "discard", "exchange")
        yield Fact("hand_special", special, main=main, spare=look.kind == "exchange")


def rivals(look: ThirtyLook) -> Iterator[Fact]:
    """Yield who has votes where the reader scores, and how many cards the others hold."""
    countries = look.table.state.countries
    there = {f"{land}@{countries[land].status}": _strongest(look, land, 1) or None for land in _lands(look)}
    yield Fact("rivals", {"votes": there}, main=look.kind == "exchange")
    players = look.table.state.players
    yield Fact(
        "hands",
        {"hands": {seat: len(players[seat].hand) for seat in players if seat != look.seat}},
        main=look.kind == "partner",
    )
    yield Fact("deal_limit", {"most": look.table.c.hand.exchange}, main=False)


# -- a vote ------------------------------------------------------------------------------------------------------------


def votes(look: ThirtyLook) -> Iterator[Fact]:
    """Yield the votes in the country, who may still lay cards, and whose piles are inferior."""
    state, country = look.table.state, look.word("country")
    there = _votes(look, country)
    yield Fact("votes" if there else "no_votes", {"country": country, "votes": there}, (country,))
    order, caller = look.table.clockwise(look.word("caller")), look.word("caller")
    later = order[order.index(look.seat) + 1 :] if look.kind == "place" else order[1:]
    if look.kind == "place" or look.table.rule("placing") == "sealed":
        more = [seat for seat in later if state.players[seat].hand and may_add(state, seat, country)]
        more = [seat for seat in more if seat not in (look.seat, caller)]
        yield Fact("may_lay", {"seats": more})
    low = [seat for seat in state.players if votes_of(state, seat, country) and not may_add(state, seat, country)]
    if low:
        yield Fact("inferior", {"seats": [look.who(seat) for seat in low]}, main=False)


def agenda(look: ThirtyLook) -> Iterator[Fact]:
    """Yield the chances of the war, or the sides that countries are on."""
    about, countries = look.about, look.table.state.countries
    if about["agenda"] == WAR:
        yield _war(look, about["country"], about["target"], "war_chances")
    sides = {side: [key for key, land in countries.items() if land.side == side] for side in (RED, BLUE)}
    own = [f"{land}@{countries[land].side}" for land in _lands(look)]
    if about["agenda"] not in (WAR, REARM):
        yield Fact("own_sides", {"lands": own})
        if any(sides.values()):
            yield Fact("on_side", {"sides": {side: on for side, on in sides.items() if on}}, main=not own)


def stake(look: ThirtyLook) -> Iterator[Fact]:
    """Yield what the reader scores in the countries of the vote, and what becomes of their pile if they lose it."""
    state, country = look.table.state, look.word("country")
    lands = [country, *([look.about["target"]] if "target" in look.about else [])]
    for land in filter(lambda land: _counted(look, land), lands):
        said = {"country": land, "status": state.countries[land].status, "points": _scored(look, land)}
        yield Fact("your_counter", said, (land,))
    without = [land for land in lands if not _counted(look, land)]
    if without:
        status = {land: state.countries[land].status for land in without}
        yield Fact("no_counter", {"status": status}, main=without == lands)
    pile = state.players[look.seat].piles.get(country)
    if pile is not None and look.kind in ("ballot", "place"):
        chosen = pile.inferior and len(choosable(lying(look.table, look.seat, country))) > 1  # an answer tells it
        yield Fact("outvoted_again" if pile.inferior else "outvoted", main=bool(without) or not chosen)


def addable(look: ThirtyLook) -> Iterator[Fact]:
    """Yield the cards that the reader may lay with their vote."""
    country, own = look.word("country"), votes_of(look.table.state, look.seat, look.word("country"))
    every = placeable(look.table.c, look.table.state, look.seat, country)[1]
    laying = look.kind == "place" or (look.table.rule("placing") == "sealed" and look.word("caller") != look.seat)
    if laying and every:
        said = {"cards": list(map(face_of, every)), "votes": _reach(look, country)}
        yield Fact("may_add" if own else "may_enter", said)


def ballot(look: ThirtyLook, answer: Any) -> Meaning | None:
    """Return what a vote leads to, and the votes with the cards laid with it."""
    if answer == PASS:
        return Meaning(follows=(Fact("stays_out"),))
    if isinstance(answer, list):  # cards laid openly
        return Meaning(follows=(_laid(look, look.word("country"), answer),) if answer else ())
    land, choice = look.table.state.countries[look.word("country")], answer["vote"]
    follows = [_laid(look, look.word("country"), answer["place"])] if "place" in answer else []
    offered = answer.get("do") != ENTER or sorted(answer["place"]) in map(sorted, _entries(look))
    if choice == WAR:
        follows.append(Fact("winner", {"status": look.table.c.war.winner_status}))
    elif choice in (PEACE, DISARMED) or (look.about["agenda"] == CHANGE and choice == land.side):
        follows.append(Fact("nothing_changes"))
    return Meaning(follows=tuple(follows), rank=0 if offered else NEVER)


def _entries(look: ThirtyLook) -> list[list[str]]:
    """Return the cards to enter a vote with that are offered: the strongest, and all."""
    need, every = placeable(look.table.c, look.table.state, look.seat, look.word("country"))
    first = _strong(look, need)[:1]
    return [first, [*first, *(key for key in every if key not in first)]] if first else []


def ballots(look: ThirtyLook) -> Iterator[str]:
    """Yield how to enter a vote with one card, and with all."""
    ways = dict.fromkeys(map(",".join, _entries(look)))
    yield from (f"{ENTER} {word} place={cards}" for cards in ways for word in choices(look.about["agenda"]))


KIT.turns_on("ballot", facts=(votes, agenda, stake, addable), means=ballot, likely=ballots)
KIT.turns_on("place", facts=(votes, agenda, stake, addable), means=ballot)


def field(look: ThirtyLook) -> Iterator[Fact]:
    """Yield the votes where the reader can call a vote, best first; theirs up to what their cards allow."""
    found, told, held = dict[str, dict[str, Any]](), 0, _held(look)
    lands = callable_countries(look.table.c, look.table.state, look.seat)
    for land in sorted(lands, key=lambda land: -_lead(look, land)):
        there, most = _strongest(look, land, 1 + (len(found) < _TOLD)), _reach(look, land)
        counted = _counted(look, land)
        status = {"own-statuses" if counted > 1 else "own-status": look.table.state.countries[land].status}
        more = {YOU: f"{there.get(YOU, 0)}–{most}"} if most > there.get(YOU, 0) else {}
        if YOU in more and land in held and len(found) < _TOLD:  # a vote may take cards of that country
            more[YOU] += f" ({held[land]})"
        told += len(there | more)
        if told <= _FIELD:
            side = look.table.state.countries[land].side
            found[f"{land}@{side}"] = {**(status if counted else {}), **there, **more}
    rest = dict(list(found.items())[_TOLD:])
    yield Fact("field", {"votes": {land: said for land, said in found.items() if land not in rest}})
    scored = {land: said for land, said in rest.items() if {"own-status", "own-statuses"} & said.keys()}
    if scored:
        yield Fact("field_more", {"votes": scored})
    yield from hand(look)
    if others := {land: said for land, said in rest.items() if land not in scored}:
        yield Fact("field_more", {"votes": others}, main=False)


def call(look: ThirtyLook, answer: Mapping[str, Any]) -> Meaning:
    """Return the chances of a war, the caller's votes, and whether they score there."""
    country = answer["country"]
    land, there = look.table.state.countries[country], _strongest(look, country, 1)
    told = there if look.kind == "special" else {}
    follows = [_war(look, country, answer["target"], "war_odds", told)] if answer["agenda"] == WAR else []
    if answer["agenda"] == CHANGE:
        free = war.targets(look.table.c, look.table.state, country, near(look.table))
        why = "no-army" if not land.army else "in-unrest" if land.unrest else "" if free else "no-enemy"
        side = land.side if look.kind == "special" else ""  # or else a fact has it
        follows += [Fact("side_now", {"side": side, "why": why, "votes": told})] if side or why else []
    follows += [Fact("votes_there", {"votes": there})] if told and answer["agenda"] not in (WAR, CHANGE) else []
    follows += [_laid(look, country, answer["place"])] if "place" in answer else []
    follows += [Fact("is_counter")] if _counted(look, country) else []
    later = 2 * _TOLD * agendas(look.table.c, look.table.state, country, near(look.table)).index(answer["agenda"])
    return Meaning(follows=tuple(follows), rank=_lead(look, country) - later)


def calls(look: ThirtyLook) -> Iterator[str]:
    """Yield a vote in the countries where the reader leads most, or scores; then their counters' other agendas."""
    c, state = look.table.c, look.table.state
    lands = sorted(callable_countries(c, state, look.seat), key=lambda land: -_lead(look, land))
    words = {land: agendas(c, state, land, near(look.table)) for land in lands}
    ways = [(land, words[land][0]) for land in lands[:_TOLD]]
    ways += [(land, word) for land in lands if _counted(look, land) for word in words[land]]
    for country, word in dict.fromkeys(ways):
        need = placeable(c, state, look.seat, country)[0]
        found = war.targets(c, state, country, near(look.table)) if word == WAR else []
        best = [max(found, key=lambda other: war.odds(c, state, country, other)[0])] if found else []
        yield " ".join([country, word, *best, *(f"place={card}" for card in _strong(look, need)[:1])])


KIT.turns_on("call", facts=(field, counters, hand_special), means=call, likely=calls)

# -- special cards -----------------------------------------------------------------------------------------------------


def struck(look: ThirtyLook) -> Iterator[Fact]:
    """Yield who has most votes where the reader scores and where they are most: whom Unrest hits."""
    every = {land: _most(look, land) for land in look.table.state.countries}
    order = sorted(every, key=lambda land: (-_counted(look, land), -max(every[land].values(), default=0)))
    most = {land: every[land] for land in order[: 2 * _TOLD]}
    striking = any(look.table.c.special.get(key) == "unrest" for key in look.table.state.players[look.seat].hand)
    there = {land: found for land, found in most.items() if found}
    yield Fact("most_votes", {"votes": there}, main=striking and not _many(look), spare=True)


def special(look: ThirtyLook, answer: Any) -> Meaning | None:
    """Return whom or what a special card hits. Of many cards, each comes once before a second target of one."""
    found = _hitting(look, answer)
    return found if found is None or not _many(look) else msgspec.structs.replace(found, rank=min(found.rank, 1))


def _many(look: ThirtyLook) -> bool:
    """Return whether the reader has many kinds of special cards: then each needs a line more than facts do."""
    special, own = look.table.c.special, look.table.state.players[look.seat].hand
    return len({special[key] for key in own if key in special}) >= _TOLD


def _hitting(look: ThirtyLook, answer: Any) -> Meaning | None:
    word = answer if isinstance(answer, str) else answer["do"]
    if word in ("vote", "assassin"):
        return call(look, answer) if word == "vote" else _murder(look, answer)
    if isinstance(answer, str):
        return None
    country = answer["country"]
    land, own = look.table.state.countries[country], (Fact("is_counter"),) if _counted(look, country) else ()
    if word == "unrest":
        hit = _most(look, country)
        fact = Fact("hits", {"votes": hit}) if hit else Fact("hits_nobody")
        return Meaning(follows=(fact, *own), rank=sum(hit.values()) * (-1 if YOU in hit else 1) * (1 + len(own)))
    now = {"army": land.army, "status": land.status, "improvement": land.ability}.get(word, 0)
    more = _counted(look, country) * (word == "status" and votes_of(look.table.state, look.seat, country) > now)
    idle = "scores-no-more" if own and word == "status" and not more else ""
    said = {"now": now, "then": now + 1, "bonus": look.table.c.war.leader, "points": str(more or ""), "none": idle}
    return Meaning(follows=(Fact(f"{word}_rises", said), *own), rank=land.status / 2 + 2 * len(own) + 4 * more)


def _murder(look: ThirtyLook, answer: Mapping[str, Any]) -> Meaning:
    piles = look.table.state.players[answer["owner"]].piles
    country, key = on_table(look.table, answer["owner"])[answer["card"]]
    lost = votes_lost(look.table.c, piles[country], key)
    owner, left = look.who(answer["owner"]), piles[country].votes - lost
    fact = Fact("loses_votes", {"owner": owner, "country": country, "votes": lost, "left": left})
    return Meaning(follows=(fact,), rank=lost * (1 + _counted(look, country)) * (answer["owner"] != look.seat))


def specials(look: ThirtyLook) -> Iterator[str]:
    """Yield the best targets of each special card in hand, the best of each first."""
    cards, players = look.table.c.special, look.table.state.players
    ways, votes = list[tuple[bool, float, str]](), list[str]()
    for word in dict.fromkeys(cards[key] for key in players[look.seat].hand if key in cards):
        if word == "vote":
            votes = [f"vote {text}" for text in calls(look)]
            continue
        if word == "assassin":
            found = [{"owner": owner, "card": card} for owner in players for card in on_table(look.table, owner)]
        else:
            found = [{"country": land} for land in KIT.actions[word].find(look.table, look.seat) or ()]
        means = [(_hitting(look, {"do": word, **answer}), answer) for answer in found]
        ranked = sorted(
            ((made.rank, answer) for made, answer in means if made is not None), key=lambda rated: -rated[0]
        )
        ways += [
            (at > 0, -rank, " ".join([word, *answer.values()])) for at, (rank, answer) in enumerate(ranked[:_TOLD])
        ]
    yield from votes[:1]
    yield from (text for *_, text in sorted(ways))  # the best of each first
    yield from votes[1:]


KIT.turns_on("special", facts=(hand_special, counters, struck, hand), means=special, likely=specials)

# -- cards that go -----------------------------------------------------------------------------------------------------


def goes(look: ThirtyLook, answer: str) -> Meaning | None:
    """Return what is left of a pile without the card, against whom it lies, and what it scores."""
    own = look.kind == "remove"
    found = choosable(inferior(look.table, look.seat) if own else lying(look.table, look.seat, look.word("country")))
    if answer not in found:
        return None
    country, key = found[answer]
    pile = look.table.state.players[look.seat].piles[country]
    lost, scored = votes_lost(look.table.c, pile, key), _counted(look, country)
    others = {seat: n for seat, n in _votes(look, country).items() if seat != YOU}
    against = dict(list(others.items())[:1])
    left = {"country": country, "votes": pile.votes - lost, "before": pile.votes, "against": against}
    follows = [
        Fact("pile_left" if key in look.table.c.named else "votes_left", left),
        *([Fact("is_counter")] if scored and own else []),
    ]
    follows += [Fact("open_follow")] if lost > look.table.c.cards[key].votes else []
    return Meaning(follows=tuple(follows), rank=-lost - 9 * scored)


def dropped(look: ThirtyLook, answer: Iterable[str]) -> Meaning:
    """Return how little the cards are worth: few votes, in countries without a counter."""
    cards = [look.table.c.cards[key] for key in answer]
    worth = sum(card.votes + 9 * _counted(look, card.country or "") if card.votes else _TOLD for card in cards)
    return Meaning(rank=-worth)


def drops(look: ThirtyLook) -> Iterator[str]:
    """Yield the cards that are worth least."""
    ranked = sorted(look.table.state.players[look.seat].hand, key=lambda key: -dropped(look, [key]).rank)
    count = look.number("count")
    default = weakest(look.table, look.seat)
    yield " ".join(ranked[:count])
    if set(default) == set(ranked[:count]):
        yield " ".join(ranked[1 : count + 1])


KIT.turns_on("remove", facts=(counters,), means=goes)
KIT.turns_on("lost", "unrest", facts=(stake,), means=goes)
KIT.turns_on("discard", facts=(counters, hand, hand_special), means=dropped, likely=drops)

# -- the first display, and the exchange -------------------------------------------------------------------------------


def displayed(look: ThirtyLook, answer: Iterable[str]) -> Meaning:
    """Return what the cards would score now."""
    state, c, laid = look.table.state, look.table.c, dict[str, int]()
    for placement in answer:
        key, _, country = placement.partition("@")
        country = country or c.named[key]
        laid[country] = laid.get(country, 0) + c.cards[key].votes
    scored = sum(min(state.countries[land].status, n) * _counted(look, land) for land, n in laid.items())
    return Meaning(follows=(Fact("would_score", {"points": scored}),), rank=scored)


def displays(look: ThirtyLook) -> Iterator[str]:
    """Yield the strongest cards of the reader's countries, first one of each."""
    named = look.table.c.named
    cards = _strong(look, filter(named.__contains__, look.table.state.players[look.seat].hand))
    own = sorted(cards, key=lambda key: not _counted(look, named[key]))
    apart = sorted(own, key=lambda key: key != next(card for card in own if named[card] == named[key]))
    if count := min(look.table.c.hand.display, len(cards)):
        yield " ".join(apart[:count])
    yield " ".join(setup.first_of(look.table, look.seat))  # the default


def partner(look: ThirtyLook, answer: Any) -> Meaning | None:
    """Return where a partner has votes in the reader's countries: they hold such cards."""
    player = look.table.state.players.get(answer if isinstance(answer, str) else answer["do"])
    if player is None:
        return None
    there = {land: player.piles[land].votes for land in _lands(look) if land in player.piles}
    return Meaning(follows=(Fact("lies_in" if there else "lies_nowhere", {"votes": there}),), rank=sum(there.values()))


def signed(look: ThirtyLook, answer: Any) -> Meaning | None:
    """Return what the reader gives for a proposal, or what a card that they ask for can score."""
    if isinstance(answer, str) or answer["do"] not in ("accept", "propose"):
        return None
    if answer["do"] == "propose":
        wanted = (land for land in answer.get("want", ()) if _counted(look, land))
        most = sum(look.table.state.countries[land].status * _counted(look, land) for land in wanted)
        return Meaning(follows=(Fact("scores_up_to", {"points": most}),) if most else ())
    given = list(map(face_of, answer.get("give", ())))
    return Meaning(follows=(Fact("gives" if given else "gives_nothing", {"cards": given}),), rank=1)


def terms(look: ThirtyLook, proposal: Proposal) -> Iterator[Fact]:
    """Yield what a proposal gives and wants: the name of a card tells whether its votes are left vague."""
    yield Fact("deal", {"give": proposal.terms["give"], "want": proposal.terms.get("want") or None})


def offers(look: ThirtyLook) -> Iterator[str]:
    """Yield the card worth least to the reader for a card of each country that they score."""
    ranked = sorted(look.table.state.players[look.seat].hand, key=lambda key: -dropped(look, [key]).rank)
    yield from (f"propose give={ranked[0]} want={land}" for land in _lands(look)[:_TOLD] if ranked)


KIT.turns_on(setup.DISPLAY.kind, facts=(counters, hand), means=displayed, likely=displays)
KIT.turns_on("partner", facts=(counters, hand, rivals, hand_special), means=partner)
KIT.turns_on("exchange", facts=(rivals, hand, hand_special, counters), means=signed, likely=offers, terms=terms)
