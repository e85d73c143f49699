"""Makes the generator of synthetic campaigns importable: ``import campaigns``."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
