"""Mailboxes of every kind: order, keys, streaming, nothing modified."""

import io
import os
import tracemalloc
from email.message import EmailMessage
from mailbox import Maildir, mbox

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.mail.inbox.mime import decode_mail
from pbem.mail.inbox.sources import SourceError, open_source
from pbem.mail.inbox.stages import Received

FROM = b"From anna@example.org Tue Jul  1 10:00:00 2025\n"


def mail(number: int, body: str = "57: pass\n") -> EmailMessage:
    message = EmailMessage()
    message["From"] = "anna@example.org"
    message["Message-ID"] = f"<{number}@x>"
    message.set_content(body)
    return message


def ids(found) -> list:
    return [decode_mail(each.raw).message_id for each in found]


def snapshot(place) -> dict:
    return {str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in place.rglob("*") if path.is_file()}


# ------------------------------------------------------------------ mbox


def test_mbox_as_the_standard_library_writes_it(tmp_path):
    path = tmp_path / "in.mbox"
    box = mbox(path)
    for number in range(5):
        box.add(mail(number, f"line\n\nFrom Vienna at 10:00 in 1618\n{number}\n"))
    box.close()
    before = snapshot(tmp_path)
    found = list(open_source(path))
    assert ids(found) == [f"<{number}@x>" for number in range(5)]
    assert {each.kind for each in found} == {"mail"}
    assert decode_mail(found[3].raw).text == "line\n\nFrom Vienna at 10:00 in 1618\n3\n"
    assert found[1].where.startswith(f"{path} (message 2, byte ")
    assert len({each.key for each in found}) == 5
    assert snapshot(tmp_path) == before


def test_mbox_keys_do_not_depend_on_the_position(tmp_path):
    path = tmp_path / "in"
    path.write_bytes(FROM + b"A: 1\n\nx\n\n" + FROM + b"A: 2\n\ny\n\n")
    first = [each.key for each in open_source(path)]
    path.write_bytes(FROM + b"A: 2\n\ny\n\n")
    assert [each.key for each in open_source(path)] == first[1:]


def test_mbox_is_cut_only_at_separators():
    text = (
        FROM
        + b"A: 1\n\nFrom Vienna we march\n\nFrom Vienna we march\nFrom anna Tue Jul 1 10:00:00 2025\n"
        + (b">From x\n>>From y\n\n" + FROM + b"\n\nFrom \nA: 3\n\nz\n")
    )
    found = list(open_source("-", stdin=io.BytesIO(text)))
    assert [each.raw for each in found] == [
        b"A: 1\n\nFrom Vienna we march\n\nFrom Vienna we march\nFrom anna Tue Jul 1 10:00:00 2025\nFrom x\n>From y\n",
        b"\n",
        b"A: 3\n\nz\n",
    ]


def test_mbox_with_windows_line_ends():
    text = (FROM + b"A: 1\n\nx\n\n" + FROM + b"A: 2\n\ny\n").replace(b"\n", b"\r\n")
    assert [each.raw for each in open_source("-", stdin=io.BytesIO(text))] == [
        b"A: 1\r\n\r\nx\r\n",
        b"A: 2\r\n\r\ny\r\n",
    ]


def test_mbox_memory_is_flat(tmp_path):
    path = tmp_path / "big.mbox"
    with path.open("wb") as stream:
        for _ in range(300):
            stream.write(FROM + b"A: 1\n\n" + b"x" * 100_000 + b"\n\n")
    tracemalloc.start()
    count = sum(1 for _ in open_source(path))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 300
    assert peak < 2_000_000


def test_one_endless_line_is_cut(tmp_path):
    path = tmp_path / "endless.mbox"
    path.write_bytes(FROM + b"A: 1\n\n" + b"From " * 1_000_000 + b"\n\n" + FROM + b"A: 2\n\ny\n")
    first, second = open_source(path, limit=1000)
    assert len(first.raw) == 1000
    assert second.raw == b"A: 2\n\ny\n"


def test_a_piece_in_the_middle_of_a_line_is_no_line(tmp_path):
    chunk = 1 << 16
    body = b"x" * chunk + b"\n" + FROM + b"x" * chunk + b">From y\n"
    found = list(open_source("-", stdin=io.BytesIO(FROM + body)))
    assert [each.raw for each in found] == [body]


