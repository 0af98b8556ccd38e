"""Constraints of the components and the map (A and B)."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator

from games.crown_of_roses.components import HOUSES
from games.crown_of_roses.constraints_base import CrownTables, Finding


def _components(box: CrownTables) -> Iterator[Finding]:
    kinds = Counter(block["kind"] for block in box.blocks.values())
    yield "A01", len(box.blocks) == 54, "there are 54 blocks"
    expected = {"heir": 17, "noble": 24, "queen": 1, "office": 8, "mercenary": 4}
    yield "A02", dict(kinds) == expected, f"kinds of blocks: {dict(kinds)}"
    numbers = {f"{house}{n}" for house in "BLWY" for n in range(1, 9)}
    yield "A03", set(box.ops) == {str(n) for n in range(1, 79)} and set(box.house) == numbers, "110 cards"
    yield "A04", len(box.offices) == 8, "there are eight offices"
    counts = {m["value"]: m["count"] for m in box.tables["tracks"]["markers"]}
    yield "A05", counts == {0: 4, 1: 12, 2: 10, 3: 6, 5: 6, 10: 2}, f"influence markers: {counts}"
    borders = box.tables["map"]["borders"]
    joined = all(b["a"] in box.shires and b["b"] in box.shires and b["a"] != b["b"] for b in borders)
    yield "A06", joined and len(box.border) == len(borders), "a border stands twice or joins no two shires"
    regions = Counter(shire["region"] for shire in box.shires.values())
    known = {r["id"] for r in box.tables["map"]["regions"]}
    yield "A07", set(regions) == known, "every region has its shires"
    for region in ("london_region", "calais_region", "ireland_region"):
        yield "A07", regions[region] == 1, f"{region} is one shire"
    yield "A08", len(box.tables["map"]["exiles"]) == 3, "three exile boxes"
    for key, shire in box.shires.items():
        yield ("A09", shire["sv"] in (1, 2, 3, 4) and shire["loyalty"] in (*HOUSES, ""), f"{key}: value or loyalty")
    faces = box.numbers["dice"]
    yield "A10", (faces["red"], faces["blue"], faces["green"]) == (4, 5, 6), "red 4, blue 5, green 6"


def _shires(box: CrownTables) -> Iterator[Finding]:
    s = box.shires
    yield "B01", box.limit("london") == 5, "London holds five blocks a player"
    yield "B02", (s["rutland"]["sv"], s["rutland"]["loyalty"]) == (1, "york"), "Rutland is 1, York's"
    yield ("B03", (s["stafford"]["sv"], s["stafford"]["loyalty"]) == (2, "buckingham"), "Stafford is 2, Buckingham's")
    yield "B04", s["northumberland"]["loyalty"] == "lancaster", "Northumberland is loyal to Lancaster"
    shields = {box.blocks["lord_northumberland"]["family"], box.blocks["lord_prince_edward"]["family"]}
    land = s["northumberland"]
    three = set(land["estates"]) == shields and land["office_estates"] == ["warden"] and not land["royal"]
    yield "B05", three, "Northumberland shows exactly Percy, Lancaster and the Warden"
    yield "B06", "chancellor" in s["carnarfon"]["office_estates"], "Carnarfon is an estate of the Chancellor"
    admiral = {key for key in s if "admiral" in s[key]["office_estates"]}
    yield "B07", admiral == {"dorset", "hampshire"}, "the Admiral's estates are Dorset and Hampshire"
    both = "york" in s["west_riding"]["estates"] and s["west_riding"]["royal"]
    yield "B08", both, "West Riding is a York and a royal estate"
    yield "B09", "york" in s["chester"]["estates"], "Chester is an estate of York"
    talbot = box.blocks["lord_shrewsbury"]["family"]
    yield "B10", talbot in s["stafford"]["estates"], "Stafford is an estate of Shrewsbury"


def _values(box: CrownTables) -> Iterator[Finding]:
    """Check B: values, loyalties and shields of the examples."""
    s = box.shires
    for key in ("lincoln", "cambridge", "west_riding"):
        yield "B13", s[key]["sv"] == 2, f"{key} is worth 2"
    for key in ("nottingham", "leicester", "rutland", "huntingdon"):
        yield "B13", s[key]["sv"] == 1, f"{key} is worth 1"
    limits = box.limit("derby") == 2 and box.limit("powys") == 2
    yield ("B18", limits and box.limit("shropshire") >= 3 and box.limit("kent") <= 4, "stack limits of the examples")
    yield "B30", s["calais"]["loyalty"] == "warwick", "Calais is loyal to Warwick"
    welsh = [x for x in s.values() if x["region"] == "wales"]
    yield "B31", any(x["loyalty"] == "lancaster" for x in welsh), "a Welsh shire is loyal to Lancaster"
    families = {b["family"] for b in box.blocks.values() if b["family"]}
    yield ("B32", families == {f for x in s.values() for f in x["estates"]}, "families and shields on the map differ")
    for office in box.offices:
        has = any(office in x["office_estates"] for x in s.values())
        yield "B33", has or office == "king", f"{office} has no estate"
    yield "B33", any(x["royal"] for x in s.values()), "there are royal estates"
    more = s["rutland"]["sv"] + (s["rutland"]["loyalty"] == "york")
    yield "B36", more == 2, "York musters two steps in Rutland"
    warden = box.ops["23"]["options"][2]["shires"]
    yield "B37", set(warden) == {"cumberland", "northumberland", "durham"}, "card 23 names three shires"


def _borders(box: CrownTables) -> Iterator[Finding]:
    sussex = {"hampshire", "surrey", "kent"}
    yield "B11", box.neighbours("sussex") == sussex, "Sussex borders Hampshire, Surrey and Kent"
    around = {"cambridge", "west_riding", "nottingham", "leicester", "rutland", "huntingdon"}
    yield "B12", box.neighbours("lincoln") == around, "the neighbours of Lincoln"
    wash = {pair for pair, kind in box.border.items() if kind == "wash"}
    yield "B14", wash == {frozenset(("lincoln", "norfolk"))}, "the Wash lies between Lincoln and Norfolk"
    for other in around:
        fens = other in ("huntingdon", "rutland", "cambridge")
        yield "B14", (box.kind("lincoln", other) == "fens") == fens, f"Lincoln and {other}: fens or not"
    for pair, kind in box.border.items():
        yield ("B15", kind != "fens" or bool({"lincoln", "norfolk"} & pair), f"fens between {' and '.join(pair)}")
    known = box.kind("gloucester", "glamorgan") and box.kind("devon", "somerset")
    yield "B20", bool(known), "Gloucester touches Glamorgan, Devon touches Somerset"
    # 7.4.1 No border crosses an estuary.
    for entry in box.tables["map"]["estuaries"]:
        yield "B21", box.kind(entry["a"], entry["b"]) is None, f"nobody crosses the {entry['name']}"
    for far in ("norfolk", "east_riding", "northampton"):
        yield "B22", far not in box.neighbours("lincoln"), f"{far} does not touch Lincoln"
    islands = {"isle_of_man", "pale_of_ireland", "calais"}
    yield "B23", set(box.shires) - _reached(box) == islands, "all but three shires form one land"
    yield "B24", len(box.border) <= 3 * (len(box.shires) - 3) - 6, "more borders than a map can have"
    for pair in box.border:
        a, b = (box.shires[key] for key in pair)
        near = abs(a["lat"] - b["lat"]) < 1.3 and abs(a["lon"] - b["lon"]) < 1.9
        yield "B24", near, f"{a['id']} and {b['id']} lie far from each other"


def _reached(box: CrownTables) -> set[str]:
    seen, todo = {"london"}, deque(["london"])
    while todo:
        new = box.neighbours(todo.popleft()) - seen
        seen |= new
        todo.extend(new)
    return seen


def _paths(box: CrownTables) -> Iterator[Finding]:
    """Check B: the worked examples of movement, plague and uprisings."""
    march = ["huntingdon", "rutland", "leicester", "derby", "lancashire"]
    friendly = box.loyal("york") | {"huntingdon", "derby"}
    yield ("B16", box.costs(march, friendly) == [2, 1, 1, 4], f"March's move: {box.costs(march, friendly)} halves")
    own = (box.loyal("lancaster") | {"shropshire", "powys"}) - {"stafford"}
    yield "B17", sum(box.costs(["derby", "stafford", "shropshire"], own)) == 4, "Derby to Shropshire costs 2"
    yield ("B17", box.costs(["shropshire", "powys", "shropshire"], own) == [2, 2], "Powys and back costs 1 each")
    yield "B19", box.limit("chester") >= 3, "a stack of three stands in Chester"
    lost = {
        "lincoln": 2, "cambridge": 1, "west_riding": 1, "nottingham": 1, "leicester": 1, "rutland": 1, "huntingdon": 1,
    }  # fmt: skip
    yield "B34", _plague(box, "lincoln") == lost, f"plague in Lincoln: {_plague(box, 'lincoln')}"
    stafford = box.shires["stafford"]
    dice_of = {house: stafford["sv"] + (stafford["loyalty"] not in ("", house)) for house in ("buckingham", "york")}
    yield "B35", dice_of == {"buckingham": 2, "york": 3}, "an uprising in Stafford rolls 2 or 3 dice"


def _plague(box: CrownTables, origin: str) -> dict[str, int]:
    """Return steps lost by shire (14.1.2)."""
    found = {origin: int(box.shires[origin]["sv"])}
    for other in box.neighbours(origin):
        sv = int(box.shires[other]["sv"])
        found[other] = sv if other == "london" else max(1, sv - 1)
    return found


def _sea(box: CrownTables) -> Iterator[Finding]:
    """Check B: coasts, seas and exile boxes."""
    s = box.shires
    two = {key: set(shire["seas"]) for key, shire in s.items() if len(shire["seas"]) > 1}
    expected = {"cornwall": {"irish_sea", "english_channel"}, "suffolk": {"north_sea", "english_channel"}}
    yield "B25", two == expected, "only Cornwall and Suffolk lie on two seas"
    irish = "irish_sea" in s["chester"]["seas"] and "irish_sea" in s["devon"]["seas"]
    yield "B26", irish, "Chester and Devon lie on the Irish Sea"
    seas = {sea["id"]: set(sea["adjacent"]) for sea in box.tables["map"]["seas"]}
    middle = {"english_channel"}
    flanks = seas["north_sea"] == middle == seas["irish_sea"]
    yield "B27", flanks and seas["english_channel"] == {"north_sea", "irish_sea"}, "which seas touch"
    channel = all("english_channel" in s[key]["seas"] for key in ("london", "calais"))
    yield ("B28", channel and bool(s["pale_of_ireland"]["seas"]), "London, Calais and Pale of Ireland are coastal")
    boxes = {e["id"]: (set(e["land_from"]), set(e["sea_from"])) for e in box.tables["map"]["exiles"]}
    scots = ({"cumberland", "northumberland"}, {"irish_sea", "north_sea"})
    yield "B29", boxes["exile_scotland"] == scots, "how Scotland is reached"
    overland = (boxes["exile_ireland"], boxes["exile_france"])
    yield ("B29", overland == (({"pale_of_ireland"}, set()), ({"calais"}, set())), "how Ireland and France are reached")
    yield "B29", box.numbers["movement"]["exile"] == 4, "an exile box costs 2 MP overland"


GROUPS = (_components, _shires, _values, _borders, _paths, _sea)
