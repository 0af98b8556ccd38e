"""Small IMAP and SMTP servers on loopback that misbehave as they are told."""

from __future__ import annotations

import re
import socketserver
import threading
import time
from contextlib import contextmanager
from typing import Any


class _Server(socketserver.ThreadingTCPServer):
    brain: Any
    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request, client_address):  # a client that hangs up is no news
        return


@contextmanager
def _serving(handler, brain):
    with _Server(("127.0.0.1", 0), handler) as server:
        server.brain = brain
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()


class BadImap:
    """A mailbox. `fault(uid, attempt)` names what goes wrong when a message is asked for ("" for nothing).

    `nil`, `empty`, `zero`, `nothing`, `bare` (no text in the answer), `half`, `cut`, `bye`, `huge` (the line ends),
    `no`, `bad`, `other` and `moved` (the text of another message), `both` (that one first, unasked for), `noise`,
    `short` (a whole literal, of two thirds of the text).
    """

    def __init__(self, mails=(), fault=lambda uid, attempt: ""):
        self.messages, self.when, self.asked = {}, {}, {}
        self.fault = fault
        self.seen, self.gone = set(), set()
        self.validity, self.greeting, self.date = "7", "* OK ready", None
        self.following = 0
        self.search_says = None
        self.store_says = ""
        for mail in mails:
            self.add(mail.raw, mail.at.timestamp())

    def add(self, raw, at, uid=0):
        uid = uid or max(self.messages, default=0) + 1
        self.messages[uid] = raw.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
        self.when[uid] = at

    @contextmanager
    def serving(self):
        with _serving(_Imap, self) as port:
            yield f"imap://pbem@127.0.0.1:{port}/INBOX"


