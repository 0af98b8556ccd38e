"""Random answer domains, and values that are almost answers."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from hypothesis import strategies as st

from pbem.kernel.domains import (
    Amount,
    Choice,
    Distribution,
    Domain,
    Form,
    FreeText,
    LazyChoice,
    LazyMenu,
    Menu,
    Optional,
    Reply,
    Series,
    Subset,
    Values,
    lazy_choice,
    lazy_menu,
)

SLUGS = ["milan", "vienna", "new", "new_york", "york", "b-c", "b_c", "card-12", "ヴェネツィア", "x"]
AWKWARD = ["none", "nothing", "after", "unless", "pass", "two words", "x=y", "p,q", "semi;colon", 'quo"te', "-", '"']
WORDS = SLUGS + AWKWARD
FIELDS = ["origin", "to", "regulars", "with", "note", "plan_b", "x"]

ids = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5, unique=True)
numbers = st.lists(st.integers(-3, 20), min_size=1, max_size=5, unique=True)


class Random:
    """`below` for `Domain.sample`, drawn by hypothesis."""

    def __init__(self, data: st.DataObject) -> None:
        self.data = data

    def __call__(self, n: int) -> int:
        return self.data.draw(st.integers(0, n - 1))


@st.composite
def choices(draw: st.DrawFn) -> Choice:
    options: Sequence[Any] = draw(ids | numbers)
    return Choice(options, what=draw(st.sampled_from(["", "city"])))


@st.composite
def picks(draw: st.DrawFn) -> Subset:
    options: list[Any] = draw(ids | numbers)
    groups = []
    room = 0
    cut = draw(st.integers(0, len(options)))
    for members in (options[:cut], options[cut:]):
        most = draw(st.integers(0, len(members)))
        groups.append((members, most))
        room += most
    if not draw(st.booleans()):
        groups, room = [], len(options)
    free = [o for o in options if all(o not in members or most for members, most in groups)]
    need = draw(st.lists(st.sampled_from(free), max_size=2, unique=True)) if free else []
    least = draw(st.integers(0, room))
    return Subset(options, least, draw(st.integers(least, len(options))), groups=groups, need=need)


@st.composite
def amounts(draw: st.DrawFn) -> Amount:
    least = draw(st.integers(-5, 5))
    return Amount(least, least + draw(st.integers(0, 12)), draw(st.integers(1, 4)))


@st.composite
def arrangements(draw: st.DrawFn) -> Distribution:
    places: dict[str, int | tuple[int, int]] = {}
    for place in draw(ids):
        low = draw(st.integers(0, 2))
        high = low + draw(st.integers(0, 3))
        places[place] = high if low == 0 and draw(st.booleans()) else (low, high)
    bounds = [b if isinstance(b, tuple) else (0, b) for b in places.values()]
    lowest, highest = sum(low for low, _ in bounds), sum(high for _, high in bounds)
    least = draw(st.integers(lowest, highest))
    return Distribution(places, least if draw(st.booleans()) else (least, draw(st.integers(least, highest + 2))))


texts = st.builds(FreeText, st.integers(0, 40))


@st.composite
def lazy_choices(draw: st.DrawFn) -> LazyChoice:
    """Some of the possible options fit, in the order of another list or in their own."""
    possible = draw(ids)
    fitting = draw(st.lists(st.sampled_from(possible), min_size=1, unique=True))
    order = draw(st.none() | st.permutations([*possible, "elsewhere"]))
    return lazy_choice(possible, fitting.__contains__, draw(st.sampled_from(["", "space"])), order)


simple = choices() | lazy_choices() | picks() | amounts() | arrangements() | texts


@st.composite
def plain_series(draw: st.DrawFn, inner: st.SearchStrategy[Domain]) -> Series:
    least = draw(st.integers(0, 2))
    return Series(draw(inner), least, least + draw(st.integers(0, 2)))


@st.composite
def dependent_series(draw: st.DrawFn, inner: st.SearchStrategy[Domain]) -> Series:
    """Each item is one of those not used yet; or what follows depends on the first item."""
    options = draw(ids)
    if draw(st.booleans()):

        def unused(so_far: Sequence[Any]) -> Domain | None:
            left = [option for option in options if option not in so_far]
            return Choice(left) if left else None

        return Series(unused, draw(st.integers(0, len(options))), len(options))
    second = {option: draw(st.none() | inner) for option in options}

    def follow(so_far: Sequence[Any]) -> Domain | None:
        return Choice(options) if not so_far else second[so_far[0]] if len(so_far) == 1 else None

    return Series(follow, draw(st.integers(0, 1)), 3)


@st.composite
def forms(draw: st.DrawFn, inner: st.SearchStrategy[Domain]) -> Form:
    names = draw(st.lists(st.sampled_from(FIELDS), max_size=4, unique=True))
    fields: dict[str, Any] = {}
    for name in names:
        domain = draw(inner)
        read = [n for n, d in fields.items() if isinstance(d, Choice | Optional)]
        match draw(st.sampled_from(["plain", "optional", "dependent"])):
            case "optional":
                fields[name] = Optional(domain)
            case "dependent" if read:
                fields[name] = draw(_dependent(inner, draw(st.sampled_from(read)), fields))
            case _:
                fields[name] = domain
    return Form(fields)


@st.composite
def _dependent(draw: st.DrawFn, inner: st.SearchStrategy[Domain], on: str, fields: Mapping[str, Any]) -> Any:
    """A field that is worked out from `on`. It fails on a value of `on` that was not checked before."""
    first = fields[on]
    whole = inner | st.none() | inner.map(Optional)
    if isinstance(first, Choice):
        cases = {option: draw(whole) for option in first.listed}
        return lambda v: cases[getattr(v, on)]
    given, missing = draw(whole), draw(whole)

    def domain(v: Values) -> Domain | None:
        return missing if getattr(v, on) is None else given

    return domain


@st.composite
def menus(draw: st.DrawFn, inner: st.SearchStrategy[Domain]) -> Menu:
    entries = {word: draw(st.none() | inner) for word in draw(ids)}
    lazy = draw(st.sets(st.sampled_from([*entries])))
    return Menu({word: partial(entries.get, word) if word in lazy else entries[word] for word in entries})


@st.composite
def lazy_menus(draw: st.DrawFn, inner: st.SearchStrategy[Domain]) -> LazyMenu:
    words = draw(ids)
    legal = {word: draw(inner) for word in words if draw(st.booleans())}
    bare = ["done"] if not legal or draw(st.booleans()) else []
    can = draw(st.sampled_from([None, legal.__contains__]))
    return lazy_menu(words, legal.get, bare, draw(st.none() | st.just([*words, *bare, *bare])), can)


replies = st.builds(lambda inner: Reply(inner, ["england", "france"]), simple)


def nested(inner: st.SearchStrategy[Domain]) -> st.SearchStrategy[Domain]:
    return plain_series(inner) | dependent_series(inner) | forms(inner) | menus(inner) | lazy_menus(inner)


level1 = simple | nested(simple)
level2 = nested(level1)
anything: st.SearchStrategy[Domain] = (
    simple | level2 | st.builds(lambda inner: Reply(inner, ["england", "france"]), level1) | nested(level2)
)
"""Domains of every kind, nested up to four deep."""

listable = (
    choices()
    | lazy_choices()
    | lazy_menus(choices() | amounts())
    | amounts()
    | menus(choices() | amounts())
    | forms(choices() | amounts())
    | dependent_series(choices())
)
"""Domains all of whose answers `options` lists: only these can be described without a gap."""

toml = st.recursive(
    st.text(max_size=12)
    | st.sampled_from(WORDS)
    | st.integers(-50, 50)
    | st.integers(-(2**63), 2**63 - 1)
    | st.booleans()
    | st.floats(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*WORDS, *FIELDS, "do", "with", "answer", "unless"]), inner, max_size=3)
        | st.fixed_dictionaries({"plan": inner})
    ),
    max_leaves=8,
)
"""Any TOML value."""


@st.composite
def mutated(draw: st.DrawFn, value: Any) -> Any:
    """`value` with one part of it replaced, left out or added."""
    root = [copy.deepcopy(value)]
    holder: Any = root
    key: Any = 0
    while isinstance(holder[key], list | dict) and holder[key] and draw(st.integers(0, 3)):
        holder = holder[key]
        key = draw(st.sampled_from(sorted(holder) if isinstance(holder, dict) else range(len(holder))))
    inner = holder[key]
    match draw(st.sampled_from(["replace", "drop", "add", "bool"])):
        case "drop" if holder is not root:
            del holder[key]
        case "add" if isinstance(inner, list):
            inner.insert(draw(st.integers(0, len(inner))), draw(toml))
        case "add" if isinstance(inner, dict):
            inner[draw(st.sampled_from([*WORDS, *FIELDS, "do", "plan"]))] = draw(toml)
        case "bool" if isinstance(inner, int):
            holder[key] = draw(st.sampled_from([bool(inner), float(inner), str(inner)]))
        case _:
            holder[key] = draw(toml)
    return root[0]
