"""Secrets declared once (`Game.secrets`): what a seat sees, what is resampled for it, which pieces exist.

From them follow `view`, `conceal`, `invariants` and `names`, unless the game writes its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
import msgspec.inspect

from pbem.kernel.domain import Below
from pbem.kernel.order_words import Names
from pbem.kernel.questions import MODERATOR
from pbem.kernel.rejections import RejectionReason
from pbem.kernel.table import Table
from pbem.kernel.view import CardView, Column, Hand, TableView, View


class Hidden(msgspec.Struct, frozen=True):
    """A field of the state that not everybody may see: a dict by seat is seen by its owner, a list by nobody.

    Fields with the same `pool` hold the same kind of pieces; the unseen ones are resampled together. `shown`: so many
    pieces at the end of a list are public. `pieces`: all that exist; each is then in the state once.
    """

    field: str
    pool: str = ""
    shown: int = 0
    pieces: tuple[str, ...] = ()


Secrets = Sequence[Hidden]


def check(secrets: Secrets, state: type) -> None:
    """Raise ValueError for a secret that is neither a list of the state nor a dict of such lists by seat."""
    fields = {field.name: field.type for field in msgspec.structs.fields(state)}
    for secret in secrets:
        if secret.field not in fields:
            known = ", ".join(fields)
            raise ValueError(f"secrets: the state has no field '{secret.field}'; known: {known}")
        kind = msgspec.inspect.type_info(fields[secret.field])
        lists = kind.value_type if isinstance(kind, msgspec.inspect.DictType) else kind
        if type(lists) is not msgspec.inspect.ListType:
            need = "list[str], or a dict[str, list[str]] by seat (a single card is a list of one)"
            raise ValueError(f"secrets: the field '{secret.field}' must be a {need}")


def conceal(secrets: Secrets) -> Callable[[Table[Any, Any], str, Below], None]:
    """Return a function that resamples what a seat must not see; each place keeps its number of pieces."""

    def deal(table: Table[Any, Any], seat: str, below: Below) -> None:
        for pool in dict.fromkeys(secret.pool or secret.field for secret in secrets):
            hidden = [secret for secret in secrets if pool == (secret.pool or secret.field)]
            places = list(_unseen(table.state, hidden, seat))
            pieces = sorted(piece for place, count in places for piece in place[:count])
            for place, count in places:
                dealt = [pieces.pop(below(len(pieces))) for _ in range(count)]
                place[:count] = sorted(dealt) if place[:count] == sorted(place[:count]) else dealt

    return deal


def _unseen(state: Any, secrets: Secrets, seat: str) -> Iterator[tuple[list[Any], int]]:
    """Yield each list that a seat doesn't see completely, and the number of unseen pieces."""
    for secret in secrets:
        value = getattr(state, secret.field)
        for owner, pieces in value.items() if isinstance(value, dict) else [("", value)]:
            if owner != seat or not owner:
                yield pieces, len(pieces) - secret.shown


def view(
    slug: str, secrets: Secrets, clock: Callable[[Any], Mapping[str, Any]]
) -> Callable[[Table[Any, Any], str], View]:
    """Return a view function: a table of the seats (one column per dict by seat), one of the rest, and hands."""
    hidden = {secret.field: secret for secret in secrets}

    def show(table: Table[Any, Any], reader: str) -> View:
        columns = [Column("seat", "name")]
        rows: list[list[Any]] = [[seat] for seat in table.seats]
        rest: list[list[Any]] = []
        hands: list[Hand] = []
        for name in table.state.__struct_fields__:
            value = getattr(table.state, name)
            by_seat = isinstance(value, dict) and set(value) <= set(table.seats)
            if by_seat and (value or name in hidden):
                if name in hidden:
                    hands += [_hand(seat, name, cards, reader) for seat, cards in value.items()]
                listed = name not in hidden and any(isinstance(cell, list) for cell in value.values())
                columns.append(Column(name, "name" if listed else "number"))
                for row in rows:
                    cell = value.get(row[0])
                    row.append(len(cell) if name in hidden and cell is not None else cell)
            elif name in hidden:
                rest.append([name, len(value), value[len(value) - hidden[name].shown :]])
            elif isinstance(value, list):
                rest.append([name, len(value), list(map(str, value))])
            elif isinstance(value, dict):
                rest += [[key, None, [str(part)]] for key, part in value.items()]
            else:
                rest.append([name, None, [str(value)] if value != "" else []])
        tables = [TableView("seats", columns, rows)]
        if rest:
            heads = [Column("what", "name"), Column("count", "number"), Column("shown", "name")]
            tables.append(TableView("state", heads, rest))
        return View(slug, reader, dict(clock(table.state)), tables, hands=hands)

    return show


def _hand(seat: str, name: str, cards: list[str], reader: str) -> Hand:
    seen = reader in (seat, MODERATOR)
    return Hand(seat, name, len(cards), [CardView(card) for card in cards] if seen else None)


def invariants(secrets: Secrets) -> Callable[[Table[Any, Any]], list[RejectionReason]]:
    """Return a check that every declared piece is in exactly one place of the state."""
    pieces = Counter(piece for secret in secrets for piece in secret.pieces)

    def check(table: Table[Any, Any]) -> list[RejectionReason]:
        found = Counter(piece for piece in _strings(msgspec.to_builtins(table.state)) if piece in pieces)
        wrong = [f"{piece} (in {found[piece]})" for piece in sorted(pieces) if found[piece] != pieces[piece]]
        text = f"not in exactly one place: {', '.join(wrong)}"
        return [RejectionReason("rules.custom", {"text": text})] if wrong else []

    return check


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _strings(part)


def names(secrets: Secrets, seats: Sequence[str]) -> Names:
    """Return default names: `silk-3` is "Silk 3", and every seat is capitalised."""
    ids = [*seats, *(piece for secret in secrets for piece in secret.pieces)]
    words = {key: key.replace("-", " ").replace("_", " ").capitalize() for key in ids}
    return Names({key: {"en": word, "ja": word} for key, word in words.items()})