class _Imap(socketserver.StreamRequestHandler):
    server: _Server

    def line(self, text):
        self.wfile.write(text.encode() + b"\r\n")

    def handle(self):
        box = self.server.brain
        self.line(box.greeting)
        if not box.greeting.startswith("* OK"):
            return
        while raw := self.rfile.readline(65536):
            tag, name, rest = (*raw.decode().strip().split(" ", 2), "", "")[:3]
            if name.upper() == "UID":
                name, _, rest = rest.partition(" ")
            answer = getattr(self, name.lower(), lambda box, tag, rest: True)(box, tag, rest)
            if answer is False:
                return
            self.line(f"{tag} {answer if isinstance(answer, str) else 'OK done'}")

    def capability(self, box, tag, rest):
        self.line("* CAPABILITY IMAP4rev1")

    def select(self, box, tag, rest):
        self.line(f"* {len(box.messages)} EXISTS")
        self.line(f"* OK [UIDVALIDITY {box.validity}] ok")
        self.line(f"* OK [UIDNEXT {box.following or max(box.messages, default=0) + 1}] ok")

    def numbers(self, box, which):
        last = max(box.messages, default=0)
        found = set()
        for part in which.split(","):
            low, _, high = part.partition(":")
            first = last if low == "*" else int(low)
            end = last if high == "*" else int(high or first)
            found |= {uid for uid in box.messages if min(first, end) <= uid <= max(first, end)}
        return sorted(found - box.gone)

    def search(self, box, tag, rest):
        found = self.numbers(box, re.search(r"UID (\S+)", rest)[1])
        self.line(box.search_says(found) if box.search_says else f"* SEARCH {' '.join(map(str, found))}".rstrip())

    def store(self, box, tag, rest):
        if box.store_says:
            return box.store_says
        box.seen |= set(self.numbers(box, rest.partition(" ")[0]))
        return True

    def logout(self, box, tag, rest):
        self.line("* BYE")
        self.line(f"{tag} OK bye")
        return False

    def fetch(self, box, tag, rest):
        which, _, items = rest.partition(" ")
        for uid in self.numbers(box, which):
            answer = self.one(box, uid, items)
            if answer is not True:
                return answer
        return True

    def one(self, box, uid, items):
        raw = box.messages[uid]
        begin, count = map(int, re.search(r"<(\d+)\.(\d+)>", items).groups())
        part = raw[begin:][:count]
        when = time.strftime('"%d-%b-%Y %H:%M:%S +0000"', time.gmtime(box.when[uid]))
        about = f"RFC822.SIZE {len(raw)} INTERNALDATE {box.date or when}"
        box.asked[uid] = attempt = box.asked.get(uid, 0) + 1
        what = box.fault(uid, attempt)
        named = {"other": uid + 1000}.get(what, uid)
        if what in ("moved", "both"):
            other = next((number for number in sorted(box.messages) if number > uid), uid)
            self.literal(other, f"RFC822.SIZE {len(box.messages[other])}", box.messages[other])
            if what == "moved":
                return True
        if what in ("nil", "empty", "zero"):
            self.line(f"* 1 FETCH (UID {uid} {about} BODY[]<0> " + {"nil": "NIL)", "empty": '"")', "zero": "{0}"}[what])
            if what == "zero":
                self.line(")")
        elif what == "bare":
            self.line(f"* 1 FETCH (UID {uid} FLAGS ())")
        elif what in ("half", "huge"):
            size = len(part) if what == "half" else 99_999_999_999
            self.wfile.write(f"* 1 FETCH (UID {uid} {about} BODY[]<0> {{{size}}}\r\n".encode() + part[: len(part) // 2])
            return False
        elif what in ("cut", "bye"):
            if what == "bye":
                self.line("* BYE shutting down")
            return False
        elif what in ("no", "bad"):
            return {"no": "NO [SERVERBUG] cannot read this message", "bad": "BAD internal error"}[what]
        elif what != "nothing":
            if what == "noise":
                self.line("* 1 FETCH (FLAGS (\\Seen))")
                self.line(f"* {len(box.messages) + 1} EXISTS")
            self.literal(named, about, part[: len(part) * 2 // 3] if what == "short" else part)
        return True

    def literal(self, uid, about, text):
        self.wfile.write(f"* 1 FETCH (UID {uid} {about} BODY[]<0> {{{len(text)}}}\r\n".encode() + text + b")\r\n")


class BadSmtp:
    """Takes mail, or says what it is told: `says(stage, word, session)`: an answer, `cut`, or "" for the usual one.

    Stages are `greeting`, `EHLO`, `MAIL`, `RCPT`, `DATA` (before the text), `TEXT` (after it); `word` is the address.
    A session is a dict of its `number` and the `mails` that it has taken.
    """

    def __init__(self, says=lambda stage, word, session: ""):
        self.says = says
        self.taken = []
        self.connections = 0

    @property
    def to(self):
        return [to for to, _ in self.taken]

    @contextmanager
    def serving(self):
        with _serving(_Smtp, self) as port:
            yield f"smtp://127.0.0.1:{port}"


class _Cut(Exception):
    pass


class _Smtp(socketserver.StreamRequestHandler):
    server: _Server

    def say(self, stage, word, usual):
        text = self.server.brain.says(stage, word, self.session) or usual
        if text == "cut":
            raise _Cut
        self.wfile.write(text.encode() + b"\r\n")
        if text.startswith("421"):
            raise _Cut
        return text

    def handle(self):
        brain = self.server.brain
        brain.connections += 1
        self.session = {"number": brain.connections, "mails": 0}
        try:
            self.talk(brain)
        except _Cut:
            return

    def talk(self, brain):
        self.say("greeting", "", "220 mx.example ESMTP")
        to = ""
        while raw := self.rfile.readline(65536):
            line = raw.decode().strip()
            name, address = line[:4].upper(), (re.search(r"<([^>]*)>", line) or ["", ""])[1]
            if name == "EHLO":
                self.say("EHLO", "", "250-mx.example\r\n250 SIZE 35882577")
            elif name == "RCPT":
                to = address if self.say("RCPT", address, "250 ok").startswith("2") else ""
            elif name == "DATA":
                if self.say("DATA", "", "354 go on").startswith("3"):
                    self.text(brain, to)
            elif name == "QUIT":
                self.say("QUIT", "", "221 bye")
                return
            else:
                self.say(name, address, "250 ok")

    def text(self, brain, to):
        text = b""
        while (piece := self.rfile.readline(1 << 20)) not in (b".\r\n", b""):
            text += piece[1:] if piece.startswith(b"..") else piece
        if piece and self.say("TEXT", to, "250 taken").startswith("2"):
            brain.taken.append((to, text))
            self.session["mails"] += 1
