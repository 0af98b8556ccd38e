"""The pages of the games: what stands on them, what is written again, and what waits."""

import re
import shutil
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from xml.etree import ElementTree

import pytest

import games
import pbem.site.pages
import pbem.site.public_history
from pbem.atomic_files import replace
from pbem.cli import main
from pbem.data_cache import messages
from pbem.kernel.table import LogLine
from pbem.report.messages import placeholders
from pbem.save import Session
from pbem.site import publish_pages
from pbem.site.public_history import public_history
from pbem.timestamps import moment
from tests.site.conftest import NOW, ROOT

ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture
def saves(tmp_path):
    """A folder with one game that is being played."""
    folder = tmp_path / "saves"
    folder.mkdir()
    shutil.copy(ROOT / "saves/1630-ballot.toml", folder)
    return folder


def stamps(folder):
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def change(save, **kinds):
    """Change a save's post by hand, and write it."""
    session = Session.open(save, games.load)
    for name, value in kinds.items():
        setattr(session.save.post, name, value)
    session.commit()


def test_a_running_game_shows_who_is_asked_until_when_and_the_map(site):
    text = (site / "games/1630-ballot/index.html").read_text("utf-8")
    assert "Waiting for: Black, Green, Ivory, Amber (ballot)." in text
    assert "Until Sun 3 May 2026 14:00 CEST (Europe/Berlin)." in text
    assert '<svg class="map"' in text


def test_no_page_names_a_player_or_an_address(site):
    session = Session.open(ROOT / "saves/1630-ballot.toml", games.load)
    known = [word for seat in session.save.seats for word in (seat.name, *seat.addresses) if word]
    assert known
    for path in site.rglob("*.*ml"):
        text = path.read_text("utf-8")
        assert not [word for word in known if re.search(rf"\b{re.escape(word)}\b", text)], path


def test_no_page_has_a_script_or_anything_from_elsewhere(site):
    for path in site.rglob("*.html"):
        text = path.read_text("utf-8")
        assert "<script" not in text
        assert not re.search(r'(?:src|href)="(?:https?:)?//', text), path


def test_every_link_leads_somewhere(site):
    pages = list(site.rglob("*.html"))
    assert len(pages) > 300
    for path in pages:
        for link in re.findall(r'(?:href|src)="([^"#]*)"', path.read_text("utf-8")):
            target = path.parent / link if link else path
            target = target / "index.html" if target.is_dir() else target
            assert target.exists(), (path, link)


def test_a_finished_game_is_told_step_by_step_to_its_end(site):
    folder = site / "games/1630-finished/replay"
    steps = len(list(folder.glob("*.html")))
    assert steps > 150
    path, told = folder / "1.html", []
    while True:
        text = path.read_text("utf-8")
        told += re.findall(r"<li>([^<]+)</li>", text.partition("<main")[2].partition("</ul>\n")[0])
        following = re.search(r'<a href="([^"]+)" rel="next">', text)
        if following is None:
            break
        path = folder / following[1]
    assert path.name == f"{steps}.html"
    session = Session.open(ROOT / "saves/1630-finished.toml", games.load)
    whole = [line.text for line in public_history(session, ["en"]).reports["en"].news]
    log = (site / "games/1630-finished/log.html").read_text("utf-8")
    assert log.count("<li>") - log.count("<li><a") - log.count("<li><span") == len(whole)
    steps_told = [line.text for step in public_history(session, ["en"]).steps for line in step.reports["en"].news]
    assert steps_told == whole
    assert "Winner: Amber" in (site / "index.html").read_text("utf-8")


