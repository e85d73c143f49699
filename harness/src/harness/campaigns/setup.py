"""Make ready what a command needs; nothing that is ready is made again."""

import sys
from collections.abc import Iterable

from harness.campaigns.install import carry_out, require
from harness.paths import STAMPS
from harness.planning.study import Study
from harness.planning.system import Sut


def set_up_load(study: Study) -> None:
    """Make the load generator ready."""
    require(study.file.requires)
    for step in study.file.install:
        carry_out(step, study.folder, STAMPS)


def set_up_systems(systems: Iterable[Sut]) -> None:
    """Make the systems ready, each on its stack; a stack's warning is said."""
    for sut in systems:
        require([*sut.system.requires, *sut.stack.requires])
        for step in sut.stack.install:
            carry_out(step, sut.folder, STAMPS)
        if sut.stack.warning:
            print(f"{sut.key}: {sut.stack.warning}", file=sys.stderr)
