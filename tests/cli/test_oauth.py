"""The extra `oauth`: signing in at a provider of tokens on loopback, and logging in with what it gives."""

from __future__ import annotations

import builtins
import json
import stat
import threading
import time
import urllib.request
from functools import partial
from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit

import msal
import pytest

from pbem.cli.console import Exit
from pbem.cli.setup_schedule import _job
from pbem.mail.inbox.sources import SourceError
from pbem.mail.transport import oauth
from pbem.mail.transport.accounts import AccountError, TokenError
from pbem.mail.transport.imap import Mailbox
from pbem.mail.transport.tokens import token_source
from pbem.save.folder_settings import FolderMail, FolderSettings, folder_settings, load_folder_settings
from tests.cli.test_schedule import heard
from tests.cli.test_setup import terminal, typed
from tests.mail.servers import Introspection, Provider, authority, dovecot, free_port, mailbox, provider, smtp_server

__all__ = ["authority", "dovecot", "mailbox", "provider", "terminal"]  # fixtures

DEVICE = "urn:ietf:params:oauth:grant-type:device_code"


class Sso(Provider):
    """A provider as OpenID Connect has it; `polls` is what it says to somebody who waits, one word each."""

    url: str
    asked: list[dict[str, str]]
    refreshing: set[str]
    polls: list[str]
    waits: list[float]
    rotates = True
    down = False


class Tokens(Introspection):
    server: Sso

    def answer(self, status: int, **said) -> None:
        body = json.dumps(said).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        at = self.server.url
        names = {"authorization": "authorize", "token": "token", "device_authorization": "device"}
        self.answer(200, issuer=at, **{f"{name}_endpoint": f"{at}/{path}" for name, path in names.items()})

    def do_POST(self) -> None:
        server = self.server
        form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        given = {name: values[0] for name, values in form.items()}
        server.asked.append(given)
        if server.down:
            self.answer(503)
        elif given.get("client_id") not in (None, "our-client"):
            self.answer(400, error="unauthorized_client", error_description="who?")
        elif self.path.endswith("/device"):
            self.answer(200, device_code="D", user_code="ABCD-EFGH", verification_uri="https://sign.in/here",
                        interval=1, expires_in=20)  # fmt: skip
        elif given["grant_type"] == DEVICE and (word := server.polls.pop(0)) != "token":
            self.answer(400, error=word, error_description=f"says\x1b[2J {word}")
        elif given["grant_type"] == "refresh_token" and given["refresh_token"] not in server.refreshing:
            self.answer(400, error="invalid_grant", error_description="AADSTS700082: too old Trace ID: 7")
        else:
            self.give(given)

    def give(self, given) -> None:
        server = self.server
        number = len(server.asked)
        server.good.add(f"access-{number}")
        more = {"refresh_token": f"secret-{number}"} if server.rotates or "refresh_token" not in given else {}
        server.refreshing = set(more.values()) or server.refreshing
        self.answer(200, access_token=f"access-{number}", token_type="Bearer", expires_in=3600, **more)


@pytest.fixture
def sso(authority, provider, monkeypatch):
    """The provider whose tokens Dovecot takes; a clock that its client's waiting moves on."""
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(authority.pem))
    for name in ("PBEM_MAIL_TOKEN_COMMAND", "PBEM_IMAP_PASSWORD", "PBEM_SMTP_PASSWORD"):
        monkeypatch.delenv(name, raising=False)
    with Sso(("127.0.0.1", 0), Tokens) as server:
        server.socket = authority.server().wrap_socket(server.socket, server_side=True)
        server.url = f"https://127.0.0.1:{server.server_port}/realm"
        server.good, server.asked, server.refreshing, server.polls = provider.good, [], set(), ["token"]
        server.waits, start = [], time.time()
        clock = SimpleNamespace(time=lambda: start + sum(server.waits), sleep=server.waits.append)
        monkeypatch.setattr("msal.oauth2cli.oauth2.time", clock)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()
            provider.good.clear()


def folder_of(tmp_path, sso, text, **more):
    (tmp_path / ".token").write_text(text)
    mail = FolderMail(token_from=sso.url, client_id="our-client", password_file=".token", login="token")
    for name, value in more.items():
        setattr(mail, name, value)
    return FolderSettings(mail=mail, folder=str(tmp_path))


