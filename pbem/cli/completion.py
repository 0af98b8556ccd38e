"""`pbem completion`: tab completion for the shell."""

from __future__ import annotations

import click

_WHERE = {
    "bash": 'add to ~/.bashrc:  eval "$(pbem completion bash)"',
    "zsh": 'add to ~/.zshrc:  eval "$(pbem completion zsh)"',
    "fish": "write to ~/.config/fish/completions/pbem.fish",
}


@click.command("completion")
@click.argument("shell", type=click.Choice(sorted(_WHERE)))
@click.pass_context
def completion_command(ctx: click.Context, shell: str) -> None:
    """Print the completion script for SHELL."""
    from click.shell_completion import get_completion_class

    from pbem.cli.console import data, note

    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"no completion for {shell}")
    script = kind(ctx.find_root().command, {}, "pbem", "_PBEM_COMPLETE")
    data(script.source())
    note(_WHERE[shell])


COMMANDS = [completion_command]
