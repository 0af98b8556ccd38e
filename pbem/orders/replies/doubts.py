"""A doubt: an answer beside text that nothing explains. Its writer is asked back, and says yes once.

A yes executes exactly the lines that our email showed. What stood below the answer, or around our copied email, is
then known for that address: a footer or a banner says nothing. Text between answers is never learned.
"""

from __future__ import annotations

import hmac
import unicodedata
from collections.abc import Callable, Sequence

import msgspec

from pbem.kernel.order_words import normalize_text
from pbem.lazy_regex import pattern
from pbem.orders.replies.quotation import ReplyLine
from pbem.orders.reply_codes import tag_in
from pbem.orders.statements import ORDERS, statement

_YES = frozenset(
    [
        "yes",
        "y",
        "はい",
        "ja",
        "oui",
        "sí",
        "si",
        "sim",
        "tak",
        "да",
        "是",
        "是的",
        "네",
        "예",
        "kyllä",
        "ano",
        "evet",
        "igen",
        "так",
        "ναι",
        "da",
        "jep",
        "yep",
    ]
)
_MOST_LINES = 12
_MOST_SIGNS = 1_000
_WORD = pattern(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_NUMBERED = pattern(r"\W{0,3}(?:q\s*|質問\s*)?\d{1,9}\s*:\s")
_BACK_WORDS = """
not no never but unless if wait hold later draft until till except instead rather maybe perhaps think cancel withdraw ignore
mistake wrong error undo still change reconsider decide undecided unsure yet kidding joke joking erreur errore fout fejl fel virhe
błąd pomyłka omyłka irrtum versehen witz scherz ошибка шутка don't doesn't can't won't nicht nein aber doch wenn falls warte später erst noch entwurf vielleicht
sondern außer kein zurück ne pas non mais sauf si attends attendez plus tard brouillon peut-être annule pero salvo espera no
luego borrador quizás ma se aspetta forse bozza niet nee maar tenzij wacht later concept não mas exceto espere nie ale chyba
czekaj inte nej men om vänta ikke nei vent jos ei mutta odota ale ne jestli počkej не нет но если подожди
"""
_BACK = frozenset(_BACK_WORDS.split())
_BACK_JA = pattern(
    r"取り消|ではなく|冗談|取消|待って|やめ|ない|ません|もし|場合|ただし|まだ|下書き|仮|誤って|間違|不要|撤回|不是|等等|如果|但|아니|만약|잠깐|취소"
)


class Doubt(msgspec.Struct):
    """What to ask back: the `lines` that a yes executes, the text `beside` them, and blocks to `learn` after a yes."""

    lines: list[str]
    beside: list[str] = []
    learn: list[str] = []


class PendingDoubt(msgspec.Struct, frozen=True):
    """What a seat was asked back about question `q`; `answered` says whether the reply answers that email."""

    q: int
    word: str
    lines: Sequence[str]
    beside: Sequence[str] = ()
    answered: bool = False

    def word_in(self, text: str) -> bool:
        """Return whether a line has the word of the button."""
        return self.word in normalize_text(text).casefold().split()


def doubt_word(key: bytes, seat: str, place: str) -> str:
    """Return the word of four letters in a button that says yes; nobody can guess it."""
    digest = hmac.digest(key, f"doubt {seat} {place}".encode(), "sha256")
    return "".join(chr(ord("a") + byte % 26) for byte in digest[:4])


def says_yes(rows: Sequence[ReplyLine], doubt: PendingDoubt) -> int:
    """Return the number of the line that says yes: the first of the writer's own; 0 if none does."""
    for row in rows:
        if row.depth or row.furniture or not row.text or tag_in(row.text):
            continue
        words = row.text.casefold().replace("。", "").strip(" .!,*_\"'「」").split()
        by_word = len(words) == 2 and words[1] == doubt.word
        return (
            row.no if words and words[0] in _YES and (by_word or (doubt.answered and len(words) == 1)) else 0
        )
    return 0


def block_text(lines: Sequence[str]) -> str:
    """Return a block of lines for comparison: word for word, but digits are alike."""
    plain = [" ".join(unicodedata.normalize("NFKC", line).casefold().split()) for line in lines]
    return "\n".join("".join("0" if sign.isdigit() else sign for sign in line) for line in plain)


def is_learnable(lines: Sequence[str], legal: Callable[[str], str]) -> bool:
    """Return whether a block may be a footer or a banner: it holds no answer, order or question, and takes nothing back."""
    if not lines or len(lines) > _MOST_LINES or sum(map(len, lines)) > _MOST_SIGNS:
        return False
    for line in lines:
        plain = unicodedata.normalize("NFKC", line).replace("’", "'").casefold()
        if "?" in plain or _NUMBERED.match(plain) or _BACK_JA.search(plain) or "~~" in plain:
            return False
        words = _WORD.findall(plain)
        if _BACK & set(words) or legal(line) or any(legal(word) for word in words[:40]):
            return False
        if isinstance(statement(line.strip(), {"line": 0}), ORDERS):
            return False
    return True


def fingerprint_of(key: bytes, address: str, block: str) -> str:
    """Return the keyed hash under which a learned block is kept."""
    return hmac.digest(key, f"learned\0{address.casefold()}\0{block}".encode(), "sha256").hex()[:24]
