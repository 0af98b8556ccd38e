"""`pbem completion`: tab completion for the shell."""

from __future__ import annotations

import click

from pbem.cli.commands import command
from pbem.cli.console import data, note

_WHERE = {
    "bash": 'add to ~/.bashrc:  eval "$(pbem completion bash)"',
    "zsh": 'add to ~/.zshrc:  eval "$(pbem completion zsh)"',
    "fish": "write to ~/.config/fish/completions/pbem.fish",
}


@command("completion", "pbem completion bash", "pbem completion zsh")
@click.argument("shell", metavar="SHELL", type=click.Choice(sorted(_WHERE)))
@click.pass_context
def completion_command(ctx: click.Context, shell: str) -> None:
    """Print a shell completion script."""
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"no completion for {shell}")
    script = kind(ctx.find_root().command, {}, "pbem", "_PBEM_COMPLETE")
    data(script.source())
    note(_WHERE[shell])


COMMANDS = {"completion": completion_command}
