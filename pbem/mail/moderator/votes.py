"""What players do with the consent of the others: end the game, take back an act, end the waiting, replace a player.

Votes are kept next to the game (`[[votes]]`): no rule waits for them. Nobody learns how anybody voted, or who hasn't.
An act that a player takes back alone is kept as a vote of theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from pbem.clock.policy import overdue, paused
from pbem.kernel.questions import Ask
from pbem.kernel.rejections import Rejection, closest_words, rejection
from pbem.mail.bots import EFFORT
from pbem.mail.moderator import clock_actions, game_actions, player_acts, seat_actions
from pbem.mail.moderator.journal import PLAYERS, ActionError, Actor
from pbem.mail.outbox.email_parts import add_text
from pbem.mail.outbox.recipient import Recipient, reader_of
from pbem.mail.scheduler.needs import NOTICE
from pbem.orders.context import seat_named
from pbem.save import SaveError, SeatInfo, Session
from pbem.save.schema import PlayerVote
from pbem.save.settings import SettingError, may
from pbem.save.settings import address as parsed_address

OPEN, AGREED, NOT_AGREED, ANNOUNCED = "", "agreed", "not agreed", "notice"
_DAY = timedelta(hours=24)
_LATE = timedelta(hours=48)
"""How long after a deadline the others may want to end the waiting, and how long before a replacement is notified."""
_HOURS = {"end": 168, "take back": 48, "more time": 48, "skip": 24, "replace": 48}
"""How long each vote is open."""
_NAMELESS = ("more time", "skip")
"""Votes whose proposer isn't named: it would tell who has not answered."""


def end(session: Session, info: SeatInfo, value: str, at: datetime) -> player_acts.Args:
    """Propose that the game ends now; of two players, one may concede alone."""
    others = _others(session, info)
    if value == "concede" and len(session.save.seats) == 2:
        return {**_propose(session, info, "end", value, [info.id], at), "as": "concede"}
    return _propose(session, info, "end", value, others, at)


def take_back(session: Session, info: SeatInfo, value: str, at: datetime) -> player_acts.Args:
    """Undo the seat's last act if no other seat is concerned. Else ask the others to undo all since it."""
    moves = session.moves()
    q = max((move.q for move in moves if move.seat == info.id), default=0)
    first = min((move.n for move in moves if move.q == q and move.kind not in ("fiat", "beacon")), default=0)
    if first == 0:
        raise rejection("request.nothing_back")
    alone = may(session.save, "take_back") != "consent" and concerns_nobody(session, info)
    asked = [info.id] if alone else _others(session, info)
    args = _propose(session, info, "take back", str(first), asked, at, most=2)
    if not alone:
        return args
    args = agree(session, info, args["id"], at)
    return {"as": "taken_back"} if session.save.votes[-1].result == AGREED else args


def concerns_nobody(session: Session, info: SeatInfo) -> bool:
    """Return whether the seat's act is the last of the game, and has shown nothing hidden or random to anybody.

    It follows from what all know: whose act was the last, what is open, the number of the next draw, and which lines
    all read. A line counts as private if its message is one that some read more of, no matter who. How the answer came
    about isn't asked: nobody else learns of an expired deadline. Where a line may be for some only, nobody else knows
    of it, so such a game never lets anybody decide alone.
    """
    referee, moves = session.referee, session.moves()
    if session.game.hidden_lines or moves[-1].seat != info.id or type(referee.now) is not Ask:
        return False
    try:
        again = session.from_origin(moves[:-1])
    except SaveError:
        return False
    if type(again.now) is not Ask:
        return False
    dice, told = again.table.dice, len(again.table.lines)
    drawn = dice.epoch, dice.counter
    again.replay(moves[-1:])
    say = reader_of(session, info).say
    shown = any(line.reveals or say.has(f"{line.key}.private") for line in again.table.lines[told:])
    return drawn == (dice.epoch, dice.counter) and not shown


