"""`pbem setup schedule`: start `pbem run` by systemd, cron, launchd and the Task Scheduler."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from pbem import atomic_files
from pbem.cli import options
from pbem.cli.answers import Answers, current, done, failed, folder_option, store
from pbem.cli.commands import command
from pbem.cli.console import CommandFailed, Exit, data, note
from pbem.cli.options import add_option, sure
from pbem.mail.save_index import SaveIndex
from pbem.save.folder_settings import FolderSettings

NOTHING = "nothing"
_KINDS = {
    "systemd": "systemd",
    "cron": "cron",
    "launchd": "launchd (macOS)",
    "task": "the Task Scheduler (Windows)",
    "loop": "pbem run --every, which I start",
    NOTHING: "nothing, I do it",
}
_BY_HAND, _LEAST = 36, 6  # hours without a run that count as an outage: if somebody runs it by hand, and at least


class Job(NamedTuple):
    """What to run for a folder at which interval in minutes; `password` is a file that systemd hands over."""

    words: Sequence[str]
    minutes: int
    folder: Path
    environment: dict[str, str]
    password: Path | None = None


@command("setup schedule", "pbem setup schedule", "--print --scheduler systemd --every 15")
@folder_option
@add_option("--every", "N", "Minutes between two runs.", type=click.IntRange(1, 1440))
@add_option("--scheduler", "", "Scheduler that starts the runs.", type=click.Choice(list(_KINDS)))
@add_option("--monitor", "URL", "URL to call after each run.")
@click.option("--print", "prints", is_flag=True, help="Print what would be installed, without installing it.")
@options.yes
def schedule_command(saves: Path, prints: bool, **given: Any) -> None:
    """Schedule `pbem run`.

    It installs a systemd timer, a line in your crontab, a launchd job or a task of Windows. None of them has a
    password in it: `pbem run` reads what pbem.toml names.
    """
    if not prints:
        schedule_step(saves, given)
        return
    kind = given["scheduler"] or _offered()[0]
    if kind not in _TEXTS:
        raise CommandFailed(
            f"--print: nothing is installed for '{kind}'", Exit.USAGE, hint=f"--scheduler {' or '.join(_TEXTS)}"
        )
    data(_TEXTS[kind](_job(saves, current(saves), given["every"] or current(saves).schedule.every or 10)))


def schedule_step(folder: Path, given: Mapping[str, Any]) -> None:
    """Ask how often and by what `pbem run` starts, and install it. Raises `CommandFailed`."""
    now, answers = current(folder), Answers(given)
    before = now.schedule
    kinds = [(kind, _KINDS[kind]) for kind in _offered()]
    if given.get("scheduler"):
        kinds = list(_KINDS.items())
    kind = answers.choose("scheduler", "Start runs by", kinds, before.by if before.by in dict(kinds) else kinds[0][0])
    minutes = 0
    if kind != NOTHING:
        minutes = int(answers.ask("every", "Minutes between two runs", str(before.every or 10), read=_minutes))
    monitor = answers.ask("monitor", "Monitoring address, called after each run (optional)", before.monitor, read=_url)
    answers.complete()
    if kind in _INSTALL:
        if not (now.mail.imap or now.mail.maildir):
            raise CommandFailed("no mailbox is connected", Exit.USAGE, hint="pbem setup mail")
        _INSTALL[kind](_job(folder, now, minutes), bool(given.get("yes")))
    elif kind == "loop":
        done(f"start it yourself: pbem run --every {minutes} --saves {shlex.quote(_whole(folder))}")
    by = "" if kind == NOTHING else kind
    store(folder, "schedule", {"every": minutes or None, "by": by, "monitor": monitor})
    hours = max(_LEAST, -(-3 * minutes // 60)) if minutes else _BY_HAND
    store(folder, "new", {"outage": hours})
    _tell_of_outages(folder, hours)


def _tell_of_outages(folder: Path, hours: int) -> None:
    index = SaveIndex([folder])
    for name, save in index.headers.items():
        if save.clock.outage < hours:
            remedy = f'pbem config set {index.paths[name]} outage={hours} --reason "how often mail is read"'
            failed(f"{save.header.name}: {save.clock.outage} hours without a run count as an outage", remedy)


def _minutes(text: str) -> str:
    if not text.isdecimal() or not 1 <= int(text) <= 1440:
        raise ValueError("write a number from 1 to 1440")
    return text


def _url(text: str) -> str:
    if text and not re.fullmatch(r"https?://\S+", text):
        raise ValueError("write an address such as https://example.org/ping, or nothing")
    return text


def _offered() -> list[str]:
    if sys.platform == "win32":
        return ["task", "loop", NOTHING]
    if sys.platform == "darwin":
        return ["launchd", "cron", NOTHING]
    kinds = ["systemd"] if shutil.which("systemctl") and not _ran("systemctl", "--user", "show-environment") else []
    return [*kinds, *(["cron"] if shutil.which("crontab") else []), "loop", NOTHING]


def _job(folder: Path, now: FolderSettings, minutes: int) -> Job:
    words = [*_pbem(), "-q", "run", "--saves", _whole(folder)]
    environment = {name: os.environ[name] for name in ("PBEM_CAFILE", "PBEM_ALLOW") if os.environ.get(name)}
    password = now.file(now.mail.password_file) if not now.mail.token_from else None  # systemd's copy isn't renewed
    return Job(words, minutes, folder, environment, Path(_whole(password)) if password else None)


def _pbem() -> list[str]:
    """Return how a scheduler, whose PATH is short, starts this pbem."""
    script = Path(sys.argv[0])
    if script.name in ("pbem", "pbem.exe") and script.is_file():
        return [_whole(script)]
    return [sys.executable, "-m", "pbem"]


def _whole(path: Path) -> str:
    """Return an absolute path, without resolving links."""
    return os.path.abspath(path)  # noqa: PTH100 - `resolve` would follow links


def _ran(*words: str, text: str | None = None) -> str:
    """Run a program of the system; return what it says if it fails, "" if it doesn't."""
    try:
        done = subprocess.run(words, input=text, capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    output = (done.stderr or done.stdout).strip()
    return "" if not done.returncode else output or f"{words[0]} ended with status {done.returncode}"


def _must(*words: str, text: str | None = None) -> None:
    if why := _ran(*words, text=text):
        raise CommandFailed(f"{' '.join(words[:3])}: {why}", Exit.FAILED_CHECK)


def _replace(path: Path, text: str, yes: bool) -> None:
    """Write a file of a scheduler; a different one that is there is shown first. Raises `CommandFailed`."""
    old = path.read_text("utf-8") if path.exists() else text
    if old != text:
        note(f"{path} already exists:\n{old}")
        sure(f"Replace {path}?", yes)
    path.parent.mkdir(parents=True, exist_ok=True)
    atomic_files.replace(path, text.encode(), 0o644)


def _crontab(job: Job) -> str:
    """Return the lines for a crontab; the first one marks them as ours."""
    minutes = job.minutes
    if 60 % minutes if minutes < 60 else minutes % 60 or 1440 % minutes:
        fits = ", ".join(str(n) for n in range(1, 61) if not 60 % n)
        hint = f"{fits}, or hours that divide a day; or --scheduler systemd, --scheduler launchd"
        raise CommandFailed(f"cron can't run anything every {minutes} minutes", Exit.USAGE, hint=hint)
    when = f"*/{minutes} * * * *" if minutes < 60 else f"0 {'*' if minutes == 60 else f'*/{minutes // 60}'} * * *"
    when = "0 0 * * *" if minutes == 1440 else when
    given = " ".join(f"{name}={shlex.quote(value)}" for name, value in job.environment.items())
    line = f"{given} {shlex.join(job.words)}".strip()
    mark = f"# pbem: games in {_whole(job.folder)}"
    return f"{mark}\n{when} {line}".replace("%", r"\%")  # % is a line end to cron


def _install_cron(job: Job, yes: bool) -> None:
    listed = subprocess.run(["crontab", "-l"], capture_output=True, text=True, check=False)
    old = listed.stdout.splitlines() if not listed.returncode else []
    text = _crontab(job).splitlines()
    ours = re.compile(rf"[^#].*\brun\b.* --saves {re.escape(shlex.quote(_whole(job.folder)))}(\s|$)")
    kept = [line for line in old if line != text[0] and not ours.match(line.replace(r"\%", "%"))]
    gone = [line for line in old if line not in kept and line not in text]
    if gone:
        sure("Your crontab already has:\n" + "\n".join(gone) + "\nReplace it?", yes)
    _must("crontab", "-", text="\n".join([*kept, *text]) + "\n")
    done(f"crontab: every {job.minutes} minutes")


def _units(job: Job, name: str = "pbem") -> dict[str, str]:
    """Return the texts of service and timer by their file names."""
    environment = [f"Environment={_unit_word(f'{key}={value}', dollar='$')}" for key, value in job.environment.items()]
    if job.password is not None:
        from pbem.mail.transport.accounts import CREDENTIAL

        environment.append(f"LoadCredential={CREDENTIAL}:{str(job.password).replace('%', '%%')}")
    service = [
        "[Unit]",
        "Description=pbem: fetch mail, apply deadlines, send mail",
        "",
        "[Service]",
        "Type=oneshot",
        *environment,
        f"ExecStart={' '.join(map(_unit_word, job.words))}",
    ]
    timer = ["[Unit]", f"Description=pbem every {job.minutes} minutes", "", "[Timer]", "OnBootSec=2min"]
    timer += [f"OnUnitActiveSec={job.minutes}min", "", "[Install]", "WantedBy=timers.target"]
    return {f"{name}.service": "\n".join(service) + "\n", f"{name}.timer": "\n".join(timer) + "\n"}


def _systemd(job: Job) -> str:
    parts = [f"# ~/.config/systemd/user/{name}\n{text}" for name, text in _units(job).items()]
    then = "# then: systemctl --user daemon-reload && systemctl --user enable --now pbem.timer"
    return "\n".join(parts) + f"{then} && loginctl enable-linger"


def _unit_word(word: str, dollar: str = "$$") -> str:
    """Quote a word of a systemd unit: `%` doubled, and `$` too where it would name a variable."""
    plain = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", dollar)
    return f'"{plain}"'


def _install_systemd(job: Job, yes: bool) -> None:
    home = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "systemd" / "user"
    name, there = "pbem", home / "pbem.service"
    if there.exists() and f'--saves" {_unit_word(_whole(job.folder))}' not in there.read_text("utf-8"):
        name = f"pbem-{re.sub('[^A-Za-z0-9]+', '-', Path(_whole(job.folder)).name)}"  # of another folder
    for file, text in _units(job, name).items():
        _replace(home / file, text, yes)
    _must("systemctl", "--user", "daemon-reload")
    _must("systemctl", "--user", "enable", "--now", f"{name}.timer")
    done(f"{name}.timer enabled, every {job.minutes} minutes")
    if why := _ran("loginctl", "enable-linger"):
        failed(f"it runs only while you are logged in: {why}", "as root: loginctl enable-linger USER")


def _launchd(job: Job) -> str:
    import plistlib

    plist = {"Label": "pbem", "ProgramArguments": list(job.words), "StartInterval": job.minutes * 60}
    plist |= {"StandardErrorPath": str(Path.home() / "Library" / "Logs" / "pbem.log"), "RunAtLoad": True}
    if job.environment:
        plist["EnvironmentVariables"] = job.environment
    return plistlib.dumps(plist, sort_keys=False).decode().rstrip("\n")


def _install_launchd(job: Job, yes: bool) -> None:
    path = Path.home() / "Library" / "LaunchAgents" / "pbem.plist"
    _replace(path, _launchd(job) + "\n", yes)
    _ran("launchctl", "unload", str(path))
    _must("launchctl", "load", str(path))
    done(f"{path} loaded, every {job.minutes} minutes")


def _task(job: Job) -> list[str]:
    line = subprocess.list2cmdline(job.words)
    when = ["/SC", "MINUTE", "/MO", str(job.minutes)] if job.minutes < 1440 else ["/SC", "DAILY"]
    return ["schtasks", "/Create", "/TN", "pbem", *when, "/TR", line]


def _install_task(job: Job, yes: bool) -> None:
    if not _ran("schtasks", "/Query", "/TN", "pbem"):
        sure("A task 'pbem' already exists. Replace it?", yes)
    _must(*_task(job), "/F")
    done(f"task 'pbem', every {job.minutes} minutes")


_TEXTS: dict[str, Callable[[Job], str]] = {
    "systemd": _systemd,
    "cron": _crontab,
    "launchd": _launchd,
    "task": lambda job: subprocess.list2cmdline(_task(job)),
}
_INSTALL: dict[str, Callable[[Job, bool], None]] = {
    "systemd": _install_systemd,
    "cron": _install_cron,
    "launchd": _install_launchd,
    "task": _install_task,
}
