"""The words of the UI itself, from `pbem/tui/locale/<language>.toml`; the game's own come from its catalogue."""

from __future__ import annotations

from pbem import LANGUAGES
from pbem.report.catalogue import messages


class Words:
    """The UI's messages in one language; English stands in for a language that there is not."""

    def __init__(self, language: str = "en", package: str = "pbem.tui") -> None:
        self.language = language if language in LANGUAGES else LANGUAGES[0]
        self._texts = messages(package, self.language)

    def __call__(self, key: str, **args: object) -> str:
        """The message with `{name}` replaced by arguments; the key itself if there is none (a test forbids that)."""
        text = self._texts.get(key, key)
        for name, value in args.items():
            text = text.replace(f"{{{name}}}", str(value))
        return text

    def has(self, key: str) -> bool:
        """Whether there is such a message."""
        return key in self._texts