def more_time(session: Session, info: SeatInfo, q: int, hours: int, at: datetime) -> player_acts.Args:
    """Ask for more hours than the seat has in reserve: the seats with an open question decide."""
    asked = [row.seat for row in session.save.pending if row.q == q]
    others = _others(session, info)
    return _propose(session, info, "more time", str(hours), [seat for seat in others if seat in asked] or others, at)


def check_skip(session: Session, info: SeatInfo, value: str, at: datetime) -> None:
    """Raise `Rejection` unless the deadline of a question has passed two days ago."""
    due = min((row.due for row in session.save.pending if row.due), default=None)
    if due is None:
        raise rejection("request.no_deadline")
    if paused(session.save.clock, at):
        raise rejection("request.stopped")
    if at < due + _LATE:
        raise rejection("request.skip_early", at=reader_of(session, info).when(due + _LATE))


def skip(session: Session, info: SeatInfo, value: str, at: datetime) -> player_acts.Args:
    """Ask the others to end the waiting for a question."""
    check_skip(session, info, value, at)
    return _propose(session, info, "skip", "", _others(session, info), at)


def replacement(session: Session, info: SeatInfo, value: str, at: datetime) -> tuple[str, str]:
    """Return the seat to give away, and to whom. Raises `Rejection`."""
    word, _, whom = value.partition(" ")
    seats = [seat.id for seat in session.save.seats]
    seat = seat_named(word, session.referee.names, seats)
    if seat == info.id:
        raise rejection("request.own_seat")
    if seat not in seats:
        near = closest_words(word, [known for known in seats if known != info.id])
        raise rejection("order_block.unknown_seat", word=word, near=near)
    try:
        whom = "bot" if whom.casefold() == "bot" else parsed_address(whom, [session.save.post.sender])
    except SettingError:
        raise rejection("request.address") from None
    return seat, whom


def replace(session: Session, info: SeatInfo, value: str, at: datetime) -> player_acts.Args:
    """Ask the others to give a seat to a bot or to another player."""
    seat, whom = replacement(session, info, value, at)
    others = [other for other in _others(session, info) if other != seat]
    return _propose(session, info, "replace", f"{seat} {whom}", others, at)


def _others(session: Session, info: SeatInfo) -> list[str]:
    """Return the other seats that people play: that is public."""
    return [seat.id for seat in session.save.seats if seat.id != info.id and not seat.understudy]


def _propose(
    session: Session, info: SeatInfo, act: str, value: str, asked: Sequence[str], at: datetime, most: int = 1
) -> player_acts.Args:
    """Open a vote and ask everybody in it. Raises `Rejection`: once it is open, or for the rest of the turn."""
    save = session.save
    turn = str(save.header.clock.get("turn", ""))
    same = [vote for vote in save.votes if (vote.act, vote.value) == (act, value) and vote.result == OPEN]
    if same:
        raise rejection("request.open_vote", id=same[0].id)
    before = [vote for vote in save.votes if (vote.act, vote.seat, vote.turn) == (act, info.id, turn)]
    if act != "more time" and len(before) >= most:
        raise rejection("request.again")
    until = at + timedelta(hours=_HOURS[act])
    vote = PlayerVote(len(save.votes) + 1, act, info.id, at, until, session.referee.q, value, list(asked), turn=turn)
    save.votes.append(vote)
    player_acts.noted(session, info, "vote", at, id=vote.id, act=act, value=value)
    _tell(session, vote, "vote.ask", [seat for seat in asked if seat != info.id], at)
    if not asked:
        _decide(session, vote, at)
    _next(session)
    return {"as": "vote" if asked else "agreed", "id": str(vote.id), "until": reader_of(session, info).when(until)}


def agree(session: Session, info: SeatInfo, value: str, at: datetime) -> player_acts.Args:
    """Agree in a vote."""
    vote = _vote(session, info, value, at)
    if info.id not in vote.asked:
        raise rejection("request.no_vote")
    vote.agreed = [seat for seat in vote.asked if seat in (*vote.agreed, info.id)]
    if vote.act == "skip" or not _is_agreed(session, vote):
        return {"id": str(vote.id)}
    _decide(session, vote, at)
    return {"as": "agreed", "id": str(vote.id)}


