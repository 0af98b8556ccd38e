"""Games taken in by several processes come to the same as by one: saves, letters, quarantine, report."""

from __future__ import annotations

import multiprocessing
import pickle
import shutil
import time
from datetime import timedelta
from functools import partial
from random import Random

import msgspec
import pytest

import games
from pbem.clock import heartbeat
from pbem.jobs import Crew
from pbem.post.clockwork import expiry
from pbem.post.clockwork.passing import pass_time
from pbem.post.inbox import gathering, read_ahead, side_by_side
from pbem.post.inbox.ingest import ingest
from pbem.post.inbox.intake import Intake
from pbem.post.save_index import SaveIndex
from pbem.save import Session, load_header
from pbem.trial import synthetic_mail
from pbem.trial.post import mailbox, many

NOW = synthetic_mail.START + timedelta(hours=1)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Six games, and mail: orders that carry a game on (later ones come too early), press, strangers, copies."""
    folder = tmp_path_factory.mktemp("made")
    paths = many(games.load("sixteen_thirty"), folder, 6)
    ingest([folder], [], now=NOW, sender=synthetic_mail.HOME, home=folder)
    shutil.rmtree(folder / "outbox")
    raws = [letter.raw for letter in mailbox([load_header(path) for path in paths], 60)]
    for path in paths:
        session = Session.open(path, games.load)
        for seat, lines in synthetic_mail.answers(session, Random(1)).items():
            raws.append(synthetic_mail.letter(session, seat, lines, NOW).raw)
            raws.append(synthetic_mail.letter(session, seat, ["9999: pass"], NOW, code="0000-0000").raw)
    Random(4).shuffle(raws)
    raws += raws[:10]
    box = folder / "letters"
    for name in ("cur", "new", "tmp"):
        (box / name).mkdir(parents=True)
    for number, raw in enumerate(raws):
        (box / "cur" / f"{number:04}:2,").write_bytes(raw)
    return folder


def taken(made, folder, jobs, monkeypatch):
    shutil.copytree(made, folder)
    monkeypatch.setattr(gathering, "GATHERED", 30)
    monkeypatch.setattr(read_ahead, "PAGE", 4)
    report = ingest(
        [folder], [folder / "letters"], now=NOW, sender=synthetic_mail.HOME, home=folder, jobs=jobs
    )
    again = ingest(
        [folder], [folder / "letters"], now=NOW, sender=synthetic_mail.HOME, home=folder, jobs=jobs
    )
    files = files_of(folder)
    index = files.pop("quarantine/index.jsonl").replace(str(folder).encode(), b"")
    return report, (again.known, again.letters, again.sent), files, sorted(index.splitlines())


def files_of(folder):
    """All files that count, by name."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not {".bak", ".lock"} & {path.suffix} and ".pbem-cache" not in path.parts
    }


def test_two_processes_come_to_the_same_as_one(made, tmp_path, monkeypatch):
    one = taken(made, tmp_path / "one", 1, monkeypatch)
    two = taken(made, tmp_path / "two", 2, monkeypatch)
    assert one[2].keys() == two[2].keys()
    assert [name for name in one[2] if one[2][name] != two[2][name]] == []
    assert one[3] == two[3]
    assert one[1] == two[1]

    def told(report):
        where = [letter.where.rpartition("/")[2] for letter in report.letters]
        sent = [(letter.game, letter.seat, letter.subject) for letter in report.sent]
        return (
            where,
            [letter.fate for letter in report.letters],
            report.counts,
            sent,
            report.known,
            report.broken,
        )

    assert told(one[0]) == told(two[0])
    assert one[0].counts["taken"] > 40
    assert one[0].counts["quarantined"] > 3
    assert one[0].known


def test_a_fault_in_one_game_costs_no_other(made, tmp_path, monkeypatch):
    shutil.copytree(made, tmp_path / "saves")
    folder = tmp_path / "saves"
    broken = folder / "g0002.toml"
    broken.write_text(broken.read_text("utf-8").replace('digest = "', 'digest = "0', 1), "utf-8")
    report = ingest([folder], [folder / "letters"], now=NOW, sender=synthetic_mail.HOME, home=folder, jobs=2)
    assert list(report.broken) == [str(broken)]
    assert report.counts["postponed"]
    assert {letter.game for letter in report.sent} == {f"g{n:04}" for n in range(6)} - {"g0002"}


def test_the_mailbox_is_read_on_while_workers_are_at_what_was_read(tmp_path, monkeypatch):
    monkeypatch.setattr(gathering, "GATHERED", 5)
    paths = many(games.load("sixteen_thirty"), tmp_path, 2)
    ingest([tmp_path], [], now=NOW, sender=synthetic_mail.HOME, home=tmp_path)
    letters = list(mailbox([load_header(path) for path in paths], 8))
    with Intake([tmp_path], now=NOW, sender=synthetic_mail.HOME, home=tmp_path, jobs=2) as run:
        for received in letters:
            run.take(received)
        assert run.tally.read == 8
        assert sum(run.report.counts.values()) == 0
        run.flush()
        assert sum(run.report.counts.values()) == 8
        assert [outcome.where for outcome in run.report.letters] == sorted(
            outcome.where for outcome in run.report.letters
        )


