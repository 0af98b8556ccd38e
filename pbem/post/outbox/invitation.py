"""The first letter of a game: how to answer, where the rules are, house rules, what is reconstructed. Short."""

from __future__ import annotations

from pbem.kernel.referee import pack_of
from pbem.post.outbox.reader import Reader
from pbem.post.outbox.wording import as_page, as_text
from pbem.report.brief import COLUMNS, Part
from pbem.report.letter import Opening, opening
from pbem.save import Session


def invitation(session: Session, reader: Reader) -> Part:
    """What a first letter says besides its question."""
    say, seat = reader.say, reader.seat
    start = opening_of(session, reader)
    title = session.game.title.get(say.language, session.game.title["en"])
    lines = [say.text("invitation.head", title=title, seat=say.name(seat.id))]
    lines += [say.text("invitation.how"), say.text("invitation.rules")]
    rules = [option.partition(":")[0] for option in start.options]
    if rules:
        lines.append(say.text("invitation.options", options="; ".join(rules)))
    if start.facts.get("reconstructed"):
        lines.append(say.text("invitation.reconstructed", count=start.facts["reconstructed"]))
    if start.facts.get("moderator"):
        changed = len(start.corrected)
        lines.append(say.text("invitation.corrected", count=start.facts["moderator"], changed=changed))
    lines.append(say.text("invitation.dice"))
    text = "\n".join([as_text("\n".join(lines), COLUMNS), start.commitment[:32], start.commitment[32:]])
    return Part(text, as_page("\n".join([*lines, start.commitment])))


def opening_of(session: Session, reader: Reader) -> Opening:
    """What a first letter tells of the game, in full."""
    pack = pack_of(session.game, session.save.header.pack)
    return opening(session.referee, pack, reader.seat.language)
