"""`pbem live`: print each seat's ways to the live table, sit down, serve the links."""

from __future__ import annotations

import base64
import binascii
import hashlib
import ipaddress
import os
import re
import secrets
import shlex
import sys
from pathlib import Path
from urllib.parse import urlsplit

import click

from pbem import atomic_files
from pbem.cli import options
from pbem.cli.commands import command
from pbem.cli.console import CommandFailed, Exit, failing, note
from pbem.cli.options import FILE, add_option, guard, seat_id
from pbem.cli.tui import explaining
from pbem.mail.presence import TableFull, folder
from pbem.save import load_header

BIND = "127.0.0.1:8000"
_KEY = re.compile(r"(?:ssh|ecdsa|sk)-[\w@.-]+ [A-Za-z0-9+/]+=*(?: [^\x00-\x1f\x7f]*)?")
"""A public key without options: a player's file must not add any to its line."""


@command(
    "live",
    "vq-07.toml --key spain=ana.pub --url https://games.example.org",
    "vq-07.toml --serve --url https://games.example.org",
)
@click.argument("save", metavar="SAVE", type=FILE)
@options.seat("Sit down in this seat, or look on as `public`.")
@options.lang
@options.theme
@add_option("--key keys", "SEAT=FILE", "Public SSH key of a seat's player.", multiple=True)
@add_option("--url", "URL", f"Where players reach the links [default: http://{BIND}].", default="")
@add_option("--renew", "SEAT", "Give this seat a new link. The old one stops working.", multiple=True)
@click.option("--serve", is_flag=True, help="Serve the links until Ctrl-C (extra `serve`: pbem docs install).")
@add_option("--bind", "HOST:PORT", f"Address of --serve, on this machine [default: {BIND}].", default="")
@click.option("--via", default="terminal", hidden=True, help="What the journal says of the way in.")
def live_command(
    save: Path,
    seat: str,
    lang: str | None,
    theme: str,
    keys: tuple[str, ...],
    url: str,
    renew: tuple[str, ...],
    serve: bool,
    bind: str,
    via: str,
) -> None:
    """Play at a live table, by SSH or in a browser.

    Each player has a terminal on this host. It prints a line for authorized_keys and a link for each seat and for
    spectators: anyone with the link can sit in that seat. With --seat, open that seat. With --serve, serve the links,
    behind a web server with TLS.
    """
    header = load_header(save)
    if seat:
        guard(header, seat_id(header, seat, "public"))
        from pbem.tui.live import run

        with explaining(), failing(TableFull, code=Exit.FAILED_CHECK):
            run(save, seat, language=lang or "", theme=theme, table=via)
        return
    guard(header, "moderator")
    seats = [*(info.id for info in header.seats), "public"]
    links = _links(save, seats, [seat_id(header, name, "public") for name in renew])
    url = _checked_url(url or f"http://{bind or BIND}")
    if serve:
        languages = {info.id: info.language for info in header.seats}
        _serve(save, links, languages, url, _address(bind or BIND))
        return
    given = dict(_key_of(pair, seats) for pair in keys)
    for name in seats:
        key = given.get(name, "ssh-ed25519 KEY-OF-THE-PLAYER")
        line = _session(save, name, f"ssh-{_sign(key)}", ssh=True).replace("\\", "\\\\").replace('"', '\\"')
        click.echo(f'# {name}\ncommand="{line}",restrict,pty {key}\n{url}/{links[name]}/\n')


def _session(save: Path, seat: str, via: str, *, ssh: bool) -> str:
    """Return the command of a seat's session. The player only chooses the name of their terminal in it."""
    words = ["exec"]
    if ssh:
        kept = {"HOME": str(Path.home()), "LANG": "C.UTF-8", "PBEM_GAMES": os.environ.get("PBEM_GAMES", "")}
        words += ["env", "-i", *(f"{name}={value}" for name, value in kept.items() if value), 'TERM="$TERM"']
    words += [sys.executable, "-I", "-m", "pbem", "live", str(save.resolve()), "--seat", seat, "--via", via]
    return " ".join(word if word.startswith("TERM=") else shlex.quote(word) for word in words)


def _sign(secret: str) -> str:
    """Return a short mark by which the journal names a key or a link: no secret can be found from it."""
    return hashlib.sha256(secret.encode()).hexdigest()[:12]


def _key_of(pair: str, seats: list[str]) -> tuple[str, str]:
    seat, _, file = pair.partition("=")
    if seat not in seats or not file:
        raise CommandFailed(f"--key {pair!r}: write SEAT=FILE", Exit.USAGE, hint=f"seats: {', '.join(seats)}")
    key = Path(file).read_text("utf-8").strip()
    try:
        valid = bool(_KEY.fullmatch(key) and base64.b64decode(key.split()[1], validate=True))
    except binascii.Error:
        valid = False
    if not valid:
        raise CommandFailed(f"{file} isn't a public SSH key", Exit.USAGE, hint="it is one line, without options")
    return seat, key


def _links(save: Path, seats: list[str], renew: list[str]) -> dict[str, str]:
    file = folder(save) / "links.json"
    known = atomic_files.load(file, dict[str, str]) or {}
    kept = {seat: link for seat, link in known.items() if seat not in renew}
    links = {seat: kept.get(seat) or secrets.token_urlsafe(24) for seat in seats}
    if links != known:
        file.parent.mkdir(mode=0o700, exist_ok=True)
        atomic_files.store(file, links)
    return links


def _checked_url(url: str) -> str:
    """Return the address of the links. Raises `CommandFailed` if they would cross a network unencrypted."""
    parts = urlsplit(url)
    safe = parts.scheme == "https" or (parts.scheme == "http" and _is_here(parts.hostname or ""))
    if not safe or not parts.netloc or parts.path.strip("/") or parts.query or parts.fragment:
        hint = "a link is as good as a key: it needs TLS"
        raise CommandFailed(f"--url {url!r}: write https://HOST", Exit.USAGE, hint=hint)
    return f"{parts.scheme}://{parts.netloc}"


def _is_here(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _address(bind: str) -> tuple[str, int]:
    host, _, number = bind.rpartition(":")
    host = host.strip("[]")
    if not _is_here(host) or not number.isdecimal() or not 0 < int(number) < 1 << 16:
        hint = "a web server with TLS on this machine passes requests on to it"
        raise CommandFailed(f"--bind {bind!r}: write 127.0.0.1:PORT", Exit.USAGE, hint=hint)
    return host, int(number)


def _serve(save: Path, links: dict[str, str], languages: dict[str, str], url: str, address: tuple[str, int]) -> None:
    try:
        from pbem.tui.serving import LinkServer, SeatLink
    except ImportError:
        hint = "install the extra `serve` (pbem docs install); without it, players come by SSH"
        raise CommandFailed("textual-serve is not installed", Exit.USAGE, hint=hint) from None
    found = {
        link: SeatLink(_session(save, seat, f"link-{_sign(link)}", ssh=False), languages.get(seat, ""))
        for seat, link in links.items()
    }
    note(f"{url}: the links of {save.stem} (Ctrl-C ends it)")
    LinkServer(found, address, url, save.stem).serve()
