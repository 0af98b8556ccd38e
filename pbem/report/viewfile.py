"""The player file: what the terminal and the offline check need, as TOML, without secrets of other seats.

`view_file` documents the keys. Nothing has the value None: such keys are left out, and empty cells of tables
are "".

The offline check reads these keys (`pbem.orders.context.context_from`):

* `format`, `game` (its id in emails), `rules` (the slug of the game), `seat`, `code`, `q`, `over`, `seats`,
  `kinds`, `sheet_kinds`, `outcomes`, `clock`, `private_press`.
* `queue`, `standing`, `settings`: the seat's own, as order lines.
* `names`, `aliases`, `faces`, `said`: words for all ids, the same in every file of a game (`names_from`).
* `questions`, those open to this seat: `q`, `kind`, `rule`, `pace`, `prompt` (message key), `about`, `secret`,
  `sealed`, `negotiation`, `answered`, `answer`, `default` (order text), `domain` (`Domain.describe`),
  `syntax`, `due`.

Further keys:

* `version` (of the rules), `title`, `result.en`, `result.ja` ("" before the end), `scenario`, `options`, `players`,
  `asked`, `moves`, `head`, `due`, `zone`, `reader_zone`, `language` (the reader's).
* In `questions`: `seat`, `said.en`, `said.ja` (the prompt in words), `trail.en`, `trail.ja`, `offers` (`id`, `by`,
  `parties`, `signed`, `terms`) and `deals`, the signed ones (likewise); `decision` by language: `title`, `facts`
  (what it turns on), `options` (`order`, `face`, `price`, `follows`), the likeliest first.
* `history`: the scores so far (`[label, points by seat]`). `press`: sent or got by the seat (`seat, to, text, at`).
* `view`: `kernel.view.View` as plain data (`view_from`). `cards`: texts of the cards in view, id → language → text.
* `log`: the lines that this seat may read (`n, en, ja`), the spaces that they name (`at`), the move (`way`), the seat
  that they are about (`who`), and whether they begin a part of the game (`head`). `since`: the move with which the
  last question was closed that the seat answered.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from pbem import LANGUAGES
from pbem.kernel.domains import PASS, Budget
from pbem.kernel.order_words import Names
from pbem.kernel.questions import Proposal
from pbem.kernel.referee import PendingQuestion, Referee
from pbem.kernel.standing_orders import StandingRule, lines_of, sheet_kinds
from pbem.kernel.table import LogLine
from pbem.kernel.view import View
from pbem.report.build import current_answer, result_text, visible_lines, visible_questions
from pbem.report.deciding import decision
from pbem.report.merge_lines import news_table
from pbem.report.messages import Catalogue
from pbem.report.model import FROM, TO, ReportContext, without_empty_values
from pbem.report.question_text import policies_of
from pbem.timestamps import moment, stamp

# A seat's reaction sheet as order lines: its entries, and `pass` for other windows that its cards are for.


def sheet_lines(referee: Referee, seat: str) -> Iterator[tuple[str, list[str]]]:
    """Yield an order line for each window of the reaction sheet, and the cards in hand that can be played in it."""
    kinds = sheet_kinds(referee.game, referee.setup.options)
    if not kinds or seat not in referee.setup.seats:  # the public and the moderator have none
        return
    held = referee.game.reaction_sheet(referee.table, seat)
    own = [standing for standing in referee.standing if standing.seat == seat]
    for kind in kinds:
        cards = list(dict.fromkeys(held.get(kind, ())))
        lines = [str(standing) for standing in own if standing.kind == kind]
        if cards and not lines:
            lines = [str(StandingRule(seat, kind, PASS))]
        for line in lines:
            yield line, cards


def sheet_text(referee: Referee, seat: str, say: Catalogue) -> str:
    """Return the reaction sheet for an email: how to fill it in, then the lines, each with its cards."""
    lines = list(sheet_lines(referee, seat))
    if not sheet_kinds(referee.game, referee.setup.options):
        return say.text("reaction_sheet.none")
    if not lines:
        return say.text("reaction_sheet.empty")
    told = [
        f"{line}    # {say.join([say.typed(card) for card in cards], 'comma')}" if cards else line
        for line, cards in lines
    ]
    return "\n".join([say.text("reaction_sheet.how"), "", *(f"/ {line}" for line in told)])


# What a log line says of the map: the spaces it names, and the way of a move. For arrows and rims.


class MapMentions(msgspec.Struct, frozen=True):
    """Spaces that are named; `way` is the origin and destination of a move, () if there is none."""

    at: tuple[str, ...] = ()
    way: tuple[str, ...] = ()


def told_of(args: Mapping[str, Any], spaces: Collection[str]) -> MapMentions:
    """Return the spaces and the move in arguments. Pass only those that the reader may see."""
    named = {key: value for key, value in args.items() if isinstance(value, str) and value in spaces}
    end = next((named[key] for key in TO if key in named), "")
    way = (named[FROM], end) if FROM in named and end and end != named[FROM] else ()
    return MapMentions(tuple(dict.fromkeys(named.values())), way)


FORMAT = 1


def view_file(
    referee: Referee, seat: str, *, frame: ReportContext | None = None, lines: Sequence[LogLine] = (), nodes: int = 4000
) -> dict[str, Any]:
    """Return the document for `seat`. `lines` is the log so far, `nodes` the size of each question's description."""
    frame = frame or ReportContext()
    game, table = referee.game, referee.table
    voices = {language: Catalogue(game, referee.components, language, referee.names) for language in LANGUAGES}
    view = game.view(table, seat)
    document = {
        **_about(referee, seat, frame, voices),
        "players": dict(frame.players),
        "asked": list(referee.asked()),
        "clock": dict(view.clock),
        "private_press": game.talk_is_private(table.state, referee.paces()),
        "queue": lines_of(seat, referee.queue),
        "standing": lines_of(seat, referee.standing),
        "settings": lines_of(seat, referee.settings),
        "sheet": [{"line": line, "cards": cards} for line, cards in sheet_lines(referee, seat)],
        "questions": [
            _question(referee, pending, voices, nodes, stamp(frame.due)) for pending in visible_questions(referee, seat)
        ],
        "next": _next(referee, seat, voices, nodes),
        "view": msgspec.to_builtins(view),
        "log": _log(referee, voices, lines, seat, {space.id for space in view.map} | set(game.notes.seas)),
        "since": frame.since,
        "history": [[label, dict(points)] for label, points in frame.history],
        "press": [dict(message) for message in frame.press],
        "cards": _cards(referee, view),
        **_names(referee.names),
    }
    plain: dict[str, Any] = without_empty_values(document)
    return plain


