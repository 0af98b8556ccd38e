"""The command line: thin commands, one file per subject, which import what they need inside their bodies.

So `pbem --help` loads neither Textual nor Rich nor any game (tested on `sys.modules`).
"""

from __future__ import annotations

import gc
from typing import Any

import click

from pbem import __version__
from pbem.cli.commands import Main
from pbem.cli.console import Exit, explain, need_own_games, prepare_streams

COLLECT = (100_000, 20, 50)
"""Python's garbage collection thresholds: a command makes little garbage, and imports much that stays."""


class Pbem(Main):
    """The main group: errors of the layers below become sentences, Ctrl-C becomes an exit code."""

    def main(self, *args: Any, **extra: Any) -> Any:
        gc.set_threshold(*COLLECT)
        gc.enable()
        prepare_streams()
        return super().main(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        need_own_games()
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except BrokenPipeError:
            raise  # Click closes stdout quietly
        except KeyboardInterrupt:  # Click's own code for it is that of a failed check
            click.echo("\npbem: interrupted; running it again is safe", err=True)
            ctx.exit(Exit.INTERRUPTED)
        except Exception as error:
            explain(error)


@click.group(cls=Pbem, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, "--version", "-V", message="pbem %(version)s", help="Show the version.")
@click.option("-q", "--quiet", is_flag=True, help="Print only what needs attention (for cron).")
@click.help_option("-h", "--help", help="Show this help; `pbem COMMAND --help` has examples.")
def main(quiet: bool) -> None:
    """Run long board games by email: check orders, apply the rules, and write to
    each player what changed, what they need to answer, and by when.

    \b
    New here?  pbem demo           see one round of play
               pbem play GAME      play now, against bots
               pbem docs           read the documentation
    """  # noqa: D205


__all__ = ["Exit", "main"]
