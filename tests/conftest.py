"""What every run shares: it keeps bytecode in one place, and two workers have a half of the tests each."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from pathlib import Path

import pytest

KEPT = Path(__file__).parents[1] / ".pytest_cache" / "bytecode"


with suppress(ImportError):  # the docs are tested without Hypothesis
    from hypothesis import settings

    settings.register_profile("pbem", deadline=None)  # no test depends on how busy the machine is
    settings.load_profile("pbem")


def _keep_bytecode() -> None:
    """Compile each module once, not in every process that a test starts, even where the checkout stays free of it."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix = str(KEPT)
    sys.dont_write_bytecode = False


if sys.dont_write_bytecode:
    _keep_bytecode()


def pytest_collection_finish() -> None:
    """Keep the tests themselves, half a million objects, out of garbage collections: a run has many of them."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Give each worker consecutive tests: what a module makes for its tests is then made once, not by each of them."""
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log) if config.getoption("dist") == "load" else None