def _names(names: Names) -> dict[str, Any]:
    return {
        "names": {key: dict(words) for key, words in names.names.items()},
        "aliases": {key: list(words) for key, words in names.aliases.items()},
        "faces": dict(names.printed),
        "said": {key: list(words) for key, words in names.said.items()},
    }


def _about(referee: Referee, seat: str, frame: ReportContext, voices: Mapping[str, Catalogue]) -> dict[str, Any]:
    game, table = referee.game, referee.table
    return {
        "format": FORMAT,
        "game": frame.name,
        "rules": game.slug,
        "version": game.rules,
        "title": dict(game.title),
        "seat": seat,
        "code": frame.code,
        "q": referee.q,
        "moves": referee.n,
        "over": referee.over,
        "result": {language: result_text(say, referee.result) for language, say in voices.items()},
        "head": frame.head,
        "due": stamp(frame.due),
        "zone": frame.zone,
        "reader_zone": frame.reader_zone,
        "language": frame.language,
        "scenario": table.scenario,
        "options": dict(table.options),
        "seats": list(table.seats),
        "kinds": list(game.question_kinds),
        "sheet_kinds": list(sheet_kinds(game, table.options)),
        "outcomes": {word: list(verbs) for word, verbs in game.outcome_words.items()},
    }


def _next(referee: Referee, seat: str, voices: Mapping[str, Catalogue], nodes: int) -> dict[str, Any] | None:
    later = referee.next_turn(seat)
    pending = later.pending_to(seat) if later is not None else None
    return _question(later, pending, voices, nodes, "") if later is not None and pending is not None else None


