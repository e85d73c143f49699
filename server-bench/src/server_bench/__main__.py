"""`python -m server_bench servers`."""

import sys

from server_bench.command import main

sys.exit(main())
