"""Constraints of the map (A01 to A33)."""

from __future__ import annotations

from collections.abc import Iterator

from games.virgin_queen.constraints.base import AREAS, HOMES, LAND, Finding, QueenTables, by_id, counted, parts

CAPITALS = {
    "ottoman": ["istanbul"], "spain": ["madrid", "milan"], "england": ["london"], "france": ["paris"],
    "hre": ["vienna"], "protestant": [],
}  # fmt: skip
MEDITERRANEAN = {
    "barbary_coast", "gulf_of_lyon", "tyrrhenian_sea", "ionian_sea", "adriatic_sea", "aegean_sea",
    "north_african_coast", "eastern_mediterranean",
}  # fmt: skip
ATLANTIC = {"irish_sea", "north_sea", "english_channel", "bay_of_biscay", "atlantic_ocean"}
GALLEON_POWERS = ("spain", "england", "france", "huguenot", "dutch", "portugal")
PASSES = {"pyrenees": 4, "alps": 6, "balkans": 7}


def _kinds(box: QueenTables) -> Iterator[Finding]:
    """Check A01 to A04: kinds of spaces, capitals, homes, independents."""
    for key, space in box.spaces.items():
        yield ("A01", space["type"] in ("key", "fortress", "unfortified"), f"{key}: there is no type {space['type']}")
        yield "A03", space["home"] in HOMES, f"{key}: no home of {space['home']}"
    capitals = {power: sorted(card["capitals"]) for power, card in box.powers.items()}
    yield "A02", capitals == CAPITALS, f"capitals: {capitals}"
    marked = sorted(key for key, space in box.spaces.items() if space.get("capital"))
    yield (
        "A02",
        marked == sorted(key for found in CAPITALS.values() for key in found),
        f"capitals on the map: {', '.join(marked)}",
    )
    for power, found in CAPITALS.items():
        for key in found:
            fit = box.spaces[key]["type"] == "key" and box.spaces[key]["home"] == power
            yield "A02", fit, f"{key}: a capital is a home key of {power}"
    free = {key: space["type"] for key, space in box.spaces.items() if space["home"] == "independent"}
    keys = {key for key, kind in free.items() if kind == "key"}
    yield "A04", keys == {"metz", "tunis"}, f"independent keys: {', '.join(sorted(keys))}"
    forts = {key for key, kind in free.items() if kind == "fortress"}
    yield "A04", forts == {"florence"}, f"independent fortresses: {', '.join(sorted(forts))}"


def _areas(box: QueenTables) -> Iterator[Finding]:
    """Check A05, A06, A24, A27: the religious struggle areas."""
    yield "A05", tuple(box.areas) == AREAS, f"areas: {', '.join(box.areas)}"
    homes = {area["id"]: area["home"] for area in box.tables["map"]["areas"]}
    for area, spaces in box.areas.items():
        for space in spaces:
            faith = space["religion"] in ("catholic", "protestant")
            yield "A05", faith, f"{space['id']}: Catholic or Protestant, as all of {area}"
            yield "A05", space["home"] == homes[area], f"{space['id']}: not a home space of {homes[area]}"
        both = {space["religion"] for space in spaces} == {"catholic", "protestant"}
        yield "A06", both or area == "scotland", f"{area} begins with spaces of both religions"
    for key, space in box.spaces.items():
        inside = space.get("area") == space["home"] or space["home"] not in ("england", "france", "scotland")
        yield "A05", inside, f"{key} is a home space of {space['home']} outside its area"
    yield "A24", len(box.areas.get("scotland", ())) == 3, "Scotland has three home spaces"
    spaces = [space for area in box.areas.values() for space in area]
    protestant = counted(spaces, "religion")["protestant"]
    yield "A27", len(spaces) > 50, f"{len(spaces)} spaces lie in the four areas, 50 would win"
    yield "A27", 10 <= protestant <= 49, f"{protestant} Protestant spaces at the start"


