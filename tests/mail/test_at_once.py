"""`fetch`, `ingest`, `tick` and `send` at the same time, in any mixture: none fails, nothing is lost or sent twice."""

from __future__ import annotations

import os
import shlex
import sys
from collections import Counter
from random import Random

import pytest

from pbem.cli import main
from pbem.dev import synthetic_mail
from pbem.mail.quarantine import Quarantine
from pbem.save import load
from pbem.timestamps import stamp

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork")


def spam(number: int, at) -> synthetic_mail.SyntheticEmail:
    """A stranger's letter: all runs want to put it aside."""
    raw = f"From: s{number}@evil.example\r\nMessage-ID: <{number}@evil>\r\nSubject: x\r\n\r\nBuy now.\r\n"
    return synthetic_mail.SyntheticEmail(at, "s@evil.example", raw.encode())


def in_children(commands: list[list[str]]) -> list[int]:
    """The exit statuses of commands that run at the same time, each in a process of its own."""
    children = []
    for words in commands:
        child = os.fork()
        if child == 0:
            status = 70
            try:
                main(["-q", *words], standalone_mode=True)
                status = 0
            except SystemExit as end:
                status = int(end.code or 0)
            finally:
                os._exit(status)
        children.append(child)
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]


def carrier(folder) -> str:
    """A `sendmail` that notes whom each letter goes to."""
    program = folder.parent / "sendmail"
    program.write_text(
        f'#!/bin/sh\ncat > /dev/null\nsleep 0.02\necho "$@" >> {shlex.quote(str(folder.parent / "sent"))}\n'
    )
    program.chmod(0o755)
    return str(program)


def mixture(desk, alone, seed: int, kinds: list[list[str]], strangers: list[synthetic_mail.SyntheticEmail]) -> None:
    """Run six commands at once, the first kind twice at least; then what is left. Compare with a run alone."""
    chance = Random(seed)
    commands = [kinds[0], kinds[0], *chance.choices(kinds, k=4)]
    chance.shuffle(commands)
    assert in_children(commands) == [0] * len(commands), commands
    for kind in kinds:
        assert in_children([kind]) == [0]

    alone.ingest(alone.box([*strangers, *alone.mails]))
    assert load(desk.save).header.head == load(alone.save).header.head
    held = Quarantine(desk.folder / "quarantine")
    assert sorted(held.index) == sorted(Quarantine(alone.folder / "quarantine").index)
    assert all(held.raw(letter) for letter in held.listed())
    lines = (desk.folder / "quarantine" / "index.jsonl").read_bytes().splitlines()
    assert len(lines) == len(held.index), "each is put aside once"
    sent = Counter((desk.folder.parent / "sent").read_text().splitlines())
    assert sum(sent.values()) == len(list((desk.folder / "outbox" / "cur").iterdir()))
    assert list((desk.folder / "outbox" / "new").iterdir()) == []


def kinds_of(desk, box) -> list[list[str]]:
    """The commands, with their words; `ingest` reads `box`."""
    when, folder = ["--now", stamp(desk.now)], str(desk.folder)
    return [
        ["ingest", "--saves", folder, str(box), *when],
        ["tick", folder, *when],
        ["send", "--saves", folder, "--smtp", carrier(desk.folder), *when],
    ]


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(n, marks=pytest.mark.slow) for n in range(2, 6))])
def test_any_mixture_at_once(make_desk, seed):
    desk = make_desk()
    strangers = [spam(number, desk.now) for number in range(30)]
    box = desk.box([*strangers, *desk.mails])
    mixture(desk, make_desk(), seed, kinds_of(desk, box), strangers)


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(n, marks=pytest.mark.slow) for n in range(2, 4))])
def test_fetch_in_any_mixture(make_desk, mailbox, seed):
    """The same letters lie in an IMAP mailbox and in a file: each is taken in, or put aside, once."""
    desk = make_desk()
    strangers = [spam(number, desk.now) for number in range(30)]
    mailbox.put([*strangers, *desk.mails])
    fetch = ["fetch", "--saves", str(desk.folder), "--imap", mailbox.url, "--now", stamp(desk.now)]
    mixture(desk, make_desk(), seed, [fetch, *kinds_of(desk, desk.box([*strangers, *desk.mails]))], strangers)
    assert all(mailbox.flags())
