"""`python -m pbem` is the command line, where no console script is on the path."""

from pbem.cli import main

main()