def _split(box: QueenTables) -> Iterator[Finding]:
    """Check A07, A08: split home spaces."""
    for faction, number, area, lower in (("dutch", 7, "netherlands", "spain"), ("huguenot", 12, "france", "france")):
        found = box.split(faction)
        yield "A07", len(found) == number, f"{len(found)} {faction} split spaces of {number}"
        for space in found:
            yield "A07", space["home"] == lower, f"{space['id']}: {lower} holds it at the start"
            yield "A08", space.get("area") == area, f"{space['id']} does not lie in {area}"
        strong = any(space["type"] != "unfortified" for space in found)
        yield "A08", strong, f"a {faction} home space is fortified: leaders come there (10)"


def _passes(box: QueenTables) -> Iterator[Finding]:
    """Check A09, A10, A11, A15: passes, waterways, and that links run both ways."""
    rows = box.tables["map"]["passes"]
    found = counted(rows, "range")
    for chain, number in PASSES.items():
        yield "A09", found[chain] == number, f"{found[chain]} passes of {number}: {chain}"
    listed = {frozenset((row["a"], row["b"])) for row in rows}
    drawn = {frozenset((key, other)) for key, space in box.spaces.items() for other in space["passes"]}
    yield "A09", len(drawn) == 17, f"{len(drawn)} passes of 17"
    yield "A09", listed == drawn, "the list of passes and the spaces differ"
    for row in rows:
        if row["range"] == "pyrenees":
            sides = {box.spaces[row[end]]["home"] for end in ("a", "b") if row[end] in box.spaces}
            yield "A09", sides == {"france", "spain"}, f"{row['id']}: the Pyrenees part France and Spain"
    gates = {frozenset((row["a"], row["b"])): row["gate"] for row in box.tables["map"]["waterways"]}
    two = {frozenset(("brielle", "rotterdam")): "brielle", frozenset(("flushing", "antwerp")): "flushing"}
    yield "A10", gates == two, "the waterways are Brielle-Rotterdam and Flushing-Antwerp"
    water = {frozenset((key, other)) for key, space in box.spaces.items() for other in space["waterways"]}
    yield "A10", water == set(two), "the list of waterways and the spaces differ"
    for gate in ("brielle", "flushing"):
        yield "A10", "north_sea" in box.spaces[gate]["port"], f"{gate} is a port of the North Sea"
    for inland in ("antwerp", "rotterdam"):
        yield "A11", not box.spaces[inland]["port"], f"no ship enters {inland}"
    marked = {key for key, space in box.spaces.items() if space.get("inland_port")}
    yield "A11", marked == {"antwerp", "rotterdam"}, f"inland ports: {', '.join(sorted(marked))}"
    for key, space in box.spaces.items():
        links = box.links(key)
        yield "A15", len(links) == len(set(links)) and key not in links, f"{key}: a link stands twice"
        for kind in LAND:
            for other in space[kind]:
                back = other in box.spaces and key in box.spaces[other][kind]
                yield "A15", back, f"{kind} of {key}: {other} does not lead back"


def _seas(box: QueenTables) -> Iterator[Finding]:
    """Check A12 to A16: sea zones and ports."""
    for name, zones in (("mediterranean", MEDITERRANEAN), ("atlantic", ATLANTIC)):
        yield "A12", box.group(name) == zones, f"zones: {name}"
    for key, zone in box.zones.items():
        for other in zone["adjacent"]:
            known = other in box.zones
            back = known and key in box.zones[other]["adjacent"]
            yield "A15", back, f"{key}: {other} does not lead back"
            yield "A13", not known or zone["group"] == box.zones[other]["group"], f"{key} touches {other}"
        port = any(key in space["port"] for space in box.spaces.values())
        yield "A16", port, f"{key} has no port"
    apart = "tyrrhenian_sea" not in box.zones["ionian_sea"]["adjacent"]
    yield "A13", apart, "Ionian and Tyrrhenian Sea do not touch"
    for gate, zones in (
        ("messina", {"tyrrhenian_sea", "ionian_sea"}),
        ("gibraltar", {"barbary_coast", "atlantic_ocean"}),
    ):
        yield "A13", set(box.spaces[gate]["port"]) == zones, f"{gate} is the port of two zones"
    for key, space in box.spaces.items():
        ports = space["port"]
        fine = len(ports) <= 2 and len(set(ports)) == len(ports) and set(ports) <= set(box.zones)
        yield "A14", fine, f"{key}: not the ports of a space: {ports}"


