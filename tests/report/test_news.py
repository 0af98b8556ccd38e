"""The news of an email: what happened to the reader first, and a sentence for each affair."""

from fnmatch import fnmatchcase
from itertools import pairwise

import pytest

import games
from pbem.data_cache import messages
from pbem.kernel.table import LogLine
from pbem.mail.outbox.press import log_since
from pbem.report.merge_lines import REST, TO_YOU, Sentence, merged, news_of, news_table, within, words_in
from pbem.report.messages import Catalogue
from pbem.save import Session
from tests.report.decide_email import MOMENTS


def say_of(referee, language="en"):
    return Catalogue(referee.game, referee.components, language, referee.names)


def said(key, seat, **args):
    return LogLine(key, {"seat": seat, **args})


def told(lines, seat, say, near=()):
    return [sentence.text for sentence in merged(lines, seat, say, near)[0]]


def test_what_several_do_alike_is_said_once(midgame):
    say, seats = say_of(midgame), midgame.table.seats
    say._texts.update(
        {
            "t.draws": "{seat} {seat:draws/draw} {n}.",
            "t.votes": "{seat} {seat:votes/vote} {side} ({n}).",
            "t.place": "{place} {place:is/are} empty.",
        }
    )
    alike = told([said("t.draws", seat, n=4) for seat in seats], "", say)
    assert alike == ["Amber, Black, Green and Ivory draw 4."]
    assert told([said("t.draws", seat, n=4) for seat in seats[:2]], "amber", say) == ["You and Black draw 4."]
    votes = [said("t.votes", "amber", side="red", n=1), said("t.votes", "black", side="red", n=3)]
    assert told(votes, "", say) == ["Amber votes red (1).", "Black votes red (3)."]  # no values in brackets
    places = [LogLine("t.place", {"place": place}) for place in ("france", "spain")]
    assert told(places, "", say) == ["France and Spain are empty."]


def test_the_reader_is_you(midgame):
    say = say_of(midgame)
    say._texts.update(
        {
            "t.pile": "{seat}'s pile falls to {other}.",
            "t.debt": "The Debt of {seat} falls. {other} {other:takes/take} it.",
            "t.block": "A block of {seat} stays.",
            "t.wins": "{seats} {seats:wins/win}.",
        }
    )
    assert told([LogLine("t.wins", {"seats": ["amber"]})], "amber", say) == ["You win."]
    assert told([LogLine("t.wins", {"seats": ["amber"]})], "black", say) == ["Amber wins."]
    lines = [said("t.pile", "amber", other="black"), said("t.debt", "black", other="amber"), said("t.block", "amber")]
    assert told(lines, "amber", say) == [
        "Your pile falls to Black.",
        "The Debt of Black falls. You take it.",
        "A block of yours stays.",
    ]
    assert told([said("t.debt", "amber", other="black")], "amber", say) == ["Your Debt falls. Black takes it."]


def test_a_faith_is_never_the_reader():
    say = Catalogue(games.load("virgin_queen"), None)
    say._texts["t.turns"] = "{space} is now {religion}."
    assert told([LogLine("t.turns", {"space": "x", "religion": "protestant"})], "protestant", say) == [
        "X is now protestant."
    ]


def test_the_steps_of_a_move_are_one():
    say = Catalogue(games.load("crown_of_roses"), None)
    say._texts.update({"move.goes.private": "{blocks} {blocks:goes/go} from {origin} to {place}."})

    def step(blocks, origin, place):
        private = {"york": {"blocks": blocks}}
        return LogLine("move.goes", {"house": "york", "count": 1, "origin": origin, "place": place}, "", None, private)

    start = LogLine("move.starts", {"house": "york", "count": 1, "place": "a"})
    path = [start, step(["x"], "berks", "hants"), step(["x"], "hants", "wilts")]
    assert told(path, "york", say) == ["X goes from berks to wilts."]
    assert len(told(path, "lancaster", say)) == 1
    other = [*path, start, step(["y"], "wilts", "dorset")]
    assert len(told(other, "lancaster", say)) == 2  # another block, though nobody else can tell them apart
    assert told([*path, step(["x"], "wilts", "berks")], "york", say) == []  # there and back


def test_an_affair_is_one_sentence_and_steps_stay_in_the_log(midgame):
    say = say_of(midgame)
    vote, other = ("vote", {"country": "france"}), ("vote", {"country": "spain"})
    lines = [
        LogLine("vote.cast", {"seat": "amber", "choice": "red", "votes": 3}, affair=vote),
        LogLine("vote.decided", {"country": "france", "choice": "blue", "votes": 11, "against": 6}, affair=vote),
        LogLine("influence.turned", {"seat": "amber", "country": "france"}, affair=vote),
        LogLine("influence.turned", {"seat": "black", "country": "france"}, affair=vote),
        LogLine("influence.turned", {"seat": "black", "country": "spain"}, affair=other),
    ]
    sentences, left = news_of(lines, "green", say, 60)
    assert sentences == [
        "The vote in France: blue, by 11 to 6; Amber and Black turn inferior there.",
        "Black turns inferior in Spain: no more cards there.",
    ]
    assert left == 1
    tied = LogLine("vote.tied", {"country": "spain", "votes": 3, "count": 0})
    assert news_of([tied], "green", say, 60) == ([], 1)  # nothing was counted: nothing changed
    near = news_of(lines, "green", say, 60, {"spain"})[0]
    assert near[0] == "Black turns inferior in Spain: no more cards there."
    assert news_of(lines[:4], "green", say, 3)[0] == ["The vote in France: blue, by 11 to 6."]  # not "there" alone
    scores = [
        LogLine("score.turn", {"seat": seat, "points": n, "score": n}) for seat, n in (("amber", 0), ("black", 2))
    ]
    assert news_of(scores, "green", say, 60) == (["Black scores 2; total 2."], 1)
    own = news_of(lines, "amber", say, 60)[0]
    assert own[0].endswith("you and Black turn inferior there.")
    assert news_of(lines, "green", say_of(midgame, "ja"), 60)[0][0].count("。") == 2


