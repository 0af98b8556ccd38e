"""Text charts of points, cards, strength, dice and hours. Curves are braille, bars coloured blanks with a number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from pbem.lazy_regex import clean
from pbem.report.text_width import pad, width, wrap
from pbem.tui.model.badges import NOBODY, Badge, flowed
from pbem.tui.model.grid import BITS
from pbem.tui.model.messages import ScreenMessages
from pbem.tui.model.seat_view import SeatView

if TYPE_CHECKING:
    from pbem.mail.statistics import GameStats

Sides = Mapping[str, Badge]

HIGH = 8  # rows of a curve


def curve(series: Mapping[str, Sequence[int]], wide: int, high: int = HIGH) -> list[list[tuple[str, str]]]:
    """Return rows of (braille, owner of the line or ""): where lines cross, the first. The last values end them."""
    values = [value for line in series.values() for value in line]
    low, top = min([0, *values]), max([1, *values])
    dots = [[0] * wide for _ in range(high)]
    whose = [[""] * wide for _ in range(high)]
    for key, line in series.items():
        for x, value in _steps(line, wide * 2):
            y = round((top - value) / (top - low) * (high * 4 - 1))
            dots[y // 4][x // 2] |= BITS[y % 4][x % 2]
            whose[y // 4][x // 2] = whose[y // 4][x // 2] or key
    return [
        [(chr(0x2800 + dot) if dot else " ", key) for dot, key in zip(row, keys, strict=True)]
        for row, keys in zip(dots, whose, strict=True)
    ]


def _steps(line: Sequence[int], wide: int) -> Iterable[tuple[int, float]]:
    if len(line) == 1:
        yield wide - 1, float(line[0])
    elif line:
        for x in range(wide):
            at = x * (len(line) - 1) / (wide - 1)
            before = min(int(at), len(line) - 2)
            yield x, line[before] + (line[before + 1] - line[before]) * (at - before)


def plots_text(
    desk: SeatView, language: str, words: ScreenMessages, sides: Sides, figures: GameStats | None, wide: int
) -> Text:
    """Return all charts, one below the other."""
    cards: Counter[str] = Counter()  # numbers of cards and marks on the map are public
    strength: Counter[str] = Counter()
    for hand in desk.view.hands:
        cards[hand.seat] += hand.count
    for space in desk.view.map:
        if space.side in desk.seats and space.mark.isdecimal():
            strength[space.side] += int(space.mark)
    parts = [
        _points(desk, language, words, sides, wide),
        _bars(words("plots.cards"), cards, desk, language, sides, wide),
        _bars(words("plots.strength"), strength, desk, language, sides, wide),
        _dice(words, figures, wide),
        _times(desk, language, words, figures),
        _tracks(desk, language),
    ]
    return Text("\n").join(part for part in parts if part.plain)


def _points(desk: SeatView, language: str, words: ScreenMessages, sides: Sides, wide: int) -> Text:
    series = {
        seat: [by[seat] for _, by in desk.history if seat in by]
        + ([points] if not desk.history or desk.history[-1][1].get(seat) != points else [])
        for seat, points in sorted(desk.view.scores.items(), key=lambda item: -item[1])
    }
    text = Text()
    if not series:
        return text
    text.append(f"{words('plots.points', turns=len(desk.history))}\n", "bold")
    values = [value for line in series.values() for value in line]
    low, top = min([0, *values]), max([1, *values])
    rows = curve(series, max(wide - 14, 10))
    for y, row in enumerate(rows):
        text.append(f"{top if y == 0 else low if y == len(rows) - 1 else '':>4} ", "dim")
        for char, key in row:
            text.append(char, f"bold {sides.get(key, NOBODY).paper}" if key else "")
        here = [
            key for key, line in series.items()
            if line and round((top - line[-1]) / (top - low) * (len(rows) * 4 - 1)) // 4 == y
        ]  # fmt: skip
        for key in here:
            badge = sides.get(key, NOBODY)
            text.append(badge.letter, badge.style)
        text.append("\n")
    say = desk.say(language)
    names = ((sides.get(seat, NOBODY), f"{clean(say.name(seat))} {line[-1]}") for seat, line in series.items())
    return text.append_text(flowed(names, wide)).append("\n")


def _bars(title: str, numbers: Mapping[str, int], desk: SeatView, language: str, sides: Sides, wide: int) -> Text:
    if not any(numbers.values()):
        return Text()
    return Text().append(f"{title}\n", "bold").append_text(bars(numbers, desk, language, sides, wide))


def bars(numbers: Mapping[str, int], desk: SeatView, language: str, sides: Sides, wide: int) -> Text:
    """Draw a bar for each number of a seat, the largest first."""
    say, text = desk.say(language), Text(no_wrap=True, overflow="crop")
    names = {seat: clean(say.name(seat)) for seat in numbers}
    room = min(max(map(width, names.values()), default=0), 20, max(wide - 16, 8))
    shared = [track.high for track in desk.view.tracks if numbers.keys() <= {track.id} - {*desk.seats}]
    low, most = min([0, *numbers.values()]), max([1, *numbers.values(), *shared])  # one track for all has its own end
    long = max(wide - room - 8, 4)
    for seat, number in sorted(numbers.items(), key=lambda item: -item[1]):
        badge, full = sides.get(seat, NOBODY), round(long * (number - low) / (most - low))
        text.append(pad(badge.letter, 2), badge.style)
        text.append(f" {pad(wrap(names[seat], room)[0], room)} {number:>3} ")
        text.append(" " * full, f"on {badge.paper}").append("\n")
    return text


def _dice(words: ScreenMessages, figures: GameStats | None, wide: int) -> Text:
    text = Text()
    for dice in figures.dice if figures is not None else ():
        text.append(f"{words('plots.dice', count=dice.count, sides=dice.sides)}\n", "bold")
        sums = words("plots.sum", sum=dice.sum, expected=f"{dice.expected:g}", sigmas=f"{dice.sigmas:+.1f}")
        text.append(f"{sums}\n")
        fair, most = dice.count / dice.sides, max([1, *dice.faces])
        long = max(wide - 20, 4)
        for face, times in enumerate(dice.faces, 1):
            text.append(f"{face:>3} {times:>4} ")
            text.append(" " * round(long * times / most), "reverse")
            text.append(f" {times - fair:+.1f}\n", "dim")
    return text


def _times(desk: SeatView, language: str, words: ScreenMessages, figures: GameStats | None) -> Text:
    say, text = desk.say(language), Text()
    hours = figures.time if figures is not None else {}
    if hours:
        text.append(f"{words('plots.times')}\n", "bold")
    for seat, time in hours.items():
        told = words("plots.hours", answers=time.answers, median=f"{time.median:g}", most=f"{time.most:g}")
        text.append(f"{clean(say.name(seat))}: {told}\n")
    return text


def _tracks(desk: SeatView, language: str) -> Text:
    say, text = desk.say(language), Text()
    for notice in desk.view.notices:
        text.append(f"{clean(say.text(notice.key, notice.args))}\n")
    for track in desk.view.tracks:
        text.append(f"{clean(say.label(f'track.{track.id}'))} ({track.low}-{track.high})\n", "bold")
        places: dict[int, list[str]] = {}
        for mark in track.marks:
            places.setdefault(mark.at, []).append(clean(say.value(mark.name)))
        for at in sorted(places):
            text.append(f"  {at:>3}  {', '.join(places[at])}\n")
    return text
