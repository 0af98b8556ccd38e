"""The map of the toy, its cards, and the words for all of them. A scenario is played in some regions of the map."""

from __future__ import annotations

from typing import NamedTuple

from pbem.kernel.order_words import Names


class Place(NamedTuple):
    """A place by its region, its names and where it is drawn."""

    region: str
    en: str
    ja: str
    x: int
    y: int


PLACES = {
    "hill": Place("river", "Hill", "丘", 0, 0), "ford": Place("river", "Ford", "浅瀬", 3, 2),
    "keep": Place("river", "The Keep", "砦", 0, 4), "port": Place("river", "Port Royal", "港", 6, 2),
    "vienna": Place("alps", "Vienna", "ウィーン", 6, 0), "milan": Place("alps", "Milan", "ミラノ", 1, 3),
    "venice": Place("alps", "Venice", "ヴェネツィア", 4, 3), "genoa": Place("alps", "Genoa", "ジェノヴァ", 1, 5),
    "pressburg": Place("alps", "Pressburg", "プレスブルク", 8, 0),
    "riga": Place("north", "Riga", "リガ", 9, 1), "oslo": Place("north", "Oslo", "オスロ", 5, 0),
    "lund": Place("north", "Lund", "ルンド", 5, 3), "leith": Place("north", "Leith", "リース", 1, 2),
    "ghent": Place("south", "Ghent", "ヘント", 3, 5), "ulm": Place("south", "Ulm", "ウルム", 5, 6),
    "graz": Place("south", "Graz", "グラーツ", 7, 7), "bari": Place("south", "Bari", "バーリ", 7, 10),
    "cadiz": Place("south", "Cadiz", "カディス", 0, 10), "lyon": Place("south", "Lyon", "リヨン", 3, 7),
}  # fmt: skip
LINKS = (
    ("hill", "ford"), ("hill", "keep"), ("ford", "keep"), ("ford", "port"),
    ("vienna", "pressburg"), ("vienna", "venice"), ("milan", "venice"), ("milan", "genoa"),
    ("riga", "oslo"), ("oslo", "lund"), ("lund", "ghent"), ("leith", "ghent"), ("ghent", "ulm"), ("ulm", "graz"),
    ("graz", "bari"), ("lyon", "ulm"), ("lyon", "cadiz"), ("lyon", "ghent"), ("riga", "graz"),
)  # fmt: skip
NORTH = tuple(key for key, place in PLACES.items() if place.region == "north")
CARDS = tuple(f"c{number}" for number in range(1, 19))
SEAT_NAMES = {
    "england": "イングランド", "france": "フランス", "spain": "スペイン", "red": "赤", "blue": "青", "white": "白",
    "amber": "琥珀", "coral": "珊瑚", "denim": "デニム",
}  # fmt: skip
NAMES = Names(
    {
        **{seat: {"en": seat.title(), "ja": ja} for seat, ja in SEAT_NAMES.items()},
        **{key: {"en": place.en, "ja": place.ja} for key, place in PLACES.items()},
        **{card: {"en": f"Card {card[1:]}", "ja": f"カード{card[1:]}"} for card in CARDS},
    },
    {"hill": ["H"], "milan": ["mailand"]},
)


def near(space: str) -> list[str]:
    """The places next to one."""
    return [other if first == space else first for first, other in LINKS if space in (first, other)]
