"""`pbem.toml` in a folder of saves: what belongs to the folder and not to a game.

`pbem setup` writes it, and people may edit it. Options and environment variables take precedence. The keys, all of
which may be missing:

- `[mail]`: `address` that the games write from; `imap` and `smtp`, the accounts as URLs; `maildir` to read instead;
  `authserv`, the mail host whose `dmarc=fail` counts; `login`, one of `LOGINS`; the files `password_file` (mode 0600)
  and `cafile` (PEM); `token_command`, which prints an access token; or `token_from`, the provider of tokens
  (`microsoft`, `google`, or the https address of another), and the `client_id` there (Google: the file with it)
- `[schedule]`: minutes from one run to the next, `every` (0: somebody runs it by hand); what starts it, `by`; and
  `monitor`, an address that is called after each run
- `[moderator]`: `addresses`, time `zone`, `language`, and `hour` of the daily email
- `[new]`: settings of new games, named as by `pbem config set`: `outage = 36`, `hours.turn = 72`, `days = ["mon"]`

Names of files count from the folder. There is never a password in it. It is no save, as it has no `[game]`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import msgspec

from pbem.save.errors import SaveError, SaveKeyError, Unreadable
from pbem.save.settings import SETTINGS, Reader, SettingError, address, one_of, zone
from pbem.save.toml_reader import parse, typed

NAME = "pbem.toml"
LOGINS = ("", "password", "app password", "token")
SCHEDULERS = ("", "systemd", "cron", "launchd", "task", "loop")


class FolderMail(msgspec.Struct, forbid_unknown_fields=True):
    """`[mail]`: see the module."""

    address: str = ""
    imap: str = ""
    smtp: str = ""
    maildir: str = ""
    authserv: str = ""
    login: str = ""
    password_file: str = ""
    cafile: str = ""
    token_command: str = ""
    token_from: str = ""
    client_id: str = ""


class FolderSchedule(msgspec.Struct, forbid_unknown_fields=True):
    """`[schedule]`: see the module."""

    every: int = 0
    by: str = ""
    monitor: str = ""


class FolderModerator(msgspec.Struct, forbid_unknown_fields=True):
    """`[moderator]`: see the module."""

    addresses: list[str] = []
    zone: str = ""
    language: str = ""
    hour: int = 8


class FolderSettings(msgspec.Struct, forbid_unknown_fields=True):
    """The file. `new` has the settings of new games as text for `set_setting`, `folder` contains it."""

    mail: FolderMail = msgspec.field(default_factory=FolderMail)
    schedule: FolderSchedule = msgspec.field(default_factory=FolderSchedule)
    moderator: FolderModerator = msgspec.field(default_factory=FolderModerator)
    new: dict[str, Any] = {}
    folder: str = ""

    def file(self, name: str) -> Path | None:
        """Return the path of a file named in the settings; None if the name is empty."""
        return Path(self.folder, Path(name).expanduser()) if name else None


folder_settings: ContextVar[FolderSettings | None] = ContextVar("folder_settings", default=None)
"""The `pbem.toml` of the folder at work, which may name files with the password and a certificate."""


def load_folder_settings(folder: Path) -> FolderSettings:
    """Read the file of a folder; if it is missing, nothing is set. Raises `SaveError`."""
    path = folder / NAME
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        return FolderSettings(folder=str(folder))
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror or "" if isinstance(error, OSError) else "not UTF-8"
        raise Unreadable(why, path=path, remedy="Correct or delete it; pbem setup writes a new one.") from None
    try:
        raw = parse(text)
        raw["new"] = dict(_texts(raw.get("new", {})))
        settings = typed({**raw, "folder": str(folder)}, FolderSettings, (), text)
        _check(settings)
    except SaveError as error:
        error.remedy = "Correct that line; pbem setup writes a new one."
        raise error.at(path) from None
    return settings


def _texts(table: Any, head: str = "") -> Iterator[tuple[str, str]]:
    """Yield names and values as `pbem config set` takes them: `hours.turn`, `mon,tue`."""
    for name, value in table.items() if isinstance(table, dict) else ():
        if isinstance(value, dict):
            yield from _texts(value, f"{name}.")
        else:
            yield head + name, ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _check(found: FolderSettings) -> None:
    """Raise `SaveKeyError` for a value that is not allowed."""
    boss, mail = found.moderator, found.mail
    checks: list[tuple[str, Reader, str]] = [
        ("moderator.addresses", lambda text: address(text, [mail.address]), to) for to in boss.addresses
    ]
    checks += [("mail.address", address, mail.address)] if mail.address else []
    checks += [("mail.token_from", token_provider, mail.token_from)] if mail.token_from else []
    checks += [("moderator.zone", zone, boss.zone)] if boss.zone else []
    checks += [("moderator.language", SETTINGS["language"].one, boss.language)] if boss.language else []
    checks += [("mail.login", one_of(LOGINS), mail.login), ("schedule.by", one_of(SCHEDULERS), found.schedule.by)]
    checks += [("moderator.hour", one_of(tuple(map(str, range(24)))), str(boss.hour))]
    checks += [(f"new.{name}", _setting_of(name), text) for name, text in found.new.items()]
    for key, read, text in checks:
        try:
            read(text)
        except SettingError as error:
            raise SaveKeyError(str(error), key=key) from None


def token_provider(text: str) -> str:
    """Return the name or address of a provider of tokens. Raises `SettingError`."""
    if text not in ("microsoft", "google") and not re.fullmatch(r"https://[^/\s]+/\S+", text):
        raise SettingError(f"'{text}' isn't one of microsoft, google, https://HOST/PATH")
    return text


def _setting_of(name: str) -> Reader:
    head = name.partition(".")[0]
    if head not in SETTINGS:
        raise SaveKeyError(f"'{head}' isn't a setting; settings: {', '.join(SETTINGS)}", key=f"new.{name}")
    return lambda text: SETTINGS[head].value(name, text)