@settings(max_examples=150)
@given(
    st.lists(
        st.sampled_from([b"From ", b"From a 1:11 2020", b">From x", b"\n", b"\n\n", b"\r\n", b"A: b", b"\xff\x00"])
    )
)
def test_any_stream_is_read(pieces):
    raw = b"".join(pieces)
    found = list(open_source("-", stdin=io.BytesIO(raw)))
    assert bool(found) == bool(raw)
    assert sum(len(each.raw) for each in found) <= len(raw)


# ------------------------------------------------------------------ Maildir


def test_maildir_in_order_of_delivery(tmp_path):
    for folder in ("new", "cur", "tmp"):
        (tmp_path / folder).mkdir()
    names = {"new/1000.b.host": 4, "cur/999.a.host:2,S": 1, "cur/1000.a.host:2,": 3, "new/odd": 0, "new/999.b;2,S": 2}
    for name, number in names.items():
        (tmp_path / name).write_bytes(mail(number).as_bytes())
    (tmp_path / "tmp" / "998.half").write_bytes(b"half")
    (tmp_path / "new" / ".hidden").write_bytes(b"x")
    before = snapshot(tmp_path)
    found = list(open_source(tmp_path))
    assert ids(found) == [f"<{number}@x>" for number in range(5)]
    assert [each.key for each in found] == ["odd", "999.a.host", "999.b", "1000.a.host", "1000.b.host"]
    assert [each.delivered for each in found] == [None, 999, 999, 1000, 1000]
    assert snapshot(tmp_path) == before


def test_maildir_as_the_standard_library_writes_it(tmp_path):
    box = Maildir(tmp_path / "box")
    for number in range(3):
        box.add(mail(number))
    found = list(open_source(tmp_path / "box"))
    assert sorted(ids(found)) == ["<0@x>", "<1@x>", "<2@x>"]
    assert all(each.delivered for each in found)


def test_a_mail_moved_while_we_read_is_still_found(tmp_path):
    for folder in ("new", "cur"):
        (tmp_path / folder).mkdir()
    (tmp_path / "new" / "1.a[x").write_bytes(mail(1).as_bytes())
    (tmp_path / "new" / "2.b").write_bytes(mail(2).as_bytes())
    (tmp_path / "new" / "3.c").write_bytes(mail(3).as_bytes())
    source = open_source(tmp_path)
    first = next(source)
    (tmp_path / "new" / "2.b").rename(tmp_path / "cur" / "2.b:2,S")
    (tmp_path / "new" / "3.c").unlink()
    assert ids([first, *source]) == ["<1@x>", "<2@x>"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads everything")
def test_one_unreadable_mail_does_not_stop_the_others_by_permission(tmp_path):
    (tmp_path / "a.eml").write_bytes(b"x")
    (tmp_path / "a.eml").chmod(0)
    assert [each.kind for each in open_source(tmp_path)] == ["unreadable"]


def test_one_unreadable_mail_does_not_stop_the_others(tmp_path):
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "1.folder").mkdir()
    (tmp_path / "new" / "2.mail").write_bytes(mail(2).as_bytes())
    bad, good = open_source(tmp_path)
    assert (bad.kind, bad.raw, bad.key) == ("unreadable", b"", "1.folder")
    assert str(tmp_path / "new" / "1.folder") in bad.where
    assert good.kind == "mail"


def test_what_came_within_one_second_is_in_the_order_of_its_numbers(tmp_path):
    """As mbsync names letters (time.pid_count.host), and mail servers with microseconds."""
    (tmp_path / "new").mkdir()
    names = ["1000.77_9.host", "1000.77_10.host", "1000.77_100.host", "1001.M9P1.host", "1001.M10P1.host"]
    for number, name in reversed(list(enumerate(names))):
        (tmp_path / "new" / name).write_bytes(mail(number).as_bytes())
    assert [each.key for each in open_source(tmp_path)] == names


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes")
@pytest.mark.parametrize("folder", ["new", "."])
def test_pipes_and_links_are_passed_over_and_told(tmp_path, folder):
    """Nobody waits for a pipe, and no link lays another file of this machine into the quarantine."""
    place = tmp_path / "box" / folder
    place.mkdir(parents=True)
    secret = tmp_path / "secret"
    secret.write_bytes(mail(9).as_bytes())
    os.mkfifo(place / "1.pipe.eml")
    (place / "2.link.eml").symlink_to(secret)
    (place / "3.gone.eml").symlink_to(tmp_path / "nothing")
    (place / "4.mail.eml").write_bytes(mail(4).as_bytes())
    found = list(open_source(tmp_path / "box"))
    assert [each.kind for each in found] == ["unreadable"] * 3 + ["mail"]
    assert [each.raw for each in found[:3]] == [b""] * 3
    assert "not a file" in found[0].where
    assert "a link" in found[1].where


