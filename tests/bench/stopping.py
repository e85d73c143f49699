#!/usr/bin/env python3
"""Simulated campaigns that stop when they are sure: the tables of docs/notebook/2026-11-stopping.md, as Markdown.

``python tests/bench/stopping.py looks`` (false differences of one scenario, a minute), ``scenarios`` (of five, with
and without what the others tell, some minutes), ``bounds`` (of five, by how many blocks intervals allow for, longer),
``drift`` (intervals within blocks on a host that drifts, seconds), ``together`` (all headline comparisons of a
campaign, some minutes).
``--campaigns N`` simulates as many a row; seeds are fixed.
"""

import argparse
import math
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "statistics")]
from headline_campaigns import DIFFERENT, SAME, headline_campaign  # noqa: E402 (the path above comes first)
from test_sequential import drifting, stopped  # noqa: E402

from uploadlab.statistics.prior_variance import UNKNOWN, prior_variance  # noqa: E402
from uploadlab.statistics.sequential import LEAST_BLOCKS, interval_of_paired_ratio  # noqa: E402

MOST_BLOCKS, MARGIN = 12, 1.1  # of quick
LOOKS = ((1.0, 0.05), (1.0, 0.07), (1.1, 0.05), (1.1, 0.07), (1.2, 0.07), (1.3, 0.07))
RATIOS = (1.0, 1.0, 1.0, 1.25, 1 / 1.25)
METRICS, ALL_BLOCKS, MEDIAN_SCATTER = 3, 33, 0.05
BOUNDS = ((17, 12), (17, 4), (33, 12), (33, 8))
"""Blocks that a campaign has time for, and how many of one scenario its intervals allow for."""
SPREADS = {"the same in all": 0.0, "3 to 8 % in two of three": 0.5, "2 to 14 % in two of three": 1.0}
"""Standard deviation of the log of a scenario's scatter."""


def looks(campaigns: int) -> Iterator[list[str]]:
    """Yield the rows of campaigns of one scenario by its true ratio and its scatter."""
    yield ["true ratio", "scatter of a block's ratio", "found different", "found equal", "left open", "blocks"]
    generator = np.random.default_rng(1)
    for ratio, scatter in LOOKS:
        drawn = generator.normal(math.log(ratio), scatter, (campaigns, MOST_BLOCKS))
        ended = [stopped(logs, MARGIN) for logs in drawn]
        verdicts = [verdict for verdict, _ in ended]
        shares = [f"{100 * verdicts.count(one) / campaigns:.1f} %" for one in ("different", "equal", "open")]
        yield [f"{ratio:.1f}", f"{100 * scatter:.0f} %", *shares, f"{np.mean([blocks for _, blocks in ended]):.1f}"]


def scenarios(campaigns: int) -> Iterator[list[str]]:
    """Yield the rows of campaigns of five scenarios by how differently these scatter."""
    yield ["a scenario's scatter, median 5 %", "intervals", "false differences", "equals found equal",
           f"decided, of {METRICS * len(RATIOS)}", "blocks"]  # fmt: skip
    for name, spread in SPREADS.items():
        for told in (False, True):
            found = _of_scenarios(campaigns, spread, told=told)
            yield [name, "with the others'" if told else "its own", *found]


def bounds(campaigns: int) -> Iterator[list[str]]:
    """Yield the rows of campaigns of five scenarios by how many blocks there is time for and are allowed for."""
    yield ["a scenario's scatter, median 5 %", "time for", "blocks of a scenario, at most", "false differences",
           "equals found equal", f"decided, of {METRICS * len(RATIOS)}", "blocks"]  # fmt: skip
    for name, spread in SPREADS.items():
        for all_blocks, most in BOUNDS:
            found = _of_scenarios(campaigns, spread, all_blocks=all_blocks, most=most)
            yield [name, f"{all_blocks} blocks", str(most), *found]


def _of_scenarios(
    campaigns: int, spread: float, *, told: bool = True, all_blocks: int = ALL_BLOCKS, most: int = MOST_BLOCKS
) -> list[str]:
    """Return false differences, equals found equal, decided comparisons and blocks of simulated campaigns."""
    generator = np.random.default_rng(2)
    ended = [_campaign(generator, spread, all_blocks, most, told=told) for _ in range(campaigns)]
    equals = [one for verdicts, _ in ended for row in verdicts[: RATIOS.count(1.0)] for one in row]
    decided = np.mean([sum(one != "open" for row in verdicts for one in row) for verdicts, _ in ended])
    shares = [f"{100 * equals.count(one) / len(equals):.1f} %" for one in ("different", "equal")]
    return [*shares, f"{decided:.1f}", f"{np.mean([made for _, made in ended]):.0f}"]