def test_the_feed_is_atom_and_tells_what_is_new(saves, tmp_path):
    out = tmp_path / "public"
    publish_pages([saves], out, now=NOW)
    feed = ElementTree.fromstring((out / "games/1630-ballot/feed.xml").read_text("utf-8"))
    assert feed.find(f"{ATOM}updated").text == "2031-03-01T12:00:00Z"
    assert len(feed.findall(f"{ATOM}entry")) == 1
    session = Session.open(saves / "1630-ballot.toml", games.load)
    for seat in session.referee.waiting():
        domain = session.referee.domain(seat)
        session.referee.submit(seat, domain.sample(lambda n: 0))
    session.commit()
    publish_pages([saves], out, now=NOW + timedelta(days=1))
    feed = ElementTree.fromstring((out / "games/1630-ballot/feed.xml").read_text("utf-8"))
    first, before = feed.findall(f"{ATOM}entry")
    assert first.find(f"{ATOM}updated").text == "2031-03-02T12:00:00Z"
    assert first.find(f"{ATOM}id").text != before.find(f"{ATOM}id").text
    fresh = [line.text for line in public_history(session, ["en"]).reports["en"].news][-1]
    assert fresh.split(".")[0] in first.find(f"{ATOM}content").text


def test_nothing_is_written_where_nothing_has_changed(saves, tmp_path):
    out = tmp_path / "public"
    assert publish_pages([saves], out, now=NOW).opened == ["1630-ballot"]
    before = stamps(out)
    done = publish_pages([saves], out, now=NOW + timedelta(days=1))
    assert (done.opened, done.written) == ([], [])
    assert stamps(out) == before


def test_a_sealed_answer_changes_no_file(saves, tmp_path):
    out = tmp_path / "public"
    publish_pages([saves], out, now=NOW)
    before = stamps(out)
    session = Session.open(saves / "1630-ballot.toml", games.load)
    seat = session.referee.waiting()[0]
    session.referee.submit(seat, session.referee.domain(seat).sample(lambda n: 0))
    assert session.referee.sealed
    session.commit()
    assert publish_pages([saves], out, now=NOW + timedelta(days=1)).opened == []
    assert stamps(out) == before


def test_a_game_whose_letters_are_held_waits(saves, tmp_path):
    out = tmp_path / "public"
    session = Session.open(saves / "1630-ballot.toml", games.load)
    from pbem.save import OutboxEntry

    session.save.outbox.append(OutboxEntry("x", "amber", "a@b.example", "s", held=True, asks=session.referee.q))
    session.commit()
    done = publish_pages([saves], out, now=NOW)
    assert (done.held, done.opened) == (["1630-ballot"], [])
    assert not (out / "games").exists()


def test_a_run_that_dies_is_done_again_and_leaves_no_half_file(saves, tmp_path, monkeypatch):
    out, calls = tmp_path / "public", []
    publishing = import_module("pbem.site.publish")  # the package has a function of this name

    whole = replace

    def dies(path, data):
        calls.append(path)
        if len(calls) == 4:
            raise OSError(28, "No space left on device")
        whole(path, data)

    monkeypatch.setattr(publishing, "replace", dies)
    with pytest.raises(OSError, match="No space"):
        publish_pages([saves], out, now=NOW)
    assert not (out / "index.html").exists()
    monkeypatch.setattr(publishing, "replace", whole)
    publish_pages([saves], out, now=NOW)
    assert (out / "index.html").exists()
    clean = tmp_path / "clean"
    publish_pages([saves], clean, now=NOW)
    files = {path.relative_to(out): path.read_bytes() for path in out.rglob("*") if path.is_file()}
    assert files == {path.relative_to(clean): path.read_bytes() for path in clean.rglob("*") if path.is_file()}


def test_a_save_that_cannot_be_read_costs_no_other_game_its_pages(saves, tmp_path):
    (saves / "bad.toml").write_text("[game]\nname = 3\n", "utf-8")
    done = publish_pages([saves], tmp_path / "public", now=NOW)
    assert (done.opened, list(done.broken)) == (["1630-ballot"], [str(saves / "bad.toml")])


