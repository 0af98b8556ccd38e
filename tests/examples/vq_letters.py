"""What the players of `example_turns` write."""

from __future__ import annotations

from typing import NamedTuple


class ExampleLetter(NamedTuple):
    """A letter that tells something: when it is written, its lines, words to the moderator, a comment for the reader.

    `cp` alone means the dearest card of the hand.
    """

    turn: int
    seat: str
    kind: str
    lines: tuple[str, ...]
    words: str = ""
    comment: str = ""


def _press(to: str, *text: str) -> str:
    return "\n".join([f"BEGIN PRESS to={to}", *text, "END PRESS"])


LETTERS: tuple[ExampleLetter, ...] = (
    # -- turn 3 --------------------------------------------------------------------------------------------------------
    ExampleLetter(3, "hre", "negotiation", (
        "propose england of=wed groom=archduke_charles bride=elizabeth_i",
        _press("england", "My brother is a patient man, and he would hear mass in his closet only.",
               "Both of us would have VP and cards if the dice smile. Sign?"),
        _press("spain", "I am wooing London. Do not laugh."),
    ), "A proposal for Her Majesty, and two private lines. Not done yet, she may want to bargain.",
        "A proposal names both royals (9.1). It binds nobody before both players have signed, and is announced "
        "when the window closes. The two pieces of press reach London and Madrid alone."),
    ExampleLetter(3, "england", "negotiation", (
        "propose protestant of=alliance",
        _press("hre", "陛下はご検討中です。毎年そうなさっています。"),
        _press("protestant", "オレンジ公が立つなら、港を開けておきます。"),
    ), "同盟を一件提案します。皇弟殿下には、いつものお返事を。",
        "England writes Japanese and gets its letters in Japanese; the orders are the same words. It does not sign, "
        "and its own proposal waits for the Protestants. Nobody is done with what his letter has not told of."),
    ExampleLetter(3, "hre", "negotiation", (
        "withdraw hre-england-1",
        _press("england", "As every year. The archduke will hunt instead."),
        "done",
    ), "I take it back before she can laugh twice.",
        "A proposal may be withdrawn as long as somebody has not signed it."),
    ExampleLetter(3, "protestant", "negotiation", (
        "accept england-protestant-1", _press("england", "Gladly. Watch Brielle."), "done",
    ), "Farah here, signed from the train.", ""),
    ExampleLetter(3, "england", "confirm", ("england-protestant-1",)),
    ExampleLetter(3, "protestant", "confirm", ("england-protestant-1",)),
    ExampleLetter(3, "hre", "spring", ("balanced holy-roman-intercession",), "Burn after reading.",
           "23.5: on the first turn of the scenario the Empire chooses its faith. Only Vienna's letters name "
           "it; it is read out when it wins the game or keeps another from winning."),
    ExampleLetter(3, "protestant", "impulse", ("cp", "preach_sermons netherlands"),
        "Hedge sermons in Flanders first, the swords come later.",
        "Sermons (18.2): five attempts for 2 CP, in one area. Fours and fives turn spaces without Catholic "
        "units, a six any, and a one leaves unrest on a space that turned (18.5). The questions that follow "
        "the dice are answered in the same letter only because nobody else is asked in between."),
    ExampleLetter(3, "england", "impulse", ("cp", "patronize_scientist cp=3"),
        "ロンドンに学者をひとり。名前は誰になるか、くじ次第。",
        "Patronage (22.2): one scientist a turn, drawn at random when the CP are paid; the evaluation waits "
        "for the end of the turn."),
    ExampleLetter(3, "spain", "impulse", ("cp", "suppress_heresy netherlands"),
        "Alva has his orders.",
        "Suppressing heresy (18.3): the same procedure, the other way round."),
    ExampleLetter(3, "protestant", "impulse", (
        "cp",
        "rebellion brielle cp=4|rebellion flushing cp=4|rebellion haarlem cp=4|rebellion amsterdam cp=4",
        "~brielle|flushing|haarlem|amsterdam",
        "~william louis_of_nassau|william",
    ), "Now. For the Prince!",
        "A rebellion (18.4) with 4 CP: without Catholic regulars or ships in the space it succeeds at once, "
        "else four dice (five in a home space) must remove them. Up to four spaces in all change hands, two "
        "regulars appear, and there is war with Spain. A capital and the waiting leaders of the Dutch may "
        "follow (23.6)."),
    ExampleLetter(3, "hre", "reinforce", ("regular",), "A regular for Vienna, and good night.",
        "The last answer of the winter (20.6). What follows needs nobody: spies go home, the women of the courts grow "
        "older (21.3), and the artists and scientists of the turn are rolled for (22)."),
    # -- turn 4 --------------------------------------------------------------------------------------------------------
    ExampleLetter(4, "france", "negotiation", (
        "propose protestant of=dynastic-peace groom=henry_of_navarre bride=margaret_of_valois",
        _press("protestant", "My sister for your cousin, and peace with it.",
               "Paris will be full of your friends in August."),
    ), "Peace, sealed by a wedding. My mother insists.",
        "A peace sealed by a wedding (9.1): it ends the war between France and the Protestants, and the couple "
        "is betrothed until the end of the turn."),
    ExampleLetter(4, "protestant", "negotiation", (
        "accept france-protestant-1",
        _press("france", "Signed, and we shall come with few friends and good horses."),
        _press("england", "Peace in France at last, all I have goes to Holland. Keep the Channel for me?"),
        "done",
    )),
    ExampleLetter(4, "france", "confirm", ("france-protestant-1",)),
    ExampleLetter(4, "protestant", "confirm", ("france-protestant-1",)),
    ExampleLetter(4, "spain", "spring", ("parma=madrid home_card=spanish-armada|spanish-armada",)),
    ExampleLetter(4, "spain", "impulse", (
        "cp",
        "assassination william cp=4|assassination louis_of_nassau cp=4|assassination coligny cp=4",
    ), "There is a price on his head. 25,000 crowns.",
        "An assassination (19.3): from turn 3 on, once a turn. Spain rolls the dice of the table for 4 CP, "
        "with two more for an informant or other help; the victim's player rolls in defence. More hits than he "
        "has kill the leader, and are worth a VP."),
    ExampleLetter(4, "spain", "impulse", ("event spanish-armada", "corunna|lisbon|seville", "upgrade_armada"),
        "To the shipyards.",
        "The home card of 23.2: the Armada is laid down with strength 2, and the card's 3 CP raise it to 4."),
    ExampleLetter(4, "hre", "reinforce", ("regular",), "Another one. When is the wedding?",
        "Now: after the winter come the weddings (21.1). A die for each of the couple and both eligibilities; "
        "from ten on they marry, more brings VP and cards. Margaret is a Valois: if they do, France has a VP."),
    # -- turn 5 --------------------------------------------------------------------------------------------------------
    ExampleLetter(5, "england", "negotiation", (
        _press("all", "アルマダがコルーニャにいるのを、見ていないふりをするのはやめましょう。"),
        "done",
    ), "", "Press to all: everybody reads it, in the words in which it was written."),
    ExampleLetter(5, "spain", "spring", ("home_card=spanish-armada|spanish-armada",)),
    ExampleLetter(5, "spain", "impulse", ("event spanish-armada", "upgrade_armada", "regular_aboard|mercenary_aboard"),
        "She sails this summer.",
        "On the map the card spends its 5 CP on the Armada alone: 3 for another level, 2 for a regular aboard."),
    ExampleLetter(5, "spain", "impulse", (
        "cp",
        'naval_move moves="sail corunna bay_of_biscay"|naval_move moves="sail seville atlantic_ocean"',
    ), "God blew, they will say. We shall see.",
        "The Armada puts to sea with all the ships of its port (16.1). With war it could now fight for the "
        "Channel and land what it carries (16.3, 23.2)."),
)  # fmt: skip
HABITS: dict[str, tuple[str, ...]] = {
    "ottoman": (
        "build_corsair algiers", "raise_cavalry belgrade", "buy_influence venice points=1", "build_galley istanbul",
        "raise_regular buda", "piracy_europe tyrrhenian_sea spain", "patronize_artist cp=2", "build_fortress sofia",
        "gain_intelligence spain", "build_corsair tunis", "raise_regular belgrade",
    ),
    "spain": (
        "suppress_heresy netherlands", "buy_mercenary milan", "build_galley naples", "raise_regular brussels",
        "build_patrol antilles", "buy_influence venice points=1", "build_galleon seville", "raise_regular barcelona",
        "build_fortress cartagena", "patronize_artist cp=2",
    ),
    "england": (
        "launch_expedition hawkins north_atlantic", "build_galleon plymouth", "buy_influence scotland points=1",
        "suppress_heresy england", "raise_regular york", "patronize_artist cp=2", "raise_regular wales",
        "piracy_world hawkins spain", "build_fortress norwich", "build_galleon london", "gain_intelligence spain",
    ),
    "france": (
        "suppress_heresy france", "buy_mercenary paris", "raise_regular lyon", "patronize_artist cp=3",
        "buy_influence scotland points=1", "raise_regular rouen", "build_galleon brest", "build_fortress bourges",
        "place_agent protestant",
    ),
    "hre": (
        "buy_mercenary vienna number=2", "patronize_artist cp=3", "buy_influence papacy points=1",
        "raise_regular prague", "build_fortress pressburg", "raise_regular vienna", "buy_influence venice points=1",
        "gain_intelligence ottoman", "buy_mercenary augsburg",
    ),
    "protestant": (
        "preach_sermons france", "buy_mercenary la_rochelle", "raise_regular montauban", "build_galleon la_rochelle",
        "preach_sermons scotland", "raise_regular nimes", "build_fortress castres", "buy_influence scotland points=1",
        "place_agent france",
    ),
}  # fmt: skip
"""Seat → what it buys, in this order and round again."""
REMARKS: dict[str, dict[str, tuple[str, ...]]] = {
    "ottoman": {
        "negotiation": ("Nothing from the Porte this time.", "The Sultan hunts. Done.", "No."),
        "impulse": (
            "Ships for the pasha.", "The usual.", "Timber, sailcloth, and patience.",
            "More of the same, and good night.",
            "From the airport, short.", "The janissaries want pay.",
        ),
    },
    "spain": {
        "negotiation": ("Madrid listens and says nothing.", "I have read everything. Done.",
        "Done, but I heard that."),
        "impulse": (
            "Don't @ me about Flanders.", "Silver well spent, I hope.", "Slowly, as the King likes it.",
            "Another one of these.", "Late, sorry, work.", "See below.",
        ),
    },
    "england": {
        "negotiation": ("今回は特にありません。", "以上です。"),
        "impulse": (
            "よろしくお願いします。", "船が先、兵はあと。", "出張先から失礼します。", "女王陛下は倹約家です。",
            "順番どおりに。",
        ),
    },
    "france": {
        "negotiation": ("Done.", "Nothing more from me.", "Bon."),
        "impulse": (
            "A quiet one.", "Catherine has plans, I have 2 CP.", "Voilà.", "As announced.", "No poison this time.",
        ),
    },
    "hre": {
        "negotiation": ("Done.", "Vienna is content.", "Done here."),
        "impulse": (
            "Walls against the Turk.", "For the Kunstkammer.", "Landsknechte are cheap today.",
            "Émile, from his phone.",
            "This and that.",
        ),
    },
    "protestant": {
        "negotiation": ("Done.", "Amen.", "Done."),
        "impulse": (
            "Psalms and powder.", "La Rochelle builds.", "Short of everything but faith.", "Next.",
            "Monsoon here, short.",
        ),
    },
}  # fmt: skip
"""Seat → kind of question → remarks in turn."""
