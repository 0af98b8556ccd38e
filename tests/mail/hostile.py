"""A corpus of forged, broken and hostile letters against one open ballot, made by a script: the same ones every time.

Each is a whole message as it lies in a mailbox. Most carry, somewhere, an answer that would change the game if it were
taken.
"""

from __future__ import annotations

import base64
import gzip
import quopri
from dataclasses import dataclass

from pbem.mail.save_index import code_of
from pbem.orders.reply_form import form


@dataclass(frozen=True)
class Target:
    """The ballot: its game, a seat asked with its address and code, another seat, an answer, the addresses of both."""

    game: str
    seat: str
    address: str
    code: str
    answer: str
    other: str
    other_address: str
    form: str
    """The reply form that the seat was sent, filled in with an answer."""
    own: str = "pbem@games.example"

    def block(self, *, game=None, seat=None, code=None, lines=None) -> str:
        """A block of orders, right in all that is not named."""
        given = [self.game if game is None else game, self.seat if seat is None else seat]
        given.append(self.code if code is None else code)
        body = "\n".join([self.answer] if lines is None else lines)
        return f"BEGIN ORDERS {' '.join(given)}\n{body}\nEND ORDERS\n"


def target(session, answer: str) -> Target:
    """The target of a session with an open ballot."""
    seat, other, *_ = session.referee.asked()
    info, name, code = session.save.seat, session.save.header.name, code_of(session.save, seat)
    return Target(
        name,
        seat,
        info(seat).addresses[0],
        code,
        answer,
        other,
        info(other).addresses[0],
        form(session.referee, seat, game=name, code=code),
    )


def mail(sender, body, *, number=0, headers=(), subject="orders", to="pbem@games.example", kind="text/plain") -> bytes:
    """A message; a header named again replaces the first one of its kind, None leaves it out."""
    head = {
        "From": sender,
        "To": to,
        "Subject": subject,
        "Date": "Fri, 01 May 2026 15:00:00 +0000",
        "Message-ID": f"<h{number}@evil.example>",
        "MIME-Version": "1.0",
        "Content-Type": f"{kind}; charset=utf-8",
    }
    extra = []
    for name, value in headers:
        if value is None:
            head.pop(name, None)
        elif name in head:
            head[name] = value
        else:
            extra.append((name, value))
    lines = [f"{name}: {value}" for name, value in [*head.items(), *extra] if value is not None]
    raw = body if isinstance(body, bytes) else body.encode()
    return "\n".join(lines).encode("utf-8", "surrogateescape") + b"\n\n" + raw


def multipart(parts, boundary="b", kind="mixed"):
    """Headers and body of a multipart message."""
    body = "".join(f"--{boundary}\n{part}\n" for part in parts) + f"--{boundary}--\n"
    return [("Content-Type", f'multipart/{kind}; boundary="{boundary}"')], body


def forged(t: Target):
    """Somebody else, or a machine, in a player's name."""
    ok, evil = t.block(), "mallory@evil.example"
    yield "stranger-with-code", mail(evil, ok)
    yield "stranger-without-code", mail(evil, t.block(code=""))
    yield "spoofed-from-no-code", mail(t.address, t.block(code=""))
    yield "spoofed-from-guessed-code", mail(t.address, t.block(code="0000-0000"))
    yield "spoofed-from-code-of-another-game", mail(t.address, t.block(code="ffff-1234"))
    yield "display-name-is-the-address", mail(f'"{t.address}" <{evil}>', ok)
    yield "comment-is-the-address", mail(f"{evil} ({t.address})", ok)
    yield "two-authors", mail(f"{t.address}, {evil}", ok)
    yield "two-from-headers", mail(t.address, ok, headers=[("from", evil)])
    yield "sender-header", mail(evil, ok, headers=[("Sender", t.address), ("Reply-To", t.address)])
    yield "group-syntax", mail(f"players: {t.address}, {evil};", ok)
    yield "route", mail(f"<@evil.example:{t.address}>", ok)
    yield "lookalike", mail(t.address.replace("a", "\u0430").replace("e", "\u0435"), ok)
    yield "zero-width", mail(t.address.replace("@", "\u200b@"), ok)
    yield "bidi", mail(f"\u202e{t.address}", ok)
    yield ("quoted-local", mail(f'"{t.address.partition("@")[0]}"@{t.address.partition("@")[2]}.evil.example', ok))
    yield "subdomain", mail(f"{t.address}.evil.example", ok)
    yield "plus-tag", mail(t.address.replace("@", "+x@"), ok)
    yield "null-in-from", mail(t.address + "\x00@evil.example", ok)
    yield "no-from", mail(None, ok, headers=[("From", None)])
    yield "empty-from", mail("", ok)
    yield "from-is-us", mail(t.own, ok)
    yield "another-players-seat", mail(t.other_address, ok)
    yield (
        "dmarc-fail",
        mail(
            t.address,
            ok,
            headers=[("Authentication-Results", f"mx.trusted.example; dmarc=fail header.from={t.address}")],
        ),
    )
    yield (
        "spf-and-dkim-fail",
        mail(t.address, ok, headers=[("Authentication-Results", "mx.trusted.example; spf=fail; dkim=fail")]),
    )


