"""The map drawing: its projection, and the colours of the houses."""

from __future__ import annotations

from pbem.kernel.geography import Conic, MapNotes

CHART = Conic(51, 55, 53, -2.5)

COLOURS = {"york": "#add6fa", "lancaster": "#8f283b", "buckingham": "#449c98", "warwick": "#fab318"}
"""By id, so that colour-blind readers tell the houses apart."""

NOTES = MapNotes.at(
    CHART,
    seas={
        "north_sea": (54.6, 1.6), "english_channel": (50.2, -1.4), "irish_sea": (53.6, -5.2),
    },
    lands={
        "": (
            (56, -3.9), (55.3, -3.8), (53.3, -8.2), (54.6, -6.8), (52.4, -7.5), (49.4, 1.3), (50.6, 3),
            (51.6, 4.6), (48.5, -1),
        ),
    },
    short={
        "northumberland": ("Northum", "ノーサン"), "cumberland": ("Cumb", "カンバ"), "westmorland": ("Westm", "ウェス"),
        "north_riding": ("N.Rid", "ノース"), "west_riding": ("W.Rid", "ウェスト"), "east_riding": ("E.Rid", "イースト"),
        "lancashire": ("Lancs", "ランカ"), "nottingham": ("Nott", "ノッ"), "leicester": ("Leic", "レス"),
        "stafford": ("Staf", "スタフ"), "shropshire": ("Shrop", "シュロ"), "hereford": ("Heref", "ヘレ"),
        "worcester": ("Worc", "ウス"), "warwickshire": ("Warw", "ウォリ"), "northampton": ("Northam", "ノーサ"),
        "huntingdon": ("Hunt", "ハンテ"), "cambridge": ("Camb", "ケンブ"), "hertford": ("Hert", "ハート"),
        "bedford": ("Bed", "ベッド"), "buckinghamshire": ("Bucks", "バッキ"), "gloucester": ("Glouc", "グロス"),
        "berkshire": ("Berks", "バーク"), "hampshire": ("Hamps", "ハンプ"), "wiltshire": ("Wilts", "ウィル"),
        "somerset": ("Som", "サマ"), "carnarfon": ("Carnar", "カーナ"), "carmarthen": ("Carm", "カーマ"),
        "merioneth": ("Merion", "メリオ"), "glamorgan": ("Glam", "グラモ"), "isle_of_man": ("Man", "マン島"),
        "pale_of_ireland": ("Ireland", "ペイル"),
    },
    weights={
        "london": 2, "calais": 1, "norfolk": 1, "kent": 1,
    },
)  # fmt: skip
"""Seas, land beyond the spaces (latitude, longitude), abbreviations (English, Japanese) and what is named first."""
