"""Order text and answers: what a player writes, what the referee takes, and the receipt that tells him.

`read` finds the blocks of a letter or move file; `apply` carries one out on a referee; `check` judges a text offline
against a player's view file; `form` writes the reply form of a letter. Knows the kernel only: no mail, no files,
no clock. The grammar, for players, is in `docs/orders.md`.
"""

from pbem.orders.apply import apply
from pbem.orders.canonical import canonical, digest
from pbem.orders.check import ViewError, check
from pbem.orders.codes import prompt_code, prompt_codes, same_code
from pbem.orders.grammar import LIMITS, Limits, read
from pbem.orders.in_force import sweep
from pbem.orders.items import Block, Finding, Reading
from pbem.orders.messages import ENGLISH, explain, say
from pbem.orders.receipt import Accepted, OpenQuestion, PressLetter, Receipt, Rejected, Remark, fingerprint
from pbem.orders.reply import form

__all__ = [
    "ENGLISH",
    "LIMITS",
    "Accepted",
    "Block",
    "Finding",
    "Limits",
    "OpenQuestion",
    "PressLetter",
    "Reading",
    "Receipt",
    "Rejected",
    "Remark",
    "ViewError",
    "apply",
    "canonical",
    "check",
    "digest",
    "explain",
    "fingerprint",
    "form",
    "prompt_code",
    "prompt_codes",
    "read",
    "same_code",
    "say",
    "sweep",
]