def automatic(t: Target):
    """Programs: nobody wrote this."""
    ok = t.block()
    for name, headers, subject in (
        ("auto-replied", [("Auto-Submitted", "auto-replied")], "Re: orders"),
        ("auto-generated", [("Auto-Submitted", "auto-generated")], "orders"),
        ("bulk", [("Precedence", "bulk")], "orders"),
        ("junk", [("Precedence", "junk")], "orders"),
        ("list", [("List-Id", "<players.example.org>")], "orders"),
        ("null-return-path", [("Return-Path", "<>")], "orders"),
        ("x-autoreply", [("X-Autoreply", "yes")], "orders"),
    ):
        yield name, mail(t.address, ok, headers=headers, subject=subject)
    copied = f"I am away.\n\n-----Original Message-----\n{t.form}"
    for name, subject, text in (
        ("out-of-office", "Out of office: orders", copied),
        ("abwesenheit", "Abwesenheitsnotiz: orders", t.form),
        ("japanese-absence", "自動返信: orders", f"不在です。\n\n{t.form}"),
        ("vacation", "Vacation: Re: orders", f"{t.form}\n{t.form}"),
        ("away-forged", "Out of office: orders", t.block(code="1234-5678")),
    ):
        yield name, mail(t.address, text, subject=subject)
    head, body = multipart(
        [f"Content-Type: text/plain\n\n{ok}", "Content-Type: message/delivery-status\n\nAction: failed\n"],
        kind="report",
    )
    yield "delivery-report", mail(t.address, body, headers=head)
    head, body = multipart(
        [
            f"Content-Type: text/plain\n\n{ok}",
            "Content-Type: text/calendar; method=REPLY\n\nBEGIN:VCALENDAR\nMETHOD:REPLY\nEND:VCALENDAR\n",
        ],
        kind="alternative",
    )
    yield "calendar-reply", mail(t.address, body, headers=head, subject="Accepted: question 57")
    yield "mailer-daemon", mail("MAILER-DAEMON@mx.example", ok)


def injected(t: Target):
    """Names of games and seats that want to be paths, markup, headers, commands."""
    for name, game in (
        ("path-up", "../../etc/passwd"),
        ("path-absolute", "/etc/passwd"),
        ("path-save", f"./{t.game}.toml"),
        ("path-windows", "..\\..\\save"),
        ("null-game", f"{t.game}\x00x"),
        ("format-game", "{0.__class__}%s%n"),
        ("markup-game", "[bold][/x]"),
        ("long-game", "g" * 100_000),
        ("newline-game", f"{t.game}\r\nBcc:evil@evil.example"),
        ("url-game", "http://evil.example/"),
    ):
        yield name, mail(t.address, t.block(game=game))
    for name, seat in (
        ("moderator-seat", "moderator"),
        ("public-seat", "public"),
        ("empty-seat", ""),
        ("path-seat", "../../x"),
        ("star-seat", "*"),
        ("all-seat", "all"),
    ):
        yield name, mail(t.address, t.block(seat=seat, code="1111-2222"))
    evil = "x\r\nBcc: evil@evil.example\r\n\r\nHello"
    yield "header-injection-subject", mail(t.address, t.block(code=""), subject=f"a =?utf-8?b?{_b64(evil)}?=")
    yield ("header-injection-id", mail(t.address, t.block(code=""), headers=[("Message-ID", "<a@b>\n\tX-Evil: <c@d>")]))
    yield "escape-codes", mail(t.address, "\x1b]0;owned\x07\x1b[2J" + t.block(code="\x1b[31m"))
    yield "code-is-long", mail(t.address, t.block(code="0" * 50_000))