def test_a_code_is_shown_and_the_sign_in_waited_for_as_the_provider_asks(sso, tmp_path):
    sso.polls, said = ["authorization_pending", "slow_down", "authorization_pending", "token"], []
    kept = oauth.sign_in(sso.url, "our-client", said.append)
    assert said == ["Open https://sign.in/here and enter ABCD-EFGH"]
    assert sum(sso.waits) == 1 + 6 + 6  # slow_down: five seconds more, from then on (RFC 8628)
    assert json.loads(kept) == {"refresh_token": f"secret-{len(sso.asked)}"}
    settings = folder_of(tmp_path, sso, kept)
    tokens = [oauth.access_token(settings) for _ in range(2)]
    assert set(tokens) <= sso.good
    assert tokens[0] != tokens[1]
    assert json.loads((tmp_path / ".token").read_text())["refresh_token"] in sso.refreshing  # the newest
    assert stat.S_IMODE((tmp_path / ".token").stat().st_mode) == 0o600
    sso.rotates = False
    before = (tmp_path / ".token").read_bytes()
    assert oauth.access_token(settings) in sso.good
    assert (tmp_path / ".token").read_bytes() == before


REFUSED = {
    "nobody enters the code": (["authorization_pending"] * 30, "nobody entered the code in time"),
    "the provider says it expired": (["authorization_pending", "expired_token"], "nobody entered the code in time"),
    "declined": (["access_denied"], "the sign-in was declined"),
    "declined, Microsoft": (["authorization_declined"], "the sign-in was declined"),
    "an error of its own": (["mfa_required"], "mfa_required: says"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_sign_in_that_fails_says_why(sso, case):
    sso.polls, words = list(REFUSED[case][0]), REFUSED[case][1]
    with pytest.raises(TokenError, match=words) as stopped:
        oauth.sign_in(sso.url, "our-client", lambda words: None)
    assert "\x1b" not in str(stopped.value)
    assert sum(sso.waits) <= 25


def test_what_is_refused_or_out_of_reach_is_told_without_the_secret(sso, tmp_path, caplog, capfd):
    old = folder_of(tmp_path, sso, '{"refresh_token": "secret-old"}')
    words = "the sign-in isn't valid any more: invalid_grant: AADSTS700082: too old. To sign in again, run `pbem setup"
    with pytest.raises(TokenError, match=words) as refused:
        oauth.access_token(old)
    sso.down = True
    with pytest.raises(TokenError, match=r"gives no token: .*HTTP ?Error") as down:
        oauth.access_token(old)
    assert "setup" not in str(down.value)  # signing in again would not help
    sso.down = False
    with pytest.raises(TokenError, match="doesn't allow this client ID"):
        oauth.sign_in(sso.url, "another", lambda words: None)
    with pytest.raises(TokenError, match=r"can't be reached \(ConnectionError\)"):
        oauth.sign_in(f"https://127.0.0.1:{free_port()}/realm", "our-client", lambda words: None)
    for text, kind, words in (
        ("", AccountError, "is missing"),
        ("no JSON", TokenError, "JSON"),
        ("{}", TokenError, "refresh_token"),
    ):
        with pytest.raises(kind, match=words):
            oauth.access_token(folder_of(tmp_path, sso, text))
    with pytest.raises(AccountError, match="pbem setup mail"):
        oauth.access_token(folder_of(tmp_path, sso, "", password_file="elsewhere"))
    assert "secret-" not in capfd.readouterr().err + str(refused.value)


def test_without_the_extra_the_error_says_what_to_install(sso, tmp_path, monkeypatch):
    settings = folder_of(tmp_path, sso, '{"refresh_token": "x"}')
    real = builtins.__import__

    def without(name, *more):
        if name.partition(".")[0] in ("msal", "google", "google_auth_oauthlib"):
            raise ImportError(name)
        return real(name, *more)

    monkeypatch.setattr(builtins, "__import__", without)
    for name in (sso.url, "google"):
        settings.mail.token_from = name
        with pytest.raises(AccountError, match="the extra `oauth` isn't installed"):
            oauth.access_token(settings)


def test_microsoft_is_asked_for_the_scopes_of_its_mailboxes(sso, tmp_path, monkeypatch):
    tenant = "https://login.microsoftonline.com/contoso.example"
    assert oauth._scopes("microsoft") == oauth._scopes(tenant) != []
    assert oauth._scopes("https://login.microsoftonline.com.example/x") == oauth._scopes("https://sso.example/x") == []
    monkeypatch.setattr(oauth, "_MICROSOFT", sso.url.removesuffix("realm"))
    elsewhere = partial(msal.PublicClientApplication, validate_authority=False, instance_discovery=False)
    monkeypatch.setattr(msal, "PublicClientApplication", elsewhere)
    kept = oauth.sign_in("microsoft", "our-client", lambda words: None)
    assert oauth.access_token(folder_of(tmp_path, sso, kept, token_from="microsoft")) in sso.good
    scopes = [given["scope"] for given in sso.asked if "scope" in given]
    assert len(scopes) == 2  # for the code, and to renew
    assert all(wanted in scope.split() for wanted in (*oauth._OUTLOOK, "offline_access") for scope in scopes)


def test_google_sends_the_browser_back_to_this_machine(sso, tmp_path, monkeypatch):
    file = tmp_path / "client.json"
    about = {"client_id": "our-client", "client_secret": "shh", "token_uri": f"{sso.url}/token"}
    file.write_text(json.dumps({"installed": about | {"auth_uri": f"{sso.url}/authorize"}}))
    asked, answer = {}, "code=C"

    def browse(words):
        url = words.split()[-1]
        asked.update({name: values[0] for name, values in parse_qs(urlsplit(url).query).items()})
        back = f"{asked['redirect_uri']}?state={asked['state']}&{answer}&scope={asked['scope']}"
        threading.Thread(target=lambda: urllib.request.urlopen(back).close(), daemon=True).start()

    kept = oauth.sign_in("google", str(file), browse)
    assert asked["scope"] == "https://mail.google.com/"
    assert asked["access_type"] == "offline"
    sso.rotates = False
    settings = folder_of(tmp_path, sso, kept, token_from="google", client_id=str(file))
    file.unlink()  # it is needed to sign in only
    assert oauth.access_token(settings) in sso.good
    sso.refreshing.clear()
    with pytest.raises(TokenError, match="google gives no token: the sign-in isn't valid any more"):
        oauth.access_token(settings)
    sso.down = True
    with pytest.raises(TokenError, match="can't be reached"):
        oauth.access_token(settings)
    with pytest.raises(TokenError, match=r"client\.json: No such file"):
        oauth.sign_in("google", str(file), browse)
    file.write_text(json.dumps({"installed": about | {"auth_uri": f"{sso.url}/authorize"}}))
    answer = "error=access_denied"
    with pytest.raises(TokenError, match="the sign-in was declined"):
        oauth.sign_in("google", str(file), browse)
    monkeypatch.setattr(oauth, "SIGN_IN", 0.05)
    with pytest.raises(TokenError, match="google gives no token"):
        oauth.sign_in("google", str(file), lambda words: None)


def test_dovecot_takes_the_token_of_a_sign_in_and_a_refused_one_is_told(
    pbem, sso, mailbox, dovecot, authority, monkeypatch
):
    monkeypatch.delenv("PBEM_IMAP_PASSWORD")
    folder = pbem.folder / "games"
    with smtp_server() as smtp:
        words = ("--address", "pbem@example.org", "--user", "anna", "--saves", folder, "--imap-server",
                 f"imap://anna@127.0.0.1:{dovecot.port}", "--smtp-server", smtp.url, "--login", "token",
                 "--token-from", sso.url, "--client-id", "our-client")  # fmt: skip
        shown = pbem("setup", "mail", *words)
        assert "Open https://sign.in/here and enter ABCD-EFGH" in shown.stderr
        assert f"ok  127.0.0.1:{dovecot.port}, TLS, logged in" in shown.stdout
        assert stat.S_IMODE((folder / ".token").stat().st_mode) == 0o600
        assert not (folder / ".password.new").exists()
        text = (folder / "pbem.toml").read_text()
        assert 'client_id = "our-client"' in text
        assert "secret-" not in text + shown.stdout + shown.stderr
        said = "".join(typed(("doctor", folder, "--offline"), "").output.split())
        assert f"tokenfrom{sso.url},{folder / '.token'},mode0600" in said
        before = folder_settings.set(load_folder_settings(folder))
        try:
            assert token_source("PBEM_IMAP_PASSWORD")() in sso.good
            assert _job(folder, folder_settings.get(), 10).password is None  # systemd's copy would grow old
            with Mailbox(dovecot.url, folder) as box:
                assert list(box.new()) == []
            sso.refreshing.clear()
            with pytest.raises(SourceError, match="the sign-in isn't valid any more"), Mailbox(dovecot.url, folder):
                pass
        finally:
            folder_settings.reset(before)
        said = " ".join(typed(("doctor", folder), "").output.split())
        assert "the sign-in isn't valid any more" in said
        sso.polls = ["access_denied"]
        assert "declined" in pbem("setup", "mail", *words, code=Exit.FAILED_CHECK).stderr
        assert (folder / "pbem.toml").read_text() == text


def test_setup_offers_it_as_a_choice_and_can_be_repeated(pbem, sso, mailbox, dovecot, authority, terminal, monkeypatch):
    import keyring

    monkeypatch.delenv("PBEM_IMAP_PASSWORD")
    kept = {}
    monkeypatch.setattr(keyring, "set_password", lambda service, name, word: kept.update({(service, name): word}))
    monkeypatch.setattr(keyring, "get_password", lambda service, name: kept.get((service, name)))
    folder = pbem.folder / "games"
    servers = ("--imap-server", f"imap://anna@127.0.0.1:{dovecot.port}", "--smtp-server", "/bin/true")
    words = ("setup", "mail", "--address", "pbem@example.org", "--user", "anna", "--saves", folder, *servers)
    shown = typed(words, f"3\n{sso.url}\nour-client\n2\n")
    assert "3 token (OAuth2)" in shown.output
    assert "enter ABCD-EFGH" in shown.output
    assert shown.exit_code == 0, shown.output
    newest = kept["pbem", "token of pbem@example.org"]
    assert json.loads(newest)["refresh_token"] in sso.refreshing
    assert not (folder / ".token").exists()
    asked = len(sso.asked)
    assert typed(words, "\n\n\nn\n").exit_code == 0  # as it is: it logs in, and nobody signs in
    assert [given.get("grant_type") for given in sso.asked[asked:]] == ["refresh_token"]
    assert kept["pbem", "token of pbem@example.org"] != newest
    sso.refreshing.clear()
    sso.polls = ["access_denied", "token"]
    shown = typed(words, "\n\n\nn\n" + "\n\n\n\n\n\n\ny\n" * 2 + "1\n")
    for said in ("the sign-in isn't valid any more", "the sign-in was declined", ".token (mode 0600) written"):
        assert said in shown.output
    assert (folder / ".token").exists()
    assert typed(words, "2\nwrong\n1\n\n\n").exit_code != 0
    assert load_folder_settings(folder).mail.token_from == sso.url


def test_the_file_names_providers_only(tmp_path):
    from pbem.save.errors import SaveError

    for name, right in (
        ("google", True),
        ("https://sso.example/realm", True),
        ("http://sso.example/x", False),
        ("x", False),
    ):
        (tmp_path / "pbem.toml").write_text(f'[mail]\ntoken_from = "{name}"\n')
        if right:
            assert load_folder_settings(tmp_path).mail.token_from == name
        else:
            with pytest.raises(SaveError, match="microsoft, google, https"):
                load_folder_settings(tmp_path)


def test_the_moderator_hears_of_a_refused_refresh_token_once(pbem, sso, new_game):
    def begin(folder, start):
        (folder / ".token").write_text('{"refresh_token": "secret-old"}')
        (folder / "pbem.toml").write_text(
            f'[mail]\nlogin = "token"\ntoken_from = "{sso.url}"\nclient_id = "our-client"\npassword_file = ".token"\n'
        )
        return ("--imap", "imap://me@127.0.0.1:1/INBOX")

    emails, printed = heard(new_game, begin, range(-60, -20, 8))
    told = [" ".join(text.split()) for texts in emails.values() for text in texts if "sign-in isn't valid" in text]
    assert len(told) == 1, (emails, printed)
    assert "pbem setup mail" in told[0]
    assert "secret-" not in f"{emails} {printed}"
