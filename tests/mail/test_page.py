"""Pages as a browser shows them: lines, quotations, what is hidden or struck out, and pages that nobody can afford."""

from __future__ import annotations

import pytest

from pbem.mail.inbox.body_text import html_to_text, is_readable
from pbem.mail.inbox.mime import decode_mail
from tests.mail.mails import HEAD


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>red<p>green", "red\ngreen"),
        ("red<br>green<br><br>blue", "red\ngreen\n\nblue"),
        ("<div>red</div><blockquote>29: ?<blockquote>old</blockquote></blockquote>", "red\n> 29: ?\n>> old"),
        ("<pre>a\n  b\n\nc</pre>", "a\n  b\n\nc"),
        ("<p>a<hr>b", f"a\n{'_' * 20}\nb"),
        ("<table><tr><td>a<td>b<tr><td>c</table>", "a b\nc"),
        ("<p>&#114;&#x65;d &lt;3", "red <3"),
        ("<p>red<script>x</script><style>y</style><!-- z -->", "red"),
        ("<p>-- <p>Anna", "-- \nAnna"),
        ("<p>red\n  or\n not</p>", "red or not"),
        ("no page at all < 3", "no page at all < 3"),
    ],
)
def test_a_page_is_read_line_by_line(page, text):
    assert html_to_text(page) == text


@pytest.mark.parametrize(
    "hidden",
    [
        '<div style="display:none">{}</div>',
        '<div style="Display : None !important">{}</div>',
        '<div style="display:none"><p><b>{}</b></p></div>',
        "<div hidden>{}</div>",
        '<div style="visibility:hidden">{}</div>',
        '<div style="font-size:0px">{}</div>',
        '<div style="opacity:0.0">{}</div>',
        '<div style="max-height:0;overflow:hidden">{}</div>',
        '<div style="color:#fff">{}</div>',
        '<font color="white">{}</font>',
        '<div style="background:#246"><span style="color:#246">{}</span></div>',
        '<div style="position:absolute;left:-9999px">{}</div>',
        '<div style="text-indent:-9999px">{}</div>',
        '<div style="mso-hide:all">{}</div>',
        "<style>.x{{display:none}}</style><div class='y x'>{}</div>",
        "<details><summary>more</summary>{}</details>",
        "<textarea>{}</textarea>",
        "<template>{}</template>",
        "<title>{}</title>",
    ],
)
def test_what_a_browser_hides_is_not_read(hidden):
    assert "secret" not in html_to_text(f"<p>red</p>{hidden.format('secret')}<p>end</p>")
    assert html_to_text(f"<p>red</p>{hidden.format('secret')}<p>end</p>").startswith("red")


@pytest.mark.parametrize(
    "shown",
    [
        '<div style="color:#fff;background:#246">{}</div>',
        '<div style="background:#246"><b style="color:white">{}</b></div>',
        "<style>@media print {{ .x{{display:none}} }}</style><p class=x>{}</p>",
        "<details open><summary>more</summary>{}</details>",
        '<p style="height:0">{}</p>',
        "<o:p>{}</o:p>",
    ],
)
def test_what_a_browser_shows_is_read(shown):
    assert "news" in html_to_text(f"<p>red</p>{shown.format('news')}")


@pytest.mark.parametrize("struck", ["<s>{}</s>", "<del>{}</del>", '<p style="text-decoration:line-through">{}</p>'])
def test_what_is_struck_out_is_marked_and_never_an_answer(struck):
    assert html_to_text(struck.format("red")) == "~~red~~"
    assert html_to_text(f"{struck.format('red')}<p>green</p>").endswith("green")


DEAR = {
    "attributes": "<a " + " ".join(f"b{at}" for at in range(200)) + ">",
    "attributes behind a quoted sign": '<a x=">" ' + " ".join(f"b{at}=1" for at in range(200)) + ">",
    "attributes without blanks": "<a " + "".join(f'b{at}="1"' for at in range(200)) + ">",
    "attributes that a comment seems to hide": '<!-- <a b=" --><a ' + " ".join(f"b{at}" for at in range(200)) + ">",
    "attributes of an end": "</a " + " ".join(f"b{at}" for at in range(200)) + ">",
    "tags": "<div>" * 11_000,
    "ends": "</div>" * 21_000,
    "formatting": "".join(f"<b a={at}>" for at in range(300)) + "<p>x" * 9_000,
    "formatting with a quoted sign": "".join(f'<b a=">{at}">' for at in range(300)) + "<p>x" * 9_000,
}


@pytest.mark.parametrize("name", DEAR)
def test_a_page_that_no_parser_reads_in_linear_time_is_not_read(name):
    assert not is_readable(DEAR[name])
    assert html_to_text(DEAR[name]) == ""
    raw = HEAD + b"Content-Type: text/html\n\n" + DEAR[name].encode()
    assert decode_mail(raw).problems == ("html_only", "dear_page")


def test_several_pages_are_measured_together():
    part = b"--b\nContent-Type: text/html\n\n" + b"<p>x" * 4_000 + b"\n"
    raw = HEAD + b"Content-Type: multipart/mixed; boundary=b\n\n" + part * 3 + b"--b--\n"
    assert "dear_page" in decode_mail(raw).problems
    assert "dear_page" not in decode_mail(raw.replace(part * 3, part * 2)).problems


def test_ordinary_pages_are_readable():
    assert is_readable("<table>" + "<tr><td style='a:b' class=x>1</td></tr>" * 2_000 + "</table>")
    assert is_readable('<p><img src="data:image/png;base64,' + "a/b+" * 100_000 + '">')
    assert is_readable("".join(f"<font color=#{at % 8}>x</font> " for at in range(2_000)))
