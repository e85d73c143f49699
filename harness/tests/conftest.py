"""Makes what tests share importable: ``import two_hosts``."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
