"""The canonical text of a block, and its digest: equal for letters that mean the same, whatever their spelling."""

from __future__ import annotations

from pbem.kernel.words import fold
from pbem.orders.codes import plain_code
from pbem.orders.items import Bad, Block, Comment
from pbem.orders.receipt import fingerprint


def canonical(block: Block) -> str:
    """The block with one statement a line, keywords and blanks tidied; comments and what cannot be read are left out.

    It reads the same again.
    """
    code = plain_code(block.code)
    head = " ".join(("BEGIN ORDERS", block.game, block.seat, *([f"{code[:4]}-{code[4:]}"] if code else [])))
    lines = [str(item) for item in block.items if not isinstance(item, (Bad, Comment))]
    return "\n".join([head, *lines, "END ORDERS", ""])


def digest(block: Block) -> str:
    """Sixteen hex digits over what a block says: its game, seat and statements, not its code or comments."""
    lines = [str(item) for item in block.items if not isinstance(item, Comment)]
    return fingerprint("\n".join([fold(block.game), fold(block.seat), *lines]))
