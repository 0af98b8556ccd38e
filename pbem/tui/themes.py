"""Three themes: dark, light, white on black. Colours after Okabe and Ito suit most forms of colour blindness.

Every text colour has a contrast of at least 4.5 to the backgrounds of its theme (a test computes it).
"""

from __future__ import annotations

from textual.theme import Theme

THEMES = (
    Theme(
        name="pbem-dark",
        primary="#56B4E9",
        secondary="#CC9BB5",
        accent="#E69F00",
        warning="#F0E442",
        error="#FF8A5C",
        success="#2FC79A",
        foreground="#E6EAEE",
        background="#101418",
        surface="#171C22",
        panel="#202730",
        dark=True,
        variables={
            "block-cursor-background": "#56B4E9",
            "block-cursor-foreground": "#000000",
            "block-cursor-text-style": "bold",
            "block-cursor-blurred-background": "#2E3945",
            "block-cursor-blurred-foreground": "#E6EAEE",
            "input-cursor-background": "#E6EAEE",
            "text-muted": "#AAB4BE",
        },
    ),
    Theme(
        name="pbem-light",
        primary="#005A94",
        secondary="#8A3F6C",
        accent="#8A4B00",
        warning="#6B5900",
        error="#A83800",
        success="#00664A",
        foreground="#16191D",
        background="#FCFCFA",
        surface="#F3F4F2",
        panel="#E6E9EC",
        dark=False,
        variables={
            "block-cursor-background": "#005A94",
            "block-cursor-foreground": "#FFFFFF",
            "block-cursor-text-style": "bold",
            "block-cursor-blurred-background": "#CBD5DE",
            "block-cursor-blurred-foreground": "#16191D",
            "input-cursor-background": "#16191D",
            "text-muted": "#4D565F",
        },
    ),
    Theme(
        name="pbem-plain",
        primary="#FFFFFF",
        secondary="#FFFFFF",
        accent="#F0E442",
        warning="#F0E442",
        error="#FFB08A",
        success="#FFFFFF",
        foreground="#FFFFFF",
        background="#000000",
        surface="#000000",
        panel="#1C1C1C",
        dark=True,
        variables={
            "block-cursor-background": "#F0E442",
            "block-cursor-foreground": "#000000",
            "block-cursor-text-style": "bold underline",
            "block-cursor-blurred-background": "#3A3A3A",
            "block-cursor-blurred-foreground": "#FFFFFF",
            "input-cursor-background": "#FFFFFF",
            "text-muted": "#D0D0D0",
        },
    ),
)

NAMES = tuple(theme.name for theme in THEMES)
