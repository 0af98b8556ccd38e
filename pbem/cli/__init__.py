"""The command line. Thin commands, one file per group; what a command needs is imported inside its body.

So `pbem --help` loads neither Textual nor Rich nor any game (tested on `sys.modules`).
"""

from __future__ import annotations

import gc
from typing import Any

import click

from pbem import __version__
from pbem.cli.commands import TABLE, Commands
from pbem.cli.console import need_own_games, prepare_streams
from pbem.cli.exits import Exit

COLLECT = (100_000, 20, 50)
"""Python's thresholds for collecting garbage: a command makes little of it, and imports much that stays."""


class Pbem(click.Group):
    """The main group: errors of the rooms below become sentences, Ctrl-C becomes a status."""

    def main(self, *args: Any, **extra: Any) -> Any:
        gc.set_threshold(*COLLECT)
        gc.enable()
        prepare_streams()
        return super().main(*args, **extra)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, from the table: no command is imported to tell what it does."""
        room = formatter.width - 6 - max(map(len, TABLE))
        rows = [(name, click.Command(name, help=TABLE[name][1])) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.get_short_help_str(room)) for name, command in rows])

    def invoke(self, ctx: click.Context) -> Any:
        need_own_games()
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except BrokenPipeError:
            raise  # Click closes stdout quietly
        except KeyboardInterrupt:  # Click's own status for it is that of something found wrong
            click.echo("\npbem: interrupted; running it again is safe", err=True)
            ctx.exit(Exit.INTERRUPTED)
        except Exception as error:
            from pbem.cli.console import explain

            explain(error)


@click.group(
    cls=Pbem,
    commands=Commands(),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, "--version", "-V", message="pbem %(version)s")
@click.option("-q", "--quiet", is_flag=True, help="Say nothing unless something needs attention (for cron).")
def main(quiet: bool) -> None:
    """Play-by-email adjudicator for long, card-driven, hidden-information board games.

    A letter goes in, letters come out: `pbem new` writes a save, `pbem ingest` reads mail and move files into it and
    puts the answers into an outbox; `pbem demo` shows it all in a temporary folder.
    """


__all__ = ["Exit", "main"]
