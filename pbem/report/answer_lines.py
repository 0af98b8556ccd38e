"""The lines of a short email that say how answers are written and what each means, and how they are read back."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from pbem.kernel.domains import PASS
from pbem.kernel.order_words import plain_forms
from pbem.lazy_regex import pattern
from pbem.report.deciding import FEW, AnswerTemplate, Decision, Option
from pbem.report.merge_lines import words_in
from pbem.report.messages import Catalogue, alphanumeric
from pbem.report.text_width import COLUMNS, width, wrap

DASH = " – "
"""Between what is written and what it means."""
MARK = "· "
"""Begins a fact: no answer begins so."""
LEAST = 3
"""Options with a line of their own that are worth more than facts."""
_SMALL = frozenset(["a", "against", "and", "at", "for", "from", "in", "into", "of", "on", "the", "to", "with"])
"""English words that add nothing to the names between which they stand."""
_LETTERS = pattern(r"\w+")
_LONG_DASH = pattern("[\u2010-\u2015\u2212]")
_MARKED = 2
"""Cells before the first line of an answer of several lines, which may be an answer of its own."""
_WHOLE = COLUMNS - 2 * _MARKED
"""Cells of the widest word that is never broken."""
ID = pattern(r"[a-z][\w-]*")
_STEM = pattern(r"(?<![a-z])[a-z]{1,5}")
"""The beginnings of English words: "patronize_artist" is known by "patronise artist"."""
_SHORT = 12
"""Cells of a meaning that is said again where the next answer has the same one."""
_NUMBER = pattern(r"\d+")
_ORDER_END = pattern(r"\s|：")
_DASHES = pattern(r"\s[-–—]{1,2}\s")
_STAND_IN = 0xE000
"""The first of the characters that stand for placeholders while a line is broken: one cell wide, and never apart."""


class Detail(msgspec.Struct, frozen=True):
    """How much is told: facts, consequences of an answer, only names, answers with a line, parts, other answers.

    `more` are further other answers, `noted` with what they mean; with `vary`, what a form can have instead; `beside`,
    facts beside the main ones.
    """

    facts: int = 9
    follows: int = 9
    names: bool = True
    options: int = FEW
    slots: bool = True
    rest: bool = True
    more: int = 0
    vary: bool = False
    beside: int = 0
    noted: bool = False


def answers(one: Decision, say: Catalogue, room: Detail) -> Iterator[str]:
    """Yield the answers as they are written, each with what it means."""
    if one.only:
        yield say.text("email.only", answer=_written(one.options[0], say, room))
        return
    told = any(not option.named or option.price or option.follows or " " in option.order for option in one.options)
    shown = one.options[: room.options] if told else []
    acts = [option for option in shown if not option.quiet] or shown
    quiet = [option for option in shown if option not in acts]
    if one.count and shown:
        yield one.count
    yield from _each(one, acts, say, room)
    rest = [option for option in one.options[len(shown) :] if not option.many]
    if room.slots or not any(way.word for way in one.ways):
        yield from _ways(one, shown, say, slots=room.slots) if room.slots or room.vary or not acts else ()
        if one.ways and not room.slots and not room.more:
            rest = [option for option in rest if " " not in option.order]
    else:
        ways = [way for way in one.ways if not (room.noted and way.whole)]
        begun = {way.word for way in ways} if room.noted else {option.word for option in rest} - {""}
        told_so = msgspec.structs.replace(one, ways=ways)
        yield from _words(told_so, [option for option in rest if option.word in begun], acts, say) if ways else ()
        rest = [option for option in rest if option.word not in begun]
    yield from _each(one, quiet, say, room)
    heading = one.count or ("" if one.ways else say.text("email.answers"))
    yield from _rest(one, rest, say, room, "" if shown else heading)
    if room.options:
        yield from _further(one, say, shown, added=room.slots)


def _each(one: Decision, options: Sequence[Option], say: Catalogue, room: Detail) -> Iterator[str]:
    """Yield a line for each of these answers; one with the same long meaning as the last one says just that."""
    before: tuple[str, ...] = ()
    for option in options:
        told, before = before, (option.price, *option.follows[: max(room.follows, 1)])
        alike = before == told and bool(option.follows) and width(" ".join(told).strip()) >= _SHORT
        yield _written(msgspec.structs.replace(option, price="", follows=(one.same,)) if alike else option, say, room)


def is_whole(one: Decision) -> bool:
    """Return whether all answers are among the options, but perhaps for those that begin with one other word."""
    left = [way.word for way in one.ways if not way.whole]
    return not left or (len(left) == 1 and left[0] not in {"", *(option.word for option in one.options)})


def untold(one: Decision, say: Catalogue, shown: Sequence[str], room: int) -> list[str]:
    """Return the facts, and what answers mean, that are not among the lines `shown`, in `room` words."""
    told, found = _without_blanks(shown), [say.text("email.others")]
    parts, beside = (
        [wrap(fact, COLUMNS, MARK) for fact in facts if _without_blanks([fact]) not in told]
        for facts in (one.facts, one.beside)
    )
    for option in one.options:
        named = _without_blanks([f"{option.order}{DASH}"]) in told
        word = option.order.split()[-1] if say.language == "en" else option.face
        grouped = named or word in told or say.name(option.order.split()[-1]) in told
        if option.quiet or not option.follows or (grouped and _without_blanks(option.follows[:1]) in told):
            continue
        brief = msgspec.structs.replace(option, face=option.order, price="") if named else option
        text = _written(brief, say, Detail(follows=1, names=False))
        parts.append(unbroken(text, before_dash(text)))
    for lines in (*parts, *beside):
        if words_in(" ".join([*found, *lines])) <= room:
            found += lines
    return found if len(found) > 1 else []


def _without_blanks(lines: Sequence[str]) -> str:
    return "".join("".join(lines).split())


def words_below(one: Decision, say: Catalogue, tapped: Sequence[Option], room: int) -> list[str]:
    """Return how the answers are written that have no button on a page, in `room` words as far as it can be short."""
    if one.only:
        return []
    rest = [option for option in one.options if option not in tapped and not option.part and not option.many]
    found: list[str] = []
    short = (Detail(follows=0, slots=False), Detail(follows=0, names=False, slots=False), Detail(0, 0, False, 1, False))
    for some in (Detail(), Detail(follows=1), *short):
        found = [_written(option, say, some) for option in one.options if option.part and option not in tapped]
        if some.slots:
            found += _ways(one, tapped, say)
        else:
            found += _words(one, [option for option in rest if option.word], tapped, say) if one.ways else ()
        found += _rest(one, [option for option in rest if some.slots or not option.word], say, some)
        found += _further(one, say, tapped)
        if words_in(" ".join(found)) <= room:
            return found
    while found and words_in(" ".join(found)) > room:  # a short one is often the answer that does nothing
        found.remove(max(found, key=words_in))
    return found


def _further(one: Decision, say: Catalogue, shown: Sequence[Option], *, added: bool = True) -> Iterator[str]:
    """Yield what may be added to an answer; and an example, unless a longer answer that is shown is one."""
    parts = any(option.part for option in shown)
    example = None if any({" ", "="} & {*option.order} for option in shown) or (parts and not added) else one.example
    # An answer of one part is "none" and something: nothing is added to "none".
    whole = one.added if added and one.added is not None and len(one.added.value) > 1 else None
    for key, more in (("email.added", whole), ("email.example", example)):
        if more is not None and more.order not in [option.order for option in shown]:
            yield say.text(key, text=named(more, say, keyed=more is whole))


def _written(option: Option, say: Catalogue, room: Detail) -> str:
    """Return how an answer is written, and what it means: its name, price and chance, what follows."""
    tail = [*filter(None, (option.price,)), *option.follows[: room.follows]] or list(option.follows[:1])
    said, order = alphanumeric(option.face), alphanumeric(option.order)
    known = said == order
    if say.language == "en" and not room.names:
        known |= (option.named and "=" not in option.order) or _adds_nothing(option.face, order)
    face = "" if known and tail else option.face
    told = say.join(tail, "comma") if tail else ""
    meaning = say.text("email.meaning", face=face, told=told) if face and told else face or told
    return f"{option.order}{DASH}{meaning}" if meaning else option.order


def _adds_nothing(face: str, order: str) -> bool:
    """Return whether all words of an English face, but the small ones, are written in the letters of an order."""
    words = (alphanumeric(word.rstrip("s,")) for word in face.split() if word not in _SMALL)
    return all(word in order for word in words)


def _ways(one: Decision, shown: Sequence[Option], say: Catalogue, *, slots: bool = True) -> Iterator[str]:
    """Yield how further answers are written: by an example, if capitals would stand for parts without words."""
    vary: list[str] = []
    for way in (way for way in one.ways if not way.whole):
        alike = way.word in {option.word for option in shown if option.word}
        if shown and not way.word and len(way.slots) == 1 and not _is_choice(way.slots[0][1], say):
            continue
        several = len(way.vary) > 1 or any(width(words) > COLUMNS for _, words in way.slots)
        if alike or not way.spelled or (several and not way.word):
            if way.word and not alike and way.example is not None and _says_all(way.example, say):
                yield _written(way.example, say, Detail(follows=1))
            what = say.join(way.vary, "comma")
            vary.append(say.text("email.named", order=way.word, face=what) if way.word else what)
            continue
        told = way.word and alphanumeric(way.face) != alphanumeric(way.word)
        if say.language == "en" and _adds_nothing(way.face, alphanumeric(way.order)):
            told = ""
        named = [*filter(None, (way.face if told else "", way.price))]
        parts = [say.join(named, "comma") + say.text("list.stop")] if named else []
        said = [say.text("email.slot", slot=slot, words=words) for slot, words in way.slots]
        parts += [text for text in said if slots or width(text) <= COLUMNS]
        yield f"{way.order}{DASH}{' '.join(parts)}" if parts else way.order
    if vary and (shown or any(way.word for way in one.ways)):
        yield say.text("email.vary", parts=say.join(vary, "comma"))


def _is_choice(words: str, say: Catalogue) -> bool:
    """Return whether what may stand for a placeholder is more than one word."""
    return any(sign in words for sign in (say.text("list.or"), say.text("list.comma"), "–"))


def _says_all(option: Option, say: Catalogue) -> bool:
    """Return whether the face of an answer has the names of all its ids; in English they are much alike."""
    ids = [] if say.language == "en" else ID.findall(option.order.partition(" ")[2])
    return all(say.name(word) in option.face for word in ids if word in say.names.names)


def _words(one: Decision, rest: Sequence[Option], shown: Sequence[Option], say: Catalogue) -> Iterator[str]:
    """Yield the words that further answers begin with, by their prices, where there is no room for more.

    If only one word begins longer answers, the short ones that begin so are told too; if it is the only word at all
    and has none, how they are written.
    """
    ways, dear = one.ways, sorted(rest, key=lambda option: -option.cost)
    names = {option.word: (say.label(f"word.{option.word}"), option.price) for option in dear}
    prices = {option.word: option.price for option in one.options}
    told = {way.word for way in ways if way.whole} - names.keys()
    names |= {way.word: (way.name, way.price or prices.get(way.word, "")) for way in ways if way.word not in told}
    names.pop("", None)
    short = [option.order.split() for option in rest if len(ways) == 1 and option.word == ways[0].word]
    behind = [say.name(words[1]) if say.language != "en" else words[1] for words in short if len(words) == 2]
    most = FEW if len(behind) <= FEW else LEAST  # names alone say less than answers with what they mean
    if len(ways) == len(names) == 1 and not behind:
        yield from _ways(one, shown, say, slots=False)
        return
    by_price: dict[str, list[tuple[str, str]]] = {}
    for word, (name, price) in sorted(names.items(), key=lambda item: (_number(item[1][1]), item[1][1])):
        by_price.setdefault(price, []).append((word, name))
    grouped = len(names) > 2 * len(by_price) > 2  # a price for each group takes fewer words
    words: list[str] = []
    for price, alike in by_price.items():
        bare = "" if grouped else _bare(price, say)
        words += (_worded(w, name, [] if price or w != ways[0].word else behind[:most], bare, say) for w, name in alike)
        if grouped:
            yield say.text("email.ways_at" if price else "email.ways_of", words=say.join(words, "comma"), price=price)
            words = []
    if words:
        key = "ways_of_price" if any(by_price) else "ways_of"
        yield say.text(f"email.{key}", words=say.join(words, "comma"))
    if left := len(behind[most:]):
        yield say.text("email.or_more", count=left)


def _bare(price: str, say: Catalogue) -> str:
    """Return a price as its number, with a plus sign if that is the least; one with a chance as it is."""
    count = _number(price)
    short = {say.text("email.cost", count=count): f"{count}", say.text("email.cost_from", count=count): f"{count}+"}
    return short.get(price, price)


def _number(price: str) -> int:
    return int(found[0]) if (found := _NUMBER.search(price)) is not None else 0


def _worded(word: str, name: str, behind: Sequence[str], price: str, say: Catalogue) -> str:
    """Return a word as the reader may write it, with its price: its name too is read, if it is the name of an id."""
    told = say.language == "en" and any(part in name.casefold() for part in _STEM.findall(word))
    known = told or alphanumeric(name) == alphanumeric(word)
    if not known and not behind and word in say.names.names and " " not in name:
        return say.text("email.named", order=name, face=price) if price else name
    said = [*(behind or ([] if known else [name])), *filter(None, (price,))]
    return say.text("email.named", order=word, face=say.join(said, "comma")) if said else word


def slots_of(ways: Sequence[AnswerTemplate]) -> list[str]:
    """Return the words of longer answers that hold a placeholder, the longest first."""
    found = {
        word for way in ways for word in (*way.order.split(), *(slot for slot, _ in way.slots)) if word != way.word
    }
    return sorted(sorted(found), key=len, reverse=True)


def before_dash(text: str) -> list[str]:
    """Return the last word of an answer with the dash behind it: without that, its line would be an answer."""
    order, dash, _ = text.partition(DASH)
    return [f"{_ORDER_END.split(order)[-1]}{DASH.rstrip()}"] if dash else []


def unbroken(text: str, words: Sequence[str]) -> list[str]:
    """Break a text into lines, but none of these words."""
    marks: dict[str, str] = {}
    order, dash, meaning = text.partition(DASH)
    long, wide = width(order) > COLUMNS - _MARKED, [word for word in order.split() if width(word) > _WHOLE]
    for word in wide:  # a list is broken at its commas
        order = order.replace(word, word[:-1].replace(",", ", ") + word[-1])
    text, indent = f"{order}{dash}{meaning}", "" if dash and wide and "," not in order else "  "
    for at, word in enumerate(word for word in words if width(word) <= _WHOLE):
        mark = chr(_STAND_IN + at) * width(word)
        marks[mark], text = word, text.replace(word, mark)
    lines = wrap(text, COLUMNS - _MARKED * long, "", indent)
    for mark, word in marks.items():
        lines = [line.replace(mark, word) for line in lines]
    return lines


def _rest(one: Decision, options: Sequence[Option], say: Catalogue, some: Detail, alone: str = "") -> Iterator[str]:
    """Yield further answers by what they mean; those that do nothing are told even without room for others."""
    room = (6 if alone else 3) * FEW if some.slots else 2 * some.options + some.more
    told = [option for option in options if some.rest or alone or (option.quiet and not option.part)]
    last = [option for option in told[room:][-1:] if option.quiet and not option.part]
    told = [*told[: max(room - len(last), 0)], *last]
    noted = some.slots or some.noted

    def note(option: Option) -> str:
        return _note(option, say) if noted and option.value != PASS else option.price

    groups: dict[str, list[Option]] = {}
    for option in told:
        groups.setdefault(note(option), []).append(option)
    for told_of_each, group in groups.items():
        if told_of_each and len(group) == 1 and not alone:
            yield _single(one, group[0], say, some, told_of_each)
            continue
        head = alone or (say.text("email.or_of", told=told_of_each) if told_of_each else say.text("email.or"))
        words = _with_one_word(group, say) or [_in_list(one, option, say, some) for option in group]
        yield say.text("email.list", head=head, words=say.join(words, "comma"))
    if left := len(options) - len(told):
        yield say.text("email.or_more", count=left)


def _single(one: Decision, option: Option, say: Catalogue, some: Detail, note: str) -> str:
    """Return an answer that shares its meaning with no other, without what its order says itself."""
    if some.noted or some.slots:
        note = say.join([*filter(None, (option.price,)), *option.follows[: max(some.follows, 1)]], "comma")
    said = _in_list(one, msgspec.structs.replace(option, follows=option.follows[:1]), say, some)
    if said != option.order:
        return say.text("email.meaning", face=f"{option.order}{DASH}{option.face}", told=note)
    return f"{said}{DASH}{note}"


def _with_one_word(group: Sequence[Option], say: Catalogue) -> list[str]:
    """Return answers that begin with the same word as that and what differs: `take (a, b)`; [] if they don't."""
    words = [option.order.split() for option in group]
    if len(group) < 2 or {len(order) for order in words} != {2} or len({word for word, _ in words}) > 1:
        return []
    things = [thing if say.language == "en" else say.name(thing) for _, thing in words]
    return [say.text("email.named", order=words[0][0], face=say.join(things, "comma"))]


