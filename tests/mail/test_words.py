"""What the post says besides receipts: paragraphs for phones, quotations as they were written."""

from __future__ import annotations

from pbem.mail.outbox.recipient import as_page, as_text, quoted
from pbem.report.text_width import width

LONG = "Our mail was down, and no deadline counted in that time. " * 4


def test_paragraphs_are_broken_for_a_phone_and_quotations_are_not():
    said = "\n".join([LONG.strip(), *quoted(f"{LONG}\n\n  <b>indented</b>"), "手紙を" * 30])
    text = as_text(said)
    prose = [line for line in text.splitlines() if not line.startswith("|")]
    assert [line for line in prose if width(line) > 60] == []
    assert f"| {LONG}".rstrip() in text.splitlines()
    assert "|   <b>indented</b>" in text.splitlines()
    page = as_page(said)
    assert page.count("<p ") == 2  # the page breaks its own lines
    assert f">{LONG.strip()}</p>" in page
    assert "|   &lt;b&gt;indented&lt;/b&gt;</pre>" in page


def test_nothing_is_lost():
    said = "one\n\ntwo\n| three\n|\n| four\nfive"
    assert as_text(said) == said
    for word in ("one", "two", "| three\n|\n| four", "five"):
        assert word in as_page(said)
