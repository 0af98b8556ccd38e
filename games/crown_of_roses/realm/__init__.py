"""The realm: influence, king, victory, offices, wintering and clean-up phases (6, 10.5, 23 to 28)."""

from games.crown_of_roses.realm import (  # noqa: F401
    abilities,
    cleanup,
    election,
    income,
    offices,
    parliament,
    supporters,
    victory,
    winter,
)
