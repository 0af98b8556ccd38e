"""A decision as its owner sees it: what it turns on, and its answers with what they mean, in the reader's words.

The facts and meanings come from the game's evidence and from the seat's own domain; email, page and terminal draw
what is here.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import islice
from random import Random
from typing import Any

import msgspec

from pbem.kernel.domains import (
    PASS,
    WAIT,
    Amount,
    Choice,
    Domain,
    EarlyAnswer,
    Form,
    Menu,
    Optional,
    Reply,
    Series,
    Subset,
)
from pbem.kernel.evidence import NEVER, NO_EVIDENCE, Evidence, Look, Meaning
from pbem.kernel.referee import PendingQuestion, Referee
from pbem.kernel.rejections import Rejection
from pbem.lazy_regex import pattern
from pbem.report.answer_faces import capital, face, note, sentence, title_of
from pbem.report.messages import Catalogue, seen_by

FEW = 8
"""Up to so many answers of a form are listed one by one, each with what it means."""
_MANY = 48
"""Up to so many are asked for what they mean, to find those to tell first."""
_SLOTS = 3
"""The parts that are shown of an answer that is too long; its example shows all."""
_SHORT = 24
"""The words that may stand for a part of an answer are told with its name if they have no more letters."""
_PARTS = 2
"""The parts of an addition to a bare word that are shown."""
_NONE = '"none"'
_QUOTED = pattern(r'"([^"\s]+)"')
_QUOTED_TWICE = pattern(r'""([^"\s]+)""')
"""Words that need no quotes: the answer is read the same without."""
_PARTED = pattern(r"[\s,=]+")
_WORDS = pattern(r"\w+")
_POWERS = frozenset(["power", "area", "religion"])
"""What a question calls a power, of which a seat may have several, its country and its faith: never "you"."""


class Option(msgspec.Struct, frozen=True):
    """A whole answer: how it is written, how people say it, its price and chance, and what follows.

    `word` is the menu's word that it begins with, one of `many` answers that begin so.

    `named` tells that the face is nothing but a display name. A `part` is one of several things to be picked, an
    answer by itself if it may be `alone`. A `quiet` answer does nothing, or is what counts without an answer: it is
    told last.
    """

    order: str
    face: str
    price: str = ""
    follows: tuple[str, ...] = ()
    rank: float = 0
    named: bool = True
    part: bool = False
    alone: bool = False
    quiet: bool = False
    word: str = ""
    many: bool = False
    cost: int = 0
    value: Any = None


class AnswerTemplate(msgspec.Struct, frozen=True):
    """How answers are written that are too many to list: `march TO`, in words, and what may stand for the capitals.

    `vary` names the parts, each with what it may be if that is short. `whole`: all are among the options.
    """

    word: str
    name: str
    order: str
    face: str
    price: str
    slots: tuple[tuple[str, str], ...] = ()
    vary: tuple[str, ...] = ()
    example: Option | None = None
    whole: bool = False

    @property
    def spelled(self) -> bool:
        """Whether `slots` tells what may stand for each part."""
        return len(self.slots) >= len(self.vary)


class Decision(msgspec.Struct, kw_only=True):
    """A question with everything that it turns on.

    `title` is public, for subjects; `prompt` is the question in a sentence. `facts` are the main ones, the last
    `spare` of which the answers repeat, `more` the rest, of which an email tells those `beside` if all answers fit.
    `options` are in the order of their rank; `only`: the first is the only answer. `same` says that an answer means the
    same as the one above it. `said` is what is read as one
    (`question_text.spoken`). `added` is an option with something that may be added to it; `example` shows how a longer
    answer is written. `count` says how many of the options are picked ("": one).
    """

    title: str
    prompt: str
    facts: list[str]
    more: list[str]
    options: list[Option]
    ways: list[AnswerTemplate]
    spaces: list[str]
    beside: list[str] = []
    default: Option | None = None
    added: Option | None = None
    example: Option | None = None
    count: str = ""
    only: bool = False
    same: str = ""
    spare: int = 0
    said: dict[str, str] | None = None


def decision(referee: Referee, pending: PendingQuestion, say: Catalogue) -> Decision:
    """Return the open question of a seat with its facts and answers."""
    return _Deciding(referee, pending, say).decide()


def evidence_of(referee: Referee, kind: str) -> Evidence[Any]:
    """Return what questions of a kind turn on."""
    return referee.game.evidence.get(kind, NO_EVIDENCE)


class _Deciding:
    """Makes one decision. The look is taken only where the game has evidence."""

    def __init__(self, referee: Referee, pending: PendingQuestion, say: Catalogue) -> None:
        self.referee, self.pending, self.say = referee, pending, say
        self.evidence = evidence_of(referee, pending.kind)
        looks = bool(self.evidence.facts or self.evidence.means or self.evidence.likely)
        self.look: Look[Any] | None = referee.look(pending.seat) if looks else None
        self.domain = referee.domain(pending.seat)
        self.inner = self.domain.inner if isinstance(self.domain, Reply) else self.domain
        self._listings: dict[tuple[int, int], tuple[Domain, list[Any]]] = {}

    def decide(self) -> Decision:
        say, pending = self.say, self.pending
        told = list(self.evidence.told(self.look)) if self.look is not None else []
        main = sorted((fact for fact in told if fact.main), key=lambda fact: fact.spare)
        known = {**pending.about, **pending.secret}
        args = {"seat": pending.seat, **seen_by(known, pending.seat, _POWERS)}
        default = pending.default if self.domain.accepts(pending.default) else None
        options = self._options(default)
        ways = [*self._ways([option.value for option in options])]
        priced = {option.word for option in options if option.price} | {way.word for way in ways if way.price}
        return Decision(
            title=title_of(pending, say),
            prompt=capital(say.to_you(pending.prompt, args)),
            facts=[sentence(fact, say) for fact in main],
            more=[sentence(fact, say) for fact in told if not fact.main],
            beside=[sentence(fact, say) for fact in told if fact.spare and not fact.main],
            options=options,
            ways=ways,
            spaces=[space for fact in told for space in fact.spaces],
            default=None if default is None else self._option(default),
            added=self._added(options),
            example=next(
                filter(
                    None, (way.example for way in sorted(ways, key=lambda way: (way.word not in priced, _is_bare(way))))
                ),
                self._worked("", self.inner) if any(option.part for option in options) else None,
            ),
            count=self._count(options),
            same=say.text("email.same"),
            spare=sum(fact.spare for fact in main),
            only=len(options) == 1 and not ways and len([*islice(self.domain.options(), 2)]) == 1,
        )

    # -- whole answers -----------------------------------------------------------------------------------------------

    def _options(self, default: Any) -> list[Option]:
        """Return the answers that can be listed, the likeliest first: the default last but one, `pass` last."""
        likely = [*self._likely()]
        told = {value["do"] for value in likely if isinstance(value, Mapping) and "do" in value}
        values = [*likely, *self._values(self.inner, told)]
        if isinstance(self.domain, EarlyAnswer):
            values.append(WAIT)
        found: dict[str, Option] = {}
        alike = set[tuple[str, ...]]()
        for option in (*map(self._option, values), *self._telling()):
            if option.follows and not option.many and _in_any_order(option) in alike:
                continue
            alike.add(_in_any_order(option))
            found.setdefault(option.order, option)
        if not found:
            found = {option.order: option for option in map(self._candidate, self._candidates(self.inner))}
            if found and self.domain.accepts([]):
                found.setdefault((none := self._option([])).order, none)
        last = default if len(found) > 2 or isinstance(self.inner, Menu) else None

        late = (last, WAIT, PASS)

        def place(option: Option) -> tuple[float, int]:
            return -option.rank, late.index(option.value) if option.value in late else -1

        best = max((option.rank for option in found.values() if option.value not in late), default=0)

        def is_quiet(option: Option) -> bool:
            return best >= min(option.rank, 0) if option.value in late else option.rank < 0 <= best

        marked = [
            msgspec.structs.replace(option, quiet=is_quiet(option)) for option in found.values() if option.rank > NEVER
        ]
        return sorted(marked, key=place)

    def _likely(self) -> Iterator[Any]:
        if self.evidence.likely is None or self.look is None:
            return
        read = (self._reads(text) for text in self.evidence.likely(self.look))
        yield from (value for value in read if value is not None)

    def _telling(self) -> Iterator[Option]:
        """Yield the answers that mean something, of a menu's words that have too many."""
        inner = self.inner
        if self.evidence.means is None or self.evidence.likely is not None or not isinstance(inner, Menu):
            return
        for word in inner.words:
            domain = inner.entry(word)
            for value in self._few(domain, _MANY) if domain is not None and not self._few(domain) else ():
                answer = inner.outer(word, domain, value)
                if (every := domain is not None and bool(self._simple(domain))) or self._meaning(answer) != Meaning():
                    yield msgspec.structs.replace(self._option(answer), many=not every)

    def _values(self, domain: Domain, told: Container[str]) -> Iterator[Any]:
        """Yield the answers of a domain without anything optional, if they are few; no more series of words `told`."""
        if isinstance(domain, Menu):
            for word in domain.words:
                inner = domain.entry(word)
                if word in told and isinstance(inner, Series):
                    continue
                for value in [None] if inner is None else self._few(inner):
                    yield domain.outer(word, inner, value)
        elif isinstance(domain, Choice):
            yield from domain.listed
        else:
            yield from self._few(domain)

    def _option(self, value: Any) -> Option:
        say = self.say
        said, named = face(self.pending.kind, self._proposed(value), say)
        means = self._meaning(value)
        cost = means.cost or self._cost(value)
        price = self._price(cost, means.chance)
        follows = tuple(dict.fromkeys(note(fact, say) for fact in means.follows))
        word = str(value["do"]) if isinstance(value, Mapping) and "do" in value else ""
        return Option(
            say.faced(self._text(value)), said, price, follows, means.rank, named, word=word, cost=cost, value=value
        )

    def _proposed(self, value: Any) -> Any:
        """Return an act with the parties of the proposal it names (`same`: its id, if another is alike)."""
        talk = self.referee.talk
        named = talk.open.get(value.get("id", "")) if talk is not None and isinstance(value, Mapping) else None
        if talk is None or named is None:
            return value
        alike = sum((other.by, other.parties) == (named.by, named.parties) for other in talk.open.values())
        to = [party for party in named.parties if party != named.by]
        return {**value, "by": named.by, "to": to, "same": named.id if alike > 1 else ""}

    def _candidate(self, thing: Any) -> Option:
        option = self._option([thing])
        word = self.say.faced(Choice([thing]).text(thing))
        return msgspec.structs.replace(option, order=word, part=True, alone=self.domain.accepts([thing]))

    def _meaning(self, value: Any) -> Meaning:
        if self.evidence.means is None or self.look is None or value == WAIT:
            return Meaning()
        return self.evidence.means(self.look, value) or Meaning()

    def _cost(self, value: Any) -> int:
        inner = self.inner
        if isinstance(inner, Menu) and inner.cost is not None:
            word = value["do"] if isinstance(value, Mapping) else value
            return inner.cost(word) if word in inner.words else 0
        return inner.cost(value) if isinstance(inner, Choice) and inner.cost is not None and value != WAIT else 0

    def _price(self, cost: int, chance: int | None) -> str:
        say = self.say
        parts = [say.text("email.cost", count=cost)] if cost else []
        if chance is not None:
            parts.append(say.text("email.chance", chance=chance))
        return say.join(parts, "comma") if parts else ""

    def _text(self, value: Any) -> str:
        """Return an answer as it is written: the empty list as a word, bare numbers with their keys, no end mark."""
        text = self.domain.text(value)
        plain = text.replace(_NONE, _NONE.strip('"')).removesuffix(" ;")
        bare = _QUOTED.sub(r"\1", _QUOTED_TWICE.sub(r"\1", plain).replace(' ;"', '"'))
        text = next((short for short in (bare, plain) if short != text and self._reads(short) == value), text)
        numbers = isinstance(value, Mapping) and all(isinstance(part, int) for part in value.values())
        if numbers and isinstance(self.inner, Form) and "=" not in text and len(value) > 1:
            return " ".join(f"{key}={number}" for key, number in value.items())
        return text

    def _reads(self, text: str) -> Any:
        try:
            return self.domain.parse(text, self.referee.names)
        except Rejection:
            return None

    def _count(self, options: list[Option]) -> str:
        inner, parts = self.inner, sum(option.part for option in options)
        if not isinstance(inner, Subset | Series):
            return ""
        if not parts and (self._few(inner) or not (isinstance(inner, Subset) or inner.least == inner.most)):
            return ""
        key = "email.pick" if inner.least == inner.most else "email.pick_range"
        key = key if parts else f"{key}.some"  # there are more answers than those listed
        each = inner.item(self._candidates(inner)[:1]) if isinstance(inner, Series) and parts else None
        again = each is not None and self._candidates(inner)[0] in getattr(each, "listed", ())
        return self.say.text(key, least=inner.least, most=min(inner.most, parts if parts and not again else inner.most))

    def _added(self, options: list[Option]) -> Option | None:
        """Return the first answer with something that may be added to it."""
        if isinstance(self.inner, Menu):
            return self._added_to_word(self.inner)
        if not isinstance(self.inner, Form):
            return None
        for option in options:
            if not isinstance(option.value, Mapping):
                continue
            before: dict[str, Any] = {}
            for name in self.inner.fields:
                domain = self.inner.field(name, before)
                if name in option.value:
                    before[name] = option.value[name]
                elif isinstance(domain, Optional) and (more := _something(domain)):
                    parts = {**option.value, name: more}
                    whole = {key: parts[key] for key in self.inner.fields if key in parts}
                    if self.inner.accepts(whole):  # it may need more
                        return self._option(whole)
        return None

    def _added_to_word(self, menu: Menu) -> Option | None:
        """Return the first bare word with something that may be added to it."""
        for word in menu.words:
            form = menu.entry(word)
            if not isinstance(form, Form) or not menu.accepts(word):
                continue
            parts: dict[str, Any] = {}
            for name in form.fields:
                domain = form.field(name, parts)
                if isinstance(domain, Optional) and (more := _something(domain)):
                    parts[name] = more
                if len(parts) == _PARTS:
                    return self._option(menu.outer(word, form, parts))
        return None

    # -- answers that are too many -----------------------------------------------------------------------------------

    def _ways(self, told: Sequence[Any]) -> Iterator[AnswerTemplate]:
        inner = self.inner
        if isinstance(inner, Menu):
            for word in inner.words:
                domain = inner.entry(word)
                if domain is None or self._few(domain):
                    continue
                answers = [inner.outer(word, domain, value) for value in self._simple(domain)]
                whole = bool(answers) and all(answer in told for answer in answers)
                yield msgspec.structs.replace(self._way(word, domain), whole=whole)
        elif not isinstance(inner, Choice) and not self._candidates(inner) and self._few(inner) in ([], [{}]):
            yield self._way("", inner)

    def _way(self, word: str, domain: Domain) -> AnswerTemplate:
        slots = dict(self._slots(domain))
        order = " ".join([word, *(slot if bare else f"{name}={slot}" for name, (slot, bare, _) in slots.items())])
        fields = {name: slot for name, (slot, _, _) in slots.items()}
        if not isinstance(domain, Form):
            fields = {"with": next(iter(fields.values()))}
        spoken: Any = {"do": word, **fields} if word else fields
        said, named = face(self.pending.kind, spoken, self.say)
        told = tuple((slot, words) for slot, _, words in slots.values() if words)
        short = {name: words if len(words) <= _SHORT else "" for name, (_, _, words) in slots.items()}
        colon = self.say.text("list.colon")
        vary = tuple(f"{self.say.slot(name)}{colon * bool(words)}{words}" for name, words in short.items())
        price = self._price(self._cost(word) if word else 0, None) or self._least(domain)
        name = self.say.label(f"word.{word}") if word else ""
        example = self._worked(word, domain)
        return AnswerTemplate(word, name, order.strip(), "" if named else said, price, told, vary, example)

    def _least(self, domain: Domain) -> str:
        """Return the price of the cheapest answer, if that depends on the first part."""
        part = next((domain.field(name, {}) for name in domain.fields), None) if isinstance(domain, Form) else domain
        if not isinstance(part, Choice) or part.cost is None:
            return ""
        prices = sorted({part.cost(thing) for thing in part.listed})
        return self.say.text("email.cost" if len(prices) == 1 else "email.cost_from", count=prices[0])

    def _slots(self, domain: Domain) -> Iterator[tuple[str, tuple[str, bool, str]]]:
        """Yield the parts of an answer: field, capital word for it, whether it is written without key, its words."""
        if not isinstance(domain, Form):
            what = getattr(domain, "what", "") or "answer"
            yield what, (self.say.slot(what).upper(), True, self._listed(domain))
            return
        bare, left, always = True, _SLOTS, _always(domain)
        for at, (name, part) in enumerate(domain.fields.items()):
            known = part if isinstance(part, Domain) else domain.field(name, {}) if at == 0 else None
            bare = bare and isinstance(known, Choice)  # as `Form.text` writes it
            if known is None and name not in always:
                break  # this and what follows are for some answers only
            if (not isinstance(known, Optional) or self._few(domain) == [{}]) and (left := left - 1) >= 0:
                inner = known.domain if isinstance(known, Optional) else known
                slot = "N" if isinstance(inner, Amount) else "-".join(self.say.slot(name).upper().split())
                yield name, (slot, bare, self._listed(known))

    def _listed(self, domain: Domain | None) -> str:
        """Return what may stand for a placeholder, if that is short."""
        say = self.say
        domain = domain.domain if isinstance(domain, Optional) else domain
        if isinstance(domain, Amount) and domain.least < domain.most:
            return f"{domain.least}–{domain.most}"
        if not isinstance(domain, Choice | Subset) or not 0 < len(domain.listed) <= FEW:
            return ""
        return say.join([say.typed(say.faced(str(word))) for word in domain.listed], "or")

    def _worked(self, word: str, domain: Domain) -> Option | None:
        """Return an answer of a domain behind a word of a menu, as plain as can be."""
        try:
            value = domain.sample(_first if self._few(domain) else _plain)
            if isinstance(value, Mapping) and not any(value.values()):
                return None
            return self._option(self.inner.outer(word, domain, value) if isinstance(self.inner, Menu) else value)
        except (Rejection, LookupError, ValueError):
            return None

    def _candidates(self, domain: Domain) -> Sequence[Any]:
        """Return the things of which several are picked, or put in order; none if there are few ways to do so."""
        inner = domain.item([]) if isinstance(domain, Series) else domain
        if isinstance(domain, Series | Subset) and isinstance(inner, Choice | Subset) and not self._few(domain):
            return inner.listed
        return ()

    def _few(self, domain: Domain, most: int = FEW) -> list[Any]:
        """Return what `few` does; it is asked of the same domain again and again, which is kept for its id."""
        known = self._listings.get((id(domain), most))
        if known is None:
            known = self._listings[id(domain), most] = domain, few(domain, most)
        return known[1]

    def _simple(self, domain: Domain) -> list[Any]:
        """Return all answers that name one thing, if they aren't too many."""
        values = self._few(domain, _MANY) if isinstance(domain, Choice | Form) else []
        return [] if any(isinstance(value, Mapping) and len(value) != 1 for value in values) else values