def _whole(box: QueenTables) -> Iterator[Finding]:
    """Check A16: everything can be reached."""

    def near(key: str) -> list[str]:
        if key in box.zones:
            return [*box.zones[key]["adjacent"], *(k for k, s in box.spaces.items() if key in s["port"])]
        return [*box.links(key), *box.spaces[key]["port"]]

    one = parts([*box.zones, *box.spaces], near) == 1
    yield "A16", one, "the map falls into parts"


def _landlocked(box: QueenTables) -> Iterator[Finding]:
    """Check A16, inferred: every space without a link on land is a port."""
    for key, space in box.spaces.items():
        yield "A16", bool(box.links(key) or space["port"]), f"{key} can't be reached"


def _named(box: QueenTables) -> Iterator[Finding]:
    """Check A17 to A19: spaces that the rules name."""
    s = box.spaces
    for key in ("prague", "vienna", "buda"):
        yield "A17", s[key]["type"] == "key", f"{key} is a key"
    keys = {space["id"] for space in box.areas.get("netherlands", ()) if space["type"] == "key"}
    three = {"amsterdam", "antwerp", "brussels"}
    yield "A18", keys == three, f"keys of the Netherlands: {', '.join(sorted(keys))}"
    listed = set(box.powers["protestant"]["netherlands_keys"])
    yield "A18", listed == three, "Netherlands keys of the Protestant power card"
    for key in ("algiers", "djerba_tripoli"):
        barred = s[key].get("no_land_build") == ["ottoman"] and "galley" in s[key].get("no_build", ())
        home = s[key]["home"] == "ottoman" and bool(s[key]["port"])
        yield "A19", home and barred, f"{key}: an Ottoman port for corsairs only"
    for key in ("oran", "malta"):
        fit = s[key]["home"] == "spain" and s[key].get("no_land_build") == ["spain"]
        yield "A19", fit, f"Spain raises no land units at {key}"
    yield "A19", s["oran"].get("only_build") == ["galley"], "Spain builds only galleys at Oran"


def _shipyards(box: QueenTables) -> Iterator[Finding]:
    """Check A20: home ports for galleons and galleys."""
    for power in GALLEON_POWERS:
        homes = (box.spaces[key] for key in box.homes(power))
        yards = (s for s in homes if power != "spain" or s.get("area") != "netherlands")
        found = any(set(space["port"]) & ATLANTIC for space in yards)
        yield "A20", found, f"{power} has no home port for galleons"
    for power in ("hre", "papacy", "venice"):
        found = any(set(box.spaces[key]["port"]) & MEDITERRANEAN for key in box.homes(power))
        yield "A20", found, f"{power} has no home port for galleys"


