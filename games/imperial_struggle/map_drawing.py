"""The map drawing: five panels of the globe, the position of each space on them, and the colours of the powers.

Positions are geographical, not those of the printed board; boxes of the board without a place are at sea. The Carnatic
coast is drawn larger, next to India.
"""

from __future__ import annotations

from pbem.kernel.geography import Conic, MapNotes, MapPanel, Panels

CHART = Panels({
    "north-america": MapPanel(Conic(38, 55, 47, -77), (-98, 35.7, -56, 59), 24, 18, 1.6),
    "europe": MapPanel(Conic(38, 58, 48, 12), (-12, 33.5, 38, 62.5), 72, 18, 1.25),
    "caribbean": MapPanel(Conic(15, 31, 23, -76), (-95, 10.5, -56, 35.5), 24, 57, 1.5),
    "india": MapPanel(Conic(10, 24, 17, 82.5), (71, 7, 94, 26.5), 68, 57, 1.6),
    "carnatic": MapPanel(Conic(10, 15, 12.6, 79.4), (77.5, 9.7, 81.3, 15.2), 95, 57, 3.6),
})  # fmt: skip
"""Parts of the globe side by side, in degrees; see `pbem/kernel/geography.py`."""

COLOURS = {"britain": "#d9434e", "france": "#4a8fe7", "usa": "#e8e4d8", "spain": "#e3ae0c"}
"""By id, so that colour-blind readers tell the powers apart."""

PLACES: dict[str, dict[str, tuple[float, float]]] = {
    "north-america": {
        "algonquin": (47.8, -81), "hudson-bay": (54.5, -80.5), "york-factory": (57, -92.3),
        "quebec-montreal": (46.6, -72.3), "gulf-of-st-lawrence": (48.4, -61.8), "cabot-strait": (47.2, -59.6),
        "louisbourg": (45.9, -60), "acadia": (45.6, -65.6), "northeast-channel": (42.1, -65.2),
        "halifax": (44.65, -63.6), "georges-bank": (41.1, -67.3), "atlantic-passage": (38.6, -69),
        "gulf-of-maine": (43.3, -68.6), "massachusetts-bay": (42.3, -70.7), "northern-colonies": (40.2, -75.2),
        "chesapeake": (37.3, -76.3), "hudson-valley": (41.4, -74), "albany": (42.65, -73.7),
        "cumberland": (39.2, -78.9), "ohio-forks": (40.4, -80.2), "allegheny": (41.7, -79.2),
        "niagara": (43.2, -79.1), "oswego": (43.4, -76.3), "champlain-valley": (44.1, -73.4),
        "ile-aux-noix": (45.2, -73.2), "cataraqui": (44.4, -76.6), "iroquois": (42.4, -76.8),
        "sons-of-liberty": (42, -72.2), "usa-2": (37, -63), "usa-3": (37, -63),
    },
    "europe": {
        "ireland-alliance": (53.2, -8), "ireland-prestige": (53.2, -8), "scotland-alliance": (57, -4.3),
        "scotland-prestige": (57, -4.3), "denmark-norway": (60.2, 9.5), "prussia-alliance": (52.8, 14.5),
        "prussia-prestige": (52.8, 14.5), "prussia-alliance-empire": (53.8, 20.8),
        "prussia-prestige-empire": (53.8, 20.8), "sweden": (60, 15.5), "russia": (55.7, 34),
        "dutch-alliance": (52.2, 5.4), "dutch-prestige": (52.2, 5.4), "german-states-2": (50.9, 9.6),
        "german-states-3": (50.9, 9.6), "bavaria": (48.6, 11.9), "austria-alliance-2": (47.6, 15.2),
        "austria-prestige-upper": (47.6, 15.2), "austria-alliance-3": (47.6, 15.2),
        "austria-prestige-lower": (47.6, 15.2), "sardinia": (40.1, 9.1), "savoy": (45.2, 7.1),
        "spain-alliance-upper": (40.4, -3.7), "spain-prestige-2": (40.4, -3.7),
        "spain-alliance-lower": (40.4, -3.7), "spain-prestige-3": (40.4, -3.7), "gibraltar": (36.2, -5.4),
        "minorca": (40, 4.1), "biscay": (45.6, -4.5), "balearic": (38.6, 1.4),
    },
    "caribbean": {
        "asiento": (33.4, -67.5), "privateers": (29.8, -64), "buccaneers": (14.8, -79.6),
        "carolinas": (33.9, -80.5), "georgia": (32.2, -82.8), "san-agustin": (29.6, -81.7),
        "panzacola": (30.6, -86.9), "bahamas-run-west": (26.3, -79), "bahamas-run-north": (27.8, -75.8),
        "bahamas-run": (24.9, -74.2), "caicos": (21.9, -71.6), "st-domingue": (18.9, -71.9),
        "port-de-paix": (19.95, -73), "puerto-principe": (21.4, -77.9), "puerto-rico": (18.2, -66.4),
        "antigua": (17.1, -61.8), "martinique": (14.65, -61), "st-lucia": (13.9, -60.98),
        "antilles-channel": (15.4, -63.6), "guadeloupe": (16.2, -61.5), "barbados": (13.15, -59.5),
        "havana": (23, -82.2), "gulf-of-cazones": (21.6, -81.2), "santiago": (20.2, -75.8),
        "jamaica": (18.1, -77.3), "cayman-passage": (19.4, -80.8), "cuba-passage-east": (24.3, -81.8),
        "cuba-passage": (22.3, -85.6), "st-james": (26, -86.8), "louisiana": (30.3, -91.3),
    },
    "india": {
        "maratha": (18.8, 75.2), "nizam": (17.4, 78.5), "mysore": (12.5, 76.6), "malacca-route": (15, 91),
        "hooghly-river": (21.1, 88.3), "chandernagore": (22.87, 88.3), "plassey": (23.9, 88.2),
        "west-bengal": (23.3, 86.6), "midnapore": (22.2, 86.9), "calcutta": (22.3, 88.7), "calicut": (11.3, 75.9),
        "mangalore": (12.9, 74.9), "malabar-coast": (10.6, 74.2),
    },
    "carnatic": {
        "kurpa": (14.47, 78.8), "arcot": (12.95, 79.25), "vellore": (12.6, 78.6), "kanchipuram": (12.8, 79.8),
        "madras": (13.1, 80.25), "pondicherry": (11.93, 79.8), "karaikal": (10.95, 79.8),
        "vandavasi": (12.35, 79.4),
        "tiruchirappalli": (10.8, 78.7),
    },
}  # fmt: skip
"""Latitude and longitude of each space, by panel."""