# ------------------------------------------------------------------ files and folders


def test_single_files(tmp_path):
    (tmp_path / "a.eml").write_bytes(mail(1).as_bytes())
    (tmp_path / "a.orders").write_bytes(b"57: pass\n")
    (tmp_path / "b").write_bytes(b"\xef\xbb\xbf# my orders\n\n  begin  orders vq-07 spain\n57: pass\nEND ORDERS\n")
    (tmp_path / "empty.mbox").write_bytes(b"")
    assert [each.kind for each in open_source(tmp_path / "a.eml")] == ["mail"]
    assert [each.kind for each in open_source(str(tmp_path / "a.orders"))] == ["orders"]
    assert [each.kind for each in open_source(tmp_path / "b")] == ["orders"]
    assert list(open_source(tmp_path / "empty.mbox")) == []


def test_a_folder_of_files(tmp_path):
    (tmp_path / "2.eml").write_bytes(mail(2).as_bytes())
    (tmp_path / "1.EML").write_bytes(mail(1).as_bytes())
    (tmp_path / "3.orders").write_bytes(b"BEGIN ORDERS a b c\nEND ORDERS\n")
    (tmp_path / "4.txt").write_bytes(b"BEGIN ORDERS a b c\nEND ORDERS\n")
    for name in ("notes.txt", ".5.eml", "6.eml.part", "save.toml"):
        (tmp_path / name).write_bytes(b"nothing\n")
    (tmp_path / "sub.eml").mkdir()
    found = list(open_source(tmp_path))
    assert [(each.key, each.kind) for each in found] == [
        ("1.EML", "mail"),
        ("2.eml", "mail"),
        ("3.orders", "orders"),
        ("4.txt", "orders"),
    ]
    assert found[0].where == str(tmp_path / "1.EML")


def test_standard_input():
    one = mail(1).as_bytes()
    assert ids(open_source("-", stdin=io.BytesIO(one))) == ["<1@x>"]
    (orders,) = open_source("-", stdin=io.BytesIO(b"BEGIN ORDERS a b c\n57: pass\n"))
    assert (orders.kind, orders.where) == ("orders", "stdin")
    assert ids(open_source("-", stdin=io.BytesIO(FROM + one + b"\n" + FROM + mail(2).as_bytes()))) == ["<1@x>", "<2@x>"]
    assert list(open_source("-", stdin=io.BytesIO(b""))) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe(tmp_path):
    import threading

    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(FROM + mail(1).as_bytes(),))
    writer.start()
    assert ids(open_source(tmp_path / "pipe")) == ["<1@x>"]
    writer.join()


def test_a_missing_source_is_an_error_at_once(tmp_path):
    with pytest.raises(SourceError) as caught:
        open_source(tmp_path / "nowhere")
    assert caught.value.filename == str(tmp_path / "nowhere")


def test_received_is_plain_data():
    assert Received("k", b"", "w") == Received("k", b"", "w", "mail", None)


def test_mail_is_no_move_file_however_it_begins(tmp_path):
    """Whoever can write to us could otherwise write in the moderator's name."""
    text = b"BEGIN ORDERS g amber\n1: pass\nEND ORDERS\n"
    for name in ("new", "cur", "tmp"):
        (tmp_path / name).mkdir()
    for name in ("1.a.host", "2.a.orders"):
        (tmp_path / "new" / name).write_bytes(text)
    assert [each.kind for each in open_source(tmp_path)] == ["mail", "mail"]
    for name, kind in {"a.eml": "mail", "a.orders": "orders", "a.txt": "orders", "a": "orders"}.items():
        (tmp_path / name).write_bytes(text)
        assert [each.kind for each in open_source(tmp_path / name)] == [kind]
