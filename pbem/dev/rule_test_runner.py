"""Play one rule test and describe in sentences what fails."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from pbem.dev.random_game import said_of
from pbem.dev.rule_test_files import (
    Case,
    Expect,
    ExpectedLine,
    ExpectedQuestion,
    ExpectedRejection,
    ExpectedView,
    RuleTestStep,
    flat,
    shown,
)
from pbem.kernel import corrections
from pbem.kernel.corrections import find
from pbem.kernel.dice import ScriptedDice
from pbem.kernel.game import Game, Setup
from pbem.kernel.joint_questions import IN_TURN, QUESTIONS
from pbem.kernel.questions import MODERATOR
from pbem.kernel.referee import CheckpointRecord, PendingQuestion, Referee, ReplayError
from pbem.kernel.rejections import Rejection, RejectionReason, rejection
from pbem.kernel.standing_orders import ASK, REACTIONS
from pbem.kernel.table import LogLine

# The position a test begins with: a game set up with unshuffled decks, then patched piece by piece.


def build(case: Case, state: Any) -> Any:
    """Patch `state` in place: clear, state, pour, last. Pieces stay complete. Raises `Rejection` naming the path."""
    for path in case.clear:
        pieces = find(state, path)
        supply = _supply(case, state, path)
        if supply is not None:
            supply[:0] = [piece for group in _lists(pieces) for piece in group]
        pieces.clear()
    steps = [step for key, value in case.state.items() for step in _descend(state, key, value)]
    _take(case, state, steps)
    corrections.apply(state, [{"path": path, "value": value} for path, value in steps])
    for source, target in case.pour.items():
        from_list, to_list = find(state, source), find(state, target)
        to_list.extend(from_list)
        from_list.clear()
    for path, pieces in case.last.items():
        target = find(state, path)
        for piece in pieces:
            home = next((group for group in _group(case, state, path) if piece in group), None)
            if home is None:
                raise rejection("correction.value", path=path, why=f"there is no piece '{piece}'")
            home.remove(piece)
        target.extend(pieces)
    return state


def _descend(state: Any, path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield patches as paths and values: down to what exists, and a whole table for a new key."""
    if isinstance(value, dict) and value:
        try:
            find(state, path)
        except ValueError:
            yield path, value
            return
        for key, inner in value.items():
            yield from _descend(state, f"{path}.{key}", inner)
    else:
        yield path, value


def _take(case: Case, state: Any, steps: list[tuple[str, Any]]) -> None:
    """Take the pieces that the patches need from their places, and put displaced pieces back."""
    for supply_path, patterns in case.supply.items():
        mine = [(path, value) for path, value in steps if _inside(path, value, (supply_path, *patterns))]
        if not mine:
            continue
        wanted = [piece for _, value in mine for pieces in _lists(value) for piece in pieces]
        displaced: list[str] = []
        kept: list[list[Any]] = []
        for path, _ in mine:
            try:
                old = list(_lists(find(state, path)))
            except ValueError:  # the path is new
                old = []
            kept += old
            displaced += [piece for pieces in old for piece in pieces]
        for piece in list(displaced):
            if piece in wanted:
                displaced.remove(piece)
                wanted.remove(piece)
        others = [pieces for pieces in _group(case, state, supply_path) if not any(pieces is old for old in kept)]
        for piece in wanted:
            _swap(others, piece, displaced, supply_path)
        find(state, supply_path)[:0] = displaced


def _swap(others: list[list[Any]], piece: str, displaced: list[str], supply_path: str) -> None:
    """Take `piece` from the first list that has it. Outside the supply a displaced piece takes its place."""
    for index, power in enumerate(others):
        if piece in power:
            at = power.index(piece)
            if index and displaced:
                power[at] = displaced.pop()
            else:
                del power[at]
            return
    raise rejection("correction.value", path=supply_path, why=f"there is no piece '{piece}' left to take")


def _group(case: Case, state: Any, path: str) -> list[list[Any]]:
    """Return the lists that share a set of pieces, the supply first."""
    supply, patterns = next(
        (s, p) for s, p in case.supply.items() if path == s or any(_covers(pattern, path) for pattern in p)
    )
    out = [find(state, supply)]
    for pattern in patterns:
        for holder in _matching(state, pattern.split(".")):
            out += _lists(holder)
    return out


def _supply(case: Case, state: Any, path: str) -> list[Any] | None:
    for supply, patterns in case.supply.items():
        if any(_covers(pattern, path) or _covers(path, pattern) for pattern in patterns):
            found: list[Any] = find(state, supply)
            return found
    return None