def refuse(session: Session, info: SeatInfo, value: str, at: datetime) -> player_acts.Args:
    """Refuse in a vote, or withdraw what the seat has proposed."""
    vote = _vote(session, info, value, at)
    vote.agreed = [seat for seat in vote.agreed if seat != info.id]
    if vote.act == "skip" and vote.seat != info.id:
        return {"id": str(vote.id), "as": "refuse_skip"}
    _settle(session, vote, NOT_AGREED, at)
    return {"id": str(vote.id)}


def _vote(session: Session, info: SeatInfo, value: str, at: datetime) -> PlayerVote:
    """Return the open vote of that number in which a seat has a say. Raises `Rejection`."""
    votes = [] if session.referee.over else session.save.votes
    mine = [vote for vote in votes if vote.result == OPEN and at < vote.until]
    mine = [vote for vote in mine if info.id in (*vote.asked, vote.seat)]
    found = next((vote for vote in mine if str(vote.id) == value.lstrip("0")), None)
    if found is None:
        raise rejection("request.no_vote", near=[f"agree {vote.id}" for vote in mine])
    return found


def _is_agreed(session: Session, vote: PlayerVote, late: Sequence[str] = ()) -> bool:
    """Return whether all agree who are neither `late` nor replaced by a bot meanwhile."""
    asked = [info for info in session.save.seats if info.id in vote.asked]
    return bool(vote.agreed or late) and all(info.id in (*vote.agreed, *late) or info.understudy for info in asked)


def settle(session: Session, now: datetime) -> bool:
    """End the votes whose time is over, and remind of those that end in a day; return False if there are none.

    After the end of the game there is nothing to decide: nobody is reminded, or told of a result.
    """
    some = over = session.referee.over
    for vote in session.save.votes:
        if vote.result not in (OPEN, ANNOUNCED):
            continue
        if over:
            _forget_notice(session, vote)
            vote.result = NOT_AGREED
        elif vote.until <= now:
            _close(session, vote, now)
            some = True
        elif not vote.reminded and vote.result == OPEN and vote.until - _DAY <= now:
            vote.reminded = some = True
            _tell(session, vote, "vote.ask", [seat for seat in vote.asked if seat not in vote.agreed], now)
    _next(session)
    return some


def _close(session: Session, vote: PlayerVote, now: datetime) -> None:
    """Carry out what was announced; of a vote to end the waiting, only those who have answered count."""
    late = session.referee.waiting()
    if vote.result == ANNOUNCED and may(session.save, "replace") != "no":
        _carry_out(session, vote, now)
    elif _is_agreed(session, vote, late if vote.act == "skip" else ()) and vote.result == OPEN:
        _decide(session, vote, now)
    else:
        _settle(session, vote, NOT_AGREED, now)


def heard(session: Session, seat: str, at: datetime) -> None:
    """Keep the player of a seat who has written before another takes it over."""
    for vote in session.save.votes:
        if vote.result == ANNOUNCED and vote.value.partition(" ")[0] == seat:
            _settle(session, vote, NOT_AGREED, at)


def _decide(session: Session, vote: PlayerVote, at: datetime) -> None:
    """Do what all have agreed on; a replacement is announced first."""
    if vote.act == "replace":
        vote.until = at + _LATE
        seat = session.save.seat(vote.value.partition(" ")[0])
        player_acts.ask_moderator(seat, f"{NOTICE}replace {vote.value}", at)
        _settle(session, vote, ANNOUNCED, at)
    else:
        _carry_out(session, vote, at)


def _carry_out(session: Session, vote: PlayerVote, at: datetime) -> None:
    """Do it, unless the game has gone on so that it can no longer be done."""
    _forget_notice(session, vote)
    vote.result = AGREED  # a rewind stores the save
    _next(session)
    # Numbers of questions and moves are those of before a rewind.
    rewound = any(switch.at is not None and switch.at >= vote.at for switch in session.save.dice.rewinds)
    numbered = vote.act in ("more time", "skip")
    done = not (rewound and (numbered or (vote.act == "take back" and not _is_alone(vote))))
    if numbered:
        done = done and vote.q == session.referee.q and not paused(session.save.clock, at)
    try:
        if done and not session.referee.over:
            _do(session, vote, Actor(PLAYERS, "", at))
            return
    except (ActionError, SaveError, Rejection):
        pass
    _settle(session, vote, NOT_AGREED, at)


