"""`./lab aa`: one server against itself, many times: do the intervals find a difference where there is none?

And, told apart by a setting, against itself made different: do they find the difference that there is?
"""

import argparse
import shlex
import statistics
import subprocess
import sys
from pathlib import Path

from uploadlab.commands import Commands
from uploadlab.commands.choice import above_zero, systems_of, whole_number
from uploadlab.errors import LabError
from uploadlab.paths import RESULTS
from uploadlab.planning.results import CAMPAIGN_FILE
from uploadlab.planning.study import Study
from uploadlab.records import read_json
from uploadlab.table_file import Row, Value, read_table, write_table

ERROR_RATE = 0.05
"""Of 95 % intervals, by definition."""
POWER = 0.8
"""Of campaigns that must tell apart what differs: the usual demand on a test."""
ROUNDING = 1e-12
COLUMNS = ("campaign", "metric", "a", "b", "ratio", "lo", "hi", "n_a", "n_b", "headline", "apart")
ANY_HEADLINE = "any headline comparison"


def add_to(commands: Commands, study: Study) -> None:
    """Declare the command."""
    parser = commands.add_parser("aa", help="A/A test, one server with itself, many times: check interval coverage")
    parser.add_argument("--system", help=f"one of {', '.join(systems_of(study))} (default: the first)")
    parser.add_argument("--campaigns", type=whole_number(1), default=40, help="how many campaigns (default 40)")
    often = parser.add_mutually_exclusive_group()
    repeats = "repeats of each name in a campaign (default 3; one has no interval)"
    often.add_argument("--repeats", type=whole_number(2), default=3, help=repeats)
    often.add_argument(
        "--minutes",
        type=above_zero("minutes"),
        help="minutes of each campaign, which stops as soon as it is decided, as ./lab run does",
    )
    parser.add_argument("--profile", default="smoke", help="the profile of each campaign (default smoke)")
    for name, factor in study.file.factors.items():
        if factor.within_run:  # every run measures all of its levels
            continue
        described = f"{factor.describe} (default: the profile's)"
        parser.add_argument(f"--{factor.option}", dest=f"factor_{name}", metavar="LEVEL", help=described)
    parser.add_argument(
        "--load", action="append", default=[], metavar="SETTING=VALUE", help="a setting of the profile's load"
    )
    parser.add_argument(
        "--set",
        dest="settings",
        action="append",
        default=[],
        metavar="SETTING=VALUE",
        help="a setting of the system; one with two values, mean_ms=100,105, makes two servers that do differ, "
        "and the intervals that find the difference are counted",
    )
    parser.add_argument(
        "--out", type=Path, default=RESULTS / "aa", help="the folder of the campaigns; those it has are not made again"
    )
    parser.set_defaults(action=run)


def run(study: Study, asked: argparse.Namespace) -> int:
    """Make the campaigns that are missing, print the table, and return 1 when too many intervals exclude equality."""
    rows: list[Row] = []
    for number in range(1, asked.campaigns + 1):
        folder = asked.out / f"{number:02}"
        _make(study, asked, folder, number)
        rows += _compared(folder, number)
    path = asked.out / "aa.csv"
    write_table(path, COLUMNS, rows)
    return _judge_power(rows, path) if _differ(asked) else _judge(rows, path)


def _differ(asked: argparse.Namespace) -> bool:
    """Whether the two servers are made different."""
    return any("," in setting for setting in asked.settings)


def _make(study: Study, asked: argparse.Namespace, folder: Path, seed: int) -> None:
    command = [sys.executable, "-m", "uploadlab", "--study", str(study.folder), "run"]
    campaign = _campaign(study, asked, seed)
    if (folder / CAMPAIGN_FILE).exists():
        _refuse_another(study, campaign, folder)
        if (folder / "analysis" / "comparisons.csv").exists():
            return
        command += ["--resume", str(folder)]
    else:
        command += [*campaign, "--out", str(folder)]
    print(f"Campaign {seed} of {asked.campaigns}", file=sys.stderr)
    # However this process ends, the campaign then ends in order.
    told = ["setpriv", "--pdeathsig", "TERM", *command]
    code = subprocess.run(told, stdout=subprocess.DEVNULL, check=False).returncode
    if code not in (0, 1):
        raise LabError(f"Campaign {seed} could not be made ({folder}); continue with the same command.")


