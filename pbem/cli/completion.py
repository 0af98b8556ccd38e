"""`pbem completion`, and the shell's completion of values, each for `shell_complete` of click."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

import games
from pbem.cli.commands import command
from pbem.cli.console import data, note

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from pbem.kernel.game import Game
    from pbem.save import Save


_WHERE = {
    "bash": 'add to ~/.bashrc:  eval "$(pbem completion bash)"',
    "zsh": 'add to ~/.zshrc:  eval "$(pbem completion zsh)"',
    "fish": "write to ~/.config/fish/completions/pbem.fish",
}


@command("completion", "bash", "zsh")
@click.argument("shell", metavar="SHELL", type=click.Choice(sorted(_WHERE)))
@click.pass_context
def completion_command(ctx: click.Context, shell: str) -> None:
    """Print a shell completion script."""
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None  # click knows those of `_WHERE`
    data(kind(ctx.find_root().command, {}, "pbem", "_PBEM_COMPLETE").source())
    note(_WHERE[shell])


def seats(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the seats of the saves on the line."""
    choices = {seat.id: seat.name for save in _saves(ctx) for seat in save.seats}
    if ctx.info_name == "view" and choices:
        choices |= {"public": "what everybody may know", "moderator": "everything"}
    return _offer(choices.items(), incomplete)


def new_seats(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the seats of a new game's scenario."""
    game = _game(ctx)
    if game is None:
        return []
    tables = [scenario for scenario in game.scenarios if scenario.id == _value(ctx, "scenario")] or game.scenarios[:1]
    names = dict.fromkeys(seat for scenario in tables for order in scenario.seats.values() for seat in order)
    return _offer(((f"{seat}=", "") for seat in names), incomplete)


def scenarios(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the scenarios of the game."""
    game = _game(ctx)
    return _offer(((scenario.id, scenario.name["en"]) for scenario in game.scenarios), incomplete) if game else []


def house_rules(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the house rules of the game, then the values of one."""
    game = _game(ctx)
    rules = {option.id: option for option in game.options} if game else {}

    def values(name: str) -> Iterable[str]:
        return map(str, rules[name].domain.options()) if name in rules else ()

    return _named(ctx, param, incomplete, {name: option.text["en"] for name, option in rules.items()}, values)


def settings(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the settings of clock and mail, then the values of those that have few."""
    from pbem.save.settings import WORDS

    def values(name: str) -> Iterable[str]:
        head = name.partition(".")[0]
        if head == "plays":
            return [seat.id for save in _saves(ctx) for seat in save.seats]
        return WORDS.get(head, ())

    return _named(ctx, param, incomplete, _settings(), values)


def setting_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the settings of clock and mail."""
    return _offer(_settings().items(), incomplete)


def _settings() -> dict[str, str]:
    from pbem.save.settings import SETTINGS

    return {
        f"{name}.{key}" if key else name: setting.help
        for name, setting in SETTINGS.items()
        for key in setting.keys or ("",)
    }


def paces(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the paces of questions, for which hours are set."""
    from pbem.save.settings import PACES

    return _offer(((f"{pace}=", "") for pace in PACES), incomplete)


def questions(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the ids of the open questions, with their kinds but without seats."""
    kinds = {str(pending.q): pending.kind for save in _saves(ctx) for pending in save.pending}
    return _offer(kinds.items(), incomplete)


def reasons(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the reasons of a quarantine."""
    from pbem.mail.quarantine import REASONS

    return _offer(REASONS.items(), incomplete)


def quarantined_ids(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the ids of the quarantined emails, likely players' first."""
    from pbem.mail.quarantine import Quarantine, QuarantineView
    from pbem.mail.save_index import SaveIndex

    saves = _folder(ctx)
    emails = QuarantineView(Quarantine(saves / "quarantine").listed(), SaveIndex([saves])).emails
    return _offer(((held.id, f"{held.reason}, {held.sender}") for held in emails[:100]), incomplete)


def _value(ctx: click.Context, name: str) -> str:
    """Return an option or argument of the line, else "". Click names arguments only after whole options."""
    arguments = [argument.name for argument in ctx.command.params if isinstance(argument, click.Argument)]
    at = arguments.index(name) if name in arguments else len(ctx.args)
    return str(ctx.params.get(name) or "") or (ctx.args[at] if at < len(ctx.args) else "")


def _saves(ctx: click.Context) -> Iterator[Save]:
    from pbem.mail.save_index import SaveIndex

    named = _value(ctx, "save") or _value(ctx, "path")
    yield from SaveIndex([Path(named) if named else _folder(ctx)]).headers.values()


def _folder(ctx: click.Context) -> Path:
    folder = ctx.params.get("saves") or ctx.obj
    if folder is None and ctx.parent is not None:
        folder = ctx.parent.params.get("saves")
    return Path(folder or ".")


def _game(ctx: click.Context) -> Game | None:
    try:
        return games.load(_value(ctx, "game"))
    except games.UnknownGame:
        return None


def _offer(found: Iterable[tuple[str, str]], incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(word, help=what or None) for word, what in found if word.startswith(incomplete)]


def _named(
    ctx: click.Context,
    param: click.Parameter,
    incomplete: str,
    names: dict[str, str],
    values: Callable[[str], Iterable[str]],
) -> list[CompletionItem]:
    """Complete `NAME=VALUE`: names, or values after the `=`, which bash passes as a separate word."""
    before = [str(word) for word in ctx.params.get(param.name or "") or ()]
    name, equals, _ = incomplete.partition("=")
    if equals:
        return _offer(((f"{name}={value}", "") for value in values(name)), incomplete)
    if before[-1:] == ["="]:
        before.pop()
    elif before[-2:-1] == ["="]:
        before.clear()
    if before and before[-1] in names:
        return _offer(((value, "") for value in values(before[-1])), incomplete)
    return _offer(((f"{name}=", what) for name, what in names.items()), incomplete)
