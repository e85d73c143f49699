"""A plan in words: what is run, how long it takes, and what it can decide."""

import math

from uploadlab.planning.campaign import Campaign
from uploadlab.planning.needs import (
    Needs,
    expected_seconds,
)
from uploadlab.records import SATURATED
from uploadlab.statistics.smallest_difference import TYPICAL_SCATTER, smallest_difference


def announcement(campaign: Campaign, needs: Needs) -> str:
    """Return what is compared, how many runs that takes, and where they will be."""
    shares = campaign.server_cpu_shares()
    limits = " or ".join(f"{share:g}" for share in shares if share < 100)
    where = " in some of the cells" if 100 in shares else ""
    turn_ms = campaign.profile.turn_ms
    return (
        f"{campaign.title}. Profile {campaign.profile_name}: {campaign.profile.title}.\n"
        + (f"The server gets {limits} % of its core{where}: steadiness may differ on a whole core.\n" if limits else "")
        + (f"The servers of a block take turns of {turn_ms} ms on the core.\n" if turn_ms else "")
        + "".join(
            f"Bytes not verified: {sut.key} stores where nothing can be compared with what was sent.\n"
            for sut in campaign.systems
            if not sut.bytes_verified
        )
        + f"{_extent(campaign, needs)}; results in {campaign.folder}"
    )


def _extent(campaign: Campaign, needs: Needs) -> str:
    """Return how many runs there will be and how long they take."""
    runs = len(campaign.runs())
    expected = max(1, round(expected_seconds(campaign, needs) / 60))
    given, repeats = campaign.profile.minutes, campaign.profile.repeats
    if given is None:
        return f"{runs} runs, about {expected} min"
    blocks = f"{repeats} blocks of each scenario"
    more = "more of everything" if campaign.profile.fills_time else "more where comparisons are open"
    then = f"then {more}, until {given:g} min are over"
    if expected > given:
        then = f"the fewest that can decide, though they take more than the {given:g} min given"
    return f"{runs} runs ({blocks}, about {expected} min), {then}"


def plan_text(campaign: Campaign, needs: Needs) -> str:
    """Return the plan of `--dry-run`: each run, what follows, what is written, and what can be decided."""
    runs = campaign.runs()
    lines = [announcement(campaign, needs), ""]
    counted = campaign.study.operations
    stores = any(needs.of(run.factors).upload_bytes for run in runs)
    stored = f"{'to store':>9}  " if stores else ""
    width = max(len(run.cell) for run in runs)
    lines += [f"{'run':>4}  {'block':>5}  {'cell':<{width}} {counted:>10}  {stored}{'load':>6}"]
    for run in runs:
        need = needs.of(run.factors)
        stored = f"{need.upload_bytes / 1e6:>6,.0f} MB  " if stores else ""
        load = f"{need.requests:>10,}  {stored}{need.seconds:>4.0f} s"
        lines.append(f"{run.order:>4}  {run.block:>5}  {run.cell:<{width}} {load}")
    if campaign.profile.minutes is not None and not campaign.profile.fills_time:
        lines += [
            "",
            "Then further blocks of the scenarios that have open comparisons, in random order, until all are decided, "
            f"{campaign.profile.minutes:g} min are over, or a scenario has {campaign.profile.most_repeats} blocks. "
            f"Decided: one is better, or they are equal within {campaign.profile.equal_margin_pct:g} %.",
            *_smallest_differences(campaign),
        ]
    if stores:
        to_write = sum(needs.of(run.factors).upload_bytes for run in runs)
        lines += [
            "",
            f"To write: {needs.input_bytes / 1e9:.2f} GB of input files, {to_write / 1e9:.2f} GB that servers store.",
        ]
    return "\n".join(lines)


def _smallest_differences(campaign: Campaign) -> list[str]:
    """Say which differences the time can decide, of the metrics that hold together; nothing where none do."""
    factor = campaign.study.factor_of("loads")
    loads = campaign.levels.get(factor or "", [])
    if SATURATED not in loads or not any(isinstance(load, int) for load in loads):
        return []
    scenarios = {tuple((name, of[name]) for name in of if name != factor) for of in campaign.scenarios()}
    compared = sum(not sut.noise for sut in campaign.systems)
    family = len(TYPICAL_SCATTER) * len(scenarios) * math.comb(compared, 2)
    most = campaign.profile.most_repeats
    blocks = max(campaign.profile.repeats, most - 1)
    found = {
        name: smallest_difference(
            scatter, blocks, most, family, len(scenarios), measured_twice=compared < len(campaign.systems)
        )
        for name, scatter in TYPICAL_SCATTER.items()
    }
    told = [f"{name} {100 * share:.0f} %" for name, share in found.items() if share is not None]
    if not family or not told:
        return []
    return [
        f"With {blocks} blocks each, the smallest differences that nine of ten such campaigns decide, where ratios "
        f"scatter as on two quiet cores: {', '.join(told)}."
    ]
