"""`pbem.toml`: what a folder of games sets, so that commands in it need no options."""

from __future__ import annotations

import pytest

from pbem.mail.transport.accounts import AccountError, account, password
from pbem.save import SaveError, load
from pbem.save.folder_settings import FolderSettings, folder_settings, load_folder_settings
from tests.cli.conftest import NOW
from tests.mail.servers import smtp_server

WHOLE = """
[mail]
address = "pbem@example.org"
imap = "imaps://pbem@imap.example.org/INBOX"
smtp = "submission://pbem@smtp.example.org"
login = "app password"
password_file = ".password"
cafile = "ca.pem"

[schedule]
every = 10
by = "systemd"

[moderator]
addresses = ["maria@example.net"]
zone = "Europe/Berlin"
language = "ja"
hour = 7

[new]
outage = 36
days = ["mon", "tue"]
hours.turn = 72
time_up.turn = "grace"
"""


def written(folder, text):
    (folder / "pbem.toml").write_text(text, "utf-8")
    return load_folder_settings(folder)


def test_a_whole_file_is_read(tmp_path):
    found = written(tmp_path, WHOLE)
    assert found.mail.smtp == "submission://pbem@smtp.example.org"
    assert found.file(found.mail.password_file) == tmp_path / ".password"
    assert (found.schedule.every, found.moderator.addresses, found.moderator.hour) == (10, ["maria@example.net"], 7)
    assert found.new == {"outage": "36", "days": "mon,tue", "hours.turn": "72", "time_up.turn": "grace"}


def test_a_missing_file_sets_nothing(tmp_path):
    assert load_folder_settings(tmp_path) == FolderSettings(folder=str(tmp_path))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[mail]\naddres = 'x'\n", "line 2: mail.addres: this key doesn't exist"),
        ("[moderator]\naddresses = ['nobody']\n", "moderator.addresses: 'nobody' isn't an email address"),
        ("[moderator]\nhour = 24\n", "moderator.hour"),
        ("[mail]\naddress = 'a@b.org'\n[moderator]\naddresses = ['a@b.org']\n", "the game's own address"),
        ("[new]\ngrace = 'long'\n", "new.grace: grace: 'long' isn't a whole number"),
        ("[new]\nwhim = 1\n", "'whim' isn't a setting"),
        ("[mail\n", "line 1: not TOML"),
        ("[mail]\nsmtp = 3\n", "mail.smtp"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, text, said):
    with pytest.raises(SaveError) as error:
        written(tmp_path, text)
    assert said in str(error.value)
    assert "pbem.toml" in str(error.value)


def test_send_and_run_take_the_server_and_the_address_from_it(pbem, new_game):
    with smtp_server() as server:
        text = f'[mail]\nsmtp = "smtp://127.0.0.1:{server.port}"\naddress = "games@example.org"\n'
        (pbem.folder / "saves" / "pbem.toml").write_text(text, "utf-8")
        assert "emails sent" in pbem("send", "--saves", "saves", "--now", NOW).stdout
        assert len(pbem.json("status", "saves")) == 1
        pbem("run", "--saves", "saves", "--now", NOW)


def test_an_option_and_a_variable_take_precedence(pbem, new_game, monkeypatch):
    (pbem.folder / "saves" / "pbem.toml").write_text('[mail]\nsmtp = "gopher://one"\n', "utf-8")
    for words, env in (((), "gopher://two"), (("--smtp", "gopher://three"), "gopher://two")):
        monkeypatch.setenv("PBEM_SMTP", env)
        said = pbem("send", "--saves", "saves", "--now", NOW, *words, code=2).stderr
        assert (words or (env,))[-1] in said


def test_a_wrong_file_stops_the_command_with_its_line(pbem, new_game):
    (pbem.folder / "saves" / "pbem.toml").write_text("[mail]\nsmpt = 'x'\n", "utf-8")
    assert "pbem.toml, line 2: mail.smpt" in pbem("run", "--saves", "saves", "--now", NOW, code=3).stderr


def test_the_password_is_read_from_the_file_that_it_names(tmp_path, monkeypatch):
    monkeypatch.delenv("PBEM_SMTP_PASSWORD", raising=False)
    (tmp_path / ".password").write_text("s3cret word\n")
    held = folder_settings.set(written(tmp_path, WHOLE))
    try:
        one = account("smtps://a@mail.example.org", ("smtps",))
        assert password(one, "PBEM_SMTP_PASSWORD") == "s3cret word"
        (tmp_path / ".password").unlink()
        with pytest.raises(AccountError, match="pbem setup mail"):
            password(one, "PBEM_SMTP_PASSWORD")
    finally:
        folder_settings.reset(held)


def new(pbem, name, *words):
    pbem("new", "sixteen_thirty", "-o", f"saves/{name}.toml", "--players", "3", "--now", NOW, *words)
    return load(pbem.folder / "saves" / f"{name}.toml")


def test_a_new_game_goes_on_when_players_are_silent(pbem):
    save = new(pbem, "plain")
    assert save.clock.time_up == {
        "turn": "grace", "reaction": "grace", "negotiation": "default", "ballot": "grace"
    }  # fmt: skip
    assert save.clock.grace == 24


def test_a_new_game_has_the_defaults_of_the_folder_and_options_take_precedence(pbem):
    (pbem.folder / "saves").mkdir()
    (pbem.folder / "saves" / "pbem.toml").write_text(WHOLE, "utf-8")
    save = new(pbem, "one")
    assert (save.clock.outage, save.clock.days, save.clock.hours["turn"]) == (36, ["mon", "tue"], 72)
    assert (save.post.moderator, save.post.language) == (["maria@example.net"], "ja")
    assert (save.post.sender, save.clock.zone) == ("pbem@example.org", "Europe/Berlin")
    third = new(pbem, "three", "--set", "players_may.end=moderator", "--set", "outage = 12")
    assert (third.clock.players_may, third.clock.outage) == ({"end": "moderator"}, 12)
    other = new(pbem, "two", "--answer-hours", "turn=5", "--timezone", "Asia/Tokyo", "--from-address", "a@b.org")
    assert (other.clock.hours["turn"], other.clock.zone, other.post.sender) == (5, "Asia/Tokyo", "a@b.org")


def test_a_default_that_does_not_fit_the_game_is_named(pbem):
    (pbem.folder / "saves").mkdir()
    (pbem.folder / "saves" / "pbem.toml").write_text("[new]\nplays = 'nobody'\n", "utf-8")
    words = ["new", "sixteen_thirty", "-o", "saves/a.toml", "--players", "3"]
    assert "new.plays: 'nobody' isn't a seat" in pbem(*words, code=3).stderr
