"""Lines that say nothing: greetings, closings, names, what a telephone adds."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

from pbem.patterns import pattern

_POLITE_WORDS = """
hi hello hey dear all everyone everybody team folks pbem moderator gm sir greetings
good morning afternoon evening day have a nice great week weekend luck to
thanks thank thx ty cheers many so much very you in advance again and
best kind warm kindest warmest regards rgds wishes yours sincerely truly faithfully see ya bye ciao
hallo moin servus guten tag morgen abend liebe lieber viele schöne beste herzliche freundliche freundlichen mit
gruß gruss grüße gruesse grüsse grüßen grüssen vg lg mfg bg danke schön dank vielen dir euch ihnen
bonjour bonsoir salut merci beaucoup cordialement amicalement bien à vous toi bonne journée soirée amitiés
hola buenos días buenas tardes saludos gracias muchas un cordial saludo
buongiorno salve grazie mille saluti cordiali
hoi hallo groet groeten groetjes vriendelijke met dank je bedankt
hej hei tak takk tack hilsen mvh hälsningar vänliga med venlig
"""
POLITE = frozenset(_POLITE_WORDS.split())
"""A line of these words alone, and of its writer's name, is a greeting or a closing."""

_POLITE_JA = pattern(
    r"(?:(?:お世話になって(?:い|お)ります|いつもありがとうございます|ありがとうございます|こんにちは|こんばんは|おはようございます"
    r"|(?:どうぞ)?(?:よろしく|宜しく)(?:お願い|お願)?(?:(?:いた|致)?し)?(?:ます)?|以上(?:です)?|敬具|拝啓|草々|失礼します)[。、!！\s]*)+"
)

_DEVICES = """
iphone ipad ipod ios android samsung galaxy pixel huawei xiaomi oneplus nokia sony phone smartphone mobile handy
mobilgerät mobiltelefon telefon téléphone tablet device gerät mail email e-mail outlook yahoo proton protonmail spark
k-9 thunderbird fairemail gmx web.de t-online freenet windows blackberry gmail google app client apple mac hotmail
aol icloud tutanota hey fastmail airmail bluemail móvil movil dispositivo teléfono mobilny für for my the a an meinem
meiner minem mijn mon mi il mio dal de da der des das mit with using via on von from for meine version desktop pro
max mini plus ultra se 5g lite secure e duck depuis desde van et 11 12 13 14 15 16 17 s21 s22 s23 s24 s25 a54 a55
gesendet verschickt geschickt verzonden envoyé beziehen herunterladen get sent
"""
DEVICES = frozenset(_DEVICES.split())
_SENT_FROM = pattern(
    r"(?:sent (?:from|with|via|using)|get outlook|outlook (?:for|für)|gesendet (?:von|mit)|von (?:meinem|meiner)"
    r"|envoyé (?:de|depuis)|enviado (?:desde|do|de)|inviato (?:da|dal)|verzonden (?:vanaf|van|met)"
    r"|diese nachricht wurde von meinem|télécharger outlook|obtener outlook)\b(.*)"
)
_SENT_FROM_JA = pattern(
    r"(?:\S{1,20}\s*)?(?:iphone|ipad|android|スマホ|スマートフォン|携帯|outlook|galaxy|xperia)\s*(?:for \w+\s*)?"
    r"(?:から送信|より送信|を入手)(?:しました)?[。]?"
)
_SMILES = pattern(r"(?:[:;]-?[)D]|\^\^|[\U0001F600-\U0001F60F\U0001F642\U0001F44B\U0001F64F\u263A\uFE0F\s])+")
_RULE = pattern(r"[-_=*~─━\s]{2,}")
_WORD = pattern(r"[^\W_]+(?:[-'’.][^\W_]+)*")


def names_of(*texts: str) -> frozenset[str]:
    """The words of which the writer's name consists, as compared."""
    return frozenset(word for text in texts for word in _words(text))


def _words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def is_idle(text: str, names: Collection[str] = ()) -> bool:
    """Whether a line says nothing about the game. Every word of it must be known to say nothing."""
    plain = unicodedata.normalize("NFKC", text).strip().casefold()
    if not plain or _RULE.fullmatch(plain) or _SMILES.fullmatch(text.strip()) or _POLITE_JA.fullmatch(plain):
        return True
    if "?" in plain:
        return False
    if _SENT_FROM_JA.fullmatch(plain):
        return True
    if found := _SENT_FROM.fullmatch(plain):
        words = _words(re.sub(r"<[^>]*>|https?://\S+", "", found[1]))
        return all(word in DEVICES for word in words)
    words = _words(plain)
    if not words or re.search(r"[^\w\s,.!'’()\-:;^]", _SMILES.sub("", plain)):
        return False
    return all(word in POLITE or word in names for word in words)
