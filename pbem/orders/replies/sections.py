"""A sorted reply: possible answers, written orders, and all other text of the writer."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Sequence

import msgspec

from pbem.lazy_regex import pattern
from pbem.orders.parser import LIMITS, EmailLine, press_at, shortened
from pbem.orders.replies.quotation import ReplyLine, SentTexts, after, comparison_key
from pbem.orders.reply_codes import bare_code, tag_in
from pbem.orders.statements import BLANK, ORDERS, statement
from pbem.orders.syntax_tree import Answer, InfoRequest, PressStatement, RejectedStatement, Statement

# Courtesies: greetings, closings, names, what a phone adds.

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
"""A line of only these words and the writer's name is a greeting or a closing."""

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
    """Return the words of the writer's name, folded for comparison."""
    return frozenset(word for text in texts for word in _words(text))


def _words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def is_courtesy(text: str, names: Collection[str] = ()) -> bool:
    """Return whether a line says nothing about the game: all its words have to be known courtesies."""
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


_TIME = r"(?!\d?\d:[0-5]\d\s*(?:\(|[+-]\d|(?-i:[A-Z]{3,5})\b))"
"""A deadline that a mail program has wrapped, `04:00 (UTC)`, isn't an answer to question 4."""
_NUMBERED = pattern(rf"(?:[-*•]\s?)?(?:q\s*|質問\s*)?{_TIME}(\d{{1,9}})\s*:\s*(.*)", re.IGNORECASE)
_LEFT_OVER = pattern(r"^\?\s*|(?<=\w)\s+\?$")
"""The `?` of the form, left next to the answer."""
_AROUND = "*\"'„_ "
_STOP = pattern(r"[.!。]+$")
_QUOTED = pattern(r'"(.+)"')
_BULLET = pattern(r"[-*•·–]\s+(?=\S)")
_LABELLED = pattern(r"(.+?)\s?[(（]([^()（）]+)[)）]")
_END_PRESS = pattern(r"end\s+press|通信終了", re.IGNORECASE)
_NEAR = 3
_SIGNATURE = "-- "
_MOST_SIGNATURE = 8


class NumberedAnswer(msgspec.Struct):
    """`29: red`. `edited`: it replaces the form's line, in the quotation or above the tag."""

    row: ReplyLine
    q: int
    body: str
    edited: bool = False


class ReplySections(msgspec.Struct):
    """The contents of a reply. `lines` are bare answers; `other` is text that only its writer can have written.

    `cut` is the line where reading stopped because the reply is too long.
    """

    numbered: list[NumberedAnswer] = []
    lines: list[ReplyLine] = []
    orders: list[Statement] = []
    other: list[ReplyLine] = []
    cut: ReplyLine | None = None

    def __len__(self) -> int:
        return len(self.numbered) + len(self.lines) + len(self.orders) + len(self.other)


def unquoted(body: str) -> str:
    """Return an answer without a full stop, quotation marks or asterisks around it; inner ones stay paired."""
    bare = _STOP.sub("", body.strip(_AROUND)).strip(_AROUND)
    if '"' not in bare:
        return bare
    around = _AROUND.replace('"', "")
    return _STOP.sub("", body.strip(around)).strip(around)


def reading(legal: Callable[[str], str], ours: SentTexts) -> Callable[[str], str]:
    """Wrap `legal` to read text copied from our emails: in a list, or followed by its label in brackets.

    The label is dropped if our email prints exactly this pair, or if the label means the same answer.
    """

    def read(text: str) -> str:
        found = legal(text) or legal(plain := unquoted(text))
        if found or not text:
            return found
        plain = _BULLET.sub("", plain, count=1)
        for bare in dict.fromkeys((plain, _QUOTED.sub(r"\1", plain))):
            found, labelled = legal(bare), _LABELLED.fullmatch(bare)
            if not found and labelled is not None and (found := legal(labelled[1])):
                found = found if ours.prints(bare) or legal(labelled[2]) == found else ""
            if found:
                return found
        return ""

    return read


