"""Constraints of the tables, the scenarios and the numbers of players (A75 to A84)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from games.virgin_queen.constraints.base import Entry, Finding, QueenTables, by_id
from games.virgin_queen.state import MINORS, POWERS

SIZES = ((6, "sixes"), (4, "fours"), (2, "twos"), (1, "ones"))
SHORT = ("r", "m", "c")
TREASURE_FLEET = {1: "north_atlantic", 2: "north_atlantic", 3: "antilles", 4: "antilles", 5: "spanish_main"}


def _covers(rows: Iterable[Entry], low: int, high: int) -> list[int]:
    """Return the totals that no row or more than one row has."""
    rows = list(rows)
    return [n for n in range(low, high + 1) if sum(row["lo"] <= n <= row["hi"] for row in rows) != 1]


def _tables(box: QueenTables) -> Iterator[Finding]:
    """Check A79: every table covers all totals once."""
    t = box.tables["tables"]
    spans = {"voyage": (2, 15), "colony": (2, 14), "marriage": (2, 26), "jilted": (1, 6), "treasure_fleet": (1, 6),
             "protestant_space_vp": (10, 49)}  # fmt: skip
    found = {name: (t[name]["rows"], *span) for name, span in spans.items()}
    found |= {kind: (t["patronage"][kind]["rows"], 3, 21) for kind in ("artist", "scientist")}
    for kind in ("gain_intelligence", "assassination", "english_catholic_rebellion"):
        found[kind] = (t["espionage"][kind]["rows"], -10, 20)
    for name, (rows, low, high) in found.items():
        holes = _covers(rows, low, high)
        yield "A79", not holes, f"{name}: totals without one row: {holes}"
    yield "A79", [entry["turn"] for entry in t["turn"]] == list(range(1, 8)), "the turn track has seven boxes"


def _numbers(box: QueenTables) -> Iterator[Finding]:
    """Check A75 to A78: what the rules print of the tables."""
    t = box.tables["tables"]
    yield "A75", t["colony"]["rows"][0]["hi"] == 4, "the colony table begins with 2 to 4 (errata)"
    yield "A75", t["treasure_fleet"]["dice"] == "1d6", "the treasure fleet is one die (errata)"
    for n, zone in TREASURE_FLEET.items():
        hit = [row["result"] for row in t["treasure_fleet"]["rows"] if row["lo"] <= n <= row["hi"]]
        yield "A76", hit == [zone], f"treasure fleet, {n}: {hit}"
    for kind in ("artist", "scientist"):
        ends = [row["hi"] for row in t["patronage"][kind]["rows"]]
        yield "A77", ends[:3] == [6, 8, 9], f"{kind}: rows to 6, 8 and 9"
    ends = [row["hi"] for row in t["patronage"]["scientist"]["rows"]]
    yield "A77", ends[3:5] == [12, 14], "scientists: rows 10 to 12 and 13 to 14"
    league = t["catholic_league"]
    keys = ("turns", "target", "automatic_if_protestant_french_keys", "impossible_if_at_most_spaces")
    found = [league[key] for key in keys]
    yield "A78", found == [[3, 4, 5, 6], 12, 3, 5], f"the Catholic League: {found}"
    dice = t["dice"]
    targets = (dice["hit_faces"], dice["interception_target"], dice["avoid_battle_target"])
    yield "13.2", targets == ([5, 6], 9, 9), f"hits and targets: {targets}"


class _Start:
    """A scenario: who holds what when it begins."""

    def __init__(self, box: QueenTables, entry: Entry) -> None:
        self.entry = entry
        self.name = str(entry["id"])
        self.control = {key: space["control"] for key, space in box.spaces.items()}
        self.control |= {row["space"]: row["power"] for row in entry["control"]}
        self.control |= dict.fromkeys(entry["independent_start"], "independent")
        self.faith = {key: space["religion"] for key, space in box.spaces.items()}
        self.faith |= {row["space"]: row["religion"] for row in entry["religion"]}
        self.ally = {row["minor"]: row["ally"] for row in entry["minor_alliances"]}
        self.capitals = {space for card in box.powers.values() for space in card["capitals"]}
        self.capitals |= {row["space"] for row in entry["capitals_placed"]}

    def holds(self, power: str, space: str) -> bool:
        """Return whether a power, or the ally of a minor power, controls a space."""
        return self.control.get(space) in (power, self.ally.get(power, power))


def _starts(box: QueenTables) -> list[_Start]:
    return [_Start(box, entry) for entry in box.tables["scenarios"]["scenarios"]]


def _free(box: QueenTables) -> Iterator[Finding]:
    """Check A80, A41: independents and minor powers at the start."""
    for start in _starts(box):
        expected = {"florence", "tunis"} if start.name == "campaign" else {"florence"}
        free = {key for key in ("metz", "tunis", "florence") if start.control[key] == "independent"}
        yield "A80", free == expected, f"{start.name}: independent are {', '.join(sorted(free))}"
        minors = [*start.entry["inactive_minors"], *start.ally]
        yield "A80", sorted(minors) == sorted(MINORS), f"{start.name}: each minor power is active or not"
        for minor, ally in start.ally.items():
            fit = ally in box.minors[minor]["activators"]
            yield "A41", fit, f"{start.name}: {ally} may not ally {minor}"
        for minor in MINORS:
            holder = start.ally.get(minor, minor)
            held = {start.control[space] for space in box.minors[minor]["spaces"]}
            yield "A41", held == {holder}, f"{start.name}: {minor} is held by {', '.join(sorted(held))}"
        for faction in ("dutch", "huguenot"):
            for space in box.split(faction):
                lower = start.control[space["id"]] in (space["home"], "protestant")
                yield "A07", lower, f"{start.name}: who holds {space['id']}"


def _faith(box: QueenTables) -> Iterator[Finding]:
    """Check A06, A27, A37, A39: nobody has won when a scenario begins."""
    for start in _starts(box):
        spaces = [space["id"] for area in box.areas.values() for space in area]
        number = sum(start.faith[key] == "protestant" for key in spaces)
        yield "A27", 10 <= number <= 49, f"{start.name}: {number} Protestant spaces"
        for area, found in box.areas.items():
            both = {start.faith[space["id"]] for space in found} == {"catholic", "protestant"}
            yield "A06", both or area == "scotland", f"{start.name}: both religions in {area}"
        keys = Counter(start.control[key] for key, space in box.spaces.items() if space["type"] == "key")
        for power, card in box.powers.items():
            if power != "protestant":
                yield "A37", keys[power] < card["auto_win_keys"], f"{start.name}: {power} begins with victory"
        for row in start.entry["betrothed"]:
            sexes = [box.people["royals"][row[who]]["sex"] for who in ("groom", "bride")]
            yield "21", sexes == ["m", "f"], f"{start.name}: a man and a woman are betrothed"
        for row in start.entry["wars"]:
            majors = {row["a"], row["b"]} <= set(POWERS) and row["a"] != row["b"]
            yield "9.2", majors, f"{start.name}: {row['a']} and {row['b']} are two major powers"
        rulers = [box.rulers[key]["power"] for key in start.entry["rulers"]]
        yield "A39", sorted(rulers) == sorted(POWERS), f"{start.name}: one ruler of each power"


def _changes(stacks: list[int], pool: Entry) -> bool:
    left = {size: pool[word] for size, word in SIZES}
    for stack in sorted(stacks, reverse=True):
        for size, _ in SIZES:
            while stack >= size and left[size]:
                stack -= size
                left[size] -= 1
        if stack:
            return False
    return True


def _troops(box: QueenTables) -> Iterator[Finding]:
    """Check A83, A48, A51: land units at the start."""
    for start in _starts(box):
        stacks: dict[str, list[int]] = {}
        for row in start.entry["units"]:
            owner, where = row["owner"], f"{start.name}: {row['owner']} at {row['space']}"
            if owner not in box.land or row["space"] not in box.spaces:
                yield "A83", False, f"{where} is not known"
                continue
            pool = box.land[owner]
            back = {"mercenary": "m", "cavalry": "c"}.get(pool["back"], "")
            yield ("A48", all(kind in ("r", back) for kind in SHORT if row.get(kind)), f"{where}: not its kinds")
            held = start.holds(pool["power"], row["space"]) or start.control[row["space"]] == owner
            yield "A83", held, f"{where}, which {start.control[row['space']]} holds"
            stacks.setdefault(owner, []).extend(row[kind] for kind in SHORT if row.get(kind))
            if owner == "walloon":
                yield "A50", box.spaces[row["space"]].get("area") == "netherlands", f"{where}: not there"
        for owner, sizes in stacks.items():
            yield "A83", _changes(sizes, box.land[owner]), f"{start.name}: not enough counters of {owner}"
        knights = sum(stacks.get("knights_of_st_john", ()))
        yield "A51", knights in (1, 2), f"{start.name}: {knights} Knights of St. John"


def _ships(box: QueenTables) -> Iterator[Finding]:
    """Check A83, A20, A49: ships and leaders at the start."""
    for start in _starts(box):
        number: Counter[str] = Counter()
        atlantic = box.group("atlantic")
        for row in start.entry["ships"]:
            owner, space = row["owner"], box.spaces.get(row["space"], {"port": ()})
            where = f"{start.name}: {owner} ships at {row['space']}"
            number[owner] += row["n"]
            pool = box.naval[owner]
            yield "A83", row["kind"] in (pool["front"], pool["back"]), f"{where}: no {row['kind']}"
            yield "A83", bool(space["port"]), f"{where}: no port"
            yield "A83", start.holds(pool["power"], row["space"]), f"{where}: not held by it"
            if row["kind"] in ("galleon", "race_built"):
                yield "A20", bool(set(space["port"]) & atlantic), f"{where}: galleons lie on the Atlantic"
        for owner, n in number.items():
            yield "A49", n <= box.naval[owner]["count"], f"{start.name}: {n} ships of {owner}"
        ports = {row["space"] for row in start.entry["ships"]}
        generals = {**box.people["army_leaders"], **box.people["naval_leaders"]}
        for row in start.entry["leaders"]:
            leader = generals.get(row["leader"])
            where = f"{start.name}: {row['leader']} at {row['space']}"
            yield "A83", leader is not None and row["space"] in box.spaces, f"{where} is not known"
            if leader is not None:
                yield "A83", start.holds(leader["power"], row["space"]), f"{where}: not held by his power"
            if row["leader"] in box.people["naval_leaders"]:
                yield "A83", row["space"] in ports, f"{where}: without ships"


def _arrivals(box: QueenTables) -> Iterator[Finding]:
    """Check A56, A57: everybody due before the first turn is there, nobody else."""
    generals = {**box.people["army_leaders"], **box.people["naval_leaders"]}
    for start in _starts(box):
        entry, first = start.entry, start.entry["first_turn"]

        def due(turn: str, first: int = first) -> bool:
            return turn.isdigit() and int(turn) < first

        placed = {row["leader"] for row in (*entry["leaders"], *entry["leaders_on_card"])}
        gone = set(entry.get("leaders_removed", ()))
        early = {key for key in placed if key in generals and not due(generals[key]["turn"])}
        early -= {key for key in early if generals[key]["turn"] == "card"}
        yield "8.1", not early, f"{start.name}: too early: {', '.join(sorted(early))}"
        late = {key for key, leader in generals.items() if due(leader["turn"])} - placed - gone
        yield "8.1", not late, f"{start.name}: leaders are missing: {', '.join(sorted(late))}"
        captains = {key for key, captain in box.people["captains"].items() if due(captain["turn"])}
        here = set(entry["captains_available"])
        yield "A57", here == captains, f"{start.name}: captains: {', '.join(sorted(here ^ captains))}"
        known = set(entry["removed_cards"]) <= set(box.cards)
        yield "A67", known, f"{start.name}: removed cards are not known"
        lost = set(entry["spain_settlements_lost"]) <= set(by_id(box.tables["map"]["settlements"]))
        yield "A30", lost, f"{start.name}: lost settlements are not known"


def _tournament(box: QueenTables) -> Iterator[Finding]:
    """Check A81: the tournament."""
    entry = by_id(box.tables["scenarios"]["scenarios"])["tournament"]
    wars = {frozenset((row["a"], row["b"])): row.get("locked_turn") for row in entry["wars"]}
    sultan, huguenots = frozenset(("ottoman", "spain")), frozenset(("france", "protestant"))
    yield "A81", entry["first_turn"] == 3, "the tournament begins with turn 3"
    yield "A81", set(wars) == {sultan, huguenots}, "two wars are on when it begins"
    yield "A81", wars.get(sultan) == 3, "Ottomans and Spain can't end theirs on turn 3"
    yield "A81", wars.get(huguenots) is None, "France and the Protestants may end theirs"


def _players(box: QueenTables) -> Iterator[Finding]:
    """Check A82: seats by number of players."""
    entries = box.tables["scenarios"]["players"]
    yield "A82", sorted(entry["count"] for entry in entries) == [2, 3, 4, 5, 6], "two to six players"
    for entry in entries:
        count, idle = entry["count"], entry["activated"]
        played = [power for seat in entry["seats"] for power in seat]
        yield "A82", len(entry["seats"]) == count, f"{count} players: {len(entry['seats'])} seats"
        yield ("A82", sorted((*played, *idle)) == sorted(POWERS), f"{count} players: six powers are in the game")
        few = count == 6 or (bool(idle) and set(idle) <= {"ottoman", "hre"})
        yield "A82", few and (count < 6 or not idle), f"{count} players: who is activated"
        for key, card in box.cards.items():
            out = bool(card.get("players")) and count not in card["players"]
            yield "A82", (key in entry["remove_cards"]) == out, f"{count} players: {key}, in play or not"


def _garrisons(box: QueenTables) -> Iterator[Finding]:
    """Check A84, inferred from 20.4: no garrison above four but in capitals."""
    for start in _starts(box):
        stacks: Counter[tuple[str, str]] = Counter()
        for row in start.entry["units"]:
            power = box.land[row["owner"]]["power"]
            stacks[row["space"], power] += sum(row.get(kind, 0) for kind in SHORT)
        for (space, power), number in stacks.items():
            fine = number <= 4 or space in start.capitals
            yield "A84", fine, f"{start.name}: {number} units of {power} at {space}"


GROUPS = (_tables, _numbers, _free, _faith, _troops, _ships, _arrivals, _tournament, _players)
INFERRED = (_garrisons,)