def _matching(holder: Any, names: list[str]) -> Iterator[Any]:
    if not names:
        yield holder
        return
    name, rest = names[0], names[1:]
    if isinstance(holder, dict):
        for key in holder if name == "*" else [name] if name in holder else []:
            yield from _matching(holder[key], rest)
    elif isinstance(holder, msgspec.Struct):
        yield from _matching(getattr(holder, name), rest)


def _covers(pattern: str, path: str) -> bool:
    """Check if `path` is the place of `pattern` (in which `*` is any name) or below it."""
    names, way = pattern.split("."), path.split(".")
    return len(way) >= len(names) and all(n in ("*", w) for n, w in zip(names, way, strict=False))


def _inside(path: str, value: Any, patterns: tuple[str, ...]) -> bool:
    """Check if a patch sets pieces: a pattern covers the path, or a path within its value."""
    paths = [f"{path}.{inner}" for inner, _ in flat(value)] if isinstance(value, dict) else [path]
    return any(_covers(pattern, other_path) for pattern in patterns for other_path in paths)


def _lists(holder: Any) -> Iterator[list[Any]]:
    if isinstance(holder, list):
        if all(isinstance(piece, str) for piece in holder):
            yield holder
        else:
            for item in holder:
                yield from _lists(item)
    elif isinstance(holder, dict):
        for part in holder.values():
            yield from _lists(part)
    elif isinstance(holder, msgspec.Struct):
        for name in holder.__struct_fields__:
            yield from _lists(getattr(holder, name))


_MOST_SKIPS = 200
_MOST_OPTIONS = 2000


