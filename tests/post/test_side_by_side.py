"""Games taken in by several processes come to the same as by one: saves, letters, quarantine, report."""

from __future__ import annotations

import multiprocessing
import pickle
import shutil
from datetime import timedelta
from functools import partial
from random import Random

import pytest

import games
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
    files = {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not {".bak", ".lock"} & {path.suffix} and ".pbem-cache" not in path.parts
    }
    index = files.pop("quarantine/index.jsonl").replace(str(folder).encode(), b"")
    return report, (again.known, again.letters, again.sent), files, sorted(index.splitlines())


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
    for child in multiprocessing.active_children():
        child.join(10)
    assert not multiprocessing.active_children()


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
