#!/usr/bin/env python3
"""Make the file of critical values again that campaigns of few blocks are held to: some minutes of simulation."""

import csv
from itertools import product

from uploadlab.statistics.prior_variance import DEGREES
from uploadlab.statistics.sequential import FIRST_LOOK, KEPT, MOST_KEPT_BLOCKS, simulated_critical_values


def main() -> None:
    """Write the file beside the module that reads it."""
    with KEPT.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["most_blocks", "prior_degrees", "measured_twice", "family", "blocks", "critical_value"])
        for most_blocks in range(FIRST_LOOK + 1, MOST_KEPT_BLOCKS + 1):
            for degrees, twice in [*product(DEGREES, [False]), (0, True)]:
                found = simulated_critical_values(most_blocks, degrees, measured_twice=twice)
                for family, values in found.items():
                    key = most_blocks, degrees, int(twice), family
                    looks = enumerate(values, FIRST_LOOK)
                    writer.writerows([*key, n, f"{value:.6g}"] for n, value in looks)


if __name__ == "__main__":
    main()
