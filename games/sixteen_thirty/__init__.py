"""1630 Something: nine countries, two sides, and votes that may lie."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from games.sixteen_thirty import evidence, sequence, vote  # noqa: F401 - evidence registers with the kit
from games.sixteen_thirty.components import ThirtyComponents, components, face_of
from games.sixteen_thirty.constraints import check
from games.sixteen_thirty.invariants import invariants
from games.sixteen_thirty.scoring import result
from games.sixteen_thirty.setup import setup
from games.sixteen_thirty.state import ThirtyState
from games.sixteen_thirty.table import KIT, SEATS
from games.sixteen_thirty.view import CHART, clock, conceal, view
from pbem.data_cache import tables_of
from pbem.kernel.domains import Amount, Choice
from pbem.kernel.game import Game, HouseRule, Scenario, late
from pbem.kernel.geography import MapNotes
from pbem.kernel.order_words import Names

OPTIONS = (
    HouseRule("placing", Choice(("sealed", "clockwise")), "sealed", {
        "en": "cards laid after a call: sealed with the ballots (one email), or openly, clockwise from the caller",
        "ja": "召集後に置くカード：票と同時に伏せて出す（メール1往復）か、召集者から時計回りに公開で置くか",
    }, "S-07"),
    HouseRule("exchange", Choice(("partner", "open")), "partner", {
        "en": "the exchange: with a partner named beforehand, or everybody may make offers to the phasing player",
        "ja": "交換：相手を先に指名するか、全員が手番プレイヤーに申し出られるか",
    }, "S-26"),
    HouseRule("neighbours_only", Amount(1, 2), 2, {
        "en": "status at or below which a country can be attacked by neighbours only",
        "ja": "国威がこの値以下の国は、隣接国からしか攻撃されない",
    }, "S-01"),
)  # fmt: skip


@lru_cache(maxsize=16)
def names(c: ThirtyComponents) -> Names:
    """Return words for seats, countries, cards (a face means any copy of it) and answers."""
    tables = tables_of("games.sixteen_thirty", "tables")["words"]
    words: dict[str, dict[str, str]] = tables["words"]
    aliases: dict[str, list[str]] = tables["aliases"]
    for key, land in c.countries.items():
        words[key] = {"en": land.name, "ja": land.ja}
        aliases[key] = list(land.aliases)
    faces = {}
    for key, card in c.cards.items():
        words[key] = {"en": card.name, "ja": card.ja}
        faces[key] = face_of(key)
        aliases.setdefault(face_of(key), []).append(key)
        words.setdefault(face_of(key), words[key])
        if card.special:
            words.setdefault(card.special, words[key])
    # An Open card of the first display is written `open-1a@spain`; `open-1@spain` means any copy, as everywhere.
    opened = [key for key, card in c.cards.items() if card.kind == "open"]
    faces |= {f"{key}@{country}": f"{face_of(key)}@{country}" for key in opened for country in c.countries}
    return Names(words, aliases, faces)


def card_text(c: ThirtyComponents, key: str) -> Mapping[str, str]:
    """Return the text of a card by language."""
    card = c.cards.get(key)
    return {"en": card.text.en, "ja": card.text.ja} if card is not None else {}


GAME = Game(
    slug="sixteen_thirty",
    title={"en": "1630 Something", "ja": "1630年のどこか"},
    rules="2",
    package="games.sixteen_thirty",
    scenarios=(Scenario("standard", {"en": "Standard game", "ja": "標準ゲーム"}, {n: SEATS[:n] for n in range(3, 7)}),),
    state=ThirtyState,
    setup=setup,
    play=KIT.play,
    likely_next=sequence.follow,
    next_turn=sequence.next_turn,
    view=view,
    calendar=clock,
    conceal=conceal,
    terms=late("games.sixteen_thirty.evaluation", "terms"),
    play_out_until="turn",
    play_outs=120,
    invariants=invariants,
    result=result,
    components=components,
    constraints=check,
    names=names,
    card_text=card_text,
    loss_lines={"influence.lost": ("seat", "cards"), "influence.removed": ("seat", "cards")},
    hidden_lines=False,
    chart=CHART,
    notes=MapNotes.read(CHART, "games.sixteen_thirty"),
    question_kinds=(*KIT.kinds, "manual"),
    public_ballots=True,  # bluffing during a vote is part of the game
    options=OPTIONS,
    outcome_words=dict.fromkeys((vote.WON, vote.LOST, vote.TIED), ("vote",)),
    turn_kinds=("special", "call"),
    evidence=KIT.evidence,
)
