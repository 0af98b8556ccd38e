"""A site of the saves that ship, built once for all tests that only read it."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from pbem.site import publish_pages

ROOT = Path(__file__).parents[2]
NOW = datetime(2031, 3, 1, 12, tzinfo=UTC)


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The pages of a running game of each kind and of a finished one."""
    out = tmp_path_factory.mktemp("public")
    names = ("1630-ballot", "1630-finished", "cor-impulse", "vq-interception", "is-round")
    publish_pages([ROOT / f"saves/{name}.toml" for name in names], out, now=NOW)
    return out
