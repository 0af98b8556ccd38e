"""Work spread over processes, or over machines: one interface, `concurrent.futures`; results in the order of the tasks.

A task is done once: what a worker that died had not handed back is given to another, and nothing is counted twice.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future, ProcessPoolExecutor

Task = TypeVar("Task")
Result = TypeVar("Result")

AHEAD = 3
"""Tasks that are given out for each worker, so that none waits for the slowest."""

DEATHS = 3
"""Workers that may die at one task before it is given up: it may be the task that kills them."""


class NoCluster(Exception):
    """The cluster cannot be used; the message says why."""


def spread(
    work: Callable[[Task], Result], tasks: Iterable[Task], *, jobs: int = 1, cluster: str = ""
) -> Generator[Result, None, None]:
    """What `work` makes of each task, in their order; `tasks` may be endless.

    With one job all is done here. `cluster` is the address of a Dask scheduler, used instead of processes here; then,
    and with more jobs, function, tasks and results are pickled. Errors of `work` are raised. If the caller stops, or is
    interrupted, no more tasks are given out and the workers end.
    """
    if cluster:
        with _cluster(cluster) as (executor, workers):
            yield from _in_order(executor, work, iter(tasks), workers)
    elif jobs > 1:
        yield from _in_processes(work, iter(tasks), jobs)
    else:
        yield from map(work, tasks)


def _in_order(
    executor: Executor, work: Callable[[Task], Result], tasks: Iterator[Task], workers: int
) -> Iterator[Result]:
    waiting: deque[Future[Result]] = deque()
    try:
        for task in tasks:
            waiting.append(executor.submit(work, task))
            if len(waiting) >= AHEAD * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()


def _in_processes(work: Callable[[Task], Result], tasks: Iterator[Task], jobs: int) -> Iterator[Result]:
    """As `_in_order`, in a pool that is made anew when a worker dies."""
    import multiprocessing
    from concurrent.futures.process import BrokenProcessPool

    waiting: deque[tuple[Task, Future[Result]]] = deque()
    deaths, pool, more = 0, _pool(jobs), True
    try:
        while more or waiting:
            while more and len(waiting) < AHEAD * jobs:
                try:
                    task = next(tasks)
                except StopIteration:
                    more = False
                else:
                    waiting.append((task, pool.submit(work, task)))
            if not waiting:
                return
            try:
                result = waiting[0][1].result()
            except BrokenProcessPool:
                deaths += 1
                if deaths >= DEATHS:
                    raise
                pool.shutdown(wait=False)
                pool = _pool(jobs)
                waiting = deque(
                    (waiting_seat, pool.submit(work, waiting_seat)) for waiting_seat, _ in waiting
                )
                continue
            deaths = 0
            waiting.popleft()
            yield result
    except BaseException:
        for child in multiprocessing.active_children():
            child.terminate()
        raise
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _pool(jobs: int) -> ProcessPoolExecutor:
    from concurrent.futures import ProcessPoolExecutor

    return ProcessPoolExecutor(jobs, initializer=_ready)


def _ready() -> None:
    """In a worker: Ctrl-C is the parent's business, which ends its workers."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def _cluster(address: str) -> Iterator[tuple[Executor, int]]:
    """An executor over the workers of a Dask scheduler, and how many threads they have. Raises `NoCluster`."""
    try:
        from distributed import Client
    except ModuleNotFoundError:
        raise NoCluster("a cluster needs `pip install pbem[cluster]`") from None
    try:
        client = Client(address, timeout=10, set_as_default=False)
    except (OSError, ValueError) as error:
        raise NoCluster(f"no scheduler answers at {address}: {error}") from None
    with client:
        workers = sum(client.nthreads().values())
        if not workers:
            raise NoCluster(f"the scheduler at {address} has no workers: start `dask worker {address}`")
        yield client.get_executor(retries=DEATHS), workers
