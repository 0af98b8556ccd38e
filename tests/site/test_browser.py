"""The pages in a real browser: phone and desktop, light and dark, by keyboard, and what axe-core finds.

Needs Chromium, its driver and Selenium (`pip install -e .[browser]`; Debian: `apt install chromium chromium-driver`),
and for one test axe-core (`npm install --no-save axe-core`, or `PBEM_AXE=FILE`).
"""

import os
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests import chromium

ROOT = Path(__file__).parents[2]
AXE = Path(os.environ.get("PBEM_AXE") or ROOT / "node_modules/axe-core/axe.min.js")
PAGES = (
    "index.html",
    "ja/index.html",
    "games/1630-ballot/index.html",
    "games/cor-impulse/index.html",
    "games/vq-interception/index.html",
    "games/is-round/index.html",
    "ja/games/vq-interception/index.html",
    "games/1630-finished/index.html",
    "games/1630-finished/log.html",
    "games/1630-finished/replay/1.html",
    "games/1630-finished/replay/90.html",
    "ja/games/1630-finished/replay/90.html",
)
WIDTHS = {"phone": (375, 740), "desktop": (1280, 900)}

pytestmark = pytest.mark.slow
if chromium.MISSING:
    pytest.skip(chromium.MISSING, allow_module_level=True)

from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        """Say nothing."""


@pytest.fixture(scope="module")
def address(site):
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    found = chromium.launch(tmp_path_factory.mktemp("browser"))
    yield found
    found.quit()


def show(browser, url, width="desktop", scheme="light"):
    """Open a page on a screen of that width, in that colour scheme."""
    wide, high = WIDTHS[width]
    metrics = {"width": wide, "height": high, "deviceScaleFactor": 1, "mobile": width == "phone"}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    browser.get(url)


@pytest.mark.parametrize("page", PAGES)
def test_no_page_scrolls_sideways_and_nothing_fails_to_load(browser, address, page):
    for width in WIDTHS:
        show(browser, f"{address}/{page}", width)
        found = browser.execute_script("return [document.documentElement.scrollWidth, window.innerWidth]")
        assert found[0] <= WIDTHS[width][0] == found[1], (page, width)
    faults = [entry for entry in browser.get_log("browser") if "favicon" not in entry["message"]]
    assert faults == []


@pytest.mark.skipif(not AXE.is_file(), reason="no axe-core: npm install --no-save axe-core")
@pytest.mark.parametrize("page", PAGES)
def test_axe_finds_no_violation(browser, address, page):
    for width in WIDTHS:
        for scheme in ("light", "dark"):
            show(browser, f"{address}/{page}", width, scheme)
            browser.execute_script(AXE.read_text("utf-8"))
            found = browser.execute_async_script("axe.run().then(arguments[arguments.length - 1])")
            said = [
                (violation["id"], [node["html"][:200] for node in violation["nodes"]][:3])
                for violation in found["violations"]
            ]
            assert said == [], (page, width, scheme)
            assert found["passes"]


def test_dark_is_dark_and_light_is_light(browser, address):
    light = {}
    for scheme in ("light", "dark"):
        show(browser, f"{address}/index.html", "desktop", scheme)
        colour = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
        light[scheme] = sum(map(int, colour.removeprefix("rgb(").rstrip(")").split(",")))
    assert light["light"] > 700
    assert light["dark"] < 120


def test_a_replay_is_walked_through_by_keyboard(browser, address):
    show(browser, f"{address}/games/1630-finished/replay/1.html")
    body = browser.find_element(By.TAG_NAME, "body")
    body.send_keys(Keys.TAB)
    assert browser.switch_to.active_element.get_attribute("class") == "skip"
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    for number in (2, 3):
        for _ in range(20):
            browser.switch_to.active_element.send_keys(Keys.TAB)
            if browser.switch_to.active_element.get_attribute("rel") == "next":
                break
        browser.switch_to.active_element.send_keys(Keys.ENTER)
        assert browser.current_url.endswith(f"replay/{number}.html")


@pytest.mark.parametrize("page", ["index.html", "ja/index.html", "games/1630-finished/index.html"])
def test_on_a_phone_no_table_of_games_or_figures_scrolls(browser, address, page):
    show(browser, f"{address}/{page}", "phone")
    found = browser.execute_script(
        "return [...document.querySelectorAll('.stacked')].map(box => [box.scrollWidth, box.clientWidth])"
    )
    assert found
    assert all(wide <= room for wide, room in found)


@pytest.mark.parametrize("page", [page for page in PAGES if page.endswith("index.html")])
def test_a_page_is_read_on_a_phone(browser, address, page):
    """The map fits and its names can be read, links can be tapped, no column has a letter a line."""
    show(browser, f"{address}/{page}", "phone")
    found = browser.execute_script("""
        const box = node => node.getBoundingClientRect(), shown = node => box(node).width > 0;
        const all = what => [...document.querySelectorAll(what)].filter(shown);
        return {
          high: document.documentElement.scrollHeight,
          maps: all("svg.map").map(map => [box(map).width, map.parentElement.clientWidth]),
          names: all("svg.map text").map(text => 13 * text.getScreenCTM().a),
          links: all("nav a, td a, th a").map(link => box(link).height),
          narrow: all("td, th").filter(cell => cell.innerText.trim().length > 5 && box(cell).width < 36)
            .map(cell => cell.innerText),
        };""")
    assert found["high"] <= 15_000
    assert all(wide <= room for wide, room in found["maps"])
    assert min(found["names"], default=11) >= 11
    assert min(found["links"]) >= 44
    assert found["narrow"] == []
    assert bool(found["maps"]) == ("games/" in page)
