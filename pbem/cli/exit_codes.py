"""The exit codes of commands. Scripts and cron jobs may rely on them."""

from enum import IntEnum


class Exit(IntEnum):
    """Exit codes of `pbem`.

    `FAILED_CHECK` is for something that was checked and is wrong (orders, a rule test, an audit). Emails that were
    rejected or quarantined are normal work and exit with `OK`.
    """

    OK = 0
    FAILED_CHECK = 1
    USAGE = 2
    """The command line, or a missing setting (Click's own code)."""
    BAD_DATA = 3
    """A save, pack, mailbox or other file is missing or damaged."""
    BUSY = 4
    """Another pbem holds the lock: try again later."""
    PARTIAL = 5
    """Some of the work was done; standard error says what wasn't. Running again is safe."""
    NO_EMAIL = 65
    BUG = 70
    """An error of pbem itself; standard error has the report."""
    TRY_AGAIN = 75
    NO_GAMES = 78
    """For delivery by a mail server's pipe (sysexits.h): nothing came in; deliver it again; there is no game here."""
    INTERRUPTED = 130
