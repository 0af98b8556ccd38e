"""What players do themselves by email: what is taken, what others read of it, and that it tells them nothing."""

from __future__ import annotations

import re
from datetime import timedelta
from email import message_from_bytes, policy

import pytest

import games
from pbem.clock.policy import quiet_until
from pbem.dev.synthetic_mail import letter
from pbem.mail.inbox.ingest import ingest
from pbem.mail.inbox.mime import decode_mail
from pbem.mail.moderator.journal import Actor
from pbem.mail.moderator.clock_actions import change_settings
from pbem.mail.scheduler.tick import tick_games
from pbem.orders.player_words import player_words
from pbem.save import Session, audit, load, locked
from tests.mail.desk_actions import HOUR, begun, letters  # noqa: F401 — a fixture
from tests.mail.desks import opened

A, B, C = "amber", "black", "green"
