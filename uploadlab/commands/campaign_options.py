"""The options that say what a campaign is made of, and where it runs."""

import argparse
import shutil
import textwrap
from collections.abc import Callable
from pathlib import Path

from uploadlab.commands.choice import (
    above_zero,
    listed,
    turn_ms,
    whole_number,
)
from uploadlab.planning.rig import LOCAL, NAMED
from uploadlab.planning.study import Study

DEFAULT_PROFILE = "quick"


def add_choices(parser: argparse.ArgumentParser, study: Study) -> None:
    """Declare what a campaign is made of and where; each factor of the study has an option."""
    parser.usage = "%(prog)s [OPTION]..."
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _profiles(study)
    parser.add_argument("--profile", help=f"how to run the study, as listed at the end (default {DEFAULT_PROFILE})")
    _add_what_is_compared(parser.add_argument_group("what is compared"), study)
    _add_the_load(parser.add_argument_group("the load"), study)
    _add_how_it_is_measured(parser.add_argument_group("how it is measured"), study)
    _add_where_it_runs(parser.add_argument_group("where it runs"))
    _add_what_decides(parser.add_argument_group("what decides"))


def _profiles(study: Study) -> str:
    """Return the list of profiles, as argparse writes options."""
    titles = {f"--profile {name}": profile.title for name, profile in study.file.profiles.items()}
    column = max(map(len, titles)) + 4
    width = shutil.get_terminal_size().columns - 2
    lines = (
        textwrap.fill(title, width, initial_indent=f"  {option}".ljust(column), subsequent_indent=" " * column)
        for option, title in titles.items()
    )
    return "\n".join(["profiles:", *lines])


def _add_what_is_compared(group: argparse._ArgumentGroup, study: Study) -> None:
    group.add_argument("--systems", type=listed, metavar="SYSTEM,...", help="systems to compare (default: all)")
    group.add_argument(
        "--stacks", type=listed, metavar="STACK,...", help="pinned versions to run them on (default: current)"
    )
    for name, factor in study.file.factors.items():
        # Every study has --server-cpu, and every run all levels of what varies within it.
        if factor.kind == "server_cpu" or factor.within_run:
            continue
        group.add_argument(
            f"--{factor.option}", dest=f"factor_{name}", type=listed, metavar="LEVEL,...", help=factor.describe
        )
    group.add_argument(
        "--set", dest="settings", action="append", metavar="SYSTEM.SETTING=VALUE", help="a server's named setting"
    )
    group.add_argument(
        "--server-cpu",
        type=_shares,
        metavar="PCT,...",
        help="share of its core that the server gets, in per cent, as under a container's limit (default: all of it); "
        "several, as in 25,100, are compared",
    )
    group.add_argument(
        "--twice", action="store_true", help="run each system under two names, a and b, which should come out equal"
    )
    group.add_argument(
        "--observer",
        action="store_true",
        help="run each system with and without the lab's recorders: what do they change?",
    )


def _add_the_load(group: argparse._ArgumentGroup, study: Study) -> None:
    for name, option in study.file.options.items():
        kind = OPTION_KINDS[option.kind]
        group.add_argument(
            f"--{name}", dest=f"option_{name}", type=kind, metavar=option.kind.upper(), help=option.describe
        )
    group.add_argument(
        "--load",
        action="append",
        metavar="SETTING=VALUE",
        help="a setting of the profile's load, as study.toml names it, in every scenario: threads=10",
    )


def _add_how_it_is_measured(group: argparse._ArgumentGroup, study: Study) -> None:
    if study.factor_of("loads"):
        group.add_argument(
            "--apart",
            action="store_true",
            help="measure each load in a server process of its own, not one after the other in the same",
        )
        group.add_argument(
            "--turn-ms",
            type=turn_ms,
            metavar="MS",
            help="keep the servers of a block alive together, taking turns of so many ms on the core, so that what "
            "else happens on the host meets all of them alike; 0: one after the other (default: the profile's; 0 where "
            "they can take no turns)",
        )
    group.add_argument(
        "--capture",
        action="store_true",
        help="capture the heads of the server's packets, to tell which part of a response time is the server's",
    )
    group.add_argument(
        "--idle-cores",
        choices=("poll", "sleep"),
        help="what idle cores of a virtual machine do in a run: poll, so that nobody pays for waking them, or sleep "
        "(default: as the profile says)",
    )
    group.add_argument("--seed", type=int, help="the seed of the order of runs and of the size lists (default 1)")


def _add_where_it_runs(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--rig",
        metavar="NAME_OR_FILE",
        help=f"where it runs: {LOCAL} (this machine, the default), {', '.join(NAMED)}, or a rig file",
    )
    group.add_argument(
        "--injectors",
        type=listed,
        metavar="HOST,...",
        help="hosts that make the load together, as SSH reaches them ([USER@]HOST[:PORT]); each makes its share",
    )


def _add_what_decides(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--margin",
        type=above_zero("per cent", below=100),
        metavar="PCT",
        help="systems that differ by less are equal (default: the profile's)",
    )
    group.add_argument(
        "--p99-limit",
        type=above_zero("milliseconds"),
        metavar="MS",
        help="how long 99 of 100 requests may take; a load curve says up to which rate each system keeps within it",
    )


def _shares(text: str) -> list[int]:
    """Return shares in per cent, each once; argparse says what is wrong with them."""
    return list(dict.fromkeys(map(whole_number(1, 100), listed(text))))


OPTION_KINDS: dict[str, Callable[[str], Path | str | int]] = {"path": Path, "text": str, "count": whole_number(1)}
"""What reads the value of a study's own option from the command line."""
