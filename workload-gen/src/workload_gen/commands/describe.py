"""`./lab sizes describe`: what the samples should be and what is reached, or what a model is."""

import argparse
import math
from collections.abc import Sequence
from pathlib import Path

from workload_gen.commands.seed import seed
from workload_gen.errors import WorkloadError
from workload_gen.lists.as_printed import as_printed_sizes
from workload_gen.lists.model_file import read_model
from workload_gen.lists.size_list import ListSummary, summarise
from workload_gen.lists.sources import DEFAULT_COUNT, MAX_FILE_BYTES, sample_source
from workload_gen.lists.table1 import Table1Sample, read_table1, table1_model, table1_sample
from workload_gen.models.distribution import Distribution
from workload_gen.models.presets import PRESETS, preset_model
from workload_gen.payloads.list_files import human_bytes, plan_list

_QUANTILES = (0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999)
_MOMENTS = ["target", "reached"] * 2


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "describe",
        help="print target beside reached for the samples, or what a model is",
        description="For the samples of Table 1: what each should be, and what its list reaches. For a model: its "
        "parameters, moments and quantiles. Nothing is written.",
    )
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--sample", type=int, metavar="N", help="one sample (default: all ten)")
    source.add_argument("--model", type=Path, metavar="FILE", help="a model file")
    source.add_argument("--preset", metavar="NAME", help=f"a published model: {', '.join(sorted(PRESETS))}")
    parser.add_argument("--as-printed", action="store_true", help="what the paper's formulas give, slips included")
    parser.add_argument("--count", type=int, default=DEFAULT_COUNT, help="sizes in a list (default: %(default)s)")
    parser.add_argument("--seed", type=seed, default=1, help="default: %(default)s")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Carry the command out."""
    if options.as_printed and (options.model is not None or options.preset is not None):
        raise WorkloadError("--as-printed goes with the samples of Table 1, not with a model.")
    if options.model is not None:
        _describe_model(read_model(options.model).distribution)
    elif options.preset is not None:
        _describe_model(preset_model(options.preset))
        print(f"source       {PRESETS[options.preset].source}")
    else:
        rows = list(read_table1().values()) if options.sample is None else [table1_sample(options.sample)]
        describe = _describe_as_printed if options.as_printed else _describe_samples
        describe(rows, options.count, options.seed)


def _describe_samples(rows: Sequence[Table1Sample], count: int, seed: int) -> None:
    print(f"Lists of {count} sizes, seed {seed}; bytes. Target is Table 1 of the paper.\n")
    lines = [
        ["", "mean", "", "deviation", "", "tail k", "", "tail", "tail", "tail", "different", "payload"],
        ["sample", *_MOMENTS, "target", "reached", "from", "share", "cap", "sizes", "disk"],
    ]
    for row in rows:
        model, plan = table1_model(row), plan_list(sample_source(row.sample, count=count, seed=seed))
        tail = [f"{model.scale:.1f}", f"{model.cut:.0f}", f"{100 * model.tail_weight:g} %", f"{model.cap:.0f}"]
        files = [f"{plan.summary.unique}", human_bytes(plan.disk_bytes)]
        lines.append([*_beside_targets(row, plan.summary), f"{row.pareto_k:g}", *tail, *files])
    _print_table(lines)
    print(
        f"\nTail: Pareto, alpha {rows[0].alpha:g}. Without the cap its variance would be infinite (alpha is not above "
        "2) and no list would have a deviation to meet.\nSamples 1 and 2 have a deviation above their mean. With the "
        "printed k it would rest on sizes so rare that few lists of 10,000 have any; their tail begins later and k is "
        "larger."
    )


def _describe_as_printed(rows: Sequence[Table1Sample], count: int, seed: int) -> None:
    print(
        f"Lists of {count} sizes by the formulas as printed, seed {seed}; bytes. The tail is k / (U (1/a)), the body "
        "NORM.INV(1 - U; mean; deviation).\n"
    )
    lines = [
        ["", "mean", "", "deviation", "", "below 1 byte,", "above the limit,", "largest"],
        ["sample", *_MOMENTS, "made 1 byte", "cut to it", "size"],
    ]
    for row in rows:
        printed = as_printed_sizes(row, count=count, seed=seed, limit_bytes=MAX_FILE_BYTES)
        reached = summarise(printed.sizes)
        changed = [f"{printed.raised_to_one_byte}", f"{printed.cut_to_the_limit}"]
        lines.append([*_beside_targets(row, reached), *changed, f"{reached.max_bytes}"])
    _print_table(lines)


def _describe_model(model: Distribution) -> None:
    print(f"distribution {model.kind}")
    for name, value in model.parameters().items():
        print(f"{name:<12} {value:.10g}")
    print(f"mean         {_moment(model.mean())}")
    print(f"deviation    {_moment(math.sqrt(model.variance()))}")
    for p, value in zip(_QUANTILES, model.quantile(_QUANTILES).tolist(), strict=True):
        print(f"{f'{100 * p:g} %':<12} {value:.6g}")


def _moment(value: float) -> str:
    return f"{value:.6g} bytes" if math.isfinite(value) else "infinite (the tail is too heavy; give the model a cap)"


def _beside_targets(row: Table1Sample, reached: ListSummary) -> list[str]:
    """A sample's number, and its mean and deviation: the target beside what a list reaches."""
    cells = [f"{row.sample}"]
    for target, found in ((row.mean_bytes, reached.mean_bytes), (row.sd_bytes, reached.sd_bytes)):
        cells += [f"{target:.0f}", f"{found:.2f} ({100 * (found / target - 1):+.2f} %)"]
    return cells


def _print_table(lines: Sequence[Sequence[str]]) -> None:
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        print("  ".join(text.rjust(width) for text, width in zip(line, widths, strict=True)).rstrip())