def no_worker_is_left():
    """Whether all have ended. Who joins one may hear of it a moment before `active_children` does."""
    until = time.monotonic() + 10
    while multiprocessing.active_children() and time.monotonic() < until:
        time.sleep(0.01)
    return not multiprocessing.active_children()


def test_ctrl_c_while_the_mailbox_is_read_ends_the_workers(tmp_path, monkeypatch):
    monkeypatch.setattr(gathering, "GATHERED", 5)
    paths = many(games.load("sixteen_thirty"), tmp_path, 2)
    headers = [load_header(path) for path in paths]

    def interrupted():
        with Intake([tmp_path], now=NOW, sender=synthetic_mail.HOME, home=tmp_path, jobs=2) as run:
            for received in mailbox(headers, 8):
                run.take(received)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert no_worker_is_left()


def test_what_workers_begin_with_can_be_sent_to_them(made, tmp_path):
    """Where processes are not forked, the index is pickled, with its saves that cannot be read."""
    (tmp_path / "bad.toml").write_text("[game]\nname = ", "utf-8")
    index = SaveIndex([made, tmp_path])
    assert index.broken
    sent = pickle.loads(pickle.dumps(partial(side_by_side._enter, index)))
    (again,) = sent.args
    assert again.headers == index.headers
    assert {path: str(error) for path, error in again.broken.items()} == {
        path: str(error) for path, error in index.broken.items()
    }


# ------------------------------------------------------------------ time is up


@pytest.fixture(scope="module")
def up(tmp_path_factory):
    """Games whose time is up, and when: of eight one is damaged, one waits for its moderator, one for a beacon."""
    folder = tmp_path_factory.mktemp("up")
    paths = many(games.load("sixteen_thirty"), folder, 8)
    ingest([folder], [], now=NOW, sender=synthetic_mail.HOME, home=folder)
    shutil.rmtree(folder / "outbox")
    for path in paths:
        session = Session.open(path, games.load)
        policy = "moderator" if path.stem == "g0005" else "default"
        session.save.clock.time_up = dict.fromkeys(("turn", "ballot", "reaction", "negotiation"), policy)
        session.save.post.moderator = ["boss@example.org"]
        if path.stem == "g0003":
            session.save.post.beacon = f"{'ab' * 32}:1692803367:3"
        session.commit()
    damaged = folder / "g0002.toml"
    damaged.write_text(damaged.read_text("utf-8").replace('digest = "', 'digest = "0', 1), "utf-8")
    due = max(question.due for path in paths for question in load_header(path).pending)
    return folder, due


def passed(up, folder, jobs, away=timedelta(0)):
    """A tick over a copy after we were away so long: what it says, and all files."""
    made, due = up
    shutil.copytree(made, folder)
    heartbeat.store(folder, heartbeat.Heartbeat(due, due - away))
    done = pass_time([folder], now=due, sender=synthetic_mail.HOME, jobs=jobs).done
    text = msgspec.json.format(msgspec.json.encode(done)).decode()
    return done, text.replace(str(folder), ""), files_of(folder)


def test_time_passes_in_games_side_by_side_as_in_one_after_the_other(up, tmp_path):
    done, told, files = passed(up, tmp_path / "alone", 1)
    _, told_by_two, files_by_two = passed(up, tmp_path / "two", 2)
    assert told_by_two == told
    assert files_by_two.keys() == files.keys()
    assert [name for name in files if files[name] != files_by_two[name]] == []
    assert [line.partition(":")[0] for line in done.time_up] == [
        "g0000",
        "g0001",
        "g0003",
        "g0004",
        "g0006",
        "g0007",
    ]
    assert done.opened == 7
    assert done.reminders
    assert done.letters.posted > 20
    assert "of the beacon" in "".join(done.moderator)
    assert [path.rpartition("/")[2] for path in done.letters.broken] == ["g0002.toml"]


def test_clocks_stand_side_by_side_as_in_one_game_after_the_other(up, tmp_path):
    away = timedelta(hours=12)
    done, *left = passed(up, tmp_path / "alone", 1, away)
    assert passed(up, tmp_path / "two", 2, away)[1:] == tuple(left)
    assert len(done.outages) == 7
    assert not done.time_up


def test_a_fault_while_time_passes_costs_no_other_game(up, tmp_path, monkeypatch):
    """The workers are forked, so that they run into it too."""
    give = expiry.give_defaults

    def give_or_fail(session, now):
        if session.save.header.name == "g0004":
            raise ZeroDivisionError("planted")
        return give(session, now)

    monkeypatch.setattr(expiry, "give_defaults", give_or_fail)
    found = [passed(up, tmp_path / name, jobs) for name, jobs in (("alone", 1), ("two", 2))]
    assert found[0][1:] == found[1][1:]
    done = found[1][0]
    assert "planted" in done.letters.broken[str(tmp_path / "two" / "g0004.toml")]
    assert len(done.time_up) == 5


def test_ctrl_c_while_time_passes_ends_the_workers(up, tmp_path, monkeypatch):
    def interrupted(self):
        raise KeyboardInterrupt

    monkeypatch.setattr(Crew, "take", interrupted)
    with pytest.raises(KeyboardInterrupt):
        passed(up, tmp_path / "two", 2)
    assert no_worker_is_left()
