"""`python -m qgmem` is `qgmem`."""

from .surfaces.cli import main

main()
