#!/usr/bin/env python3
"""Does `./lab judge` find a change, and raise no false alarm? One long campaign is cut into judgements and counted.

Its four arms are main three times and a changed branch. What a few blocks have of three arms is what a judgement
measures, of no change (main against itself) or of the change. Counted are judgements of blocks that are drawn at random
from all, in their order: of few blocks they overlap, and tell how often such a judgement finds what, not how surely.

.venv/bin/python tests/judge/planted.py measure planted/quiet --minutes 90
.venv/bin/python tests/judge/planted.py measure planted/beside --minutes 90 --beside
.venv/bin/python tests/judge/planted.py count planted/quiet planted/beside --blocks 6
"""

import argparse
import contextlib
import dataclasses
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import msgspec
from planted_app import CHANGES, make_app

from uploadlab.analysis.analysis_files import run_rows_of, seed_of
from uploadlab.analysis.answer import answer_of
from uploadlab.analysis.scenarios import scenarios_of
from uploadlab.commands import judge, run
from uploadlab.judge.revisions import Repository
from uploadlab.judge.verdict import overall, rows_of
from uploadlab.paths import STUDIES
from uploadlab.planning.study import Study, load_study
from uploadlab.planning.system import Sut, choose
from uploadlab.results.campaign import Campaign, read_campaign, run_key
from uploadlab.statistics.sequential import first_look
from uploadlab.tables.answer import Verdict
from uploadlab.tables.comparisons import comparison_rows

ARMS = {"base": 0, "base-again": 0, "base-third": 0, "head": 1}
"""By their variants: which of the two revisions each is."""
BASES = ("base", "base-again", "base-third")
JUDGED = {
    "none": list(permutations(BASES)),
    "changed": [(base, "head", again) for base, again in permutations(BASES, 2)],
}
"""The arms that a judgement takes for base, head and base again."""
DRAWN = 60
"""Judgements of each kind."""
MOST_BLOCKS = 90
A_THIRD = """
import time
while True:
    end = time.perf_counter() + 0.01
    while time.perf_counter() < end:
        pass
    time.sleep(0.02)
"""


def main() -> int:
    """Measure a campaign, or print how often each verdict was given in those that were measured; return 0."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    measured = commands.add_parser("measure")
    measured.add_argument("folder", type=Path)
    measured.add_argument("--change", choices=CHANGES, default="cpu")
    measured.add_argument("--minutes", default="90")
    measured.add_argument("--load", action="append", default=[], metavar="SETTING=VALUE", help="as of ./lab judge")
    measured.add_argument("--beside", action="store_true", help="beside a process that takes a third of a core")
    measured.set_defaults(action=measure)
    counted = commands.add_parser("count")
    counted.add_argument("folders", type=Path, nargs="+")
    counted.add_argument("--blocks", type=int, required=True, help="that a judgement has time for")
    counted.set_defaults(action=count)
    asked = parser.parse_args()
    asked.action(asked)
    return 0


def measure(asked: argparse.Namespace) -> None:
    """Measure the four arms for so many minutes, under the load of a judgement."""
    study = _without_stopping(load_study(STUDIES / "upload"))
    options = ["--profile", judge.PROFILE, "--minutes", asked.minutes, "--margin", "5"]
    options += [f"--load={setting}" for setting in asked.load]
    with tempfile.TemporaryDirectory() as folder, _another_program() if asked.beside else contextlib.nullcontext():
        repository = Repository(make_app(Path(folder) / "photos"), Path(folder) / "trees")
        systems = [repository.revision(name).system for name in ("main", asked.change)]
        suts: list[Sut] = [
            msgspec.structs.replace(choose(systems[revision], "current", {}), variant=name)
            for name, revision in ARMS.items()
        ]
        run.measure(study, run.parse_options(study, [*options, "--out", str(asked.folder.resolve())]), suts)


def _without_stopping(study: Study) -> Study:
    """Return the study with a profile of judgements that makes blocks until its time has passed."""
    profile = study.file.profiles[judge.PROFILE]
    profile = msgspec.structs.replace(profile, fills_time=True, most_repeats=MOST_BLOCKS)
    profiles = study.file.profiles | {judge.PROFILE: profile}
    return msgspec.structs.replace(study, file=msgspec.structs.replace(study.file, profiles=profiles))


@contextlib.contextmanager
def _another_program() -> Iterator[None]:
    program = subprocess.Popen([sys.executable, "-c", A_THIRD])
    try:
        yield
    finally:
        program.kill()
        program.wait()


def count(asked: argparse.Namespace) -> None:
    """Print for each campaign how often each verdict was given: with no change, and with the change."""
    for folder in asked.folders:
        campaign = read_campaign(folder)
        rows = run_rows_of(campaign)
        blocks = sorted({int(str(row["block"])) for row in rows})
        generator = random.Random(1)
        print(f"{folder}: {len(blocks)} blocks")
        for change, arms in JUDGED.items():
            verdicts = Counter(
                _judged(campaign, rows, generator.choice(arms), sorted(generator.sample(blocks, asked.blocks)))
                for _ in range(DRAWN)
            )
            print(f"  {change}: {', '.join(f'{verdict} {times}' for verdict, times in verdicts.most_common())}")


def _judged(campaign: Campaign, rows: Sequence[Any], names: Sequence[str], blocks: Sequence[int]) -> Verdict:
    """Return the verdict that a judgement of three arms would have given, which looks after every block."""
    keys = dict(zip(ARMS, campaign.systems, strict=True))
    base, head, again = (keys[name] for name in names)
    of_arms = _of_arms(campaign, base, head, again, len(blocks))
    verdict: Verdict = "undecided"
    for made in range(first_look(len(blocks)), len(blocks) + 1):
        there = [row for row in rows if row["block"] in blocks[:made]]
        compared = list(comparison_rows(of_arms, there, seed_of(campaign)))
        found = answer_of(of_arms, scenarios_of(of_arms, there), there, [], compared)
        verdict = overall(rows_of(found.comparisons, base, head, again))
        if verdict != "undecided":
            break
    return verdict


def _of_arms(campaign: Campaign, base: str, head: str, again: str, most_blocks: int) -> Campaign:
    record = dict(campaign.record)
    profile, keys = record["profile"], (base, head, again)
    settings = profile["settings"] | {"fills_time": False, "most_repeats": most_blocks}
    record["systems"] = {key: record["systems"][key] for key in keys}
    record["runs"] = [entry for entry in record["runs"] if run_key(entry) in keys]
    record["profile"] = profile | {"settings": settings}
    record |= {"judged_against": base, "noise": again}
    return dataclasses.replace(campaign, record=record)


if __name__ == "__main__":
    sys.exit(main())
