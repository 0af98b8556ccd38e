"""`pbem pack`: corrections of component data, from a printed copy of the game."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import games
from pbem import LANGUAGES
from pbem.cli import options
from pbem.cli.commands import command
from pbem.cli.console import CommandFailed, Exit, data, document, emit_json, failing, note, table, warn
from pbem.cli.options import FILE, NEW_FILE, GameSlug, PathParam, add_option
from pbem.kernel.pack_draft import PackDraft, changes, merged
from pbem.save.key_positions import positions
from pbem.save.pack_files import PackFileError, arrays, as_csv, cell, lines_of, read, store, take_csv

if TYPE_CHECKING:
    from pbem.kernel.rejections import RejectionReason


_box_argument = click.argument("box", metavar="PACK", type=FILE)

_game_option = add_option(
    "--game", "GAME", "Game of the pack, if the file doesn't name it.", default="", type=GameSlug()
)

_output_option = add_option("-o --output", "PATH", "File to write.", type=NEW_FILE, required=True)


def _read(path: Path, game: str = "") -> PackDraft:
    with failing(PackFileError, hint="pbem pack new GAME -o FILE begins one; pbem docs packs"):
        return read(path, games.load, game)


def _progress_text(box: PackDraft) -> str:
    done = box.progress
    what = f"{done.confirmed:,} of {done.doubtful:,} doubtful facts confirmed"
    return f"{what}, {done.corrected:,} values differ from the published ones"


@command("pack new", "virgin_queen -o my-copy.toml", 'crown_of_roses -o my-roses.toml --name "second printing"')
@click.argument("game", type=GameSlug())
@_output_option
@add_option("--name", "TEXT", "Name, such as 'second printing, 2014'.", default="")
def new_command(game: str, output: Path, name: str) -> None:
    """Create a component pack without corrections."""
    if output.exists():
        raise CommandFailed(f"{output} already exists", hint=f"go on with it: pbem pack edit {output}")
    loaded = games.load(game)
    box = PackDraft(loaded, head={"name": name} if name else {})
    box.head["base"] = box.published.digest
    store(output, box)
    data(str(output))
    done = box.progress
    note(f"{done.doubtful:,} facts of {loaded.title['en']} are doubtful: pbem pack edit {output}")


@command("pack edit", "my-copy.toml", "my-copy.toml --lang ja")
@_box_argument
@_game_option
@options.lang
@options.theme
def edit_command(box: Path, game: str, lang: str | None, theme: str) -> None:
    """Edit a component pack in the terminal.

    Doubtful facts come first. Each change is saved at once.
    """
    from pbem.tui import NoTerminal, need_terminal

    draft = _read(box, game)
    hint = "pbem pack export and import do the same by spreadsheet"
    with failing(NoTerminal, code=Exit.USAGE, hint=hint):
        need_terminal()
    from pbem.tui.pack.app import PackApp

    PackApp(box, draft, language=lang or LANGUAGES[0], theme=theme).run()


@command("pack check", "my-copy.toml", "my-copy.toml --json")
@_box_argument
@_game_option
@options.json
@click.pass_context
def check_command(ctx: click.Context, box: Path, game: str, as_json: bool) -> None:
    """Check a component pack against the rules.

    It names each broken rule, and your entries that break it.
    """
    draft, known = _read(box, game), positions(box.read_text("utf-8"))
    broken: list[tuple[RejectionReason, dict[str, int]]] = []
    for problem in draft.problems:
        names = draft.entries_to_blame(problem)
        lines = {name: next(lines_of(known, tuple(name.split("."))), 0) for name in names}
        broken.append((problem, lines))
    if as_json:
        problems = [{"rule": problem.rule, "text": str(problem), "entries": lines} for problem, lines in broken]
        whole = {"game": draft.game.slug, "digest": draft.digest, "progress": draft.progress}
        emit_json("pack", {**whole, "problems": problems})
    else:
        data(f"{box}: {_progress_text(draft)}")
        for problem, lines in broken:
            data(f"  {problem}")
            for name, line in lines.items():
                data(f"      {name}, line {line}" if line else f"      {name}")
        data(f"digest {draft.digest}" if draft.digest else f"{len(broken)} problems: no game can begin with it")
        if draft.head.get("base", draft.published.digest) != draft.published.digest:
            data("the published components are newer than this file: what you confirmed stands as you confirmed it")
    if broken:
        ctx.exit(Exit.FAILED_CHECK)


@command("pack export", "my-copy.toml --table cards.cards", "my-copy.toml -o tables")
@_box_argument
@_game_option
@add_option("--table name", "NAME", "Table, such as cards.cards.", default="")
@add_option(
    "-o --output",
    "PATH",
    "File to write; - is standard output. Without --table: folder for all tables with doubtful facts.",
    default="-",
    type=PathParam(allow_dash=True),
    show_default=False,
)
def export_command(box: Path, game: str, name: str, output: Path) -> None:
    """Export tables of facts as CSV for spreadsheets.

    A table has a row for each card, space or counter. Without --table and --output, list the tables.
    """
    draft = _read(box, game)
    if not name and str(output) != "-":
        output.mkdir(parents=True, exist_ok=True)
        for key, sheets in arrays(draft).items():
            if any(sheet.doubtful for sheet in sheets):
                (output / f"{key}.csv").write_text(as_csv(draft, key), "utf-8")
                data(str(output / f"{key}.csv"))
        return
    if not name:
        tables = arrays(draft).items()
        rows = [[key, str(len(sheets)), str(sum(sheet.doubtful for sheet in sheets))] for key, sheets in tables]
        table(rows, ["table", "entries", "doubtful"])
        note(f"pbem pack export {box} --table {rows[0][0]} -o facts.csv")
        return
    with failing(PackFileError, code=Exit.USAGE):
        text = as_csv(draft, name)
    if str(output) == "-":
        document(text)
    else:
        output.write_text(text, "utf-8")
        data(str(output))


@command("pack import", "my-copy.toml cards.csv", "my-copy.toml tables")
@_box_argument
@click.argument("facts", metavar="CSV...", nargs=-1, required=True, type=PathParam(exists=True))
@_game_option
@click.pass_context
def import_command(ctx: click.Context, box: Path, facts: tuple[Path, ...], game: str) -> None:
    """Import CSV tables of facts into a component pack.

    Values that differ become corrections. A row with `yes` under `confirmed` is confirmed as printed. If a row can't be
    read, nothing is changed.
    """
    draft = _read(box, game)
    changed = confirmed = 0
    for path in facts:
        for file in sorted(path.glob("*.csv")) if path.is_dir() else [path]:
            more, as_printed = _take(draft, file)
            changed, confirmed = changed + more, confirmed + as_printed
    store(box, draft)
    data(f"fields corrected: {changed}, confirmed as they are: {confirmed}; {_progress_text(draft)}")
    _warn_of_problems(ctx, draft)


def _take(box: PackDraft, facts: Path) -> tuple[int, int]:
    """Merge a CSV into a pack draft. Return how many fields were corrected and confirmed."""
    try:
        text = facts.read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise CommandFailed(f"{facts} is not UTF-8", hint="save it from the spreadsheet as CSV UTF-8") from None
    changed, confirmed, wrong = take_csv(box, text)
    if wrong:
        for problem in wrong:
            warn(f"{facts}, {problem}")
        why = f"{len(wrong)} cells can't be read (see above). Nothing was changed."
        raise CommandFailed(f"'{facts}' wasn't imported: {why}", Exit.FAILED_CHECK)
    return changed, confirmed


@command("pack diff", "my-copy.toml", "my-copy.toml your-copy.toml")
@click.argument("first", metavar="PACK", type=FILE)
@click.argument("second", metavar="[OTHER]", required=False, type=FILE)
@_game_option
@options.json
def diff_command(first: Path, second: Path | None, game: str, as_json: bool) -> None:
    """Show where two component packs differ.

    Without OTHER, show where PACK differs from the published components.
    """
    a = _read(first, game)
    b = _read(second, game) if second is not None else None
    if b is not None and b.game.slug != a.game.slug:
        raise CommandFailed(f"{first} is for {a.game.slug}, {second} for {b.game.slug}", Exit.USAGE)
    differences = list(changes(a) if b is None else changes(b, a.tables))
    if as_json:
        rows = [
            {"entry": ".".join(place), "field": name, "from": then, "to": now} for place, name, then, now in differences
        ]
        emit_json("packdiff", {"differences": rows})
        return
    for place, name, then, now in differences:
        data(f"{'.'.join(place)}.{name}: {_value(then)} → {_value(now)}")
    if not differences:
        note("the same values")


@command("pack merge", "a.toml b.toml -o both.toml", "a.toml b.toml --prefer first -o both.toml")
@click.argument("first", metavar="PACK", type=FILE)
@click.argument("second", metavar="OTHER", type=FILE)
@_output_option
@_game_option
@add_option("--prefer", "", "Pack whose values are used where they differ.", type=click.Choice(["first", "second"]))
@click.pass_context
def merge_command(ctx: click.Context, first: Path, second: Path, output: Path, game: str, prefer: str | None) -> None:
    """Merge two component packs of one game."""
    a, b = _read(first, game), _read(second, game)
    if a.game.slug != b.game.slug:
        raise CommandFailed(f"{first} is for {a.game.slug}, {second} for {b.game.slug}", Exit.USAGE)
    if prefer == "second":
        a, b = b, a
    both, conflicts = merged(a, b)
    for address, own, other in conflicts:
        warn(f"{address}: {_value(own)} in {first}, {_value(other)} in {second}" if not prefer else address)
    if conflicts and not prefer:
        hint = "decide with --prefer first or second, or correct one of them"
        raise CommandFailed(f"they differ in {len(conflicts)} facts", Exit.FAILED_CHECK, hint=hint)
    box = PackDraft(a.game, both, {**b.head, **a.head})
    store(output, box)
    data(f"{output}: {_progress_text(box)}")
    _warn_of_problems(ctx, box)


def _warn_of_problems(ctx: click.Context, box: PackDraft) -> None:
    for problem in box.problems:
        warn(str(problem))
    if box.problems:
        ctx.exit(Exit.FAILED_CHECK)


def _value(value: Any) -> str:
    return "-" if value is None else cell(value) or '""'
