"""Game-agnostic adjudication: questions, answers, dice, the table and the referee.

The kernel is pure. It does no I/O, never reads the clock, and knows neither mail nor files nor any game; time,
letters and moderators reach it as plain values. It imports no other room of the house.
"""