def broken(t: Target):
    """Mail that can't be read, or not all of it."""
    ok = t.block()
    yield "empty", b""
    yield "blank", b"\n\n\n"
    yield "only-headers", mail(t.address, "")
    yield "binary", bytes(range(256)) * 200
    yield "html-only", mail(t.address, f"<pre>{ok}</pre>", kind="text/html")
    head, body = multipart(["Content-Type: application/pgp-encrypted\n\nVersion: 1"], kind="encrypted")
    yield "encrypted", mail(t.address, body, headers=head)
    yield "quoted-only", mail(t.address, "\n".join(f"> {line}" for line in ok.splitlines()))
    yield "no-begin", mail(t.address, f"{t.answer}\nEND ORDERS\n")
    yield "no-orders", mail(t.address, "I vote yes, of course!\n")
    yield "half-a-block", mail(t.address, ok.partition("END")[0].rstrip("\n"))
    yield "huge-line", mail(t.address, "x" * 3_000_000 + "\n" + ok)
    yield "huge", mail(t.address, ("y" * 70 + "\n") * 60_000 + ok)
    yield "many-headers", mail(t.address, t.block(code=""), headers=[(f"X-{n}", "v") for n in range(5000)])
    yield "long-header", mail(t.address, t.block(code=""), headers=[("X-Long", "v" * 1_000_000)])
    yield "nul-bytes", mail(t.address, b"\x00".join(bytes([byte]) for byte in t.block(code="").encode()))
    yield (
        "unknown-charset",
        mail(t.address, t.block(code=""), headers=[("Content-Type", "text/plain; charset=x-evil")]),
    )
    yield (
        "utf-7",
        mail(t.address, t.block(code="").encode("utf-7"), headers=[("Content-Type", "text/plain; charset=zip")]),
    )
    yield "bad-base64", mail(t.address, "!!!!", headers=[("Content-Transfer-Encoding", "base64")])
    yield ("unknown-encoding", mail(t.address, t.block(code=""), headers=[("Content-Transfer-Encoding", "x-uuencode")]))
    yield (
        "qp-junk",
        mail(
            t.address,
            quopri.encodestring(t.block(code="").encode()) + b"=ZZ=\n=",
            headers=[("Content-Transfer-Encoding", "quoted-printable")],
        ),
    )


def nested(t: Target):
    """Parts within parts, and bombs."""
    ok = t.block()
    body, kind = ok, "Content-Type: text/plain"
    for depth in range(60):
        head, inner = multipart([f"{kind}\n\n{body}"], f"b{depth}")
        body, kind = inner, f"Content-Type: {head[0][1]}"
    yield "deep", mail(t.address, body, headers=[("Content-Type", kind.partition(": ")[2])])
    head, body = multipart(["Content-Type: text/plain\n\nx"] * 20_000)
    yield "many-parts", mail(t.address, body + ok, headers=head)
    head, body = multipart([f"Content-Type: message/rfc822\n\nFrom: {t.address}\nSubject: x\n\n{ok}"])
    yield "forwarded-message", mail("mallory@evil.example", body, headers=head)
    bomb = base64.encodebytes(gzip.compress(b"0" * 30_000_000)).decode()
    about = "Content-Disposition: attachment; filename=o.gz\nContent-Transfer-Encoding: base64"
    head, body = multipart([f"Content-Type: application/gzip\n{about}\n\n{bomb}"])
    yield "zip-bomb", mail(t.address, body, headers=head)
    head, body = multipart(
        [f'Content-Type: text/plain\nContent-Disposition: attachment; filename="../../{t.game}.toml"\n\n{ok}']
    )
    yield "attachment-path", mail("mallory@evil.example", body, headers=head)
    yield "no-boundary", mail(t.address, t.block(code=""), headers=[("Content-Type", "multipart/mixed")])
    yield (
        "endless-boundary",
        mail(t.address, "--" * 200_000, headers=[("Content-Type", 'multipart/mixed; boundary="-"')]),
    )
    head, body = multipart([f"Content-Type: text/html\n\n<pre>{ok}</pre>"], kind="alternative")
    yield "html-alternative-only", mail(t.address, body, headers=head)


def corpus(t: Target) -> dict[str, bytes]:
    """Every letter by name."""
    found = {}
    for make in (forged, automatic, injected, broken, nested):
        for number, (name, raw) in enumerate(make(t)):
            assert name not in found
            found[name] = raw.replace(b"<h0@evil", f"<{make.__name__}{number}@evil".encode())
    return found


def _b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()
