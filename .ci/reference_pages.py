"""Write the generated parts of the reference pages: `python .ci/reference_pages.py`.

A page of `docs/reference` holds `<!-- generated: NAME -->` and `<!-- end -->`. What is between them comes from the
program: commands from Click, settings from `pbem.save.settings`, keys from `pbem.tui.key_bindings`, house rules and the
words of the games from `games`. `tests/docs/test_reference_pages.py` compares the pages with what this writes.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import click  # noqa: E402

import games  # noqa: E402
from pbem.cli import main as pbem  # noqa: E402
from pbem.cli.commands import SECTIONS  # noqa: E402
from pbem.cli.console import Exit  # noqa: E402
from pbem.kernel.referee import components_of  # noqa: E402
from pbem.report.messages import messages  # noqa: E402
from pbem.save import ClockSettings, MailSettings  # noqa: E402
from pbem.save.settings import PACES, SETTINGS, WORDS  # noqa: E402
from pbem.tui.key_bindings import GLOBAL, IN_ROOM, SCREENS, Act  # noqa: E402
from pbem.tui.model.messages import ScreenMessages  # noqa: E402
from pbem.tui.screens.help import keys_of  # noqa: E402

PAGES = ROOT / "docs" / "reference"
TEXTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
"""What exit codes and settings mean."""
_ADDRESS = re.compile(r"[\w.]+@[\w.]+\w")
_PART = re.compile(r"(<!-- generated: ([\w.-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def written(text: str) -> str:
    """Return a page with its generated parts as the program has them today."""

    def filled(part: re.Match[str]) -> str:
        return "\n".join((part[1], *PARTS[part[2]]())).rstrip() + f"\n\n{part[3]}"

    return _PART.sub(filled, text)


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    heads = list(heads)
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    for row in rows:
        yield f"| {' | '.join(map(_cell, row))} |"
    yield ""


def _cell(text: str) -> str:
    parts = re.split(r"(`[^`]*`)", " ".join(text.split()))
    parts[::2] = [_ADDRESS.sub(r"`\g<0>`", part.replace("<", "&lt;")) for part in parts[::2]]
    return "".join(parts).replace("|", "\\|")


# -- commands ----------------------------------------------------------------------------------------------------------


def commands() -> Iterator[str]:
    """Every command that help shows, with its arguments, options and examples."""
    shown = [name for name in pbem.commands if not pbem.commands[name].hidden]
    for title, names in SECTIONS.items():
        listed = [name for name in names if name in shown]
        firsts = (next(_prose(pbem.commands[name].help or ""), "").strip() for name in listed)
        links = (f"[`pbem {name}`](#pbem-{name})" for name in listed)
        yield from _table((title, "what it does"), zip(links, firsts, strict=True))
    for names in SECTIONS.values():
        for name in names:
            if name in shown:
                yield from _command(f"pbem {name}", pbem.commands[name], 2)


def _command(path: str, command: click.Command, level: int) -> Iterator[str]:
    if command.hidden:
        return
    yield f"{'#' * level} {path}\n"
    yield "```text"
    yield " ".join((path, *_usage(command)))
    yield "```\n"
    yield from _prose(command.help or "")
    if examples := getattr(command, "examples", ()):
        yield "Examples:\n"
        yield "\n".join(("```text", *examples, "```\n"))
    options = [param for param in command.params if isinstance(param, click.Option) and not param.hidden]
    rows = [(_spelt(option), option.help or "", _default(option)) for option in options if option.name != "help"]
    if rows:
        yield from _table(("option", "meaning", "default"), rows)
    yield from _prose(command.epilog or "")
    for name, inner in sorted(getattr(command, "commands", {}).items()):
        yield from _command(f"{path} {name}", inner, level + 1)


def _usage(command: click.Command) -> Iterator[str]:
    if any(isinstance(param, click.Option) and not param.hidden for param in command.params):
        yield "[OPTIONS]"
    for param in command.params:
        if isinstance(param, click.Argument):
            name = param.metavar or str(param.name).upper() + ("..." if param.nargs == -1 else "")
            yield name if param.required or name.startswith("[") else f"[{name}]"
    if isinstance(command, click.Group):
        yield "COMMAND"


def _prose(text: str) -> Iterator[str]:
    """Help as Markdown: what Click leaves as it is (`\\b`) is a block."""
    for part in re.split(r"\n\s*\n", text.strip()):
        lines = [line.strip("\b \f") for line in part.split("\n")]
        lines = [line for line in lines if line]
        if not lines:
            continue
        if "\b" in part:
            yield "\n".join(("```text", *lines, "```\n"))
        else:
            yield _cell(" ".join(lines)).replace("\\|", "|") + "\n"


def _spelt(option: click.Option) -> str:
    names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    if option.is_flag or option.count:
        return names
    if isinstance(option.type, click.Choice):
        kind = "|".join(map(str, option.type.choices))
    else:
        named = {"INTEGER": "N", "INTEGER RANGE": "N", "FLOAT": "N"}
        kind = str(option.type.name).upper()
        kind = option.metavar or named.get(kind, kind)
    return f"{names} {kind}"


def _default(option: click.Option) -> str:
    parts = []
    if option.required:
        parts.append("required")
    elif isinstance(option.show_default, str):
        parts.append(option.show_default)
    elif not option.is_flag and isinstance(option.default, str | int | float) and option.default not in ("", 0):
        parts.append(str(option.default))
    if option.envvar and option.show_envvar:
        names = [option.envvar] if isinstance(option.envvar, str) else option.envvar
        parts.append(f"environment: {', '.join(f'`{name}`' for name in names)}")
    return "; ".join(parts)


def exit_codes() -> Iterator[str]:
    """Return the exit codes of the program, in their order."""
    texts = TEXTS["exits"]
    rows = ((f"`{code.value}`", f"`{code.name}`", *texts[str(code.value)].values()) for code in sorted(Exit))
    yield from _table(("code", "name", "meaning", "a script should"), rows)


# -- settings ----------------------------------------------------------------------------------------------------------


def settings(language: str = "en") -> Iterator[str]:
    """Return the settings of the clock and of the mail."""
    japanese = language == "ja"
    heads = ("設定", "値", "既定", "例", "意味") if japanese else ("setting", "values", "default", "example", "meaning")
    for title, holder in ((("The clock", "時計"), ClockSettings()), (("Mail", "メール"), MailSettings())):
        yield f"## {title[japanese]}\n"
        names = [name for name in SETTINGS if hasattr(holder, name)]
        yield from _table(heads, (_setting(name, getattr(holder, name), language) for name in names))


def _setting(name: str, default: Any, language: str) -> tuple[str, ...]:
    text = TEXTS["settings"][name]
    values = ", ".join(f"`{word}`" for word in WORDS.get(name, ()) if word) or text["values"][language]
    if SETTINGS[name].many:
        values += "（`,` で区切る）" if language == "ja" else ", separated by commas"
    shown = ",".join(map(str, default)) if isinstance(default, list | dict) else str(default)
    keys = SETTINGS[name].keys
    paced = f"{name}.{'PACE' if keys is PACES else 'ACT'}" if keys else name
    return f"`{paced}`", values, f"`{shown}`" if shown else "", f"`{text['example']}`", text[language]


# -- keys --------------------------------------------------------------------------------------------------------------


def screens(language: str = "en") -> Iterator[str]:
    """Return what each screen shows."""
    words = ScreenMessages(language)
    heads = ("画面", "表示するもの") if language == "ja" else ("screen", "what it shows")
    rows = ((f"{no} {words(f'screen.{room}')}", TEXTS["screens"][room][language]) for no, room in enumerate(SCREENS, 1))
    yield from _table(heads, rows)


def keys(language: str = "en") -> Iterator[str]:
    """Every key, screen by screen."""
    words = ScreenMessages(language)
    every, heads = ("Everywhere", ("key", "what it does"))
    if language == "ja":
        every, heads = ("すべての画面", ("キー", "働き"))
    yield f"### {every}\n"
    digits = (f"`1` – `{len(SCREENS)}`", _sentence(words("help.screen")))
    yield from _table(heads, (digits, *_keys(GLOBAL, words)))
    for number, room in ((no, room) for no, room in enumerate(SCREENS, 1) if room in IN_ROOM):
        yield f"### {number} {words(f'screen.{room}')}\n"
        yield from _table(heads, _keys(IN_ROOM[room], words))


def _keys(acts: tuple[Act, ...], words: ScreenMessages) -> Iterator[tuple[str, str]]:
    found: dict[str, list[str]] = {}
    for act in acts:
        found.setdefault(act.help(words), []).extend(keys_of(act).split())
    for told, pressed in found.items():
        yield " ".join(f"`{key}`" for key in dict.fromkeys(pressed)), _sentence(told)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


# -- games -------------------------------------------------------------------------------------------------------------


def house_rules(language: str = "en") -> Iterator[str]:
    """Return the house rules of every game."""
    heads = ("option", "values", "default", "meaning", "rule")
    if language == "ja":
        heads = ("オプション", "値", "既定", "意味", "ルール")
    for slug in games.BUILT_IN:
        game = games.load(slug)
        yield f"## {game.title[language]}\n"
        if not game.options:
            yield "なし。\n" if language == "ja" else "None.\n"
            continue
        rows = []
        for option in game.options:
            default = option.default
            shown = str(default).lower() if isinstance(default, bool) else str(default)
            text = option.text.get(language) or option.text["en"]
            rows.append((f"`{option.id}`", option.domain.syntax(), f"`{shown}`", text, str(option.rule)))
        yield from _table(heads, rows)


def glossary() -> Iterator[str]:
    """Words of the games in English and Japanese, from the names and messages that emails use."""
    for slug in games.BUILT_IN:
        game = games.load(slug)
        names = game.names(components_of(game, {})[1])
        yield f"## {game.title['en']} ({game.title['ja']})\n"
        rows = {(text.get("en", ""), text.get("ja", "")): key for key, text in names.names.items()}
        texts = [messages(game.package, language) for language in ("en", "ja")]
        for key, english in texts[0].items():
            if key.startswith(("kind.", "word.", "table.", "track.")) and "{" not in english:
                rows.setdefault((english, texts[1].get(key, "")), key.partition(".")[2])
        shown = sorted(rows.items(), key=lambda row: (row[0][0].casefold(), row[1]))
        yield from _table(
            ("English", "日本語", "id"), ((en, ja, f"`{key}`") for (en, ja), key in shown if en and ja and en != ja)
        )


PARTS: dict[str, Callable[[], Iterator[str]]] = {
    "commands": commands,
    "exit-codes": exit_codes,
    "settings": settings,
    "settings.ja": lambda: settings("ja"),
    "screens": screens,
    "screens.ja": lambda: screens("ja"),
    "keys": keys,
    "keys.ja": lambda: keys("ja"),
    "house-rules": house_rules,
    "house-rules.ja": lambda: house_rules("ja"),
    "glossary": glossary,
}
"""What a page may ask for."""


def main() -> None:
    """Write every page again that has a generated part."""
    for path in sorted(PAGES.glob("*.md")):
        text = path.read_text("utf-8")
        if (now := written(text)) != text:
            path.write_text(now, "utf-8")
            print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