def test_tick_keeps_the_pages_of_a_game_that_wants_them(saves, monkeypatch):
    from click.testing import CliRunner

    monkeypatch.chdir(saves)

    def run(*words):
        done = CliRunner().invoke(main, [*words, "--now", "2026-05-01T12:00:00Z"], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done

    run("tick", ".")
    assert not Path("public").exists()
    run("config", "set", "1630-ballot.toml", "site=public", "--reason", "for friends")
    run("tick", ".")
    assert "1630 Something (1630-ballot)" in Path("public/index.html").read_text("utf-8")


def test_both_languages_say_the_same_things():
    english, japanese = messages("pbem.site", "en"), messages("pbem.site", "ja")
    assert set(english) == set(japanese)
    assert {
        key for key, text in english.items() if set(placeholders(text)) != set(placeholders(japanese[key]))
    } == set()
    sources = "".join(path.read_text("utf-8") for path in Path(pbem.site.__file__).parent.glob("*.py"))
    assert [key for key in english if not re.search(f"[\"']{key}[\"']", sources) and not key.startswith("col.")] == []


def test_a_game_without_a_map_of_another_package_has_pages(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "examples/auction"))
    import auction

    from pbem.kernel.game import Setup

    setup = Setup("auction", auction.SEATS[:3], "00" * 32)
    session = Session.create(tmp_path / "a-1.toml", auction.GAME, setup, at=moment("2031-01-01T00:00:00Z"))
    session.commit()
    done = publish_pages([session.path], tmp_path / "public", now=NOW, game=lambda slug: auction.GAME)
    assert done.opened == ["a-1"]
    page = (tmp_path / "public/games/a-1/index.html").read_text("utf-8")
    assert "Waiting for: Ash, Birch, Cedar (bid)." in page
    assert "<svg" not in page
    assert "taste" not in page.partition("<h2>Tables")[2]
    while session.referee.now is not None:
        seat = session.referee.waiting()[0]
        session.referee.submit(seat, session.referee.domain(seat).sample(lambda n: n - 1))
    session.commit()
    publish_pages([session.path], tmp_path / "public", now=NOW, game=lambda slug: auction.GAME)
    assert (tmp_path / "public/games/a-1/replay/13.html").exists()
    assert "全13ステップ" in (tmp_path / "public/ja/index.html").read_text("utf-8")


def test_a_finished_game_tells_hours_dice_and_losses_and_a_running_one_no_hours(site):
    over = (site / "games/1630-finished/index.html").read_text("utf-8")
    assert "Influence cards lost, turn by turn" in over
    assert "Hours for an answer" in over
    running = (site / "games/1630-ballot/index.html").read_text("utf-8")
    assert "rounds so far." in running
    assert "Dice compared with expectation" in over
    assert "Hours for an answer" not in running
    index = (site / "index.html").read_text("utf-8").partition("<h2>Results")[2]
    assert ">Amber</td><td>1</td><td>1</td><td>52</td>" in re.sub(' data-head="[^"]*"', "", index)


@pytest.mark.parametrize("slug", games.BUILT_IN)
def test_lines_of_losses_are_lines_of_the_game_and_say_whose_and_how_many(slug):
    game = games.load(slug)
    texts = messages(game.package, "en")
    assert game.loss_lines
    assert "plot.losses" in texts
    for key, (owner, count) in game.loss_lines.items():
        said = [text for name, text in texts.items() if name == key or name.startswith((f"{key}.", f"{key}@"))]
        told = [set(placeholders(text)) for text in said if "private" not in text]
        assert any(owner in {word.partition(":")[0] for word in found} for found in told), key
        assert not count or any(count in {word.partition(":")[0] for word in found} for found in told), key


def test_losses_are_counted_by_owner_from_lines_to_all():
    game = games.load("virgin_queen")
    lines = [
        LogLine("battle.losses", {"power": "spain", "space": "x", "units": {"regulars": 2, "cavalry": 1}}),
        LogLine("sea.lost", {"owner": "venice", "kind": "galley", "count": 2, "place": "y"}),
        LogLine("fleet.escort_lost", {"power": "spain"}),
        LogLine("sea.lost", {"owner": "spain", "kind": "galley", "count": 9, "place": "y"}, only=("spain",)),
    ]
    assert pbem.site.public_history.losses_of(game, lines) == {"spain": 4, "venice": 2}
