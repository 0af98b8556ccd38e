"""The optional rules of the rulebook (R-53: off by default)."""

from __future__ import annotations

from games.crown_of_roses.table import Table
from pbem.kernel.answers import Choice
from pbem.kernel.game import Option

YES_NO = Choice(("no", "yes"))

OPTIONS = (
    Option(
        "estate_income",
        YES_NO,
        "no",
        {
            "en": "every block that stands in one of its estates brings 1 IP in the Influence Phase",
            "ja": "影響力フェイズに、自身の所領にいるブロックごとに1IPを得る",
        },
        "23.1.2",
    ),
    Option(
        "open_bids",
        YES_NO,
        "no",
        {
            "en": "one may bid for an office (not the Chancellor) without a noble who can hold it, and give it away",
            "ja": "大法官以外の官職には、保持できる貴族がいなくてもビッドでき、獲得したら他へ与えられる",
        },
        "26.2",
    ),
    Option(
        "wherefore",
        YES_NO,
        "no",
        {
            "en": "a beaten side with reinforcements that did not arrive fights on if either side wants it",
            "ja": "到着していない増援が敗者にある交戦は、いずれかが望めば延長される",
        },
        "20.5.5",
    ),
)


def chosen(table: Table, option: str) -> bool:
    """Whether an optional rule is in force."""
    return bool(table.options.get(option) == "yes")