def _campaign(
    generator: np.random.Generator, spread: float, all_blocks: int, most: int, *, told: bool
) -> tuple[list[list[str]], int]:
    """Return the verdicts of each scenario, metric by metric, and how many blocks were made."""
    scatters = MEDIAN_SCATTER * np.exp(generator.normal(0, spread, (len(RATIOS), METRICS)))
    centred = generator.normal(0, 1, (len(RATIOS), METRICS, MOST_BLOCKS)) * scatters[:, :, np.newaxis]
    logs = np.log(RATIOS)[:, np.newaxis, np.newaxis] + centred
    places, made = range(len(RATIOS)), [LEAST_BLOCKS] * len(RATIOS)
    while True:
        verdicts = [[_verdict(logs, made, at, metric, most, told=told) for metric in range(METRICS)] for at in places]
        going_on = [at for at in places if "open" in verdicts[at] and made[at] < most]
        going_on = going_on[: all_blocks - sum(made)]
        if not going_on:
            return verdicts, sum(made)
        for at in going_on:
            made[at] += 1


def _verdict(logs: np.ndarray, made: list[int], at: int, metric: int, most: int, *, told: bool) -> str:
    others = [logs[other, metric, : made[other]] for other in range(len(made)) if other != at]
    prior = prior_variance(others) if told else UNKNOWN
    ratios = np.exp(logs[at, metric, : made[at]])
    interval = interval_of_paired_ratio(ratios, np.ones_like(ratios), most, prior)
    if interval.lo > 1 / MARGIN and interval.hi < MARGIN:
        return "equal"
    return "different" if interval.lo > 1 or interval.hi < 1 else "open"


def together(campaigns: int) -> Iterator[list[str]]:
    """Yield the rows of campaigns whose 15 headline comparisons hold together, on hosts that drift."""
    yield ["systems", "a scenario's scatter", "blocks, at most", "campaigns that name a wrong winner",
           "comparisons decided, of 15", "blocks"]  # fmt: skip
    for name, ratios in {"the same server twice": SAME, "two that differ": DIFFERENT}.items():
        for scatter, spread in SPREADS.items():
            for most in (4, 8):
                found = [
                    headline_campaign(np.random.default_rng((3, n)), ratios, spread, most) for n in range(campaigns)
                ]
                wrong = sum(one.wrong for one in found) / campaigns
                decided, made = np.mean([one.decided for one in found]), np.mean([one.blocks for one in found])
                yield [name, scatter, str(most), f"{100 * wrong:.1f} %", f"{decided:.1f}", f"{made:.0f}"]


def drift(campaigns: int) -> Iterator[list[str]]:
    """Yield the row of campaigns on a host whose speed drifts by 15 % from block to block."""
    yield ["intervals", "hold the true ratio", "width, of the unpaired"]
    generator = np.random.default_rng(23)
    found = [drifting(generator) for _ in range(campaigns)]
    narrower = np.median([paired_width / unpaired_width for *_, paired_width, unpaired_width in found])
    yield ["within blocks", f"{100 * np.mean([paired for paired, *_ in found]):.1f} %", f"{narrower:.2f}"]
    yield ["of unrelated runs", f"{100 * np.mean([unpaired for _, unpaired, *_ in found]):.1f} %", "1"]


TABLES: dict[str, tuple[Callable[[int], Iterator[list[str]]], int]] = {
    "looks": (looks, 4000),
    "scenarios": (scenarios, 250),
    "bounds": (bounds, 250),
    "drift": (drift, 500),
    "together": (together, 1000),
}


def main() -> None:
    """Print the table that was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=TABLES)
    parser.add_argument("--campaigns", type=int, help="simulated for each row (default: as in the notebook)")
    asked = parser.parse_args()
    table, usual = TABLES[asked.table]
    for number, row in enumerate(table(asked.campaigns or usual)):
        print(f"| {' | '.join(row)} |", flush=True)
        if not number:
            print("|" + "---|" * len(row), flush=True)


if __name__ == "__main__":
    main()
