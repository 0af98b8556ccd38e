"""Add to the wheel what is built: decoded packs and messages (`pbem/data_cache.py`), and the pages of the docs."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Tables(BuildHookInterface[Any]):
    """Keeps the tables of every game and every room in the wheel, and the docs."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Put a copy beside the TOML files that are read at each start; not for an editable installation."""
        if version == "editable":
            return
        root = Path(self.root)
        sys.path.insert(0, self.root)
        from pbem.data_cache import flattened, keep
        from pbem.kernel.pack import checked

        works: dict[str, Any] = {"games/*/data": checked, "games/*/locale": flattened, "pbem/*/locale": flattened}
        plain = ("games/*/tables", "pbem/mail/moderator", "pbem/orders", "pbem/orders/replies", "pbem/tui/keys")
        works |= dict.fromkeys(plain, dict)
        for place, work in works.items():
            for folder in sorted(root.glob(place)):
                with suppress(PermissionError):  # a checkout of somebody else's: the first start makes them
                    kept = keep(folder, work)
                    build_data["force_include"][str(kept)] = str(kept.relative_to(root))
        pages = sorted((root / "docs").rglob("*.md"))  # for `pbem docs`; those of the API are made from the code
        for page in (page for page in pages if page.parent.name != "api"):
            build_data["force_include"][str(page)] = f"pbem/manual/{page.relative_to(root / 'docs').as_posix()}"
        build_data["force_include"][str(root / "CHANGELOG.md")] = "pbem/manual/changelog.md"
