"""The moderator: actions on a game outside its rules, and the dashboard."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any


def function(does: str) -> Callable[..., Any]:
    """Return a function of this package, `module.name`: intake and tick call it, and it needs both."""
    module, _, name = does.partition(".")
    found: Callable[..., Any] = getattr(import_module(f"pbem.mail.moderator.{module}"), name)
    return found
