"""The tests here make memories with the contract suite's kit."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "contracts"))
