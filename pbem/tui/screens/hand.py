"""Screen 3, the hand: the player's cards, what each does, and where it can be used now."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import islice

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from pbem.kernel.domains import Choice, Distribution, Domain, Form, Menu, Optional, Reply, Series, Subset
from pbem.lazy_regex import clean
from pbem.report.model import CardStack
from pbem.tui.model.messages import matches
from pbem.tui.model.order_draft import OrderDraft
from pbem.tui.model.seat_view import SeatView
from pbem.tui.screens.base import bound
from pbem.tui.screens.search_base import SearchBox, SearchScreen
from pbem.tui.widgets.panels import Columns

# Where cards can be used now: the places of the seat's open questions that accept their ids.

_DEEP = 6
_WIDE = 60
"""Answers tried for a field on which others depend."""

_FIELDS = 1500
"""Fields that are searched for one question: the clauses of a treaty have tens of thousands."""


@dataclass(frozen=True)
class CardUse:
    """A place of question `q`: a menu's word or a field ("" for the answer itself)."""

    q: int
    kind: str
    field: str


def current_card_uses(desk: SeatView, seat: str, cards: Collection[str]) -> dict[str, list[CardUse]]:
    """Return the uses of these cards of `seat`. For fields that depend on others, some answers are tried."""
    found: dict[str, dict[CardUse, None]] = {}
    for asked in desk.asked:
        if asked.seat == seat and cards:
            for card, name in _Search(frozenset(cards)).places(asked.domain, "", _DEEP):
                found.setdefault(card, {})[CardUse(asked.q, asked.kind, name)] = None
    return {card: list(uses) for card, uses in found.items()}


@dataclass
class _Search:
    """One search of a domain for some cards; `left` is how many fields it may still look at."""

    cards: frozenset[str]
    left: int = field(default=_FIELDS)

    def places(self, domain: Domain | None, name: str, deep: int) -> Iterator[tuple[str, str]]:
        """Yield each card with the field or word of a menu that accepts it."""
        match domain:
            case None:
                return
            case Choice() | Subset():
                yield from ((card, name) for card in domain.listed if card in self.cards)
            case Distribution():
                yield from ((card, name) for card in domain.bounds if card in self.cards)
            case Optional(domain=inner) | Reply(inner=inner):
                yield from self.places(inner, name, deep)
            case Series():
                yield from self.places(domain.item([]), name, deep - 1)
            case Menu():
                for word, part in domain.entries.items():
                    if word in self.cards:
                        yield word, name
                    yield from self.places(part, word, deep - 1)
            case Form():
                yield from self._fields(domain, deep)

    def _fields(self, form: Form, deep: int) -> Iterator[tuple[str, str]]:
        """Yield the fields of a form, trying some answers of those that others depend on."""
        befores: list[dict[str, object]] = [{}]
        for name in form.fields:
            longer: list[dict[str, object]] = []
            for before in befores:
                self.left -= 1
                if self.left < 0:
                    return
                domain = form.field(name, before)
                yield from self.places(domain, name, deep - 1)
                if domain is None or isinstance(domain, Optional):
                    longer.append(before)
                else:  # later fields may rely on this one: only accepted answers are tried
                    many = _WIDE if isinstance(domain, Choice) else 3
                    longer += [{**before, name: option} for option in islice(domain.options(), many)]
            befores = longer[:_WIDE]