def _in_list(one: Decision, option: Option, say: Catalogue, some: Detail) -> str:
    """Return an answer in a list; where space is short, a Japanese name that is read as this answer is enough."""
    name = option.face
    if some.names or say.language == "en" or say.text("list.comma") in name or (option.part and not name.isalnum()):
        said = named(option, say, short=not some.names)
    else:
        said = name if spoken(one).get(said_as(name)) == option.order else named(option, say)
    more = option.follows[1 : some.follows] if some.noted else ()
    return say.text("email.named", order=said, face=say.join(more, "comma")) if more else said


def _note(option: Option, say: Catalogue) -> str:
    tail = [*filter(None, (option.price,)), *option.follows[:1]]
    return say.join(tail, "comma") if tail else ""


def named(option: Option, say: Catalogue, *, short: bool = False, keyed: bool = False) -> str:
    """Return an answer in a list, with its name if that is another; in `short` an English id is name enough.

    English tells what an order of several words means only if it is `keyed`: `red lose=open-2`.
    """
    known = not option.face or alphanumeric(option.face) == alphanumeric(option.order)
    plain = " " in option.order and not (keyed and "=" in option.order)
    return (
        option.order
        if known or (say.language == "en" and (plain or (short and option.named)))
        else say.text("email.named", order=option.order, face=option.face)
    )


