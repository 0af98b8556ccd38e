"""Options that several commands share."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import click

saves_option = click.option(
    "--saves",
    type=click.Path(path_type=Path, file_okay=False),
    envvar="PBEM_SAVES",
    default=".",
    show_default="the current folder",
    show_envvar=True,
    help="The folder of the saves, with quarantine and outbox beside them.",
)


save_argument = click.argument("save", type=click.Path(path_type=Path, exists=True, dir_okay=False))


def _moment(ctx: click.Context, param: click.Parameter, value: str | None) -> datetime:
    from datetime import UTC

    if value is None:
        return datetime.now(UTC).replace(microsecond=0)
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        raise click.BadParameter(f"'{value}' is not a time like 2026-05-01T12:00:00Z") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


now_option = click.option(
    "--now",
    callback=_moment,
    metavar="TIME",
    help="Act as if it were this time (ISO 8601; UTC unless it says otherwise).",
)

json_option = click.option("--json", "as_json", is_flag=True, help="Machine-readable.")