_BLOCKS = {1: ((0.0, 0.0),), 2: ((-1.3, 0.0), (1.3, 0.0)), 4: ((-1.4, -1.1), (1.4, -1.1), (-1.4, 1.1), (1.4, 1.1))}
"""Offsets of the spaces that share one place."""


def _at() -> dict[str, tuple[float, float]]:
    found: dict[str, tuple[float, float]] = {}
    for name, places in PLACES.items():
        for place in dict.fromkeys(places.values()):
            here = [space for space, where in places.items() if where == place]
            x, y = CHART.parts[name].at(place[1], place[0])
            for space, (right, down) in zip(here, _BLOCKS[len(here)], strict=True):
                found[space] = (round(x + right, 3), round(y + down, 3))
    return found


AT = _at()
"""Position of each space on the map."""

NOTES = MapNotes.at(
    CHART,
    lands={
        "france": (
            (47.2, 2.2), (44.5, 1), (44.8, 4.8), (48.6, -1.5),
        ),
        "britain": (
            (52.3, -1), (53.8, -2), (50.9, -3.6),
        ),
        "": (
            (39.5, -8.2), (52, 20.5), (54.5, 24), (42.2, 13.2), (40.3, 16.3), (45.5, 11.7), (43.5, 19),
            (46.5, 24.5), (42, 25), (34, -3), (36, 4), (47, 19.5), (49.8, 24), (38, 14.5),
            (46.8, 8.2), (50, 30), (61.5, 25), (57, 25), (36.5, 9), (39.5, 33), (50.5, -75),
            (46, -86), (41, -83.5), (38, -83), (36.5, -79.5), (52, -66), (49, -56.5), (45, -69.5),
            (35, -86), (33, -90), (30, -96), (20, -100), (16, -91), (20.5, -89), (13, -85.5),
            (9, -80), (7, -74), (8, -66), (18.8, -70.3), (27.5, -81.2), (7, 80.8), (26.5, 80),
            (24.5, 77.5), (22, 72), (21, 82), (25.5, 91.5), (21, 95), (29, 72), (16.5, 102),
            (17.2, 82), (20, 85),
        ),
    },
    short={
        "ireland-alliance": ("Ireland A", "アイル同"), "ireland-prestige": ("Ireland P", "アイル威"),
        "scotland-alliance": ("Scotl. A", "スコット同"), "scotland-prestige": ("Scotl. P", "スコット威"),
        "prussia-alliance": ("Prussia A", "プロイ同"), "prussia-prestige": ("Prussia P", "プロイ威"),
        "dutch-alliance": ("Dutch A", "オランダ同"), "dutch-prestige": ("Dutch P", "オランダ威"),
        "prussia-alliance-empire": ("Prussia AE", "プロイ同帝"),
        "prussia-prestige-empire": ("Prussia PE", "プロイ威帝"),
        "german-states-2": ("German 2", "ドイツ2"), "german-states-3": ("German 3", "ドイツ3"),
        "austria-alliance-2": ("Austria A2", "オースト同2"), "austria-alliance-3": ("Austria A3", "オースト同3"),
        "austria-prestige-upper": ("Austria Pu", "オースト威上"),
        "austria-prestige-lower": ("Austria Pl", "オースト威下"),
        "spain-alliance-upper": ("Spain Au", "スペ同上"), "spain-alliance-lower": ("Spain Al", "スペ同下"),
        "spain-prestige-2": ("Spain P2", "スペ威2"), "spain-prestige-3": ("Spain P3", "スペ威3"),
        "denmark-norway": ("Denmark", "デンマーク"),
        "gulf-of-st-lawrence": ("G. St. Law.", "ローレンス"),
        "quebec-montreal": ("Québec", "ケベック"), "northeast-channel": ("NE Channel", "ノース水道"),
        "massachusetts-bay": ("Mass. Bay", "マサ"), "northern-colonies": ("N. Colonies", "北部"),
        "champlain-valley": ("Champlain", "チャンプ"), "atlantic-passage": ("Atl. Pass.", "大西洋"),
        "sons-of-liberty": ("Sons of L.", "自由の"), "hudson-valley": ("Hudson V.", "ハドソン"),
        "gulf-of-maine": ("G. Maine", "メイン"), "georges-bank": ("Georges B.", "ジョージ"),
        "usa-2": ("US 2", "合衆国2"), "usa-3": ("US 3", "合衆国3"),
        "bahamas-run-west": ("Bah. W", "バハマ西"), "bahamas-run-north": ("Bah. N", "バハマ北"),
        "bahamas-run": ("Bahamas", "バハマ"), "cuba-passage-east": ("Cuba E", "キューバ東"),
        "cuba-passage": ("Cuba", "キューバ"), "puerto-principe": ("P. Principe", "プリンシペ"),
        "port-de-paix": ("P. de Paix", "ポルペ"), "antilles-channel": ("Antilles", "アンティル"),
        "gulf-of-cazones": ("Cazones", "カソネス"),
        "cayman-passage": ("Cayman", "ケイマン"),
        "guadeloupe": ("Guadel.", "グアド"), "tiruchirappalli": ("Tiruch.", "ティルチ"),
        "kanchipuram": ("Kanch.", "カーンチ"),
        "pondicherry": ("Pondi.", "ポンディ"), "vandavasi": ("Vanda.", "ヴァンダ"),
        "chandernagore": ("Chand.", "チャンダ"),
        "hooghly-river": ("Hooghly", "フーグリ"), "malabar-coast": ("Malabar", "マラバル"),
        "malacca-route": ("Malacca", "マラッカ"),
    },
)  # fmt: skip
"""Seas, land beyond the spaces (latitude, longitude), abbreviations (English, Japanese) and what is named first."""
