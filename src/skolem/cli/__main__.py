"""`python -m skolem.cli`."""

import sys

from skolem.cli import main

sys.exit(main())