def spoken(one: Decision) -> dict[str, str]:
    """Return what may be said for an answer: each face of only one, unless its name has another use: "event …"."""
    if one.said is None:
        found: dict[str, str] = {}
        for option in _all(one):
            key = said_as(option.face)
            if any(_is_other_use(other, option, key) for other in _all(one)):
                continue
            found[key] = option.order if found.get(key, option.order) == option.order else ""
        one.said = {key: order for key, order in found.items() if key and order}
    return one.said


def _is_other_use(other: Option, option: Option, face: str) -> bool:
    head, _, thing = option.order.partition(" ")
    other_head, _, other_thing = other.order.partition(" ")
    if not thing == other_thing != "" or head == other_head:
        return False
    said = said_as(other.face)
    return said.endswith(f" {face}") or said.startswith(f"{face}(")


def said_for(said: Mapping[str, str], text: str) -> str:
    """Return the answer for which a text stands, also as a polite Japanese verb; `said` is from `spoken`."""
    key = said_as(text)
    return next((said[form] for form in (key, *plain_forms(key)) if form in said), "")


def copied(one: Decision, line: str) -> str:
    """Return the answer whose line in an email this is, with all or some of what it means; "" if it is none."""
    order, *rest = _DASHES.split(line, maxsplit=1)
    said = _LETTERS.findall(unicodedata.normalize("NFKC", "".join(rest) or line))
    for option in _all(one):
        said_of_it = (option.face, option.price, *option.follows, option.face, one.same)
        meaning = unicodedata.normalize("NFKC", " ".join(said_of_it))
        told = _LETTERS.findall(meaning)
        face = said_as(option.face)
        written, whole = "".join(said).casefold(), "".join(told).casefold()
        if rest and option.order == order and (set(said) <= set(told) or written in whole):
            return order
        longer = len(said_as(line)) > len(face) > 1
        if not rest and longer and said_as(line).startswith(face) and whole.startswith(written):
            return option.order
    return ""


def told_of(one: Decision) -> dict[str, tuple[str, str]]:
    """Return the face of each answer that an email lists, in its order, and what else it can say about it."""
    acts, quiet = ([option for option in one.options if option.quiet == late] for late in (False, True))
    listed = [*acts, *quiet, *_all(one)]
    return {option.order: (option.face, " ".join((option.price, *option.follows))) for option in listed}


def said_as(text: str) -> str:
    """Return a face without capitals, long dashes, blanks and a full stop, for comparison."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(_LONG_DASH.sub("-", plain).split()).rstrip(".。!")


def _all(one: Decision) -> list[Option]:
    return [option for option in (*one.options, one.added, one.example) if option is not None]
