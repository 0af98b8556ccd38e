"""Emails that may cost more than they should, each of any size: of a stranger, and of a player."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass

STRANGER = "eve@example.com"


@dataclass(frozen=True)
class Player:
    """Whose seat a player's bombs are sent from, and which code its reply may carry."""

    game: str
    seat: str
    address: str
    code: str
    q: int

    @property
    def tag(self) -> str:
        return f"{self.q}: ?\n[{self.game} {self.seat} {self.code}]\n"


Bomb = Callable[[Player, int], bytes]


def filled(piece: str, size: int, before: str = "", behind: str = "") -> str:
    """`piece` as often as it takes to fill `size` bytes."""
    left = size - len(before.encode()) - len(behind.encode())
    return before + piece * max(1, left // len(piece.encode())) + behind


def numbered(piece: str, size: int) -> str:
    """`piece` with numbers in it, all different."""
    return "".join(piece.format(at) for at in range(size // len(piece.format(10_000))))


def raw(sender: str, body: str, kind: str = "text/plain; charset=utf-8", heads: str = "") -> bytes:
    return (
        f"From: {sender}\nTo: pbem@games.example\nSubject: Re: orders\nMessage-ID: <bomb@example.com>\n{heads}"
        f"MIME-Version: 1.0\nContent-Type: {kind}\nContent-Transfer-Encoding: 8bit\n\n{body}\n"
    ).encode()


def page(piece: str, before: str = "", behind: str = "") -> Bomb:
    return lambda player, size: raw(STRANGER, filled(piece, size, before, behind), "text/html; charset=utf-8")


def pages(before: str, piece: str, behind: str = "") -> Bomb:
    """A page half of which are numbered pieces, half the piece behind them."""

    def made(player: Player, size: int) -> bytes:
        body = before + numbered(piece, size // 2 if behind else size) + behind * (size // 2 // max(1, len(behind)))
        return raw(player.address, body, "text/html; charset=utf-8")

    return made


def text(piece: str, before: str = "", kind: str = "text/plain; charset=utf-8", heads: str = "") -> Bomb:
    return lambda player, size: raw(STRANGER, filled(piece, size, before), kind, heads)


def head(name: str, piece: str, before: str = "") -> Bomb:
    def made(player: Player, size: int) -> bytes:
        lines = raw(STRANGER, "hello").decode().split("\n")
        kept = [line for line in lines if not line.startswith(f"{name}:")]
        return f"{name}: {filled(piece, size, before)}\n{chr(10).join(kept)}".encode()

    return made


def parts(piece: str, kind: str = "mixed; boundary=b", own: bool = False) -> Bomb:
    return lambda player, size: raw(player.address if own else STRANGER, filled(piece, size), f"multipart/{kind}")


def reply(piece: str, before: str = "") -> Bomb:
    """A player's reply with the tag of the form, so that all of it is looked at."""

    def made(player: Player, size: int) -> bytes:
        one, begin = (word.replace("@TAG@", player.tag) for word in (piece, before))
        one = one.replace("@Q@", str(player.q))
        return raw(player.address, filled(one, size, begin, f"\n\n{player.tag}"))

    return made


def orders(piece: str, before: str = "", *, several: bool = False) -> Bomb:
    """A player's block of orders."""

    def made(player: Player, size: int) -> bytes:
        begin = f"BEGIN ORDERS {player.game} {player.seat} {player.code}\n"
        body = piece.replace("@Q@", str(player.q))
        if several:
            return raw(player.address, filled(begin + body, size, before))
        return raw(player.address, filled(body, size, begin + before, "\nEND ORDERS\n"))

    return made


def _encoded(player: Player, size: int) -> bytes:
    data = base64.encodebytes(filled("<a ", size * 3 // 4).encode()).decode()
    return raw(STRANGER, data, "text/html").replace(b"8bit", b"base64")


BOMBS: dict[str, Bomb] = {
    # pages
    "page: tags that don't end": page("<a "),
    "page: less-than signs": page("<"),
    "page: ends that don't end": page("</"),
    "page: comments that don't end": page("<!--"),
    "page: comments ended wrongly": page("<!----!>"),
    "page: declarations": page("<!"),
    "page: instructions": page("<?"),
    "page: ampersands": page("&"),
    "page: entities": page("&amp"),
    "page: numeric entities": page("&#"),
    "page: nested": page("<div>"),
    "page: nested lists": page("<ul><li>"),
    "page: nested quotations": page("<blockquote>"),
    "page: nested tables": page("<table><tr><td>"),
    "page: an attribute that doesn't end": page("x", '<a href="'),
    "page: the same attribute": page("b=c ", "<a ", ">"),
    "page: different attributes": pages("<a ", "b{}=1 "),
    "page: attributes in a quotation": pages('<a x="\'" ', 'b{}=">" '),
    "page: quotations of both kinds": page("<a b='\""),
    "page: apostrophes": page("<a b='"),
    "page: attributes hidden by a comment": pages('<!-- <a b=" --><a ', "b{}=1 "),
    "page: tags within tags": page("<a " * 90 + ">"),
    "page: names without an end": page("x", "<a" * 9_000),
    "page: formatting that isn't closed": pages("<p>", "<b a={}>", "<p>x"),
    "page: one kind of formatting": page("<p>x", "<b><i><u><s><em><tt>" * 3),
    "page: ends of nothing": page("</div>", "<span>" * 9_000),
    "page: a script": page("</scrip", "<script>"),
    "page: titles": page("<title>"),
    "page: breaks": page("<br>"),
    "page: paragraphs ended": page("</p>"),
    "page: blanks": page(" ", "<pre>x"),
    "page: lines": page("\n", "<pre>x"),
    "page: styles": page(".a{display:none}", "<style>"),
    "page: style attributes": page("a:b;", '<p style="'),
    "page: base64": _encoded,
    "page: of a player": lambda player, size: raw(player.address, filled("<b>x</b>\n", size), "text/html"),
    # structure and headers
    "parts": parts("--b\n\n\n"),
    "parts: pages": parts("--b\nContent-Type: text/html\n\n" + "<div>" * 2_000 + "\n", own=True),
    "parts: of a player": parts("--b\n\n" + "x\n" * 4_000, own=True),
    "parts: boundaries with words": parts("--b x\n"),
    "parts: boundaries with blanks": parts("--b \t \t \t x\n"),
    "parts: order files": parts(
        "--b\nContent-Type: text/plain; name=x.orders\nContent-Disposition: attachment\n\nBEGIN ORDERS a b\n", own=True
    ),
    "head: recipients": head("To", "a@b.example, "),
    "head: comments": head("From", "("),
    "head: quotes": head("From", '"'),
    "head: angles": head("From", "<a@"),
    "head: encoded words": head("Subject", "=?utf-8?q?a?= "),
    "head: half words": head("Subject", "=?"),
    "head: references": head("References", "<a@b> "),
    "head: open references": head("References", "<"),
    "head: results": head("Authentication-Results", "(", "mx.example.org; "),
    "head: fields": lambda player, size: filled("X-A: b\n", size).encode() + raw(STRANGER, "hello"),
    "head: folds": head("X-A", "\n x"),
    "head: parameters": lambda player, size: raw(STRANGER, "x", "text/plain; " + numbered("a*{}=x; ", size)),
    # character sets and signs
    "text: quoted-printable": text("=", heads="Content-Transfer-Encoding: quoted-printable\n"),
    "text: utf-7": text("+AGE-", kind="text/plain; charset=utf-7"),
    "text: jis": text("\x1b$B!!", kind="text/plain; charset=iso-2022-jp"),
    "text: combining marks": text("\u0301", "e"),
    "text: jamo": text("\u1100\u1161\u11a8"),
    "text: escapes": text("\x1b["),
    "text: titles": text("\x9d"),
    "text: titles of seven bits": text("\x1b]"),
    "text: flowed": text("> ", kind="text/plain; charset=utf-8; format=flowed"),
    "text: soft breaks": text("a \n", kind="text/plain; charset=utf-8; format=flowed"),
    "text: kanji without a charset": lambda player, size: raw(STRANGER, "X", "text/plain; charset=x-none").replace(
        b"\nX", b"\n" + b"\xa4\xa2a" * (size // 3)
    ),
    "text: expanding": text("\ufdfa"),
    # replies of a player
    "reply: one word": reply("x"),
    "reply: words": reply("x "),
    "reply: lines": reply("x\n"),
    "reply: marks": reply(">"),
    "reply: marked lines": reply("> x\n"),
    "reply: forms": reply("@Q@: ?\n"),
    "reply: tags": reply("@TAG@"),
    "reply: brackets": reply("[\n"),
    "reply: brackets in a line": reply("["),
    "reply: brackets and words": reply("[a b "),
    "reply: blocks begun": reply("begin orders "),
    "reply: headers": reply("From: a\n"),
    "reply: attributions": reply("On 2026-03-02 Anna wrote:\n"),
    "reply: rulers": reply("-----\n"),
    "reply: one ruler": reply("-", "x"),
    "reply: links": reply("<http:"),
    "reply: pictures": reply("[cid"),
    "reply: per cents": reply("%4"),
    "reply: answers": reply("@Q@: poland-2\n"),
    "reply: near answers": reply("@Q@: polandd-2 swedden-2 spainn-2\n"),
    "reply: near words": reply("polandd-2 swedden-2 spainn-2 "),
    "reply: words of answers": reply("poland-2 sweden-2 spain-2 england-1\n"),
    "reply: greetings": reply("お願いします。"),
    "reply: polite lines": reply("thanks and best regards\n"),
    "reply: press": reply("BEGIN PRESS to=black\nx\nEND PRESS\n"),
    "reply: settings": reply("standing display: pass if if if if until until\n"),
    # blocks of a player
    "orders: blocks": orders("@Q@: poland-2\nEND ORDERS\n", several=True),
    "orders: blocks that don't end": orders("@Q@: poland-2\n", several=True),
    "orders: lines": orders("@Q@: poland-2\n"),
    "orders: near": orders("polandd-2 swedden-2 spainn-2 please not\n"),
    "orders: long lines": orders("@Q@: " + "polandd-2 " * 95 + "\n"),
    "orders: kinds": orders("displayy: pass\n"),
    "orders: one line": orders("polandd-2 "),
    "orders: backslashes": orders("a \\\n"),
    "orders: clauses": orders("standing display: x " + "if " * 300 + "\n"),
    "orders: conditions": orders("standing display: pass unless turn=1 until turn 5\n"),
    "orders: quotes": orders('"a ' * 300 + "\n"),
    "orders: press": orders("BEGIN PRESS to=black\nx\nEND PRESS\n"),
    "orders: long press": orders("x", "BEGIN PRESS to=black\n"),
}
