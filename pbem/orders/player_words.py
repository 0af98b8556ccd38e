"""What players ask for themselves, a line each: `away 2026-12-24 to 2027-01-02`, `more time 24`, `end draw`.

The words are read here, in English and Japanese. `pbem.mail.moderator.player_acts` does what they say.
"""

from __future__ import annotations

import re

from pbem.lazy_regex import pattern

_DAY = r"(\d{4}-\d{1,2}-\d{1,2})"
_SAME = {
    "毎日": "on",
    "あり": "on",
    "default": "on",
    "なし": "off",
    "維持": "keep",
    "日本語": "ja",
    "japanese": "ja",
    "英語": "en",
    "english": "en",
    "引き分け": "draw",
    "引分け": "draw",
    "引分": "draw",
    "中止": "call-off",
    "call off": "call-off",
    "投了": "concede",
}
"""Values that are written in another way, too."""

_LINES = {
    "away until": rf"away\s+until\s+{_DAY}|不在\s+{_DAY}\s*まで",
    "away": rf"(?:away|不在)\s+(?:from\s+)?{_DAY}(?:\s*(?:to|until|till|-|~|から)\s*{_DAY})?(?:\s*まで)?",
    "back": r"back|復帰",
    "more time": r"(?:more\s+time|延長)\s+(\d{1,4})\s*(?:h|hours?|時間)?",
    "address": r"(?:address|アドレス)\s+(keep|維持|\S+@\S+|[0-9a-f]{4}-?[0-9a-f]{4})",
    "timezone": r"(?:time\s*zone|タイムゾーン)\s+(\S.{0,59})",
    "language": r"(?:language|言語)\s+(\w+)",
    "quiet": r"(?:quiet|静かに)\s+(off|なし|\d{1,2}(?::00)?\s*(?:-|~|から)\s*\d{1,2}(?::00)?)",
    "reminders": r"(?:reminders?|催促)\s+(off|on|default|なし|あり|\d{1,4}(?:[\s,、]+\d{1,4})*)",
    "bot": rf"bot\s+until\s+{_DAY}|代打\s+{_DAY}\s*まで",
    "digest": r"(?:digest|まとめ)\s+(on|off|毎日|なし|\d{1,2})",
    "take back": r"take\s*back|待った",
    "end": r"(?:end\s+|終局\s*)(draw|call[\s-]off|concede|引き?分け?|中止|投了)|(投了)",
    "agree": r"(?:agree|同意)\s+(\d{1,6})",
    "refuse": r"(?:refuse|拒否)\s+(\d{1,6})",
    "skip": r"skip|スキップ",
    "replace": r"(?:replace|交代)\s+([\w-]+)\s+(bot|\S+@\S+)",
}
_READERS = {what: pattern(rf"(?:{words})$", re.IGNORECASE) for what, words in _LINES.items()}
BEGINNINGS = (
    "away", "back", "bot", "more", "address", "time", "language", "quiet", "remind", "digest", "take", "end", "agree",
    "refuse", "skip", "replace", "不在", "復帰", "代打", "延長", "アドレス", "タイム", "言語", "静か", "催促",
    "まとめ", "待った", "終局", "投了", "同意", "拒否", "スキップ", "交代",
)  # fmt: skip
BARE = ("skip", "back")
"""Words that may also be an answer to a question: then that is what they are."""


def player_words(text: str) -> tuple[str, str] | None:
    """Return what a line asks for and its value, in English (`away`, `2026-12-24 to 2027-01-02`); None if nothing."""
    begin = next(filter(text.casefold().startswith, BEGINNINGS), "")
    if not begin:
        return None
    readers = (item for item in _READERS.items() if begin in _LINES[item[0]] or not begin.isascii())
    for what, reader in readers:
        if (match := reader.match(text)) is not None:
            values = [_SAME.get(value.casefold(), value) for value in match.groups() if value]
            return _tidy(what, values)
    return None


def _tidy(what: str, values: list[str]) -> tuple[str, str]:
    if what in ("away", "away until", "bot"):
        values = [re.sub(r"-(\d)\b", r"-0\1", day) for day in values]
    if what == "away until":
        return "away", f"until {values[0]}"
    if what == "digest":
        return "letters", {"on": "digest", "off": "short"}.get(values[0], f"digest {values[0]}")
    if what == "quiet":
        return what, re.sub(r"\s+|:00", "", re.sub("~|から", "-", values[0]))
    if what == "reminders":
        return what, " ".join(re.split(r"[\s,、]+", values[0]))
    return what, (" to " if what == "away" else " ").join(values)