def _in_any_order(option: Option) -> tuple[str, ...]:
    """Return the words of an answer and what it means, sorted: two of the same words that mean the same are one."""
    told = _WORDS.findall(" ".join(option.follows))
    return (*sorted(_PARTED.split(option.order)), option.price, *sorted(told))


def _is_bare(way: AnswerTemplate) -> bool:
    """Return whether the example of a longer answer is numbers without a word for any."""
    return way.example is not None and all(word.isdigit() for word in way.example.order.split()[1:])


def _something(domain: Domain) -> Any:
    """Return the first thing that a part may be which isn't nothing: no empty list, nor only zeros."""
    return next(
        (more for more in domain.options() if more and (not isinstance(more, Mapping) or any(more.values()))), None
    )


def _first(n: int) -> int:
    """Choose the first option, and everything optional."""
    return 0


def _plain(n: int) -> int:
    """Choose the first option, and nothing optional."""
    return int(n == 2)


def _always(form: Form) -> set[str]:
    """Return the fields that answers have whatever else they say, as far as some of them tell."""
    if all(isinstance(part, Domain) for part in islice(form.fields.values(), 1, None)):
        return set(form.fields)
    try:
        return set.intersection(*(set(form.sample(Random(seed).randrange)) for seed in range(_SLOTS)))
    except (Rejection, LookupError, ValueError):
        return set(form.fields)


def few(domain: Domain, most: int = FEW) -> list[Any]:
    """Return all answers of a domain without its optional fields, [] if they are more than `most`."""
    values = _required(domain) if isinstance(domain, Form) else domain.options()
    found = list(islice(values, most + 1))
    return found if len(found) <= most else []


def _required(form: Form) -> Iterator[dict[str, Any]]:
    """Yield the answers of a form with the fields that it must have."""

    def fill(names: list[str], before: dict[str, Any]) -> Iterator[dict[str, Any]]:
        if not names:
            yield before
            return
        domain = form.field(names[0], before)
        if domain is None or isinstance(domain, Optional):
            yield from fill(names[1:], before)
            return
        for option in domain.options():
            yield from fill(names[1:], {**before, names[0]: option})

    return fill(list(form.fields), {})
