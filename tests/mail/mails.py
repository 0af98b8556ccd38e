"""Mails of a few lines, decoded."""

from pbem.mail.inbox.mime import decode_mail
from pbem.mail.inbox.stages import DecodedEmail

HEAD = b"From: Anna <Anna@Example.ORG>\nMessage-ID: <1@x>\nSubject: hi\n"
JAPANESE = "ウィーンから進撃します。移動 vienna pressburg"


def plain(body: bytes, *more: str) -> DecodedEmail:
    return decode_mail(HEAD + "".join(f"{line}\n" for line in more).encode() + b"\n" + body)


def typed(body: bytes, content_type: str, encoding: str = "8bit") -> DecodedEmail:
    return plain(body, f"Content-Type: {content_type}", f"Content-Transfer-Encoding: {encoding}")
