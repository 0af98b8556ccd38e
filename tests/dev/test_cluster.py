"""`--cluster`: a scheduler and two workers on loopback; one of them is killed, and nothing is lost or counted twice."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from games.sixteen_thirty import GAME
from pbem.dev import fuzz
from pbem.dev.workers import NoCluster, map_parallel

pytest.importorskip("distributed", reason="needs pbem[cluster]")

PATIENCE = 60


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@pytest.fixture
def cluster(tmp_path):
    """The address of a scheduler, and its two workers."""
    address = f"tcp://127.0.0.1:{free_port()}"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(Path.cwd()), *sys.path]))}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": environment, "cwd": tmp_path}
    port = address.rpartition(":")[2]
    scheduler = ["-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard"]
    worker = ["-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
    found = [subprocess.Popen([sys.executable, *words], **quiet) for words in (scheduler, worker, worker)]
    try:
        _wait_for_workers(address)
        yield address, found[1:]
    finally:
        for process in reversed(found):
            process.kill()
            process.wait()


def _wait_for_workers(address: str) -> None:
    from distributed import Client

    with Client(address, timeout=PATIENCE, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=PATIENCE)


def squared(n: int) -> int:
    time.sleep(0.05)
    return n * n


def test_the_games_are_those_of_one_process(cluster):
    address, _ = cluster
    one = fuzz.run(GAME, games=9, seed=3)
    two = fuzz.run(GAME, games=9, seed=3, cluster=address)
    assert (one.games, one.decisions, one.moves, one.failures) == (two.games, two.decisions, two.moves, two.failures)
    assert [pace.decisions for pace in one.paces] == [pace.decisions for pace in two.paces]


def test_a_worker_that_is_killed_loses_nothing(cluster):
    address, workers = cluster
    found = []
    for value in map_parallel(squared, range(60), cluster=address):
        found.append(value)
        if len(found) == 10:
            workers[0].send_signal(signal.SIGKILL)
    assert found == [n * n for n in range(60)]


def test_nobody_answers():
    with pytest.raises(NoCluster, match="no scheduler answers"):
        list(map_parallel(squared, range(3), cluster=f"tcp://127.0.0.1:{free_port()}"))