class Script:
    """One rule test in play. Raises ValueError, `Rejection` or `PackError` if the position can't be set up."""

    def __init__(self, case: Case, game: Game) -> None:
        self.case = case
        self.game = game
        seats = tuple(case.seats) or game.seats_for(case.players, case.scenario)
        self.setup = Setup(
            game.slug,
            seats,
            "00" * 32,
            game.scenario(case.scenario).id,
            game.with_defaults(_asking_options(game) | case.options),
            case.pack,
        )
        self.why: list[str] = []
        self.where = ""
        self.sound = True
        self.given: list[RejectionReason] | None = None
        before = Referee(game, self.setup, dice=ScriptedDice(list(case.setup_dice)))
        state = build(case, game.setup(before.table))
        before.table.state = state
        self.told_at_setup = before.table.lines
        self.mark = CheckpointRecord(0, 0, 0, before.table.dice.counter, 0, msgspec.json.encode(state))
        self.check_invariants(before)
        self.referee = self._resume([])
        self.referee.ask_again()  # a test may begin at a window that no seat wants to be asked in

    def _resume(self, moves: Sequence[Any]) -> Referee:
        dice = ScriptedDice(list(self.case.dice))
        return Referee.resume(self.game, self.setup, moves, self.mark, dice=dice, ask_me=self.case.ask_me)

    def run(self) -> list[str]:
        """Play all answers, check all expectations. An answer that can't be given ends the test."""
        for number, step in enumerate(self.case.answers, 1):
            self.where = f"answer {number}" + (f" ({step.note})" if step.note else "")
            before = len(self.referee.table.lines)
            try:
                going = self.step(step)
            except Exception as error:  # a test reports a crash of the rules
                return [*self.why, f"{self.where}: the rules crashed: {said_of(error, self.game.package)}"]
            if not going:
                return self.why
            self.check_invariants(self.referee)
            if step.expect is not None:
                self.expect(step.expect, before)
        self.where = "at the end"
        if self.case.expect is not None:
            self.expect(self.case.expect, None)
        left = len(self.referee.table.dice.script)  # type: ignore[attr-defined]
        if left != self.case.dice_left:
            self.fail(f"{left} scripted dice are left, expected {self.case.dice_left}")
        self.replay()
        return self.why

    def fail(self, sentence: str) -> None:
        self.why.append(f"{self.where}: {sentence}" if self.where else sentence)

    # -- answers -----------------------------------------------------------------------------------------------------

    def step(self, step: RuleTestStep) -> bool:
        if step.time_up:
            stuck = self.referee.time_up(seats=self.seats(step) or None)
            if list(stuck) != step.stuck:
                self.fail(f"when time ran out these had no default: {shown(stuck)}; expected: {shown(step.stuck)}")
            return True
        if step.seat == "*":
            self.skip("", step.kind)
        for seat in self.seats(step):
            self.skip(seat, step.kind)
            if not self.answer(seat, step):
                return False
        return True

    def seats(self, step: RuleTestStep) -> list[str]:
        if step.seat == "*":
            return list(self.referee.waiting())
        return [step.seat] if isinstance(step.seat, str) and step.seat else list(step.seat)

    def skip(self, seat: str, kind: str) -> None:
        """Let deadlines expire on questions of the kinds in `skip` until the wanted one is open."""
        for _ in range(_MOST_SKIPS):
            open_now = self.referee.pending()
            if any(p.kind == kind if kind and not seat else self.meant(p, seat, kind) for p in open_now):
                return
            if not open_now or any(p.kind not in self.case.skip for p in open_now) or self.referee.time_up():
                return

    @staticmethod
    def meant(pending: PendingQuestion, seat: str, kind: str) -> bool:
        return pending.seat == seat and kind in ("", pending.kind)

    def answer(self, seat: str, step: RuleTestStep) -> bool:
        referee = self.referee
        if seat not in (*self.setup.seats, MODERATOR):
            self.fail(f"no seat '{seat}' is in this test; seats: {shown(self.setup.seats)}")
            return False
        mine = next((p for p in referee.pending() if p.seat == seat), None)
        if step.kind and (mine.kind != step.kind if mine is not None else step.refuse is None):
            self.fail(f"'{step.kind}' is not open to {seat}; open: {self.open_now()}")
            return False
        said = f"{seat}: {step.value if step.text is None else step.text}"
        try:
            domain = referee.domain(seat)
            value = step.value if step.text is None else domain.parse(step.text, referee.names)
            if value is msgspec.UNSET:
                self.fail(f"{seat} needs 'text' or 'value'")
                return False
            domain.check(value)
            again = domain.parse(domain.text(value), referee.names)
            if again != value:
                self.fail(f"{said}: is written '{domain.text(value)}', which reads as {again!r}")
            referee.submit(seat, value)
        except Rejection as refused:
            return self.refused(said, refused.problem.under(referee.rule_for(seat)), step.refuse)
        if step.refuse is not None:
            self.fail(f"{said}: was accepted, but must be rejected")
            return False
        return True

    def refused(self, said: str, problem: RejectionReason, wanted: ExpectedRejection | None) -> bool:
        if wanted is None:
            self.fail(f"{said}: rejected: {problem} ({problem.key}); open: {self.open_now()}")
            return False
        pairs = {
            "key": (problem.key, wanted.key),
            "rule": (problem.rule, wanted.rule),
            "text": (str(problem), wanted.text),
        }
        for name, (found, expected) in pairs.items():
            if expected and (expected not in found if name == "text" else expected != found):
                self.fail(f"{said}: rejected, but with {name} '{found}' instead of '{expected}'")
        return True

    def open_now(self) -> str:
        return shown([f"{p.seat} {p.kind}{' (answered)' if p.answered else ''}" for p in self.referee.pending()])

    # -- expectations ------------------------------------------------------------------------------------------------

    def expect(self, expect: Expect, since: int | None) -> None:
        """Check one table of expectations. `since` is the first log line that counts (None: all, with the set-up)."""
        self.expect_state(expect)
        referee = self.referee
        if expect.asked is not None and sorted(expect.asked) != sorted(referee.asked()):
            self.fail(f"open: {self.open_now()}; expected: {shown(expect.asked)}")
        for question in expect.open:
            if since is None:
                self.skip(question.seat, question.kind)
            self.expect_open(question)
        self.expect_lines(expect, since)
        for sight in expect.view:
            self.expect_view(sight)
        if expect.over is not None and expect.over != referee.over:
            self.fail(f"the game is {'over' if referee.over else f'not over; open: {self.open_now()}'}")
        for path, value in flat(expect.result):
            found = _at(referee.result or {}, path)
            if found != value:
                self.fail(f"result.{path} is {found!r}, expected {value!r}")

    def expect_state(self, expect: Expect) -> None:
        state = self.referee.table.state
        for path, value in flat(expect.state):
            found = _at(state, path)
            if found != value:
                self.fail(f"{path} is {found!r}, expected {value!r}")
        for path, values in expect.includes.items():
            missing = [v for v in values if v not in _list_at(state, path)]
            if missing:
                self.fail(f"{path} lacks {shown(missing)}; it has {shown(_list_at(state, path))}")
        for path, values in expect.excludes.items():
            there = [v for v in values if v in _list_at(state, path)]
            if there:
                self.fail(f"{path} has {shown(there)}, which must not be there")
        for path, count in expect.count.items():
            if len(_list_at(state, path)) != count:
                self.fail(f"{path} has {len(_list_at(state, path))} entries, expected {count}")
        for path in expect.gone:
            if _at(state, path) is not MISSING:
                self.fail(f"{path} is still there: {_at(state, path)!r}")

    def expect_open(self, question: ExpectedQuestion) -> None:
        found = next((p for p in self.referee.pending() if self.meant(p, question.seat, question.kind)), None)
        head = f"{question.seat} {question.kind}".strip()
        if found is None:
            self.fail(f"'{head}' is not open; open: {self.open_now()}")
            return
        for name in ("rule", "pace", "default"):
            expected = getattr(question, name)
            if expected not in (None, "", msgspec.UNSET) and getattr(found, name) != expected:
                self.fail(f"{head}: {name} is {getattr(found, name)!r}, expected {expected!r}")
        for key, value in question.about.items():
            if found.about.get(key, MISSING) != value:
                self.fail(f"{head}: about.{key} is {found.about.get(key, MISSING)!r}, expected {value!r}")
        domain = self.referee.domain(question.seat)
        for text in question.options:
            try:
                domain.parse(text, self.referee.names)
            except Rejection as refused:
                self.fail(f"{head}: '{text}' must be possible, but: {refused.problem}")
        for text in question.no:
            with contextlib.suppress(Rejection):
                domain.parse(text, self.referee.names)
                self.fail(f"{head}: '{text}' is possible, but must not be")
        if question.only is not None:
            listed = [domain.text(v) for v, _ in zip(domain.options(), range(_MOST_OPTIONS), strict=False)]
            if sorted(listed) != sorted(question.only):
                self.fail(f"{head}: the options are {shown(listed)}; expected: {shown(question.only)}")

    def expect_lines(self, expect: Expect, since: int | None) -> None:
        """Check that the lines come in this order. Others may come between them."""
        told = self.referee.table.lines
        lines = [*self.told_at_setup, *told] if since is None else told[since:]
        at = 0
        for wanted in expect.lines:
            here = next((i for i in range(at, len(lines)) if _tells(lines[i], wanted)), None)
            if here is None:
                near = [f"{line.key} {read(line, wanted.seat)}" for line in lines if line.key == wanted.key]
                others = list(dict.fromkeys(line.key for line in lines))
                hint = f"told so: {shown(near)}" if near else f"told: {shown(others)}"
                whose = f"for {wanted.seat} " if wanted.seat else ""
                self.fail(f"no line {wanted.key} {wanted.args or ''} {whose}in order; {hint}")
                continue
            at = here + 1
            readers = [seat for seat in wanted.hidden if _tells(lines[here], wanted, seat)]
            if readers:
                self.fail(f"{shown(readers)} can read {wanted.key} {wanted.args or ''}")
        for key in expect.no_lines:
            if any(line.key == key for line in lines):
                self.fail(f"{key} is logged, but must not be")

    def expect_view(self, sight: ExpectedView) -> None:
        view = self.game.view(self.referee.table, sight.seat)
        text = msgspec.json.encode(view).decode()
        whose = f"the view of {sight.seat or 'the public'}"
        for word in sight.has:
            if word not in text:
                self.fail(f"{whose} lacks '{word}'")
        for word in sight.lacks:
            if word in text:
                self.fail(f"{whose} shows '{word}'")

    # -- checks of every test ------------------------------------------------------------------------------------------

    def check_invariants(self, referee: Referee) -> None:
        """Check the game's invariants, except where pieces are in places that the test itself put them."""
        if self.case.invariants and self.sound:
            found = self.game.invariants(referee.table)
            if self.given is None:
                self.given = [problem for problem in found if problem.key == "rules.placed"]
            for problem in [problem for problem in found if problem not in self.given][:3]:
                self.fail(f"the position breaks an invariant: {problem}")
                self.sound = False

    def replay(self) -> None:
        try:
            again = self._resume(self.referee.moves)
        except ReplayError as error:
            self.fail(f"the journal does not replay: {error}")
            return
        if again.digest() != self.referee.digest():
            self.fail("the journal replays to another position")