def _question(
    referee: Referee, pending: PendingQuestion, voices: Mapping[str, Catalogue], nodes: int, due: str
) -> dict[str, Any]:
    domain, talk, trail = referee.domain(pending.seat), referee.talk, referee.table.trail
    return {
        "q": pending.q,
        "seat": pending.seat,
        "kind": pending.kind,
        "rule": pending.rule,
        "pace": pending.pace,
        "prompt": pending.prompt,
        "said": {language: say.render_prompt(pending) for language, say in voices.items()},
        "trail": {language: say.render_trail(trail) for language, say in voices.items()},
        "about": pending.about,
        "secret": pending.secret,
        "sealed": pending.sealed,
        "negotiation": talk is not None,
        "answered": pending.answered,
        "answer": current_answer(referee, pending),
        "default": domain.default_text(pending.default),
        "due": due,
        "syntax": domain.syntax(),
        "domain": domain.describe(Budget(nodes)),
        "offers": [_offer(p) for p, _ in (talk.seen_by(pending.seat) if talk is not None else ())],
        "deals": [_offer(p) for p in (talk.deals_of(pending.seat) if talk is not None else ())],
        "decision": {language: _decision(referee, pending, say) for language, say in voices.items()},
    }


def _decision(referee: Referee, pending: PendingQuestion, say: Catalogue) -> dict[str, Any]:
    """Return what a question turns on and what its answers mean: a player's terminal has no state to find it in."""
    found, (policy, *policies) = decision(referee, pending, say), policies_of(referee, pending, say)
    return {
        "title": found.title,
        "facts": [*found.facts, *found.more],
        "policy": policy,
        "policies": policies,
        "options": [
            {"order": option.order, "face": option.face, "price": option.price, "follows": list(option.follows)}
            for option in found.options
        ],
    }


def _offer(proposal: Proposal) -> dict[str, Any]:
    return {
        "id": proposal.id,
        "by": proposal.by,
        "parties": list(proposal.parties),
        "signed": list(proposal.signed),
        "terms": proposal.terms,
    }


def _log(
    referee: Referee, voices: Mapping[str, Catalogue], lines: Sequence[LogLine], seat: str, spaces: Collection[str]
) -> list[dict[str, Any]]:
    """Return the lines in every language with what they mention; all languages have the same lines."""
    seats, news = referee.table.seats, news_table(referee.game.package)
    spoken = {language: visible_lines(say, lines, seat) for language, say in voices.items()}
    say, first = next(iter(voices.values())), next(iter(spoken.values()))
    read = [line for line in lines if say.render_line(line, seat) is not None]
    entries = []
    for at, (line, entry) in enumerate(zip(read, first, strict=True)):
        args = say.read_in(line, seat)
        mentions = msgspec.structs.asdict(told_of(args, spaces))
        more: dict[str, Any] = {key: [*value] for key, value in mentions.items() if value}
        if who := next((value for value in args.values() if value in seats), ""):
            more["who"] = who
        if news.begins(line.key):
            more["head"] = True
        entries.append({"n": entry.n, **{language: said[at].text for language, said in spoken.items()}, **more})
    return entries


def _cards(referee: Referee, view: View) -> dict[str, dict[str, str]]:
    seen = dict.fromkeys(card.id for hand in view.hands for card in hand.cards or ())
    texts = {card: dict(referee.game.card_text(referee.components, card)) for card in seen}
    return {card: text for card, text in texts.items() if text}


def dumps(document: Mapping[str, Any]) -> str:
    """Return the document as TOML."""
    import tomli_w

    return tomli_w.dumps(document)


def view_from(document: Mapping[str, Any]) -> View:
    """Return the view in a document. Raises `msgspec.ValidationError` if it is invalid."""
    return msgspec.convert(document["view"], View)


def frame_from(document: Mapping[str, Any]) -> ReportContext:
    """Return the deadline, zones and language of a document."""
    zone, reader = str(document.get("zone") or "UTC"), str(document.get("reader_zone") or "")
    due, language = str(document.get("due") or ""), str(document.get("language") or "")
    return ReportContext(due=moment(due) if due else None, zone=zone, reader_zone=reader, language=language)


def names_from(document: Mapping[str, Any]) -> Names:
    """Return the names in a document."""
    return Names(document["names"], document["aliases"], document["faces"], document.get("said"))
