"""`python -m skolem.cli`."""

import sys

from skolem.cli.entry import main

sys.exit(main())
