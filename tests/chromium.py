"""Chromium without a window, as far as it is installed: a page on a screen of some width, in a colour scheme.

Needs Chromium, its driver and Selenium (`pip install -e .[browser]`; Debian: `apt install chromium chromium-driver`).
"""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any

DRIVER = shutil.which("chromedriver")
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
MISSING = (
    "no Selenium: pip install -e .[browser]" if find_spec("selenium") is None
    else "" if DRIVER and BROWSER else "no Chromium with its driver"
)  # fmt: skip
"""Why nothing can be shown; "" if it can."""


def launch(home: Path) -> Any:
    """Return a browser that keeps its files in `home`."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER or ""
    for word in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        f"--user-data-dir={home}",
    ):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))


def screen(browser: Any, wide: int, high: int = 844, scheme: str = "light", *, phone: bool = True) -> None:
    """Give the browser a screen of that size, in that colour scheme."""
    metrics = {"width": wide, "height": high, "deviceScaleFactor": 1, "mobile": phone}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
