"""Themes for most forms of colour blindness (Okabe and Ito); a test computes that contrasts are at least 4.5."""

from __future__ import annotations

from typing import Any

from textual.theme import Theme


def _theme(name: str, colours: str, others: str, *, dark: bool, underline: bool) -> Theme:
    """Return a theme of the colours of `_PARTS`, and of others: the cursor's ink and paper, blurred, muted."""
    parts: dict[str, Any] = dict(zip(_PARTS, colours.split(), strict=True))
    ink, paper, blurred, muted = others.split()
    variables = {
        "block-cursor-background": paper,
        "block-cursor-foreground": ink,
        "block-cursor-text-style": "bold underline" if underline else "bold",
        "block-cursor-blurred-background": blurred,
        "block-cursor-blurred-foreground": parts["foreground"],
        "input-cursor-background": parts["foreground"],
        "text-muted": muted,
    }
    return Theme(name=name, dark=dark, variables=variables, **parts)


_PARTS = (
    "primary", "secondary", "accent", "warning", "error", "success", "foreground", "background", "surface", "panel",
)  # fmt: skip

THEMES = (
    _theme(
        "pbem-dark",
        "#56B4E9 #CC9BB5 #E69F00 #F0E442 #FF8A5C #2FC79A #E6EAEE #101418 #171C22 #202730",
        "#000000 #56B4E9 #2E3945 #AAB4BE",
        dark=True,
        underline=False,
    ),
    _theme(
        "pbem-light",
        "#005A94 #8A3F6C #8A4B00 #6B5900 #A83800 #00664A #16191D #FCFCFA #F3F4F2 #E6E9EC",
        "#FFFFFF #005A94 #CBD5DE #4D565F",
        dark=False,
        underline=False,
    ),
    _theme(
        "pbem-plain",
        "#FFFFFF #FFFFFF #F0E442 #F0E442 #FFB08A #FFFFFF #FFFFFF #000000 #000000 #1C1C1C",
        "#000000 #F0E442 #3A3A3A #D0D0D0",
        dark=True,
        underline=True,
    ),
)

NAMES = tuple(theme.name for theme in THEMES)