def _examples(box: QueenTables) -> Iterator[Finding]:
    """Check A21 to A26: what examples, cards and the Armada need."""
    s = box.spaces
    plain = [space for space in box.areas.get("france", ()) if "home_upper" not in space]
    soft = {space["id"] for space in plain if space["type"] == "unfortified"}
    yield "A21", "reims" in soft, "Reims is French, not Huguenot, and unfortified"
    yield "A21", len(soft) >= 3, "the League takes Reims and two other blue unfortified spaces"
    lyon = "home_upper" not in s["lyon"] and {"dijon", "clermont"} <= set(s["lyon"]["connections"])
    yield "A22", lyon, "Lyon is no Huguenot home; Dijon and Clermont lie next to it"
    orleans = s["orleans"]["type"] != "unfortified" and "paris" in s["orleans"]["connections"]
    yield "A22", orleans, "Orleans is fortified and lies next to Paris"
    yield "A22", s["la_rochelle"]["type"] != "unfortified", "La Rochelle is fortified"
    yield "A23", "pressburg" in s["vienna"]["connections"], "Vienna and Pressburg are joined"
    irish = box.homes("ireland") >= {"dublin", "kinsale", "ulster"}
    ulster = s["ulster"]["type"] == "unfortified" and "dublin" in s["ulster"]["connections"]
    yield "A25", irish and ulster, "Ireland has Dublin, Kinsale, and unfortified Ulster next to Dublin"
    for key in ("seville", "corunna", "lisbon"):
        yield "A26", bool(s[key]["port"]), f"{key} is a port"


def _oceans(box: QueenTables) -> Iterator[Finding]:
    """Check A28, A29, A31: the World map."""
    m, oceans = box.tables["map"], box.oceans
    yield "A28", len(oceans) == 10 and {"indian_ocean", "south_pacific"} <= set(oceans), "ten ocean zones"
    borders = {frozenset((key, other)) for key, zone in oceans.items() for other in zone["adjacent"]}
    for key, zone in oceans.items():
        for other in zone["adjacent"]:
            back = other in oceans and key in oceans[other]["adjacent"]
            yield "A28", back, f"{key}: {other} does not lead back"
    dangers = {frozenset((row["a"], row["b"])) for row in m["hazards"]}
    yield "A28", not borders & dangers, "a border is both ordinary and a hazardous passage"
    ways = borders | dangers
    one = parts(oceans, lambda key: [next(iter(way - {key})) for way in ways if key in way]) == 1
    yield "A28", one, "the oceans fall into parts"
    winds = {frozenset((row["from"], row["to"])) for row in m["winds"]}
    yield "A29", len(winds) == len(m["winds"]) == 5 and winds <= borders, "trade winds on five borders"
    for a, b in (
        ("guinea_coast", "indian_ocean"), ("south_atlantic", "chilean_coast"), ("south_pacific", "indian_ocean"),
    ):  # fmt: skip
        yield "A31", frozenset((a, b)) in ways, f"{a} and {b} touch"


def _new_world(box: QueenTables) -> Iterator[Finding]:
    """Check A30, A32, A33: settlements, entry zones, treasure rows."""
    m = box.tables["map"]
    for row in m["settlements"]:
        yield "A30", bool(row["zones"]) and set(row["zones"]) <= set(box.oceans), f"{row['id']}: no zone"
    panama = set(by_id(m["settlements"])["nombre_de_dios_panama"]["zones"])
    yield "A30", panama == {"mexican_coast", "spanish_main"}, "Nombre de Dios touches two zones"
    entries = {row["power"]: set(row["zones"]) for row in m["entries"]}
    yield "A32", entries.get("ottoman") == {"indian_ocean"}, "the Ottomans enter the Indian Ocean"
    yield "A32", "spain" not in entries, "Spain launches no expeditions"
    for power in ("england", "france", "hre", "protestant"):
        both = entries.get(power) == {"north_atlantic", "guinea_coast"}
        yield "A32", both, f"{power} enters the North Atlantic or the Guinea Coast"
    rows = m["treasure_rows"]
    boxes = (rows["spain_boxes"], rows["spain_boxes_with_philippines"], rows["portugal_boxes"])
    yield "A33", boxes == (4, 5, 3), f"boxes for treasures: {boxes}"


GROUPS = (
    _kinds, _areas, _split, _passes, _seas, _whole, _named, _shipyards, _examples, _oceans, _new_world,
)  # fmt: skip
INFERRED = (_landlocked,)
