"""The optional rules of the rulebook (R-53: off by default), and readings that a table may choose."""

from __future__ import annotations

from games.crown_of_roses.table import Table
from pbem.kernel.domains import Choice
from pbem.kernel.game import HouseRule
from pbem.kernel.joint_questions import QUESTIONS
from pbem.kernel.standing_orders import REACTIONS

YES_NO = Choice(("no", "yes"))

RULEBOOK = (
    HouseRule("estate_income", YES_NO, "no", {
        "en": "every block in one of its estates brings 1 IP in the Influence Phase",
        "ja": "影響力フェイズに、自身の所領にいるブロックごとに1IPを得る",
    }, "23.1.2"),
    HouseRule("open_bids", YES_NO, "no", {
        "en": "one may bid for an office (not the Chancellor) without a noble who can hold it, and give it away",
        "ja": "大法官以外の官職には、保持できる貴族がいなくてもビッドでき、獲得したらほかの家系へ与えられる",
    }, "26.2"),
    HouseRule("wherefore", YES_NO, "no", {
        "en": "a beaten side with reinforcements that did not arrive fights on if either side wants it",
        "ja": "到着していない増援が敗者にある交戦は、いずれかが望めば延長される",
    }, "20.5.5"),
)  # fmt: skip
"""The optional rules of the rulebook."""

READINGS = (
    HouseRule("make_room", Choice(("all", "any")), "all", {
        "en": "a victor with too many blocks moves off all that are too many or none, or any number of them",
        "ja": "制限を超えた勝者は、超過分すべてを動かすか動かさない（all）、任意の数を動かす（any）",
    }, "20.7.2"),
    HouseRule("heir_flees", Choice(("any_time", "before_battle")), "any_time", {
        "en": "Lord Dynham (3) takes an heir away before any round of an engagement too, or before it only",
        "ja": "ディンハム卿（3）は交戦の各ラウンドの前でも（any_time）、または交戦前のみ継承者を逃がす",
    }, "14.2.2"),
    HouseRule("lost_share", Choice(("pool", "stock")), "pool", {
        "en": "the share of a noble who takes no influence (B7) stays in the pool, or comes to the stock",
        "ja": "影響力を置けない貴族の分（B7）は未徴収プールに残る（pool）、または備蓄に入る（stock）",
    }, "19.0"),
    HouseRule("estates", Choice(("shield", "shire")), "shield", {
        "en": "in winter an enemy noble closes a shire to nobles of the same shield (R-59), or to all others",
        "ja": "冬営では、敵の貴族がいる州は同じシールドのみ（shield、R-59）、または州全体が（shire）使えない",
    }, "7.2.6"),
    HouseRule("henry_volunteers", Choice(("yes", "no")), "yes", {
        "en": "Henry VI may answer raids and uprisings like other nobles, also without a command",
        "ja": "ヘンリー6世は指揮値がなくても、ほかの貴族と同様に襲撃や反乱に対応できる",
    }, "14.2.1"),
    HouseRule("called_off_victor", Choice(("yes", "no")), "yes", {
        "en": "the holder of the shire is the victor even if a card called the engagement off (64, 65, 69, B3, L8)",
        "ja": "カード（64、65、69、B3、L8）で交戦がなくなっても、州に残った側が勝者となる",
    }, "20.7.1"),
)  # fmt: skip
"""Options where the text may be read in two ways: the first value is how this program reads it."""

OPTIONS = (REACTIONS, QUESTIONS, *RULEBOOK, *READINGS)


def setting(table: Table, option: str) -> str:
    """Return the value of an option; its default in games that were begun without it."""
    return str(table.rule(option))


def chosen(table: Table, option: str) -> bool:
    """Return whether an optional rule is in force."""
    return setting(table, option) == "yes"
