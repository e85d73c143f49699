"""What each command of ./lab does."""

import argparse
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    Commands: TypeAlias = argparse._SubParsersAction[argparse.ArgumentParser]
else:  # which is generic for a type checker alone
    Commands = argparse._SubParsersAction