def test_what_happened_to_the_reader_is_never_left_out_first():
    lines = [
        sentence("You draw the Queen.", TO_YOU),
        *(sentence(f"Thing number {n} happens.", REST) for n in range(30)),
        sentence("They attack you.", TO_YOU),
    ]
    kept, left = within(lines, 20)
    assert kept[:2] == ["You draw the Queen.", "They attack you."]
    assert left == len(lines) - len(kept) > 20
    assert sum(map(words_in, kept)) <= 20


def sentence(text, weight):
    return Sentence("t", {}, frozenset(), [LogLine("t", {})], text, weight=weight)


# -- what happened, at saved moments ---------------------------------------------------------------------------------


def news_at(moment, seat, language, lines):
    """Return the news of the last `lines` of a moment's log, checked for its measures."""
    session = Session.open(MOMENTS / f"{moment}.toml", games.load)
    referee = session.referee
    say = Catalogue(session.game, referee.table.c, language)
    near = {word for word in referee.pending_to(seat).about.values() if isinstance(word, str)} - {seat}
    told, left = news_of(log_since(session, 0)[-lines:], seat, say, 60, near)
    assert sum(map(words_in, told)) <= 60
    assert 0 < left < lines
    assert say.missing == set()
    return " ".join(told)


def in_order(text, parts):
    places = [text.find(part) for part in parts]
    return -1 not in places and all(first < second for first, second in pairwise(places))


def test_votes_lost_come_first_in_1630():
    english = news_at("sixteen_thirty-9", "violet", "en", 50)
    assert in_order(
        english,
        [
            "German Princes: red, by 10 to 7; you, Ivory and Black turn inferior there.",
            "Hapsburg Empire: blue, by 6 to 3; you turn inferior there",
            "France: blue, by 11 to 6; Amber and Black turn inferior there.",
        ],
    )
    japanese = news_at("sixteen_thirty-9", "violet", "ja", 50)
    assert in_order(japanese, ["あなた、象牙、黒のパイルが劣勢", "あなたのパイルが劣勢", "琥珀、黒のパイルが劣勢"])
    for step in ("votes", "draws", "to play", "lays"):
        assert step not in english


def test_interceptions_and_turncoats_are_told_in_crown_of_roses():
    english = news_at("cor-37", "york", "en", 45)
    for part in (
        "You intercept in Worcester with Duke of York and Ireland block from Shropshire.",
        "French join a noble of yours in Essex.",
        "Ralph, Lord Greystoke leaves Lancaster and is an ally of Buckingham.",
        "Earl of Stafford and Marquess of Montagu are out of the game",
    ):
        assert part in english
    for step in ("draws", "money", "OPS", "rolls", "tries"):
        assert step not in english


@pytest.mark.parametrize(
    ("language", "parts"),
    [
        (
            "en",
            [
                "Ireland becomes your ally.",
                "Dublin, Kinsale and Ulster (Ireland) pass to you.",
                "Carlisle, Berwick and London are now Protestant.",
            ],
        ),
        ("ja", ["アイルランド", "あなた", "ダブリン"]),
    ],
)
def test_the_reader_of_virgin_queen_is_you(language, parts):
    game = games.load("virgin_queen")
    say = Catalogue(game, Session.open(MOMENTS / "virgin_queen-71.toml", games.load).referee.table.c, language)
    space, turned = ("dublin", "kinsale", "ulster"), ("carlisle", "berwick", "london")
    lines = [
        LogLine("intercept.rolls", {"power": "spain", "origin": "breda", "space": "antwerp"}),
        *(LogLine("event.turned", {"space": place, "religion": "protestant"}) for place in turned),
        LogLine("minor.activated", {"minor": "ireland", "power": "spain"}),
        *(LogLine("minor.space", {"space": place, "minor": "ireland", "power": "spain"}) for place in space),
        LogLine("build.fortress", {"power": "spain", "space": "breda"}),
        LogLine("move.declared", {"power": "protestant", "origin": "flushing", "space": "antwerp", "units": []}),
    ]
    told, left = news_of(lines, "spain", say, 40)
    text = " ".join(told)
    assert in_order(text, parts)
    assert left >= 1
    if language == "en":
        assert "Protestants move from Flushing to Antwerp" in text
        assert "Spain" not in text


@pytest.mark.parametrize("slug", ["sixteen_thirty", "crown_of_roses", "imperial_struggle", "virgin_queen"])
def test_the_tables_of_the_news_name_messages(slug):
    game = games.load(slug)
    table = news_table(game.package)
    texts = messages(game.package, "en")
    known = {key.partition("@")[0] for key in texts}
    known |= {key.removesuffix(".one").removesuffix(".other") for key in known}
    patterns = [*table.left_out, *table.acts, *table.moves, *table.moves.values()]
    unknown = [wanted for wanted in patterns if not any(fnmatchcase(key, wanted.partition("@")[0]) for key in known)]
    assert unknown == []
    assert [affair for affair in table.affairs if f"within.{affair}" not in known] == []
