"""A moderator who plays: no command shows him what his own seat may not see, unless he reveals it to all."""

from __future__ import annotations

import pytest

from pbem.cli.console import Exit
from tests.cli.conftest import NOW


@pytest.fixture
def own(pbem, new_game):
    """A game whose moderator plays amber; everybody has answered once."""
    forms = pbem.json("questions", new_game)
    (pbem.folder / "all.orders").write_text("\n".join(form["form"] for form in forms), "utf-8")
    pbem("ingest", new_game, "all.orders", "--now", NOW)
    pbem("config", "set", new_game, "plays=amber", "--reason", "he plays", "--now", NOW)
    return new_game


def forms_of(pbem, game):
    """Seat → the reply form to the open question, as the seat's letter shows it."""
    pbem("config", "set", game, "plays=", "--reason", "the test looks", "--now", NOW)
    found = {prompt["seat"]: prompt["form"] for prompt in pbem.json("questions", game)}
    pbem("config", "set", game, "plays=amber", "--reason", "the test has looked", "--now", NOW)
    return found


@pytest.mark.parametrize(
    "words",
    [
        ("questions", "{save}", "--unanswered"),
        ("questions", "{save}", "--seat", "black"),
        ("view", "{save}", "--seat", "black"),
        ("view", "{save}", "--seat", "moderator"),
        ("mail", "preview", "{save}"),
        ("seat", "agreements", "{save}"),
        ("remind", "{save}"),
        ("bundle", "{save}", "--seat", "black"),
        ("repair", "rewind", "{save}", "0", "--dry-run"),
    ],
)
def test_what_others_see_is_not_shown(pbem, own, words):
    result = pbem(*(word.format(save=own) for word in words), code=Exit.FAILED_CHECK)
    assert "you play amber in g-01" in result.stderr
    assert "pbem repair reveal" in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize("seat", ["amber", "public"])
def test_his_own_seat_and_the_public_are(pbem, own, seat):
    assert pbem("view", own, "--seat", seat).stdout


def test_orders_of_others_are_not_judged_by_the_save(pbem, own):
    forms = forms_of(pbem, own)
    asked = next(seat for seat in forms if seat != "amber")
    (pbem.folder / "theirs.orders").write_text(forms[asked], "utf-8")
    result = pbem("check", "theirs.orders", "--save", own, code=Exit.FAILED_CHECK)
    assert f"what {asked} may see isn't shown" in result.stderr
    assert result.stdout == ""
    result = pbem("check", "theirs.orders", "--save", own, "--json", code=Exit.FAILED_CHECK)
    assert result.stdout == ""


def test_a_rewind_tells_him_no_more_than_everybody(pbem, own):
    said = pbem.json("repair", "rewind", own, "0", "--reason", "a wrong card", "--now", NOW)
    assert set(said) == {"n", "was_n", "epoch", "kept"}
    assert (said["n"], said["was_n"]) == (0, 4)


def test_a_rewind_in_words_tells_no_more(pbem, own):
    result = pbem("repair", "rewind", own, "0", "--reason", "a wrong card", "--now", NOW)
    assert "from move 4 back to move 0; you play" in result.stdout
    assert "learnt since" not in result.stdout


def test_his_desk_and_his_runs_do_not_count_emails_to_others(pbem, own):
    outbox = own.parent / "outbox"
    lying = [path.name for path in (outbox / "new").glob("g-01.*")]
    found = pbem.json("dashboard", own, "--now", NOW)
    assert found["unsent"] == sum(name.startswith("g-01.amber.") for name in lying) < len(lying)
    for name in lying:  # a question that has not left is none to be reminded of
        (outbox / "new" / name).rename(outbox / "cur" / f"{name};2,S")
    told = [pbem.json("tick", own, "--now", f"2026-05-0{day}T11:00:00Z") for day in range(2, 9)]
    assert list((outbox / "new").glob("reminder.*"))
    assert [run["reminders"] for run in told] == [0] * len(told)
    lying = [path.name for path in (outbox / "new").iterdir()]
    found = pbem.json("dashboard", own, "--now", NOW)
    assert found["unsent"] == sum(name.startswith("g-01.amber.") for name in lying) < len(lying)
