"""The questions of `pbem setup`, and the file `pbem.toml` that its answers go into."""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import tomli_w

from pbem import atomic_files
from pbem.cli.console import CommandFailed, Exit, event, note, warn
from pbem.cli.options import FOLDER, add_option
from pbem.save import SaveError
from pbem.save.folder_settings import NAME, FolderSettings, folder_settings, load_folder_settings

_VARIABLES = ("PBEM_IMAP_PASSWORD", "PBEM_SMTP_PASSWORD", "PBEM_CAFILE", "PBEM_MAIL_TOKEN_COMMAND")


folder_option = add_option(
    "--saves", "FOLDER", "Folder of the games.", default=".", type=FOLDER, envvar="PBEM_SAVES",
    show_default="the current folder",
)  # fmt: skip
"""Add `--saves FOLDER`, for commands that write the settings of the folder themselves."""


def on_terminal() -> bool:
    """Check if questions can be asked."""
    return sys.stdin.isatty() and sys.stderr.isatty()


class Answers:
    """The answers of one step: from its options, else asked on a terminal, else as they were before."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self.given = given
        self.asks = on_terminal()
        self.missing: list[str] = []

    def ask(
        self,
        option: str,
        question: str,
        before: str | None = None,
        *,
        read: Callable[[str], str] = str,
        hidden: bool = False,
    ) -> str:
        """Return an answer as `read` returns it. `before` is the default; None: there has to be one."""
        given = self.given.get(option)
        if given is not None or not self.asks:
            if given is None and before is None:
                self.missing.append(f"--{option.replace('_', '-')}")
            try:
                return read(str(given)) if given is not None else before or ""
            except ValueError as error:
                raise CommandFailed(f"--{option.replace('_', '-')}: {error}", Exit.USAGE) from None
        while True:
            shown = {"default": before or "", "show_default": bool(before) and not hidden, "hide_input": hidden}
            text = str(click.prompt(question, err=True, **(shown if before is not None else {"hide_input": hidden})))
            try:
                return read(text.strip()) if text.strip() != (before or "") else text.strip()
            except ValueError as error:
                click.echo(f"  {error}", err=True)

    def choose(self, option: str, question: str, choices: Sequence[tuple[str, str]], before: str) -> str:
        """Return one of the words of `choices`, each shown with its text and a number."""
        words = [word for word, _ in choices]

        def read(text: str) -> str:
            if text.isdecimal() and 0 < int(text) <= len(words):
                return words[int(text) - 1]
            if text not in words:
                raise ValueError(f"write a number from 1 to {len(words)}, or one of: {', '.join(words)}")
            return text

        listed = "  ".join(f"{no} {text}" for no, (_, text) in enumerate(choices, 1))
        default = str(words.index(before) + 1) if self.asks else before
        return read(self.ask(option, f"{question}  {listed}", default, read=read))

    def sure(self, option: str, question: str, default: bool) -> bool:
        given = self.given.get(option)
        if given is not None or not self.asks:
            return bool(given) if given is not None else default
        return click.confirm(question, default=default, err=True)

    def complete(self) -> None:
        """Raise `CommandFailed` if an answer is missing and nobody can be asked."""
        if self.missing:
            hint = "give them as options: there is no terminal to ask on"
            raise CommandFailed(f"missing: {', '.join(self.missing)}", Exit.USAGE, hint=hint)


def done(words: str) -> None:
    """Report a check or an act that succeeded."""
    event(f"  ok  {words}")


def failed(words: str, remedy: str = "", mark: str = "no") -> None:
    """Report one that failed, or one to look at (`! `), and what to do."""
    note(f"  {mark}  {words}" + (f"\n      → {remedy}" if remedy else ""))


def current(folder: Path) -> FolderSettings:
    """Return what `pbem.toml` says; a damaged one is renamed to `NAME.damaged`. Raises OSError."""
    try:
        return load_folder_settings(folder)
    except SaveError as error:
        warn(f"{error}\n  It is kept as {NAME}.bak, and started again")
        (folder / NAME).replace(folder / f"{NAME}.bak")
        return load_folder_settings(folder)


def store(folder: Path, table: str, values: Mapping[str, Any]) -> None:
    """Change some keys of a table in `pbem.toml`; other lines, and comments, stay. None removes a key."""
    path = folder / NAME
    old = path.read_text("utf-8") if path.exists() else ""
    wanted = tomllib.loads(old)
    values = {key: value for key, value in values.items() if _get(wanted.get(table, {}), key) != (value or None)}
    for key, value in values.items():
        _set(wanted.setdefault(table, {}), key.split("."), value)
    fresh = _edited(old, table, values)
    try:
        same = tomllib.loads(fresh) == {name: part for name, part in wanted.items() if part}
    except tomllib.TOMLDecodeError:
        same = False
    if not same:  # written in another way than `setup` does
        import tomli_w

        fresh = tomli_w.dumps({name: part for name, part in wanted.items() if part})
    if fresh != old:
        atomic_files.replace(path, fresh.encode(), 0o600)


def _get(table: Mapping[str, Any], key: str) -> Any:
    for name in key.split("."):
        table = table.get(name, {}) if isinstance(table, dict) else {}
    return table or None


def _set(table: dict[str, Any], key: list[str], value: Any) -> None:
    for name in key[:-1]:
        table = table.setdefault(name, {})
    if value in (None, "", []):
        table.pop(key[-1], None)
    else:
        table[key[-1]] = value


def _edited(text: str, table: str, values: Mapping[str, Any]) -> str:
    """Return the text with the lines of some keys of a table replaced, added or removed."""
    lines, left = text.splitlines(), dict(values)
    if f"[{table}]" not in lines:
        lines += [*([""] if lines else []), f"[{table}]"]
    start = lines.index(f"[{table}]") + 1
    end = next((at for at in range(start, len(lines)) if lines[at].startswith("[")), len(lines))
    body = []
    for line in lines[start:end]:
        name = line.partition("=")[0].strip()
        if name not in left:
            body.append(line)
        elif (value := left.pop(name)) not in (None, "", []):
            body.append(_line(name, value, tomli_w.dumps))
    fresh = [_line(name, value, tomli_w.dumps) for name, value in left.items() if value not in (None, "", [])]
    last = max((at + 1 for at, line in enumerate(body) if line.strip()), default=0)
    body[last:last] = fresh
    if not any(line.strip() for line in body):
        del lines[start - 1 : start]
        start, end = start - 1, end - 1
    lines[start:end] = body
    return "\n".join(lines).strip("\n") + "\n" if any(lines) else ""


def _line(name: str, value: Any, dumps: Callable[[dict[str, Any]], str]) -> str:
    value = dumps({"x": value}).strip().removeprefix("x = ")
    if value.startswith("["):  # on one line
        value = f"[{', '.join(line.strip(' ,') for line in value.splitlines()[1:-1])}]"
    return f"{name} = {value}"


@contextmanager
def trying(found: FolderSettings) -> Iterator[None]:
    """Log in with these settings only, without the variables of the environment."""
    kept = {name: os.environ.pop(name) for name in _VARIABLES if name in os.environ}
    before = folder_settings.set(found)
    try:
        yield
    finally:
        folder_settings.reset(before)
        os.environ.update(kept)
