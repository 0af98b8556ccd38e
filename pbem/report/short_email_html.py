"""A short email as an HTML page: big buttons for the likely answers, and a table of what changed.

It is in reading order for screen readers, works without style sheet, in light and dark, and loads nothing. A
button writes an email with the answer and the tag in its body; a code is never in a subject.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

from pbem.lazy_regex import escape
from pbem.report import short_email as short
from pbem.report.messages import Catalogue
from pbem.report.question_text import EmailQuestion
from pbem.report.short_email import ShortEmail

PAGE = 40_000
"""Bytes of a page without its picture: mail programs show it whole, and a phone loads it at once."""
LINK = 400
"""Characters of a mailto: link that every mail program accepts."""
_ARROW = "→ "
_STYLE = """:root{color-scheme:light dark}
body{font:17px/1.45 system-ui,sans-serif;margin:0 auto;padding:12px;max-width:36em}
h1{font-size:1.2em;margin:0 0 .3em}h2{font-size:1.05em;margin:1.2em 0 .3em}
p{margin:.3em 0}table{border-collapse:collapse}
th,td{text-align:left;padding:4px 12px 4px 0;border-bottom:1px solid #8888}
pre{white-space:pre-wrap;overflow-wrap:anywhere;border-left:3px solid #888;padding-left:.6em}
.soft{opacity:.8;font-size:.9em}
@media (prefers-color-scheme:dark){
a.b{background:#123a52!important;color:#e8f3fa!important;border-color:#7fb3d5!important}}"""
_BUTTON = (
    "display:block;margin:8px 0;padding:14px 16px;border:2px solid #1a5276;border-radius:10px;"
    "background:#eaf2f8;color:#12384f;text-decoration:none;font-weight:bold"
)


def page_of(brief: ShortEmail, say: Catalogue, more: str = "") -> str:
    """Return the email as a page; `more` is added at its end."""
    parts = [*_head(brief, say), *_news(brief, say)]
    parts += [part.html for part in brief.also]
    if more:
        parts.append(more)
    if brief.legend:
        parts.append(f'<p class="soft">{escape(brief.legend)}</p>')
    if brief.last:
        parts.append(f'<div class="soft">{escape(brief.last)}</div>')
    title = escape(short.subject_of(brief, say))
    return (
        f'<!DOCTYPE html>\n<html lang="{say.language}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="color-scheme" content="light dark">\n<title>{title}</title>\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n" + "\n".join(parts) + "\n</body>\n</html>\n"
    )


def _head(brief: ShortEmail, say: Catalogue) -> Iterator[str]:
    yield from (part.html for part in brief.alerts)
    asked = brief.asked
    if asked is None:
        if brief.nothing:
            yield f"<h1>{_safe(brief.nothing, brief)}</h1>"
    else:
        yield f"<h1>{_safe(asked.prompt, brief)}</h1>"
        yield from (f"<p>{_safe(offer, brief)}</p>" for offer in asked.offers)
        by = " ".join(short.deadline(brief, say))
        rest = (
            say.text("email.answered", answer=asked.answer)
            if asked.answer
            else short.timeout_effect(brief, say)
        )
        yield f"<p><strong>{escape(by)}</strong> {escape(rest)}</p>"
        tapped = [*buttons(brief, say)]
        yield from tapped
        if not tapped or not _all_told(asked):
            ways = short.in_line(asked.details[0], say, 10_000)
            yield f"<p>{_safe(' '.join(ways), brief)}</p>"
        if asked.example:
            yield f"<p>{_safe(say.text('email.example', text=asked.example), brief)}</p>"
    if brief.picture:
        yield brief.picture
    if brief.slip:
        if asked is not None:
            key = "email.how_again" if asked.answer else "email.how"
            yield f'<p class="soft">{escape(say.text(key))}</p>'
        form = brief.slip[:1] if asked is not None else []
        yield "".join(f"<div>{escape(line)}</div>" for line in (*form, " ".join(brief.tag)))


def _all_told(asked: EmailQuestion) -> bool:
    told = [text for text in asked.likely if text.isascii()]
    return all(way.partition(" (")[0] in told for way in asked.details[0])


def buttons(brief: ShortEmail, say: Catalogue) -> Iterator[str]:
    """Yield a button for each likely answer, with its name if it has one, and one for any other."""
    asked = brief.asked
    if asked is None or not brief.to or not brief.slip:
        return
    named = {way.partition(" (")[0]: way for way in asked.details[0]}
    found = [(f"{_ARROW}{named.get(text, text)}", text) for text in asked.likely if text.isascii()]
    for label, text in [*found, (f"{_ARROW}{say.text('email.other')}", "")]:
        link = mailto(brief, f"{asked.q}: {text}")
        if len(link) <= LINK:
            yield f'<a class="b" style="{_BUTTON}" href="{escape(link)}">{escape(label)}</a>'


def mailto(brief: ShortEmail, line: str) -> str:
    """Return a link that writes `line` and the tag: percent-encoded UTF-8, blanks `%20`, breaks `%0D%0A`."""
    number = brief.asked.q if brief.asked is not None else 0
    subject = quote(f"[{brief.name}] {number}", safe="")
    tag = " ".join(brief.tag)
    body = quote(f"{line}\r\n\r\n{tag}\r\n", safe="")
    return f"mailto:{quote(brief.to, safe='@')}?subject={subject}&body={body}"


def _news(brief: ShortEmail, say: Catalogue) -> Iterator[str]:
    said = [*brief.new]
    if brief.left_out:
        said.insert(0, say.text("email.earlier", count=brief.left_out))
    if said:
        yield f"<h2>{escape(say.text('email.new'))}</h2>"
        yield "<ul>" + "".join(f"<li>{_safe(text, brief)}</li>" for text in said) + "</ul>"
    if any(change for _, _, change in brief.points):
        yield _points(brief, say)


def _points(brief: ShortEmail, say: Catalogue) -> str:
    """Return the public scores and their changes. A name alone could be an answer, so a colon follows it."""
    head = "".join(
        f'<th scope="col">{escape(say.text(f"email.points.{column}"))}</th>' for column in ("who", "now")
    )
    rows = "".join(
        f'<tr><th scope="row">{_safe(f"{who}:", brief)}</th><td>{now} ({change:+d})</td></tr>'
        for who, now, change in brief.points
    )
    caption = f"<caption>{escape(say.text('email.points'))}</caption>"
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _safe(text: str, brief: ShortEmail) -> str:
    """Return text for the page, marked if it could be taken for an answer."""
    if brief.legal is not None and brief.legal(text):
        text = short.PREFIX + text
    return escape(text)
