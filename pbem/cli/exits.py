"""What the exit status of a command means. The one place; scripts and cron jobs may rely on it."""

from enum import IntEnum


class Exit(IntEnum):
    """Exit statuses of `pbem`.

    `REFUSED` is for something that was looked at and found wrong (orders, a case, an audit); letters that were refused
    or put aside during an ingest are ordinary business and exit with `OK`.
    """

    OK = 0
    REFUSED = 1
    USAGE = 2
    """The command line was wrong (Click's own status)."""
    DATA = 3
    """A save, pack, mailbox or other file is missing, damaged or not what it should be."""
    BUSY = 4
    """Another pbem holds the save: try again later."""
    PARTLY = 5
    """Some of the work was done; what was left out stands on stderr. Running again is safe."""
    NO_EMAIL = 65
    TRY_AGAIN = 75
    NO_GAMES = 78
    """Of a mail server's delivery by pipe (sysexits.h): nothing came in; deliver it again; there is no game here."""
    INTERRUPTED = 130
