"""`pbem docs`: the pages of the docs that came with this installation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbem.cli import options
from pbem.cli.commands import command
from pbem.cli.console import CommandFailed, Exit, document, emit_json, note, table

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_FOLDERS = ("", "tutorials", "how-to", "reference", "explanation")
_SHORT = {
    "player": "first-game-player",
    "player.ja": "first-game-player.ja",
    "moderator": "first-game-moderator",
    "moderator.ja": "first-game-moderator.ja",
    "solo": "first-solo-game",
    "add-a-game": "first-game-of-your-own",
    "tui": "terminal-keys",
    "mail": "emails",
    "troubleshooting": "troubleshoot",
    "packs": "correct-your-copy",
    "scaling": "run-many-games",
    "cases": "rule-test-format",
    "pitfalls": "avoid-pitfalls",
}
"""Other names of pages: short ones, and former ones."""


def home() -> Path | None:
    """Return the folder of the pages: in a wheel next to the program, in a checkout its `docs`."""
    package = Path(__file__).parents[1]
    found = (package / "manual", package.parent / "docs")
    return next((folder for folder in found if (folder / "index.md").is_file()), None)


def pages() -> dict[str, Path]:
    """Return the pages by name, in the order in which they are listed; those of games by their slugs."""
    folder = home()
    if folder is None:
        return {}
    package = Path(__file__).parents[1]
    known = {path.stem: path for part in _FOLDERS for path in _in(folder / part)}
    known |= {path.stem: path for path in _in(folder / "reference" / "games")}
    known |= {path.parent.name: path for path in sorted((package.parent / "games").glob("*/README.md"))}
    changes = package.parent / "CHANGELOG.md"  # in a wheel it is one of the pages
    if folder.name == "docs" and changes.is_file():
        known["changelog"] = changes
    return known


def _in(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.md"), key=lambda path: path.stem)


def _completed(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(name, help=_title(path)) for name, path in pages().items() if name.startswith(incomplete)]


def _title(path: Path) -> str:
    return path.read_text("utf-8").partition("\n")[0].lstrip("# ")


@command("docs", "pbem docs", "moderator")
@click.argument("page", required=False, shell_complete=_completed)
@click.option("--open", "opened", is_flag=True, help="Open the page in your program for Markdown.")
@click.option("--path", "where", is_flag=True, help="Print the path of the page.")
@options.json
def docs_command(page: str | None, opened: bool, where: bool, as_json: bool) -> None:
    """Read the documentation.

    Without PAGE, list the pages of the installed version.
    """
    known = pages()
    if not known:
        raise CommandFailed("the docs did not come with this installation", hint="install the wheel, or use a checkout")
    if page is None:
        if as_json:
            listed = [{"page": name, "title": _title(path), "path": str(path)} for name, path in known.items()]
            emit_json("docs", {"pages": listed})
            return
        table([[name, _title(path)] for name, path in known.items()], ["page", "about"])
        note("pbem docs PAGE shows one")
        return
    name = page.rpartition("/")[2].removesuffix(".md")
    name = name if name in known else _SHORT.get(name, name)
    if name not in known:
        from difflib import get_close_matches

        near = get_close_matches(name, [*known, *_SHORT], n=1)
        hint = f"did you mean {near[0]}?" if near else "see the list: pbem docs"
        raise CommandFailed(f"no page '{page}'", Exit.USAGE, hint=hint)
    path = known[name]
    if as_json:
        emit_json("docs", {"pages": [{"page": name, "title": _title(path), "path": str(path)}]})
    elif where:
        document(f"{path}\n")
    elif opened:
        click.launch(str(path))
    else:
        document(path.read_text("utf-8"))
