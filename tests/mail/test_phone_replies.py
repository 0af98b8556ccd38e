"""What phones do to the email that a button writes: each is taken, or answered with what to do."""

import pytest

from tests.mail.test_reply_corpus import Table, written


@pytest.fixture(scope="module")
def table(tmp_path_factory, staged, desk_type):
    return Table(desk_type(tmp_path_factory.mktemp("phone"), staged))


CASES = {
    "br": "{q}: red<BR><BR>{tag}<BR>",
    "br xhtml": "{q}: red<br/><br />{tag}<br>\n",
    "br lines": "{q}: red<BR>\n<BR>\n{tag}<BR>\n",
    "one": "{q}: red {tag}",
    "one sig": "{q}: red {tag} Sent from my iPhone",
    "one many": "{q}: red    {tag}\n\nSent from my iPhone\n",
    "br sig": "{q}: red<BR><BR>{tag}<BR><BR>Sent from my iPhone",
    "br esc": "{q}: red&lt;BR&gt;&lt;BR&gt;{tag}",
    "sig": "{q}: red\n\n{tag}\n\nSent from my iPhone\n",
    "plus": "{q}:+red\n\n{tag}\n",
    "pct": "{q}:%20red%0D%0A%0D%0A{tag}%0D%0A",
    "empty": "{q}: \n\n{tag}\n",
    "empty trimmed": "{q}:\n{tag}\n",
    "empty one": "{q}: {tag}",
    "empty br": "{q}: <BR><BR>{tag}<BR>",
    "empty sig": "{q}: \n\n{tag}\n\nSent from my iPhone\n",
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("sender", ["", "other@example.net"])
def test_x(table, name, sender):
    table.reset()
    letter = table.letter
    raw = written(letter, CASES[name].format(q=letter.q, tag=letter.tag), refers=False, subject=f"[{letter.game}] {letter.q}")
    if sender:
        raw = raw.replace(letter.to.encode(), sender.encode())
    got = table.take(raw)
    new = [p for p in (table.desk.folder / "outbox" / "new").iterdir() if p.name not in table.first]
    print("@@", name, sender, got, [ (p.name, __import__("pbem.mail.inbox.mime", fromlist=["x"]).decode_mail(p.read_bytes()).text[:400]) for p in new] )
