"""Tasks spread over processes or machines: one interface, `concurrent.futures`; results in the order of the tasks.

A task counts once: the unfinished tasks of a dead worker are given to another.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future, ProcessPoolExecutor

Task = TypeVar("Task")
Result = TypeVar("Result")

AHEAD = 3
"""Tasks given out per worker, so that no worker waits for the slowest."""

DEATHS = 3
"""Workers that may die at one task before it is given up, because the task itself may kill them."""


class NoCluster(Exception):
    """The cluster can't be used; the message says why."""


def map_parallel(
    work: Callable[[Task], Result], tasks: Iterable[Task], *, jobs: int = 1, cluster: str = ""
) -> Generator[Result, None, None]:
    """Yield the results of `work` for each task, in their order. `tasks` may be endless.

    With one job the work is done in this process. `cluster` is the address of a Dask scheduler. With it, or with more
    jobs, function, tasks and results are pickled. Errors of `work` are raised. If the caller stops or is interrupted,
    the workers end.
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
    with WorkerPool(work, jobs) as crew:
        for task in tasks:
            crew.give(task)
            if len(crew.waiting) >= AHEAD * jobs:
                yield crew.take()
        while crew.waiting:
            yield crew.take()


class WorkerPool(Generic[Task, Result]):
    """Processes that work on tasks while the caller goes on; results come in the order of the tasks.

    The pool is made with the first task, and made again when a worker dies. Used as a context: after an error, or
    Ctrl-C, the workers end at once.
    """

    def __init__(self, work: Callable[[Task], Result], jobs: int) -> None:
        self._work = work
        self._jobs = jobs
        self._pool: ProcessPoolExecutor | None = None
        self.waiting: deque[tuple[Task, Future[Result]]] = deque()

    def __enter__(self) -> WorkerPool[Task, Result]:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._pool is None:
            return
        if kind is not None:
            import multiprocessing

            for child in multiprocessing.active_children():
                child.terminate()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def give(self, task: Task) -> None:
        from concurrent.futures.process import BrokenProcessPool

        if self._pool is None:
            self._pool = self._new_pool()
        with _ctrl_c_waits():
            try:
                done = self._pool.submit(self._work, task)
            except BrokenProcessPool:
                done = self._begin_anew().submit(self._work, task)
        self.waiting.append((task, done))

    def take(self) -> Result:
        """Wait for the next result. Raises what `work` raised; `BrokenProcessPool` if a task kills its workers."""
        from concurrent.futures.process import BrokenProcessPool

        deaths = 0
        while True:
            try:
                result = self.waiting[0][1].result()
            except BrokenProcessPool:
                deaths += 1
                if deaths >= DEATHS:
                    raise
                with _ctrl_c_waits():
                    self._begin_anew()
            else:
                self.waiting.popleft()
                return result

    def _begin_anew(self) -> ProcessPoolExecutor:
        if self._pool is not None:
            self._pool.shutdown(wait=False)
        self._pool = pool = self._new_pool()
        self.waiting = deque((task, pool.submit(self._work, task)) for task, _ in self.waiting)
        return pool

    def _new_pool(self) -> ProcessPoolExecutor:
        from concurrent.futures import ProcessPoolExecutor

        return ProcessPoolExecutor(self._jobs, initializer=_begin)


@contextmanager
def _ctrl_c_waits() -> Iterator[None]:
    """Hold Ctrl-C back while processes are started: a half started child would print a traceback."""
    import signal
    import sys

    if sys.platform == "win32":  # no process is forked there
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin() -> None:
    """Ignore Ctrl-C in a worker: the parent ends its workers."""
    import signal
    import sys

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


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
