"""How facts and answers are said, in the reader's words.

Messages of a game: `title.<kind>` (the decision in a few public words), `fact.<key>`, and the name of an answer as
people say it: `face.<kind>.<word>`, `face.<word>` for all kinds, `face.<kind>` for any other word. `<word>` is a
menu's word, an option, or the first field of a form; `none` is the empty list. A face is filled with the answer's own
fields, `{answer}` is the whole. Without a face the display names are shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pbem.kernel.evidence import Fact
from pbem.kernel.referee import PendingQuestion
from pbem.report.messages import Catalogue

_LOOSE = " ;,、；"
"""The marks between the parts of a face, of which some are optional."""
_ENDS = (".", "?", "!", "。", "？", "！")


def title_of(pending: PendingQuestion, say: Catalogue) -> str:
    """Return the decision in a few public words: private parts of a question (`secret`) never appear in it."""
    key = f"title.{pending.kind}"
    said = say.text(key, {"seat": pending.seat, **pending.about}) if say.has(key) else say.label(f"kind.{pending.kind}")
    return capital(said)


def capital(text: str) -> str:
    """Return text that begins with a capital."""
    return text[:1].upper() + text[1:]


def sentence(fact: Fact, say: Catalogue) -> str:
    """Return a fact as a sentence."""
    return as_sentence(capital(say.text(f"fact.{fact.key}", fact.args)), say)


def as_sentence(text: str, say: Catalogue) -> str:
    """Return text that ends as a sentence."""
    return text if text.endswith(_ENDS) else text + say.text("list.stop")


def note(fact: Fact, say: Catalogue) -> str:
    """Return a fact as a part of a sentence."""
    return say.text(f"fact.{fact.key}", fact.args).rstrip(".。")


def face(kind: str, value: Any, say: Catalogue) -> tuple[str, bool]:
    """Return an answer as people say it, and whether that is nothing but display names."""
    word, args = _spoken(value)
    if isinstance(args["answer"], list) and any(isinstance(part, Mapping) for part in args["answer"]):
        args["answer"] = [_step(kind, part, say) for part in args["answer"]]
    elif isinstance(args["answer"], Mapping) and isinstance(args["answer"].get("do"), str):  # a menu within a menu
        args["answer"] = _part(args["answer"], say)
    plain = () if isinstance(value, Mapping) and "do" not in value else (f"face.{word}",)
    for key in (f"face.{kind}.{word}", *plain, f"face.{kind}"):
        if say.has(key):
            said = say.text(key, args).strip(_LOOSE)  # its last part may be empty
            if said or not (isinstance(value, Mapping) and any(value.values())):
                return said, False
    if isinstance(value, Mapping):
        told = _rest(value, say)
        return (f"{say.label(f'word.{word}')} {told}".strip() if "do" in value else told), True
    return say.value(value), True


def _rest(value: Mapping[str, Any], say: Catalogue) -> str:
    """Return what stands behind the word that an answer begins with."""
    rest = _without_word(value)
    return _fields(rest.get("with", rest), say) if rest else ""


def _without_word(value: Any) -> Any:
    """Return an answer without the word that it begins with."""
    return {name: part for name, part in value.items() if name != "do"} if isinstance(value, Mapping) else value


def _fields(value: Any, say: Catalogue) -> str:
    """Return the parts of an answer by their names; numbers, menus within, and parts of a thing with what they are."""
    if not isinstance(value, Mapping):
        return say.value(value)
    colon = say.text("list.colon")
    words = [
        f"{say.name(name) if name in say.names.names else say.slot(name)} {_part(part, say)}"
        if isinstance(part, int | Mapping)
        else f"{say.name(name)}{colon}{say.value(part)}" * (name in say.names.names) or say.value(part)
        for name, part in value.items()
    ]
    return say.join(words, "comma") if words else ""


def _step(kind: str, part: Any, say: Catalogue) -> str:
    """Return one of several parts of an answer, as a question of its kind says it."""
    key = f"face.{kind}.{part['do']}" if isinstance(part, Mapping) and "do" in part else ""
    return say.text(key, part) if key and say.has(key) else _fields(_without_word(part), say)


def _part(part: Any, say: Catalogue) -> str:
    if not isinstance(part, Mapping) or "do" not in part:
        return say.value(part)
    do = str(part["do"])
    if say.has(f"part.{do}"):
        return say.text(f"part.{do}", _spoken(part)[1])
    word = say.name(do) if do in say.names.names else say.label(f"word.{do}")
    return f"{word} {_rest(part, say)}".strip()


def _spoken(value: Any) -> tuple[str, dict[str, Any]]:
    """Return the word that begins an answer, and the arguments of its face."""
    if isinstance(value, Mapping) and value:
        inner = value.get("with")
        fields = {**value, **(inner if isinstance(inner, Mapping) else _columns(inner))}
        fields |= {name: column for part in value.values() for name, column in _columns(part).items()}
        word = value.get("do", next(iter(value.values()), ""))
        return str(word) if isinstance(word, str) else "", {**fields, "answer": inner if inner is not None else fields}
    if isinstance(value, list | Mapping):
        only = "" if len(value) > 1 else str(*value) or "none"
        return only, {"answer": value, "count": len(value)}
    place, _, thing = str(value).partition("/")  # a thing at a place: `naples/galley`
    return str(value), {"answer": value, **({"place": place, "thing": thing} if thing else {})}


def _columns(items: Any) -> dict[str, list[Any]]:
    """Return what several forms say, by field: a face says `from {origin}` of all of them."""
    found: dict[str, list[Any]] = {}
    for item in items if isinstance(items, list) else ():
        for name, part in item.items() if isinstance(item, Mapping) else ():
            if part not in found.setdefault(name, []):
                found[name].append(part)
    return found
