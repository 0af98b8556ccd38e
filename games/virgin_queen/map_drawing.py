"""The drawing of the map: its projection, and the colours of the powers."""

from __future__ import annotations

from pbem.kernel.geography import Conic, Inset, MapNotes

CHART = Conic(36, 52, 43, 12)

COLOURS = {
    "spain": "#e3ae0c", "france": "#2c4e99", "england": "#da4041", "ottoman": "#77c9be", "hre": "#f5f3f0",
    "protestant": "#a475d5",
}  # fmt: skip
"""By id, so that colour-blind readers can distinguish the major powers. Minor powers are grey, with letters."""

NOTES = MapNotes.at(
    CHART,
    seas={
        "barbary_coast": (37.6, 1.5), "gulf_of_lyon": (42.2, 6), "tyrrhenian_sea": (39.6, 12),
        "ionian_sea": (36.9, 18.6), "adriatic_sea": (42.8, 15.8), "aegean_sea": (38.4, 25),
        "eastern_mediterranean": (33.9, 29.5), "north_african_coast": (33.6, 18.5), "north_sea": (56.2, 3),
        "english_channel": (49.8, -3.2), "bay_of_biscay": (45.5, -5), "atlantic_ocean": (42.5, -12.5),
        "irish_sea": (51.6, -6.4),
    },
    lands={
        "": (
            (56, 9.5), (56.5, 13), (52.5, 19.5), (50, 23.5), (47.6, 26.5), (46.5, 31), (53, 28),
            (56.5, 26), (39.5, 35), (36.9, 36.6), (32.5, -6.5), (33.2, -3.2), (33.5, 6), (34, 9.5),
            (31.5, 20), (28, 30), (47, 22.8), (59, -3.5), (57.5, -5), (53.3, 15.5), (53.5, 10.5),
            (33, 36), (41, 38), (29, 12),
        ),
    },
    short={
        "amsterdam": ("Amst", "アムス"), "antwerp": ("Antw", "アント"), "alkmaar": ("Alkm", "アルク"),
        "haarlem": ("Haar", "ハール"), "rotterdam": ("Rott", "ロッテ"), "brielle": ("Brie", "ブリ"),
        "flushing": ("Flus", "フリシ"), "utrecht": ("Utre", "ユト"), "zutphen": ("Zutp", "ズト"),
        "nijmegen": ("Nijm", "ナイ"), "maastricht": ("Maas", "マース"), "luxembourg": ("Lux", "ルク"),
        "groningen": ("Gron", "フロー"), "brussels": ("Brus", "ブリュ"),
        "namur": ("Nam", "ナミュ"), "ostend": ("Ost", "オス"),
        "boulogne": ("Boul", "ブロー"), "st_quentin": ("St.Q", "カンタン"), "amiens": ("Ami", "アミ"),
        "cologne": ("Col", "ケル"), "munster": ("Mun", "ミュン"), "strasburg": ("Stra", "シュト"),
        "nuremberg": ("Nur", "ニュル"), "regensburg": ("Reg", "レーゲ"), "augsburg": ("Augs", "アウク"),
        "salzburg": ("Salz", "ザルツ"), "innsbruck": ("Inns", "インス"), "pressburg": ("Pres", "プレス"),
        "belgrade": ("Belg", "ベオ"), "besancon": ("Bes", "ブザ"), "la_rochelle": ("La R", "ロシェル"),
        "le_havre": ("Le H", "アーヴル"), "saumur": ("Saum", "ソミュ"), "poitiers": ("Poit", "ポワ"),
        "limoges": ("Limo", "リモ"), "clermont": ("Cler", "クレル"), "bordeaux": ("Bord", "ボル"),
        "bergerac": ("Berg", "ベルジ"), "montauban": ("Monta", "モント"), "montpellier": ("Montp", "モンペ"),
        "toulouse": ("Toul", "トゥル"), "castres": ("Cast", "カス"), "marseille": ("Mars", "マルセ"),
        "avignon": ("Avig", "アヴィ"), "grenoble": ("Gren", "グル"), "bourges": ("Bour", "ブル"),
        "orleans": ("Orl", "オルレ"), "bayonne": ("Bay", "バイ"), "barcelona": ("Barc", "バルセ"),
        "valladolid": ("Vall", "バリャ"), "cartagena": ("Cart", "カルタ"), "gibraltar": ("Gib", "ジブラ"),
        "florence": ("Flor", "フロ"), "ravenna": ("Rav", "ラヴェ"), "cerignola": ("Cer", "チェリ"),
        "portsmouth": ("Port", "ポーツ"), "shrewsbury": ("Shre", "シュル"), "plymouth": ("Plym", "プリ"),
        "edinburgh": ("Edin", "エディ"), "djerba_tripoli": ("Djerba", "ジェルバ"), "alexandria": ("Alex", "アレク"),
        "salonika": ("Salo", "サロ"), "nicopolis": ("Nico", "ニコ"), "bucharest": ("Buch", "ブカ"),
        "navarre": ("Nav", "ナバラ"), "palma": ("Palma", "パルマ"), "eastern_mediterranean": ("E. Medit.", "東地中海"),
        "north_african_coast": ("N. Africa", "北アフリカ"),
    },
    weights={
        "istanbul": 2, "vienna": 2, "madrid": 2, "paris": 2, "london": 2, "rome": 2, "milan": 1, "seville": 1,
        "barcelona": 1, "naples": 1, "genoa": 1, "amsterdam": 1, "antwerp": 1, "brussels": 1, "lyon": 1,
        "bordeaux": 1, "rouen": 1, "marseille": 1, "edirne": 1, "salonika": 1, "athens": 1, "belgrade": 1,
        "buda": 1, "algiers": 1, "prague": 1, "augsburg": 1, "bristol": 1, "york": 1, "edinburgh": 1, "dublin": 1,
        "lisbon": 1, "venice": 1, "metz": 1, "tunis": 1,
    },
    insets=(
        Inset(
            ("Netherlands", "ネーデルラント"),
            (
                "groningen", "alkmaar", "haarlem", "amsterdam", "utrecht", "zutphen", "nijmegen", "rotterdam",
                "brielle", "breda", "flushing", "ostend", "ghent", "antwerp", "brussels", "lille", "arras", "mons",
                "namur", "maastricht", "liege",
            ),
        ),
    ),
)  # fmt: skip
"""Seas, land beyond the spaces (latitude, longitude), abbreviations (English, Japanese) and first labels."""