MISSING: Any = type("Missing", (), {"__repr__": lambda self: "missing"})()
"""The value of a path that doesn't exist."""


def _at(state: Any, path: str) -> Any:
    try:
        return msgspec.to_builtins(find(state, path))
    except ValueError:
        return MISSING


def _list_at(state: Any, path: str) -> list[Any]:
    found = _at(state, path)
    return list(found) if isinstance(found, (list, dict)) else []


def read(line: LogLine, seat: str) -> dict[str, Any] | None:
    """Return the arguments of a line as `seat` reads it ("" the public), or None for a hidden line."""
    if line.only is not None and seat not in line.only:
        return None
    return {**line.args, **(line.private or {}).get(seat, {})}


def _tells(line: LogLine, wanted: ExpectedLine, seat: str = "") -> bool:
    """Check if this is the wanted line, as `seat` (by default the one named in it) reads it."""
    if line.key != wanted.key or (wanted.rule is not None and line.rule != wanted.rule):
        return False
    args = read(line, seat or wanted.seat)
    return args is not None and all(args.get(key, MISSING) == value for key, value in wanted.args.items())


def _asking_options(game: Game) -> dict[str, Any]:
    """Return options that ask each question in turn, also where reaction sheets would answer."""
    chosen = ((REACTIONS, ASK), (QUESTIONS, IN_TURN))
    return {option.id: how for option, how in chosen if option in game.options}
