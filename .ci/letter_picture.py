"""The pictures of emails: one on a phone with its answer and receipt (players' pages), and first screens.

The first screen of that email is for the README, those of six emails are for the page about emails.

`python .ci/letter_picture.py` writes them into `docs/img` from the saves of the examples; a test compares them.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections.abc import Iterable
from html import escape, unescape
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import games  # noqa: E402
from pbem.dev.synthetic_mail import START, as_mbox  # noqa: E402
from pbem.dev.synthetic_mail import write_email as answer_to  # noqa: E402
from pbem.mail.inbox.ingest import ingest  # noqa: E402
from pbem.mail.inbox.mime import decode_mail  # noqa: E402
from pbem.mail.outbox.email_parts import add_receipt  # noqa: E402
from pbem.mail.outbox.press import news_for  # noqa: E402
from pbem.mail.outbox.recipient import reader_of  # noqa: E402
from pbem.mail.outbox.short_email import build_short_email, compose_email  # noqa: E402
from pbem.orders.apply import execute_block  # noqa: E402
from pbem.orders.parser import read  # noqa: E402
from pbem.report.map_svg import email_map  # noqa: E402
from pbem.report.short_email import subject_of  # noqa: E402
from pbem.report.short_email_html import page_of  # noqa: E402
from pbem.save import Session  # noqa: E402
from pbem.timestamps import stamp  # noqa: E402

PICTURE = ROOT / "docs" / "img" / "letter.svg"
FIRST_SCREEN = ROOT / "docs" / "img" / "email.svg"
GAME, SEAT, ANSWER = "cor-battle", "york", "charge lord_york lord_shrewsbury"
HOME = "pbem@games.example"
SIX = {
    "1630-vote": ("1630-ballot", "amber", "en"),
    "imperial-struggle-tile": ("is-round", "france", "en"),
    "imperial-struggle-receipt": ("is-round", "france", "en", "take dip4-eco"),
    "crown-of-roses-battle": ("cor-battle", "york", "en"),
    "virgin-queen-interception": ("vq-interception", "protestant", "ja"),
    "virgin-queen-offer": ("vq-negotiation", "hre", "en"),
}
"""Six emails: save, seat, language, and the answer whose receipt it is."""
WIDTH = 386
"""Pixels of a phone, across."""
HEIGHTS = (1530, 190, 150)
_VOID = re.compile(r"<((?:br|hr|img)\b[^>]*?)/?>")
_STYLE = """.card{background:#fff;color:#111;border:1px solid #9aa7b0;border-radius:14px;overflow:hidden;
height:100%;box-sizing:border-box}
.card>header{background:#23445a;color:#fff;padding:10px 12px;font:bold 14px sans-serif}
.mail{padding:6px 14px;font:16px/1.45 sans-serif}.mail hr{border:0;border-top:1px solid #ccc}"""


def drawn() -> str:
    """Draw the email, the answer that a button writes, and the receipt, as SVG."""
    session = Session.open(ROOT / "saves" / f"{GAME}.toml", games.load)
    letter, page = _letter(session, SEAT, "en", drawn=True)
    subject, body = _tapped(page)
    receipt = _receipt(session)
    answer = (
        f'<div class="mail"><p><b>To:</b> {HOME}</p><p><b>Subject:</b> {escape(subject)}</p><hr/>'
        + "".join(f"<p>{escape(line)}</p>" for line in body.split("\r\n") if line)
        + "</div>"
    )
    cards = (
        (18, 18, HEIGHTS[0], letter, _body(page)),
        (WIDTH + 36, 18, HEIGHTS[1], "The answer: one tap on a button", answer),
        (WIDTH + 36, HEIGHTS[1] + 36, HEIGHTS[2], receipt[0], _body(receipt[1])),
    )
    return _picture(2 * WIDTH + 54, HEIGHTS[0] + 36, cards)


def first_screen() -> str:
    """Draw what a phone shows of the email before anybody scrolls, as SVG."""
    session = Session.open(ROOT / "saves" / f"{GAME}.toml", games.load)
    return _screen(*_letter(session, SEAT, "en", drawn=True))


def six() -> dict[Path, str]:
    """Draw the first screens of six emails, by file."""
    return {ROOT / "docs" / "img" / f"email-{name}.svg": _screen(*_email(*what)) for name, what in SIX.items()}


def _screen(subject: str, page: str) -> str:
    return _picture(WIDTH + 36, 736, [(18, 18, 700, subject, _body(page))])


def _email(game: str, seat: str, language: str, answer: str = "") -> tuple[str, str]:
    """Subject and page of the email to a seat, or of the one that its answer gets."""
    if not answer:
        return _letter(Session.open(ROOT / "saves" / f"{game}.toml", games.load), seat, language)
    with tempfile.TemporaryDirectory() as home:
        path, box = Path(home) / f"{game}.toml", Path(home) / "in.mbox"
        shutil.copy(ROOT / "saves" / path.name, path)
        box.write_bytes(as_mbox([answer_to(Session.open(path, games.load), seat, [answer], START)]))
        ingest([Path(home)], [box], now=START)
        *_, sent = sorted((Path(home) / "outbox" / "new").glob(f"{game}.{seat}.*"))
        email = decode_mail(sent.read_bytes())
        return email.subject, email.page or ""


def _picture(width: int, height: int, cards: Iterable[tuple[int, int, int, str, str]]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">\n'
        f"<style>{_STYLE}</style>\n"
        '<rect width="100%" height="100%" fill="#e9edf0"/>\n' + "\n".join(_card(*card) for card in cards) + "\n</svg>\n"
    )


def _card(x: int, y: int, height: int, title: str, inner: str) -> str:
    return (
        f'<foreignObject x="{x}" y="{y}" width="{WIDTH}" height="{height}">'
        f'<div xmlns="http://www.w3.org/1999/xhtml" class="card"><header>{escape(title)}</header>{inner}</div>'
        "</foreignObject>"
    )


def _letter(session: Session, seat: str, language: str, *, drawn: bool = False) -> tuple[str, str]:
    """Subject and page of the letter that asks, with the map as SVG in its place if it is drawn."""
    info = session.save.seat(seat)
    info.told.letters, info.told_q, info.seen, info.language = 1, 1, _seen(session, seat), language
    reader = reader_of(session, info)
    shown = build_short_email(session, reader, news_for(session, info), HOME)
    assert shown.asked is not None
    if drawn:
        found = email_map(session.referee, seat, shown.asked, reader.say)
        assert found is not None
        shown.picture = found.svg.partition("?>")[2] or found.svg
    return subject_of(shown, reader.say), page_of(shown, reader.say)


def _seen(session: Session, seat: str) -> int:
    """Return the lines told until the seat's last answer."""
    last = max((move.n for move in session.moves() if move.seat == seat), default=0)
    base = session.referee.line_base
    return base + sum(line.n <= last for line in session.lines(base))


def _tapped(page: str) -> tuple[str, str]:
    """Subject and body that the button of the answer writes."""
    links = [urlsplit(unescape(link)) for link in re.findall(r'href="(mailto:[^"]*)"', page)]
    written = [parse_qs(link.query) for link in links]
    return next((letter["subject"][0], letter["body"][0]) for letter in written if ANSWER in letter["body"][0])


def _receipt(session: Session) -> tuple[str, str]:
    """Subject and page of the receipt."""
    info, referee = session.save.seat(SEAT), session.referee
    info.seen, info.told_q = session.save.header.lines, referee.q
    (block,) = read(f"BEGIN ORDERS {GAME} {SEAT}\n{ANSWER}\nEND ORDERS").blocks
    receipt = execute_block(referee, block, game=GAME, seat=SEAT, via="m1", at=stamp(START))
    add_receipt(session, receipt, "m1", START)
    letter = compose_email(session, reader_of(session, info), news_for(session, info), HOME)
    return letter.subject, letter.html


def _body(page: str) -> str:
    """Return the contents of a page, as XML."""
    inner = page.partition("<body")[2].partition("\n")[2].partition("\n</body>")[0]
    inner = _VOID.sub(r"<\1/>", inner)
    return f'<div class="page">{inner}</div>'


if __name__ == "__main__":
    for path, picture in ({PICTURE: drawn(), FIRST_SCREEN: first_screen()} | six()).items():
        path.write_text(picture, "utf-8")
        print(path)
