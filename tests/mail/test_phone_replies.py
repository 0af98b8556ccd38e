"""What phones do to the email that a button writes: each is taken, or answered with what to do."""

import pytest

from pbem.mail.inbox.mime import decode_mail
from pbem.orders.reply_codes import with_line_breaks
from pbem.save import load
from tests.mail.test_reply_corpus import Table, written

TAKEN = {
    "as it is": "{q}: red\n\n{tag}\n",
    "with a signature": "{q}: red\n\n{tag}\n\nSent from my iPhone\n",
    "breaks as text": "{q}: red<BR><BR>{tag}<BR>",
    "breaks as text, XHTML": "{q}: red<br/><br />{tag}<br>\n",
    "both": "{q}: red<BR>\n<BR>\n{tag}<BR>\n",
    "breaks as text, with a signature": "{q}: red<BR><BR>{tag}<BR><BR>Sent from my iPhone",
    "no breaks": "{q}: red {tag}",
    "no breaks, with a signature": "{q}: red {tag} Sent from my iPhone",
    "no breaks but one": "{q}: red    {tag}\n\nSent from my iPhone\n",
}
UNFILLED = {
    "as it is": "{q}: \n\n{tag}\n",
    "trimmed": "{q}:\n{tag}\n",
    "no breaks": "{q}: {tag}",
    "breaks as text": "{q}: <BR><BR>{tag}<BR>",
    "with a signature": "{q}: \n\n{tag}\n\nSent from my iPhone\n",
}


@pytest.fixture(scope="module")
def table(tmp_path_factory, staged, desk_type):
    return Table(desk_type(tmp_path_factory.mktemp("phone"), staged))


def sent(table, body, sender=""):
    """The answer after that email, whether its writer got one, and that one."""
    table.reset()
    letter = table.letter
    text = body.format(q=letter.q, tag=letter.tag)
    raw = written(letter, text, refers=False, subject=f"[{letter.game}] {letter.q}")
    answer, told = table.take(raw.replace(letter.to.encode(), sender.encode()) if sender else raw)
    folder = table.desk.folder / "outbox" / "new"
    found = [path for path in folder.glob(f"*.{table.seat}.*") if path.name not in table.first]
    return answer, told, [decode_mail(path.read_bytes()) for path in found]


@pytest.mark.parametrize("name", TAKEN)
def test_an_answer_is_taken_whatever_becomes_of_its_line_breaks(table, name):
    answer, told, _ = sent(table, TAKEN[name])
    assert (answer, told) == ("red", True)


@pytest.mark.parametrize("name", UNFILLED)
def test_the_last_button_without_an_answer_is_answered_with_the_question(table, name):
    answer, told, emails = sent(table, UNFILLED[name])
    assert (answer, told) == ("", True)
    (email,) = emails
    said = " ".join(email.text.split())
    assert f"there is no answer after '{table.letter.q}:'" in said
    assert table.letter.form in email.text
    assert email.page is not None
    assert email.page.count("mailto:") >= 3


@pytest.mark.parametrize("name", ["as it is", "breaks as text", "no breaks"])
def test_from_another_address_nothing_counts_and_the_seat_hears_what_to_do(table, name):
    answer, _, emails = sent(table, TAKEN[name], "other@example.net")
    assert answer == ""
    assert ["ask the moderator to add your other address" in " ".join(email.text.split()) for email in emails] == [True]
    assert not load(table.desk.save).sealed


@pytest.mark.parametrize("text", [
    "red<BR>", "I think <br> of [ballot amber c3cc-6346]", "29: red", "29: red<BR>and blue",
    "> 29: red [ballot amber c3cc-6346]",
])  # fmt: skip
def test_other_text_keeps_its_lines(text):
    assert with_line_breaks(text) == text


def test_a_whole_turn_without_line_breaks_is_one_line_an_answer():
    tag = "[is-round france 8a83-d73c-af1a-f56c]"
    lines = ["96: shift mysore", "97: shift nizam", "98: end", "standing react: pass", "", tag]
    whole = with_line_breaks(" ".join(filter(None, lines)))
    assert [line for line in whole.split("\n") if line] == [line for line in lines if line]
    assert with_line_breaks(f"96: at 12: 30 {tag}").split("\n")[0] == "96: at 12: 30"


def test_a_receipt_offers_the_other_answers(table):
    _, _, (email,) = sent(table, TAKEN["as it is"])
    assert "Change my answer" in email.page
    assert f"body={table.letter.q}%3A%20blue%0D%0A" in email.page
    assert f"body={table.letter.q}%3A%20red%0D%0A" not in email.page
