"""The chain of hashes can be recomputed by anybody who has the seed, with nothing but the standard library."""

from __future__ import annotations

import hashlib
import hmac
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.save import Session, chain, verify
from tests.toy import playing as toy

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
answers = st.recursive(
    st.booleans() | st.integers(-(2**63), 2**63 - 1) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


def canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


@pytest.mark.parametrize("version", [1, 2])
def test_a_stranger_recomputes_the_chain(session: Session, path: Path, version: int) -> None:
    """As save-format.md tells it, in both versions of the chain."""
    if version == 1:
        session.save.header.chain = 1
        moves, session.save.moves = session.moves(), []
        seed = bytes.fromhex(session.save.dice.seed)
        session.save.moves = chain.extend(chain.start(session.save), moves, seed, version=1)
        session.save.header.head = session.save.moves[-1].hash
        session.commit()
        verify(path, toy.GAME)
    raw = tomllib.loads(path.read_text("utf-8"))
    seed = bytes.fromhex(raw["dice"]["seed"])
    assert hashlib.sha256(seed).hexdigest() == raw["dice"]["commitment"]
    setup = {name: raw["game"][name] for name in ("name", "game", "scenario", "created", "options")}
    setup |= {"seats": [seat["id"] for seat in raw["seats"]], "commitment": raw["dice"]["commitment"]}
    if version > 1:
        setup["chain"] = raw["game"]["chain"]
    assert raw["game"].get("chain", 1) == version
    head = hashlib.sha256(canonical(setup)).hexdigest()
    assert len(raw["moves"]) > 10
    for move in raw["moves"]:
        key = hmac.digest(seed, f"commit:{move['n']}".encode(), "sha256")
        sealed = hmac.digest(key, canonical(move["answer"]), "sha256").hex()
        public = {name: move[name] for name in ("n", "q", "seat", "kind", "how", "at", "via")}
        inner = canonical({**public, "answer": sealed})
        if version > 1:
            inner = hashlib.sha256(inner).hexdigest().encode()
        head = hashlib.sha256(head.encode() + inner).hexdigest()
        assert head == move["hash"]
    assert head == raw["game"]["head"]


@given(answers)
def test_canonical_json_is_that_of_the_standard_library(answer: Any) -> None:
    assert chain.canonical(answer) == canonical(answer)


def test_equal_answers_have_different_commitments() -> None:
    seed = b"s" * 32
    assert chain.commitment(seed, 1, "pass") != chain.commitment(seed, 2, "pass")
    assert chain.commitment(seed, 1, "pass") != chain.commitment(b"t" * 32, 1, "pass")
    assert chain.commitment(seed, 1, {"a": 1, "b": 2}) == chain.commitment(seed, 1, {"b": 2, "a": 1})


def test_verify_tells_what_it_has_checked(session: Session, path: Path) -> None:
    found = verify(path, toy.GAME)
    assert (found.moves, found.head) == (session.referee.n, session.save.header.head)
    assert found.digest == session.referee.digest()
