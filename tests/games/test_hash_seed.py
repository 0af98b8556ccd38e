"""A game is the same in every process: no rule goes by the order of a set, which changes from one to the next.

A save is replayed by another process than the one that played it. What it narrates and what each player reads must be
the same to the letter.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import games

ROOT = Path(__file__).parents[2]
PLAY = """
import hashlib, random, sys
import games
from pbem.kernel.game import Setup
from pbem.kernel.rejections import Rejection
from pbem.kernel.referee import Referee
from pbem.report.deciding import evidence_of
from pbem.report.viewfile import view_file

game = games.load(sys.argv[1])
for number, scenario in enumerate(game.scenarios):
    seats = scenario.seats[max(scenario.seats)]
    setup = Setup(game.slug, seats, "5e" * 32, scenario.id, game.with_defaults({}))
    referee, chance = Referee.new(game, setup), random.Random(number)
    seen, kinds = hashlib.sha256(), set()
    for turn in range(1500):
        if turn % 400 == 0 or referee.over:  # what each seat reads: news, questions and their facts, the log
            for reader in (*seats, "moderator"):
                lines = referee.table.lines[-200:]
                seen.update(repr(view_file(referee, reader, lines=lines)).encode())
        if referee.over:
            break
        seat = referee.waiting()[0]
        kind = referee.pending_to(seat).kind
        if kind not in kinds:
            kinds.add(kind)
            seen.update(repr([*evidence_of(referee, kind).told(referee.look(seat))]).encode())
        try:
            referee.submit(seat, referee.domain(seat).sample(chance.randrange))
        except Rejection:
            pass  # deals may exclude each other
    told = [(line.key, line.args, line.private, line.rule) for line in referee.table.lines]
    print(referee.n, referee.digest(), hashlib.sha256(repr(told).encode()).hexdigest(), seen.hexdigest())
"""


def played(slug: str, seed: int) -> str:
    return subprocess.run(
        [sys.executable, "-c", PLAY, slug],
        env={**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


@pytest.mark.parametrize("slug", [entry.slug for entry in games.catalogue()])
def test_the_same_game_whatever_the_order_of_sets(slug: str) -> None:
    first = played(slug, 1)
    assert first.count("\n") == len(games.load(slug).scenarios)
    assert played(slug, 2) == first
