"""Tasks spread over processes or machines: one interface, `concurrent.futures`; results in the order of the tasks.

A task counts once: on a cluster the unfinished tasks of a dead worker are given to another.
"""

from __future__ import annotations

import copyreg
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from games import load
from pbem.kernel.game import Game

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

copyreg.pickle(Game, lambda game: (load, (game.slug,)))  # a game is mostly functions: a worker loads it by its slug

Task = TypeVar("Task")
Result = TypeVar("Result")

AHEAD = 3
"""Tasks given out per worker, so that no worker waits for the slowest."""

DEATHS = 3
"""Workers of a cluster that may die at one task before it is given up, because the task itself may kill them."""


class NoCluster(Exception):
    """The cluster can't be used; the message says why."""


def map_parallel(
    work: Callable[[Task], Result], tasks: Iterable[Task], *, jobs: int = 1, cluster: str = ""
) -> Generator[Result, None, None]:
    """Yield the results of `work` for each task, in their order. `tasks` may be endless.

    With one job the work is done in this process. `cluster` is the address of a Dask scheduler. With it, or with more
    jobs, function, tasks and results are pickled, games by their slugs. Errors of `work` are raised;
    `BrokenProcessPool` if a process dies. If the caller stops or is interrupted, the workers end.
    """
    if cluster:
        with _cluster(cluster) as (executor, workers):
            yield from _in_order(executor, work, iter(tasks), workers)
    elif jobs > 1:
        with _processes(jobs) as executor:
            yield from _in_order(executor, work, iter(tasks), jobs)
    else:
        yield from map(work, tasks)


def _in_order(
    executor: Executor, work: Callable[[Task], Result], tasks: Iterator[Task], workers: int
) -> Iterator[Result]:
    waiting: deque[Future[Result]] = deque()
    for task in tasks:
        waiting.append(executor.submit(work, task))
        if len(waiting) >= AHEAD * workers:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


@contextmanager
def _processes(jobs: int) -> Iterator[Executor]:
    """Yield an executor over processes of this machine. If the caller stops, or at Ctrl-C, they end at once."""
    import multiprocessing
    import signal
    from concurrent.futures import ProcessPoolExecutor

    # The workers ignore Ctrl-C: they are ended here.
    pool = ProcessPoolExecutor(jobs, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN))
    try:
        yield pool
    except BaseException:
        for child in multiprocessing.active_children():
            child.terminate()
        raise
    finally:
        pool.shutdown(wait=False)


@contextmanager
def _cluster(address: str) -> Iterator[tuple[Executor, int]]:
    """Yield an executor over the workers of a Dask scheduler, and its number of threads. Raises `NoCluster`."""
    try:
        from distributed import Client
    except ModuleNotFoundError:
        raise NoCluster("a cluster needs the extra `cluster`: pbem docs install") from None
    try:
        client = Client(address, timeout=10, set_as_default=False)
    except (OSError, ValueError) as error:
        raise NoCluster(f"no scheduler answers at {address}: {error}") from None
    with client:
        workers = sum(client.nthreads().values())
        if not workers:
            raise NoCluster(f"the scheduler at {address} has no workers: start `dask worker {address}`")
        yield client.get_executor(retries=DEATHS), workers
