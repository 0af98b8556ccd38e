"""Answers that real mail programs wrote: fixtures of theirs, and those that are installed here, each time again.

In a fixture `{ID}` and `{COPY}` stand for the email that is answered: its Message-ID, and its text line by line, with
what stands before `{COPY}`; `{SHOWN}` is its page below the title, as Gnus shows it. A fixture whose name has `place`
was answered in the place of the `?`.
"""

from __future__ import annotations

import base64
import os
import quopri
import shutil
import subprocess
import sys
from email import message_from_bytes
from pathlib import Path

import pytest

from pbem.mail.inbox.mime import decode_mail
from tests.mail.test_reply_corpus import HOME, QuestionEmail, Table

FIXTURES = sorted((Path(__file__).parent / "fixtures").glob("*.eml"))
_EDIT = """\
import sys, pathlib
mode, q, path = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
text = path.read_text("utf-8", "replace")
if mode == "top":
    text = "red\\n\\n" + text
elif mode == "below":
    text = text.rstrip("\\n") + "\\n\\nred\\n"
else:
    text = text.replace(q + ": ?", q + ": red", 1)
path.write_text(text, "utf-8")
"""
_MUTT = """\
set editor="{python} {folder}/edit.py {mode} {q} '%s'" sendmail="{folder}/send.sh"
set fast_reply=yes include=yes copy=no quit=yes move=no delete=no wait_key=no recall=no abort_unmodified=no
set from="{address}" realname="Anna" use_from=yes
push "<reply><send-message><quit>"
"""
_NAIL = """\
set mta={folder}/send.sh from={address} dot{quoting}
"""


def put(text: str, letter: QuestionEmail, *, place: bool) -> str:
    """A fixture's text with the email that is answered in it."""
    text = text.replace("1630-ballot", letter.game).replace("{GAME}", letter.game).replace("{ID}", letter.id or "")
    found: list[str] = []
    for line in text.split("\n"):
        mark, held, _ = line.partition("{SHOWN}" if "{SHOWN}" in line else "{COPY}")
        copy = letter.shown if "{SHOWN}" in line else letter.text
        copy = copy.replace(letter.form, f"{letter.q}: red", 1) if place else copy
        found += [f"{mark}{row}" for row in copy.rstrip("\n").split("\n")] if held else [line]
    return "\n".join(found)


def filled(path: Path, letter: QuestionEmail) -> bytes:
    mail, place = message_from_bytes(path.read_bytes()), "place" in path.stem
    for part in mail.walk():
        if part.get_content_maintype() != "text":
            continue
        charset = part.get_content_charset() or "utf-8"
        raw = part.get_payload(decode=True)
        assert isinstance(raw, bytes)
        text = put(raw.decode(charset, "replace"), letter, place=place).encode(charset, "replace")
        how = str(part.get("Content-Transfer-Encoding", "8bit")).lower()
        coded = {"base64": base64.encodebytes, "quoted-printable": quopri.encodestring}.get(how, bytes)(text)
        part.set_payload(coded.decode("ascii", "surrogateescape"))
    for key in ("In-Reply-To", "References", "Message-ID", "From"):
        if key in mail:
            mail.replace_header(key, str(mail[key]).replace("{ID}", letter.id or ""))
    mail.replace_header("From", f"Anna <{letter.to}>")
    return mail.as_bytes()


@pytest.fixture(scope="module")
def answered(tmp_path_factory, staged, desk_type):
    return Table(desk_type(tmp_path_factory.mktemp("programs"), staged))


@pytest.mark.parametrize("path", FIXTURES, ids=[path.stem for path in FIXTURES])
def test_what_real_programs_wrote_is_taken(answered, path):
    answered.reset()
    assert answered.take(filled(path, answered.letter)) == ("red", True)


def written_by(program: str, mode: str, letter: QuestionEmail, raw: bytes, folder: Path) -> bytes:
    """The reply that an installed program writes in its own settings; only its editor and its way out are ours."""
    words = {"python": sys.executable, "folder": folder, "mode": mode, "q": letter.q, "address": letter.to}
    words["quoting"] = " quote" if mode == "below" else ""
    (folder / "edit.py").write_text(_EDIT, "utf-8")
    (folder / "send.sh").write_text(f"#!/bin/sh\ncat > {folder}/out.eml\n", "utf-8")
    (folder / "send.sh").chmod(0o700)
    (folder / "Mail").mkdir()
    plain = raw.replace(b"\r\n", b"\n")
    (folder / "box").write_bytes(b"From pbem@games.example Fri May  1 12:00:00 2026\n" + plain + b"\n")
    (folder / "rc").write_text((_NAIL if program == "s-nail" else _MUTT).format(**words), "utf-8")
    home = {**os.environ, "HOME": str(folder), "TERM": "xterm", "LANG": "C.UTF-8", "MAILRC": str(folder / "rc")}
    if program == "s-nail":
        keys = b"reply 1\nred\n.\nquit\n"
        subprocess.run(["s-nail", "-n", "-#", "-f", "box"], input=keys, cwd=folder, env=home, timeout=60, check=False)
    else:
        line = f"{program} -n -F rc -f box"
        with subprocess.Popen(
            ["script", "-qec", line, "/dev/null"], stdin=subprocess.PIPE, cwd=folder, env=home
        ) as run:
            run.wait(timeout=60)
    return (folder / "out.eml").read_bytes()


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("script") is None, reason="needs util-linux")
@pytest.mark.parametrize("mode", ["top", "place", "below"])
@pytest.mark.parametrize("program", ["mutt", "neomutt", "s-nail"])
def test_programs_that_are_installed_are_understood(answered, tmp_path, program, mode):
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    if program == "s-nail" and mode == "place":
        pytest.skip("its batch mode edits no copy")
    answered.reset()
    (path,) = (answered.desk.folder / "outbox" / "new").glob(f"*.{answered.seat}.*")
    raw = written_by(program, mode, answered.letter, path.read_bytes(), tmp_path)
    assert decode_mail(raw).to == (HOME,)
    assert answered.take(raw) == ("red", True)