def _do(session: Session, vote: PlayerVote, author: Actor) -> None:
    match vote.act:
        case "end":
            game_actions.end_by_agreement(session, author, vote.value, _winners(session, vote))
        case "take back":
            game_actions.rewind(session, author, int(vote.value) - 1, own=vote.seat if _is_alone(vote) else "")
            session.save.pending = []  # asked when the emails go out: nobody learns when a player has written
        case "more time":
            proposer = session.save.seat(vote.seat)
            hours = int(vote.value) + overdue(session.save, vote.q, author.now)
            player_acts.lengthen(session, vote.q, hours, [proposer], "more-time", author.now)
        case "skip":
            clock_actions.expire_question(session, author)
        case "replace":
            seat, _, whom = vote.value.partition(" ")
            if whom == "bot":
                seat_actions.assign_bot(session, author, seat, EFFORT)
            else:
                seat_actions.replace_player(session, author, seat, whom)
        case _:
            raise KeyError(vote.act)


def _is_alone(vote: PlayerVote) -> bool:
    """Return whether only its proposer decides it."""
    return vote.asked == [vote.seat]


def _winners(session: Session, vote: PlayerVote) -> list[str]:
    """Return who wins after a concession: the other one of two, else who leads by the public points now."""
    if vote.value != "concede":
        return []
    if len(session.save.seats) == 2:
        return [seat.id for seat in session.save.seats if seat.id != vote.seat]
    scores = dict(session.game.view(session.referee.table, "").scores)
    return [seat for seat, points in scores.items() if points == max(scores.values())]


def _settle(session: Session, vote: PlayerVote, result: str, at: datetime) -> None:
    _forget_notice(session, vote)
    vote.result = result
    known = [seat.id for seat in session.save.seats if vote.act not in _NAMELESS or seat.id in vote.asked]
    _tell(session, vote, "vote.notice" if result == ANNOUNCED else "vote.not_agreed", {*known, vote.seat}, at)
    _next(session)


def _forget_notice(session: Session, vote: PlayerVote) -> None:
    if vote.result == ANNOUNCED:
        seat = session.save.seat(vote.value.partition(" ")[0])
        player_acts.forget_request(seat, f"{NOTICE}replace {vote.value}")


def _next(session: Session) -> None:
    """Note in the header when something about a vote is next due, for the tick."""
    times = []
    for vote in session.save.votes:
        if vote.result in (OPEN, ANNOUNCED):
            remind = vote.result == OPEN and not vote.reminded and vote.until - vote.at > _DAY
            times.append(vote.until - _DAY if remind else vote.until)
    session.save.header.vote_at = min(times, default=None)


def _tell(session: Session, vote: PlayerVote, words: str, seats: Sequence[str] | set[str], at: datetime) -> None:
    save = session.save
    for info in save.seats:
        if info.id in seats:
            reader = reader_of(session, info)
            what, until = _what(session, vote, reader), reader.when(vote.until)
            text = reader.words(words, what=what, id=str(vote.id), until=until)
            add_text(save, info, f"vote.{vote.id}.{words}.{vote.reminded}", text, at)
    save.header.unsent = True


def _what(session: Session, vote: PlayerVote, reader: Recipient) -> str:
    say, key = reader.say, f"vote.{vote.act.replace(' ', '_')}"
    seat, _, whom = vote.value.partition(" ")
    if vote.act == "end":
        key += f".{vote.value}"
    if vote.act == "replace":
        key += ".bot" if whom == "bot" else ".player"
    names = ", ".join(map(say.name, _winners(session, vote)))
    return reader.words(
        key, who=say.name(vote.seat), value=vote.value, q=str(vote.q), seat=say.name(seat), winners=names
    )