class HandScreen(SearchScreen):
    """The cards on the left, the selected one on the right. Other hands have only a number."""

    NAME = "hand"
    SEARCHED = "#cards"
    BINDINGS = bound("hand")
    DEFAULT_CSS = """
    HandScreen #cards { width: 44%; height: 1fr; border: none; background: $surface; }
    HandScreen VerticalScroll { width: 1fr; padding: 0 1; }
    HandScreen #others { height: auto; max-height: 3; padding: 0 1; background: $panel; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.cards: list[tuple[str, CardStack]] = []
        self.uses: dict[str, dict[str, list[CardUse]]] = {}

    def body(self) -> ComposeResult:
        yield SearchBox(id="needle")
        with Columns():
            yield OptionList(id="cards", compact=True)
            with VerticalScroll():
                yield Static(id="card", markup=False)
        yield Static(id="others", markup=False)

    def draw(self) -> None:
        hands = self.desk.hands(self.language)
        options = self.query_one("#cards", OptionList)
        here = options.highlighted or 0
        with self.prevent(OptionList.OptionHighlighted):
            options.clear_options()
            self.cards = []
            self.uses = {}
            for hand in hands:
                ids = [key for card in hand.cards or () for key in card.ids]
                self.uses[hand.seat] = current_card_uses(self.pbem.present, hand.seat, ids)
                own = [card for card in hand.cards or () if matches(self.needle, (card.name, card.word, card.text))]
                if hand.cards is not None:
                    head = Text(clean(f"{hand.owner}: {hand.label} ({hand.count})"), style="bold")
                    options.add_option(Option(head, disabled=True))
                    self.cards.append(("", CardStack([], "", "", "")))
                for card in own:
                    options.add_option(Option(self._line(hand.seat, card)))
                    self.cards.append((hand.seat, card))
            first = next((i for i, (seat, _) in enumerate(self.cards) if seat), None)
            options.highlighted = here if here < len(self.cards) and self.cards[here][0] else first
        self.draw_card()
        closed: dict[str, list[str]] = {}
        for hand in hands:
            if hand.cards is None:
                closed.setdefault(hand.owner, []).append(f"{hand.label} {hand.count}")
        others = [f"{owner}: {', '.join(counts)}" for owner, counts in closed.items()]
        text = self.words("hand.others", counts="; ".join(others)) if others else ""
        self.query_one("#others", Static).update(Text(clean(text)))

    def search(self) -> None:
        self.draw()

    def _line(self, seat: str, card: CardStack) -> Text:
        now = any(key in self.uses[seat] for key in card.ids)
        text = Text(no_wrap=True)
        text.append("* " if now else "  ", f"bold {self.app.theme_variables['accent']}")
        text.append(clean(card.name) or card.word)
        if len(card.ids) > 1:
            text.append(f" x{len(card.ids)}")
        return text

    def draw_card(self) -> None:
        at = self.query_one("#cards", OptionList).highlighted
        box = self.query_one("#card", Static)
        if at is None or at >= len(self.cards) or not self.cards[at][0]:
            box.update(Text(self.words("hand.none")))
            return
        seat, card = self.cards[at]
        text = Text(clean(card.name), style="bold underline")
        text.append(f"\n{self.words('hand.word', word=card.word)}\n\n", "not bold not underline")
        plain = "not bold not underline"
        if card.text:
            text.append(f"{clean(card.text)}\n\n", plain)
        if card.note:
            text.append(f"{clean(card.note)}\n\n", plain)
        if card.uses:
            text.append(f"{self.words('hand.uses', kinds=', '.join(card.uses))}\n", plain)
        found = [use for key in card.ids for use in self.uses[seat].get(key, ())]
        for use in dict.fromkeys(found):
            say = self.desk.say(self.language)
            field = say.label(f"field.{use.field}") if use.field else say.label(f"kind.{use.kind}")
            text.append(
                f"{self.words('hand.now', q=use.q, kind=say.label(f'kind.{use.kind}'), field=field)}\n",
                f"bold {self.app.theme_variables['accent']} not underline",
            )
        if not found:
            text.append(self.words("hand.not_now"), plain)
        box.update(text)

    @on(OptionList.OptionHighlighted, "#cards")
    def _moved(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self.draw_card()

    @on(OptionList.OptionSelected, "#cards")
    def _entered(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_answer()

    def action_answer(self) -> None:
        self.pbem.action_screen("questions")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Allow the reaction sheet only for players of games with reaction sheets."""
        if action == "sheet":
            present = self.pbem.present
            return bool(present.document.get("sheet_kinds")) and not present.moderator
        return super().check_action(action, parameters)

    def action_sheet(self) -> None:
        seat = self.pbem.present.seat

        def written(lines: list[str]) -> None:
            if lines:
                self.pbem.send(OrderDraft(seat, lines=lines))

        self.write_sheet(written)
