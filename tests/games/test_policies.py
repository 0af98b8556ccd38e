"""What a question offers beside its answer is accepted: policies for later questions, and the choice that follows."""

from __future__ import annotations

from random import Random

import pytest

import games
from pbem.dev.random_game import sampler
from pbem.kernel.game import Setup
from pbem.kernel.negotiation import DONE
from pbem.kernel.referee import QUEUED, STANDING, Referee
from pbem.kernel.rejections import Rejection
from tests.toy.letters import send
