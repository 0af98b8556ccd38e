"""The canonical text of a block, and its digest: equal for orders that mean the same, whatever their spelling."""

from __future__ import annotations

from pbem.kernel.words import fold
from pbem.orders.codes import grouped_code
from pbem.orders.grammar import may_go_on
from pbem.orders.items import Bad, Block, Comment, Item, PressItem
from pbem.orders.receipt import Receipt, fingerprint


def canonical(block: Block) -> str:
    """The block with one statement a line, keywords and blanks tidied; comments and what cannot be read are left out.

    It reads the same again.
    """
    head = " ".join(("BEGIN ORDERS", block.game, block.seat, grouped_code(block.code))).rstrip()
    lines: list[str] = []
    before: Item | None = None
    for item in block.items:
        if isinstance(item, (Bad, Comment)):
            continue
        if before is not None and may_go_on(before, item, lines[-1]):
            lines.append("")  # else they would look like one line that was broken
        lines.append(str(item))
        before = item
    return "\n".join([head, *lines, "END ORDERS", ""])


def digest(block: Block) -> str:
    """Sixteen hex digits over what a block says: its game, seat and statements, not its code or comments.

    For a block that was not carried out; of one that was, `digest_of` its receipt knows what its lines mean.
    """
    lines = [str(item) for item in block.items if not isinstance(item, Comment)]
    return fingerprint("\n".join([fold(block.game), fold(block.seat), *lines]))


def digest_of(receipt: Receipt, block: Block) -> str:
    """Sixteen hex digits over what a block means: its lines in canonical form, refused ones as written, press whole."""
    press = {item.line: str(item) for item in block.items if isinstance(item, PressItem)}
    lines = [(accepted.line, press.get(accepted.line, accepted.text)) for accepted in receipt.accepted]
    lines += [(rejected.line, f"refused {fold(rejected.text)}") for rejected in receipt.refused]
    said = [text for _, text in sorted(lines, key=lambda line: line[0])]
    return fingerprint("\n".join([fold(receipt.game), receipt.seat, *said]))