class ReplySorter:
    """The rows of a reply, to be sorted. `own` is this seat's current tag: game, seat and code."""

    def __init__(
        self,
        rows: Sequence[ReplyLine],
        ours: SentTexts,
        names: Collection[str],
        own: tuple[str, str, str],
        legal: Callable[[str], str],
        skipped: Collection[int] = (),
    ) -> None:
        self.rows = rows
        self.ours = ours
        self.names = names
        self.own = own
        self.legal = legal
        self.skipped = skipped
        self.found = ReplySections()
        self.walk = ours.walk()

    def parts(self) -> ReplySections:
        at = 0
        while at < len(self.rows) and self.found.cut is None:
            row = self.rows[at]
            at += 1
            if len(self.found) > LIMITS.said:
                self.found.cut = row
            if row.furniture or not row.text or row.no in self.skipped or row.depth > 1:
                continue
            if row.depth:
                self._copied(row, at - 1)
            elif row.raw.rstrip("\r") == _SIGNATURE:
                at = self._signature(at)
            else:
                at = self._written(at - 1)
        return self.found

    # -- the writer's own lines ----------------------------------------------------------------------------------

    def _signature(self, at: int) -> int:
        """Skip the text below `-- `, unless it is longer than a signature; keep answers in it."""
        end = at
        while end < len(self.rows) and not self.rows[end].depth and not self.rows[end].furniture:
            end += 1
        lines = [row for row in self.rows[at:end] if row.text]
        if len(lines) > _MOST_SIGNATURE:
            return at
        self.found.other += [row for row in lines if _NUMBERED.fullmatch(row.text) or self.legal(row.text)]
        return end

    def _written(self, at: int) -> int:
        """Sort a line at depth 0; return the next index."""
        row = self.rows[at]
        text = row.text
        if tag_in(text) or comparison_key(row.raw) in self.ours.last:
            if not self._is_form_line(text):
                self.found.other.append(row)
            return at + 1
        if (match := _NUMBERED.fullmatch(text)) is not None:
            self._numbered(row, at, int(match[1]), match[2])
            return at + 1
        if text.casefold().startswith(("begin press", "通信開始")):
            return self._press(at)
        item = statement(text, {"line": row.no, "last": row.no, "text": shortened(row.raw.strip())})
        if isinstance(item, ORDERS):
            self.found.orders.append(item)
        elif self.legal(text):
            self.found.lines.append(row)
        elif not is_courtesy(text, self.names):
            self.found.other.append(row)
        return at + 1

    def _press(self, at: int) -> int:
        """Read press, which may quote; without its end it continues to the first line that isn't the writer's."""
        rows = self.rows[at + 1 :]
        end = next((no for no, row in enumerate(rows) if _END_PRESS.match(row.text)), None)
        if end is None:
            end = next((no for no, row in enumerate(rows) if row.depth or row.furniture), len(rows)) - 1
        lines = [EmailLine(row.no, row.whole.rstrip(), row.text) for row in self.rows[at : at + 2 + end]]
        used, item = press_at(lines, 1, LIMITS)
        self.found.orders.append(item)
        return at + used

    def _is_form_line(self, text: str) -> bool:
        """Return whether a line is only a tag, or only the last line of an email."""
        return text.startswith(("[", "==")) and text.endswith(("]", "=="))

    def _numbered(self, row: ReplyLine, at: int, q: int, body: str) -> None:
        edited = self._above_own_tag(at)
        if edited:
            body = _LEFT_OVER.sub("", body)
        if body.strip() not in ("", BLANK):
            self.found.numbered.append(NumberedAnswer(row, q, body, edited))

    # -- our email, and text inserted into it --------------------------------------------------------------------

    def _copied(self, row: ReplyLine, at: int) -> None:
        """Sort a line at depth 1: the edited form, our text, or text inserted by somebody."""
        match, known = _NUMBERED.fullmatch(row.text), self.walk.knows(row.raw)
        if match is not None and self._above_own_tag(at):  # where our emails have only the "?"
            self._numbered(row, at, int(match[1]), match[2])
        elif not known and (match is not None or not (tag_in(row.text) or is_courtesy(row.text))):
            self.found.other.append(row)

    def _above_own_tag(self, at: int) -> bool:
        """Return whether the next tag below, within three lines at the same depth, is this seat's current one."""
        depth = self.rows[at].depth
        for row in after(self.rows, at, _NEAR):
            words = tag_in(row.text)
            if words is not None and row.depth == depth:
                game, seat, code = words
                mine = (game.casefold(), seat.casefold(), bare_code(code))
                return mine == self.own
        return False


def answer_item(row: ReplyLine, q: int, body: str) -> Answer:
    """Return an answer in a reply as an order."""
    return Answer(line=row.no, last=row.no, text=shortened(row.raw.strip()), body=body, q=q)


def press_to_send(orders: Sequence[Statement]) -> list[Statement]:
    """Return the orders that count even next to other text: press and requests; rejections are kept too."""
    return [item for item in orders if isinstance(item, PressStatement | InfoRequest | RejectedStatement)]
