"""Maps as pictures: SVG converted to PNG by resvg (extra `png`).

Without a matching font family, resvg silently draws no text. So a font is named by its file and tried once. Without
one, or without the extra, emails have no picture.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pbem.lazy_regex import escape, pattern

FONT_SETTING = "PBEM_FONT"
"""The setting that names your own font: its family and its file, `Noto Sans:/path/to/NotoSans.ttf`."""

_FONTS = {
    "en": (
        ("DejaVu Sans", "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"),
        ("DejaVu Sans", "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf"),
        ("DejaVu Sans", "/usr/share/fonts/TTF/DejaVuSans.ttf"),
        ("Liberation Sans", "/usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf"),
        ("Noto Sans", "/usr/share/fonts/truetype/noto/NotoSans-Regular.ttf"),
        ("Helvetica", "/System/Library/Fonts/Helvetica.ttc"),
        ("Arial", "C:/Windows/Fonts/arial.ttf"),
    ),
    "ja": (
        ("Noto Sans CJK JP", "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc"),
        ("Noto Sans CJK JP", "/usr/share/fonts/google-noto-cjk/NotoSansCJK-Regular.ttc"),
        ("IPAGothic", "/usr/share/fonts/opentype/ipafont-gothic/ipag.ttf"),
        ("Hiragino Sans", "/System/Library/Fonts/ヒラギノ角ゴシック W3.ttc"),
        ("Yu Gothic", "C:/Windows/Fonts/YuGothR.ttc"),
    ),
}
PICTURE_WIDTH = 375
"""Width in pixels of a phone, at which the map is shown."""
PICTURE_ID = "map@pbem"
"""The id by which a page names its map."""
_PICTURE = pattern(rf'<img src="cid:{PICTURE_ID}"[^>]*>\n?')
_JAPANESE = pattern("[\u3040-\u30ff\u4e00-\u9fff]")
_SAMPLE = {"en": "England", "ja": "英国"}
_SAMPLE_SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="20"><text y="15">{}</text></svg>'


def can_draw(language: str) -> bool:
    """Return whether pictures can be drawn here, with names in this language."""
    return find_spec("resvg_py") is not None and _font(language) is not None


def map_png(svg: str) -> bytes:
    """Convert an SVG to PNG, twice as wide as it is shown; b"" if that isn't possible."""
    language = "en" if svg.isascii() or not _JAPANESE.search(svg) else "ja"
    if not can_draw(language) or (font := _font(language)) is None:
        return b""
    try:
        return _drawn(svg, *font, width=2 * PICTURE_WIDTH)
    except ValueError:  # resvg can't read it: an email without a map is better than none
        return b""


def picture_tag(alt: str) -> str:
    """Return the HTML element of the map."""
    look = "width:auto;height:auto;max-width:100%;max-height:300px"
    return f'<img src="cid:{PICTURE_ID}" width="{PICTURE_WIDTH}" style="{look}" alt="{escape(alt)}">'


def without_picture(page: str) -> str:
    """Return a page without its map."""
    return _PICTURE.sub("", page)


@cache
def _font(language: str) -> tuple[str, str] | None:
    language = language if language in _FONTS else "en"
    for family, file in _candidates(language):
        if Path(file).is_file() and _draws(family, file, _SAMPLE[language]):
            return family, file
    return None


def _candidates(language: str) -> Iterator[tuple[str, str]]:
    family, colon, file = os.environ.get(FONT_SETTING, "").partition(":")
    if colon:
        yield family, file
    yield from _FONTS[language]


def _draws(family: str, file: str, sample: str) -> bool:
    """Return whether text in this font leaves a mark, and not the same box for every character."""
    shown = {_drawn(_SAMPLE_SVG.format(text), family, file) for text in ("", *sample)}
    return len(shown) == 1 + len(set(sample))


def _drawn(svg: str, family: str, file: str, **more: Any) -> bytes:
    import resvg_py

    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg,
            font_files=[file],
            font_family=family,
            sans_serif_family=family,
            skip_system_fonts=True,
            **more,
        )
    )
