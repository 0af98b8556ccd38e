"""The base class of answer domains. `pbem.kernel.domains` lists them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Generic

from typing_extensions import TypeVar

from pbem.kernel.order_words import NO_NAMES, Names, OrderWord, WordCursor, is_plain, is_quoted, quote, tokens
from pbem.kernel.rejections import Rejection, rejection

Value = Any
"""A plain TOML value: str, int, bool, list or dict with string keys."""

Below = Callable[[int], int]
"""A source of choices: `below(n)` is an integer from 0 to n - 1."""


V_co = TypeVar("V_co", covariant=True, default=Any)
"""The type of a domain's answers."""
T = TypeVar("T", default=Any)
"""The type of options or items in a list."""


class Budget:
    """The nodes that a description may still use, shared by all parts of one answer."""

    __slots__ = ("left",)

    def __init__(self, nodes: int = 4000) -> None:
        self.left = nodes

    def spend(self, nodes: int = 1) -> bool:
        """Use `nodes`; return False if fewer are left."""
        self.left -= nodes
        return self.left >= 0


class Domain(Generic[V_co]):
    """The set of answers to a question.

    Property tests check this contract for every domain. What `check` accepts can be executed; it rejects everything
    else with `Rejection`, whatever TOML value it gets. `sample` never fails and returns an accepted value.
    `parse(text(v)) == v` for every accepted v in canonical form (`Subset`: option order). `options` yields accepted
    values only, and all except free texts and conditional plans. A domain without any answer must not be asked.
    """

    __slots__ = ()
    stands: ClassVar[bool] = False
    """Whether an answer will probably fit the next such question too, so that emails suggest a standing order."""

    def check(self, value: Value) -> None:
        """Raise `Rejection` unless `value` (already a TOML value) is one of the answers."""
        raise NotImplementedError

    def options(self) -> Iterator[V_co]:
        """Yield all answers, lazily. There may be very many."""
        raise NotImplementedError

    def sample(self, below: Below) -> V_co:
        """Return a random legal answer."""
        raise NotImplementedError

    def parse_from(self, words: WordCursor) -> V_co:
        """Parse this domain's part from the cursor. Raises `Rejection`. The result isn't checked yet."""
        raise NotImplementedError

    def text(self, value: Value) -> str:
        """Return the canonical order text of an accepted value."""
        raise NotImplementedError

    def syntax(self) -> str:
        """Return the syntax of an answer in one line, e.g. `<country>` or `move <from> <to> regulars=<0-4>`."""
        raise NotImplementedError

    def describe(self, budget: Budget) -> dict[str, Any]:
        """Return plain data for `domain_schema.domain_from`; past the budget `{type = "unknown"}`."""
        raise NotImplementedError

    def parse(self, text: str, names: Names = NO_NAMES) -> V_co:
        """Parse a whole order text, check it and return the value. Raises `Rejection`."""
        reader = WordCursor(tokens(text), names)
        value = self.parse_from(reader)
        reader.end()
        self.check(value)
        return value

    def accepts(self, value: Value) -> bool:
        try:
            self.check(value)
        except Rejection:
            return False
        return True

    def default_text(self, default: Value | None) -> str:
        """Return the order text of a default; "" if there is none, or none that a player could write."""
        return self.text(default) if default is not None and self.accepts(default) else ""

    def as_word(self, value: Value) -> str:
        """Return `text` as one word of a larger answer."""
        text = self.text(value)
        return text if is_plain(text) else quote(text)

    def parse_word(self, word: str, names: Names) -> V_co:
        """Parse one word of a larger answer: the inverse of `as_word`. The result isn't checked yet."""
        bare = word.raw if isinstance(word, OrderWord) and not is_quoted(word) else str(word)
        reader = WordCursor(tokens(bare), names)
        value = self.parse_from(reader)
        reader.end()
        return value

    def parse_all(self, words: WordCursor) -> V_co:
        """Parse all that is left; it may be one quoted word."""
        if words.at == len(words.words) - 1 and is_quoted(words.peek()):
            return self.parse_word(words.take(""), words.names)
        value = self.parse_from(words)
        words.end()
        return value


class AnyText(Domain[Any]):
    """The end of a description without room: any text is accepted here, the moderator's pbem decides."""

    __slots__ = ()

    def check(self, value: Value) -> None:
        return

    def options(self) -> Iterator[Value]:
        return iter(())

    def sample(self, below: Below) -> Value:
        raise rejection("answer.missing", what="a fuller description")

    def parse_from(self, words: WordCursor) -> Value:
        return words.rest()

    def text(self, value: Value) -> str:
        return str(value)

    def syntax(self) -> str:
        return "..."

    def describe(self, budget: Budget) -> dict[str, Any]:
        return {"type": "unknown"}
