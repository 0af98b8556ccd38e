"""The engine, independent of games: questions, answers, dice, the table and the referee.

It is pure: no I/O, no clock, no mail, no files, no particular game. Time, emails and moderators enter as plain
values. It imports no other layer.
"""
