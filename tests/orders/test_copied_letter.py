"""The letter that is answered, copied into the reply without quotation marks."""

from __future__ import annotations

import pytest

from pbem.orders.parser import form_mark, read
from pbem.orders.reply_form import form_for

EMPTY = form_for(None, "spain", game="vq-07", code="3f9c-a1d2")
FORM = f"BEGIN ORDERS vq-07 spain 3f9c-a1d2\n{form_mark(['57: pass'])}\n57: pass\nEND ORDERS\n"
LETTER = f"Virgin Queen (vq-07)\nFor Spain (Anna)\n\nHOW TO ANSWER\nReply with the form below.\n\n{FORM}\n-----\nrest"
OUTLOOK = "-----Original Message-----\nFrom: pbem vq-07 <pbem@x.example>\nSent: Sunday\nSubject: [vq-07] News\n\n"
HEADS = (
    OUTLOOK,
    "________________________________\n差出人： pbem vq-07 <pbem@x.example>\n件名： [vq-07]\n\n",
    "On Nov 22, 2026, pbem vq-07 <pbem@x.example> wrote:\n\n",
    "*Von:* pbem vq-07\n*Gesendet:* Sonntag\n",
    "",
)


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("words", ["I shall answer tomorrow.\n\nBen", "ok", "明日お返事します。"])
def test_an_untouched_form_in_an_unmarked_copy_below_words_is_no_answer(head, words):
    (block,) = read(f"{words}\n\n{head}{LETTER}").blocks
    assert block.problem.key == "order_block.unchanged"
    assert [block.problem for block in read(f"{words}\n\n{head}{LETTER}", several=True).blocks] == [None]


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("words", ["", "\n\nSent from my iPhone\n\n", "Get Outlook for iOS<https://aka.ms/x>\n"])
def test_an_untouched_form_sent_back_alone_counts_with_the_letter_around_it(head, words):
    (block,) = read(f"{words}{head}{LETTER}").blocks
    assert block.problem is None


def test_an_empty_form_below_words_of_thanks_is_no_mistake():
    (block,) = read(f"Thank you!\n\n{OUTLOOK}{LETTER.replace(FORM, EMPTY)}").blocks
    assert block.problem is None


def test_a_form_pasted_below_words_counts_and_so_does_one_that_was_changed_in_the_copy():
    (pasted,) = read(f"Here you are.\n\n{FORM}").blocks
    (changed,) = read("See below.\n\n" + OUTLOOK + LETTER.replace("END ORDERS", "57: go\nEND ORDERS")).blocks
    assert (pasted.problem, changed.problem) == (None, None)


def test_of_the_forms_of_several_games_in_one_copy_only_the_changed_one_counts():
    other = FORM.replace("vq-07 spain", "vq-08 france")
    mine = FORM.replace("END ORDERS", "57: go\nEND ORDERS")
    first, second = read(f"{OUTLOOK}== vq-07: Virgin Queen ==\n{mine}\n== vq-08: Virgin Queen ==\n{other}").blocks
    assert first.problem is None
    assert second.problem.key == "order_block.unchanged"


def test_a_letter_full_of_signs_does_not_hold_the_reader_up():
    (block,) = read("@" * 390_000 + "\n" + LETTER).blocks  # minutes, if each sign were tried with every other
    assert block.problem.key == "order_block.unchanged"
