"""Roundcube, as Debian packages it, on loopback: a player writes in Chromium, the mail goes through our servers."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from tests import chromium
from tests.mail.servers import free_port

ROUNDCUBE = Path("/usr/share/roundcube")
_SETTINGS = Path("/etc/roundcube")
_LONGEST = 60
"""Seconds until a page is given up."""

_CONFIG = """<?php
$config = [
    'db_dsnw' => 'sqlite:///{home}/db?mode=0600',
    'imap_host' => '127.0.0.1:{imap}', 'smtp_host' => '127.0.0.1:{smtp}', 'smtp_user' => '', 'smtp_pass' => '',
    'username_domain' => 'example.org', 'mail_domain' => 'example.org', 'des_key' => 'only-for-this-test-24-ch',
    'temp_dir' => '{home}', 'log_dir' => '{home}', 'plugins' => [], 'skin' => 'elastic', 'language' => 'en_US',
];
"""


class Webmail:
    """A player's session of the webmailer."""

    def __init__(self, browser: Any, address: str) -> None:
        self.browser, self.address = browser, address

    def log_in(self, user: str, password: str) -> None:
        self.browser.get(self.address)
        self.wait("return document.querySelector('#rcmloginuser')")
        self.browser.find_element("id", "rcmloginuser").send_keys(user)
        self.browser.find_element("id", "rcmloginpwd").send_keys(password)
        self.browser.find_element("id", "rcmloginsubmit").click()
        self.wait("return window.rcmail && rcmail.env.task == 'mail'")

    def reply(self, mode: str, q: int) -> None:
        """Reply to the newest email: write above or below the copy, or in the place of the `?`, and send."""
        self.browser.get(f"{self.address}/?_task=mail&_mbox=INBOX")
        uid = self.wait("return window.rcmail && rcmail.message_list && rcmail.message_list.get_first_row()")
        self.browser.get(f"{self.address}/?_task=mail&_action=compose&_mbox=INBOX&_reply_uid={uid}")
        text = self.wait("return (document.querySelector('#composebody') || {}).value")
        if mode == "place":
            assert f"{q}: ?" in text
        written = {
            "top": f"red\n\n{text}", "below": f"{text}\n\nred\n", "place": text.replace(f"{q}: ?", f"{q}: red", 1),
        }[mode]  # fmt: skip
        self.browser.execute_script("document.querySelector('#composebody').value = arguments[0]", written)
        self.browser.find_element("css selector", "button.send").click()

    def wait(self, script: str) -> Any:
        """Return what a script returns, as soon as it returns something."""
        end = time.monotonic() + _LONGEST
        while not (found := self.browser.execute_script(script)):
            if time.monotonic() > end:
                raise AssertionError(f"{script}: {self.browser.page_source[-3000:]}")
            time.sleep(0.1)
        return found


@pytest.fixture(scope="module")
def webmail(dovecot, postfix, tmp_path_factory):
    """Anna's session of Roundcube."""
    if chromium.MISSING:
        pytest.skip(chromium.MISSING)
    php = shutil.which("php")
    if php is None or not ROUNDCUBE.is_dir():
        pytest.skip("needs Roundcube and PHP: apt-get install roundcube-core roundcube-sqlite3 php-cli php-sqlite3")
    home, port = tmp_path_factory.mktemp("roundcube"), free_port()
    (home / "config.inc.php").write_text(_CONFIG.format(home=home, imap=dovecot.port, smtp=postfix.port))
    for name in ("defaults.inc.php", "mimetypes.php"):
        (home / name).symlink_to(_SETTINGS / name)
    env = {**os.environ, "ROUNDCUBE_CONFIG_DIR": str(home)}
    words = [php, "-S", f"127.0.0.1:{port}", "-t", str(ROUNDCUBE)]
    with (home / "server.log").open("wb") as log:
        server = subprocess.Popen(words, env=env, stdout=log, stderr=log)
    address = f"http://127.0.0.1:{port}"
    browser = None
    try:
        for _ in range(200):
            with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=5):
                break
            time.sleep(0.1)
        browser = chromium.launch(tmp_path_factory.mktemp("browser"))
        session = Webmail(browser, address)
        session.log_in("anna", dovecot.password)
        yield session
    finally:
        if browser is not None:
            browser.quit()
        server.terminate()
        server.wait(10)