def _campaign(study: Study, asked: argparse.Namespace, seed: int) -> list[str]:
    """Return what `./lab run` is told of a campaign, but for its folder."""
    system = asked.system or next(iter(systems_of(study)))
    told = ["--profile", asked.profile, "--seed", str(seed)]
    told += ["--minutes", str(asked.minutes)] if asked.minutes else ["--repeats", str(asked.repeats)]
    told += ["--systems", system, *([] if _differ(asked) else ["--twice"])]
    told += [part for setting in asked.settings for part in ("--set", f"{system}.{setting}")]
    told += [part for setting in asked.load for part in ("--load", setting)]
    levels = {factor.option: getattr(asked, f"factor_{name}", None) for name, factor in study.file.factors.items()}
    told += [part for option, level in levels.items() if level for part in (f"--{option}", level)]
    return [*told, "--baseline-repeats", "0"]


def _refuse_another(study: Study, campaign: list[str], folder: Path) -> None:
    """Raise LabError for a folder whose campaign was told something else: its figures are not those asked for."""
    kept = read_json(folder / CAMPAIGN_FILE)
    told = kept["command"]
    began = told[told.index("run") + 1 : -2]  # what is last names the folder
    if kept["study"]["id"] != study.file.study.id or began != campaign:
        raise LabError(
            f"{folder} is of `{kept['study']['id']}: run {shlex.join(began)}`, not of "
            f"`{study.file.study.id}: run {shlex.join(campaign)}`; name another --out."
        )


def _compared(folder: Path, number: int) -> list[Row]:
    """Return the comparisons of a campaign that have an interval."""
    found = [row for row in read_table(folder / "analysis" / "comparisons.csv") if row["lo"] and row["hi"]]
    return [
        {
            "campaign": number,
            **{name: row[name] for name in ("metric", "a", "b", "ratio", "lo", "hi", "n_a", "n_b")},
            "headline": row.get("headline", ""),
            "apart": str(not float(row["lo"]) <= 1 <= float(row["hi"])).lower(),
        }
        for row in found
    ]


def _judge(rows: list[Row], path: Path) -> int:
    """Print a line a metric, one of what holds together; return 1 when any is apart more often than chance allows."""
    print(f"{'metric':<28}{'intervals':>10}{'apart':>8}{'allowed':>9}")
    counts: dict[str, list[bool]] = {str(row["metric"]): [] for row in rows}
    for row in rows:
        counts[str(row["metric"])].append(row["apart"] == "true")
    too_many = False
    for metric, apart in (counts | _of_campaigns(rows)).items():
        allowed = most_by_chance(len(apart))
        too_many |= sum(apart) > allowed
        print(f"{metric:<28}{len(apart):>10}{sum(apart):>8}{allowed:>9}")
    print(path)
    if not rows:
        print("No campaign had two valid runs of each name, so no interval could be tested.", file=sys.stderr)
        return 1
    if too_many:
        print("More intervals exclude equality than 5 % and chance explain: do not trust them here.", file=sys.stderr)
    return int(too_many)


def _of_campaigns(rows: list[Row]) -> dict[str, list[bool]]:
    """Return for each campaign with headline comparisons, which hold together, whether any of them names a winner."""
    found: dict[Value, bool] = {}
    for row in rows:
        if row["headline"] == "true":
            found[row["campaign"]] = found.get(row["campaign"], False) or row["apart"] == "true"
    return {ANY_HEADLINE: list(found.values())} if found else {}


def _judge_power(rows: list[Row], path: Path) -> int:
    """Print a line a metric; return 1 when the first one's intervals see the difference in less than 80 % of cases."""
    print(f"{'metric':<28}{'campaigns':>10}{'apart':>8}{'median ratio':>14}")
    power = {}
    for metric in dict.fromkeys(str(row["metric"]) for row in rows):
        of_metric = [row for row in rows if row["metric"] == metric]
        apart = sum(row["apart"] == "true" for row in of_metric)
        ratio = statistics.median(float(str(row["ratio"])) for row in of_metric)
        power[metric] = apart / len(of_metric)
        print(f"{metric:<28}{len(of_metric):>10}{apart:>8}{ratio:>14.3f}")
    print(path)
    if not power:
        print("No campaign had two valid runs of each server, so no interval could be tested.", file=sys.stderr)
        return 1
    first, share = next(iter(power.items()))
    if share < POWER:
        print(f"{first} tells the two apart in {share:.0%} of the campaigns, less than {POWER:.0%}.", file=sys.stderr)
    return int(share < POWER)


def most_by_chance(n: int) -> int:
    """Return the smallest k such that more than k of n intervals of 95 % miss the truth in at most 5 % of such series.

    By the binomial distribution; 4 for n = 40.
    """
    from scipy import special  # here, because importing it takes long

    return next(k for k in range(n + 1) if special.bdtrc(k, n, ERROR_RATE) <= ERROR_RATE + ROUNDING)
