"""`pbem.file_locks`: one holder at a time, whoever it is; a lock ends with its process."""

import os
import subprocess
import sys
import threading
import time

import pytest

from pbem.file_locks import Busy, lock

HOLD = """
import sys, time
from pbem.file_locks import lock
with lock(sys.argv[1]):
    print('held', flush=True)
    time.sleep(60)
"""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.lock"


@pytest.fixture
def other(path):
    """A process that holds the lock."""
    with subprocess.Popen([sys.executable, "-c", HOLD, path], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_another_process_is_waited_for(path, other):
    with pytest.raises(Busy), lock(path, 0.05):
        pass


def test_a_lock_ends_with_its_process(path, other):
    other.kill()
    with lock(path, 5):
        assert oct(path.stat().st_mode & 0o777) == "0o600"


def test_whoever_holds_it_may_take_it_again(path):
    with lock(path), lock(path, 0):
        with lock(str(path), 0):
            pass
        assert not free(path)
    assert free(path)


def test_it_is_let_go_with_an_error(path):
    with pytest.raises(KeyError), lock(path):
        raise KeyError
    assert free(path)


def free(path):
    """Whether another thread gets it at once."""
    found = []

    def attempt():
        try:
            with lock(path, 0):
                found.append(True)
        except Busy:
            found.append(False)

    thread = threading.Thread(target=attempt)
    thread.start()
    thread.join()
    return found[0]


def test_threads_take_turns(path):
    inside, most = [], []

    def work():
        with lock(path):
            inside.append(1)
            most.append(len(inside))
            time.sleep(0.002)
            inside.pop()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 8


def test_a_lock_whose_file_was_taken_away_is_not_trusted(path, monkeypatch):
    real = os.fstat
    gone = []

    def fstat(handle):
        if not gone:
            path.unlink()
            gone.append(handle)
        return real(handle)

    monkeypatch.setattr(os, "fstat", fstat)
    with lock(path, 1):
        assert path.exists()
        assert not free(path)
    assert len(gone) == 1


def test_a_folder_that_is_not_there_is_an_error(path):
    with pytest.raises(FileNotFoundError), lock(path.parent / "no" / "a.lock", 0):
        pass
