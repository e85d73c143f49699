"""`python -m workload_gen`."""

import sys

from workload_gen.cli import main

sys.exit(main())
