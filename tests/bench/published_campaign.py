"""The published campaign at full size, made by a generator with known truth, analysed, reported and held to the truth.

22 cells (ten samples on one disk, sample 5 on a second one too; two servers) of 4 repeats, as run folders like the
harness writes them: ``python tests/bench/published_campaign.py FOLDER [--requests 500000] [--threads 1000]``.
44 million requests take 5.5 GB. FOLDER must not exist; it is left for the reader to look at and to delete.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
import campaigns
from cost import Cost, cost_of

SAMPLES = tuple(range(1, 11))
REPEATS = 4
SIZE_CV = 0.58
"""Deviation over mean of the generator's file sizes."""
SAMPLER_STEP_S = 0.102
STANDARD_ERRORS = 5
"""So many standard errors, of nearly 200 means, a right one lies away from the truth once in 10,000 benchmarks."""


def write(folder: Path, *, requests: int, threads: int, seed: int = 1) -> campaigns.Campaign:
    """Write the campaign; the only scatter is that of the requests and a known factor for each run."""
    cells = [(f"s{sample:02d}-{disk}-{system}", sample, system) for sample, disk, system in _cells()]
    truths = {
        cell: replace(campaigns.paper_like_truth(sample, system), drift=0.0, between_runs=0.02)
        for cell, sample, system in cells
    }
    return campaigns.write_campaign(
        folder,
        seed=seed,
        samples=SAMPLES,
        disk="ssd",
        also_on={"hdd": (5,)},
        disk_labels={"ssd": "SSD", "hdd": "emulated HDD"},
        repeats=REPEATS,
        requests=requests,
        threads=threads,
        truths=truths,
        profile="published",
    )


def _cells() -> Iterator[tuple[int, str, str]]:
    for sample, disk in [*((sample, "ssd") for sample in SAMPLES), (5, "hdd")]:
        for system in campaigns.SYSTEMS:
            yield sample, disk, system


def report(folder: Path) -> Cost:
    """Analyse and report a campaign."""
    return cost_of("report", folder)


def differences(campaign: campaigns.Campaign, requests: int) -> list[str]:
    """Return a sentence for each figure of ``runs.csv`` that is not what the generator drew it from."""
    with (campaign.folder / "analysis" / "runs.csv").open(newline="") as file:
        runs = list(csv.DictReader(file))
    found = [] if len(runs) == len(campaign.run_factors) else [f"{len(runs)} runs, not {len(campaign.run_factors)}."]
    for run in runs:
        for name, (truth, tolerance) in expected(campaign, run, requests).items():
            if not math.isclose(float(run[name]), truth, rel_tol=0, abs_tol=tolerance):
                found.append(
                    f"{run['cell']}/{run['repeat']}: {name} is {run[name]}, the truth {truth:.6g} ± {tolerance:.2g}."
                )
    return found


def expected(campaign: campaigns.Campaign, run: Mapping[str, str], requests: int) -> dict[str, tuple[float, float]]:
    """Return the truth of a run's figures and how far chance, or a sampler's step, may take a right analysis from it.

    A counter that begins to rise within a step of the sampler is read on the straight line between the rows around:
    at most a quarter of a step too much at the begin of the window, and too little at its end.
    """
    truth = campaign.truths[run["cell"]]
    mean_ms = truth.mean_ms * campaign.run_factors[run["cell"], run["repeat"]]
    counted = 0.002 + 2 * SAMPLER_STEP_S / 4 * float(run["throughput_rps"]) / requests
    cv = math.hypot((1 - truth.size_share) * truth.cv, truth.size_share * SIZE_CV)
    mean_error_ms = math.sqrt((mean_ms * cv) ** 2 + 1 / 6) / math.sqrt(requests)
    share = truth.error_rate
    return {
        "requests": (requests, 0),
        "mean_ms": (mean_ms, STANDARD_ERRORS * mean_error_ms),
        "error_pct": (100 * share, 100 * STANDARD_ERRORS * math.sqrt(share * (1 - share) / requests)),
        "server_cpu_us_per_request": (truth.server_cpu_us, counted * truth.server_cpu_us),
        "server_switches_per_request": (truth.server_switches, counted * truth.server_switches),
        "server_wait_ms_per_request": (truth.server_wait_ms, counted * truth.server_wait_ms),
    }


def main() -> int:
    """Make, report twice, check, and print what it took as a Markdown table."""
    parser = argparse.ArgumentParser(description="Benchmark the analysis on a published campaign with known truth.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--requests", type=int, default=500_000, help="of a run (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=1000, help="users (default: %(default)s)")
    options = parser.parse_args()
    if options.folder.exists():
        parser.error(f"{options.folder} exists; name a folder that does not.")
    campaign = write(options.folder, requests=options.requests, threads=options.threads)
    costs = {"first report": report(options.folder), "second report": report(options.folder)}
    page = options.folder / "report" / "index.html"
    print(f"{len(campaign.run_factors)} runs, {options.requests * len(campaign.run_factors):,} requests; ", end="")
    print(f"page {page.stat().st_size / 1e6:.2f} MB")
    print("| | seconds | CPU seconds | peak memory, MB |\n|---|---:|---:|---:|")
    for name, cost in costs.items():
        print(f"| {name} | {cost.seconds:.1f} | {cost.cpu_seconds:.1f} | {cost.peak_bytes / 1e6:.0f} |")
    wrong = differences(campaign, options.requests)
    print("\n".join(wrong) or "Every figure agrees with the truth it was drawn from.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
