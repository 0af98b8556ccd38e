"""What every answer domain can do. See `pbem.kernel.domains` for the domains themselves."""

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
"""What a domain's answers are."""
T = TypeVar("T", default=Any)
"""What a list of options or items holds."""


class Budget:
    """How many nodes a description may still use; shared by all parts of one answer."""

    __slots__ = ("left",)

    def __init__(self, nodes: int = 4000) -> None:
        self.left = nodes

    def spend(self, nodes: int = 1) -> bool:
        """Take `nodes`; False if that is more than is left."""
        self.left -= nodes
        return self.left >= 0


class Domain(Generic[V_co]):
    """The set of answers that a question takes.

    The contract, held by property tests over every domain: what `check` accepts can be carried out, and it refuses
    all else with `Refused`, whatever TOML value it is given; `sample` never fails and gives an accepted value;
    `parse(text(v)) == v` for every accepted v in canonical form (`Pick` in option order); `options` lists accepted
    values only, and all of them but free texts and conditional plans. A domain without any answer must not be asked.
    """

    __slots__ = ()
    stands: ClassVar[bool] = False
    """Whether an answer is likely to fit the next such question too, so that letters offer it as a standing one."""

    def check(self, value: Value) -> None:
        """Raise `Refused` unless `value` (already a TOML value) is one of the answers."""
        raise NotImplementedError

    def options(self) -> Iterator[V_co]:
        """All answers, lazily. There may be very many: take what you need."""
        raise NotImplementedError

    def sample(self, below: Below) -> V_co:
        """One legal answer."""
        raise NotImplementedError

    def parse_from(self, words: WordCursor) -> V_co:
        """Read this domain's part from the cursor. Raises `Refused`. The result still wants `check`."""
        raise NotImplementedError

    def text(self, value: Value) -> str:
        """The canonical order text of an accepted value."""
        raise NotImplementedError

    def syntax(self) -> str:
        """How to write an answer, in one line, e.g. `<country>` or `move <from> <to> regulars=<0-4>`."""
        raise NotImplementedError

    def describe(self, budget: Budget) -> dict[str, Any]:
        """Plain data from which `described.domain_from` builds an equal domain.

        It is `{type = "unknown"}` past the budget.
        """
        raise NotImplementedError

    def parse(self, text: str, names: Names = NO_NAMES) -> V_co:
        """Read a whole order text, check it and return the value. Raises `Refused`."""
        reader = WordCursor(tokens(text), names)
        value = self.parse_from(reader)
        reader.end()
        self.check(value)
        return value

    def accepts(self, value: Value) -> bool:
        """Whether `check` passes."""
        try:
            self.check(value)
        except Rejection:
            return False
        return True

    def default_text(self, default: Value | None) -> str:
        """The order text of a default; "" if there is none, or none that a player could write."""
        return self.text(default) if default is not None and self.accepts(default) else ""

    def as_word(self, value: Value) -> str:
        """`text` fit to stand as one word of a larger answer."""
        text = self.text(value)
        return text if is_plain(text) else quote(text)

    def parse_word(self, word: str, names: Names) -> V_co:
        """Read this domain from one word of a larger answer: the inverse of `as_word`. It still wants `check`."""
        bare = word.raw if isinstance(word, OrderWord) and not is_quoted(word) else str(word)
        reader = WordCursor(tokens(bare), names)
        value = self.parse_from(reader)
        reader.end()
        return value

    def parse_all(self, words: WordCursor) -> V_co:
        """Read this domain from all that is left; it may be written as one quoted word."""
        if words.at == len(words.words) - 1 and is_quoted(words.peek()):
            return self.parse_word(words.take(""), words.names)
        value = self.parse_from(words)
        words.end()
        return value


class AnyText(Domain[Any]):
    """Where a description ran out of room: anything goes here, the moderator's program decides."""

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
