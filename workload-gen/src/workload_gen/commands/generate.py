"""`./lab sizes generate`: write a size list and its payload files."""

import argparse
from dataclasses import replace
from pathlib import Path

from monitoring.whole_file import replacing
from workload_gen.commands.seed import seed
from workload_gen.errors import WorkloadError
from workload_gen.lists.measured_sizes import read_sizes, without_larger
from workload_gen.lists.model_file import SizeModel, read_model
from workload_gen.lists.size_list import write_size_list
from workload_gen.lists.sources import (
    DEFAULT_COUNT,
    MAX_FILE_BYTES,
    ListSource,
    as_printed_source,
    model_source,
    replay_source,
    sample_source,
)
from workload_gen.lists.table1 import SAMPLES_DIR
from workload_gen.models.heavy_tailed import with_cap
from workload_gen.models.presets import PRESETS, preset_model
from workload_gen.models.solve import model_for_targets
from workload_gen.payloads.list_files import ensure_list, human_bytes, plan_list, say_on_stderr

SOURCES_OF = {
    "as_printed": ("sample",),
    "column": ("list",),
    "sd": ("mean",),
    "alpha": ("mean",),
    "tail_weight": ("mean",),
    "cut": ("mean",),
    "cap": ("model", "preset", "mean", "list"),
}
"""Which sources an option goes with."""


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "generate",
        help="write a size list and its payload files",
        description="Write a size list (CSV, one size a line) and its payload files, each different size once. What "
        "exists already is verified, and made again where it is damaged.",
    )
    group = parser.add_argument_group("where the sizes come from (one of)")
    source = group.add_mutually_exclusive_group(required=True)
    source.add_argument("--sample", type=int, metavar="N", help="sample of Table 1, 1 to 10")
    source.add_argument("--model", type=Path, metavar="FILE", help="a model file, such as a fit writes")
    source.add_argument("--preset", metavar="NAME", help=f"a published model: {', '.join(sorted(PRESETS))}")
    source.add_argument("--list", type=Path, metavar="PATH", help="your own list or folder, replayed as it is")
    source.add_argument("--mean", type=float, metavar="BYTES", help="a model with this mean; see targets")

    targets = parser.add_argument_group("targets, with --mean")
    targets.add_argument("--sd", type=float, metavar="BYTES", help="deviation; lognormal body and Pareto tail")
    targets.add_argument("--alpha", type=float, help="of the tail (default: 1.9)")
    targets.add_argument("--tail-weight", type=float, metavar="SHARE", help="of the sizes in the tail (default: 0.02)")
    targets.add_argument(
        "--cut", type=float, metavar="BYTES", help="without --sd: a Pareto distribution from this size"
    )

    shape = parser.add_argument_group("how they are drawn")
    shape.add_argument("--count", type=int, help=f"sizes in the list (default: {DEFAULT_COUNT}; of a list: all)")
    shape.add_argument("--seed", type=seed, default=1, help="default: %(default)s")
    shape.add_argument("--cap", type=float, metavar="BYTES", help="largest size; a --list loses its larger ones")
    shape.add_argument("--as-printed", action="store_true", help="the paper's formulas with their slips, for --sample")
    shape.add_argument("--column", metavar="NAME", help="the column of a CSV file, for --list")

    output = parser.add_argument_group("what is written")
    output.add_argument("--out", type=Path, default=SAMPLES_DIR, metavar="DIR", help="default: samples/")
    output.add_argument("--list-only", action="store_true", help="write the list alone, no payloads")
    output.add_argument("--dry-run", action="store_true", help="print what would be written")
    output.add_argument("--verify", choices=("stat", "hash"), default="stat", help="how to check files that exist")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Carry the command out."""
    _check_options(options)
    source = _source_of(options)
    if options.dry_run or options.list_only:
        _print_plan(source, options.out)
        if not options.dry_run:
            _write_list_alone(source, options.out)
        return
    files = ensure_list(source, options.out, verify=options.verify)
    print(f"{files.sizes_csv}: {files.count} sizes, mean {files.mean_bytes:.6g} bytes, deviation {files.sd_bytes:.6g}")
    print(f"{files.payload_dir}: {files.unique} payloads, {files.min_bytes} to {files.max_bytes} bytes")


def _check_options(options: argparse.Namespace) -> None:
    """Refuse an option that does not go with the source of the sizes."""
    source = next(name for name in ("sample", "model", "preset", "list", "mean") if getattr(options, name) is not None)
    for option, sources in SOURCES_OF.items():
        if getattr(options, option) not in (None, False) and source not in sources:
            names = " or ".join(f"--{name}" for name in sources)
            raise WorkloadError(f"--{option.replace('_', '-')} goes with {names}, not with --{source}.")


def _source_of(options: argparse.Namespace) -> ListSource:
    count = DEFAULT_COUNT if options.count is None else options.count
    if options.sample is not None:
        make = as_printed_source if options.as_printed else sample_source
        return make(options.sample, count=count, seed=options.seed)
    if options.list is not None:
        measured = read_sizes(options.list, column=options.column)
        if options.cap is not None:
            measured = without_larger(measured, options.cap)
        for note in measured.notes:
            say_on_stderr(f"{measured.origin}: {note}")
        name = options.list.resolve().name.partition(".")[0]
        return replay_source(measured, name, count=options.count, seed=options.seed)
    name, model = _model_of(options)
    return model_source(name, model, count=count, seed=options.seed)


def _model_of(options: argparse.Namespace) -> tuple[str, SizeModel]:
    if options.mean is not None:
        targets = {name: getattr(options, name) for name in ("mean", "sd", "alpha", "tail_weight", "cut", "cap")}
        solved = model_for_targets(**targets, limit_bytes=MAX_FILE_BYTES)
        return f"mean-{options.mean:g}", SizeModel(distribution=solved)
    if options.model is not None:
        name, model = options.model.stem, read_model(options.model)
    else:
        name, model = options.preset, SizeModel(distribution=preset_model(options.preset))
    if options.cap is not None:
        model = replace(model, distribution=with_cap(model.distribution, options.cap))
    return name, model


def _print_plan(source: ListSource, root: Path) -> None:
    plan = plan_list(source, root)
    s = plan.summary
    print(f"{plan.folder}: {s.count} sizes, mean {s.mean_bytes:.6g} bytes, deviation {s.sd_bytes:.6g}")
    print(f"{s.unique} payloads, {s.min_bytes} to {s.max_bytes} bytes, {human_bytes(plan.disk_bytes)} of disk")


def _write_list_alone(source: ListSource, root: Path) -> None:
    path = root / f"{source.folder_name}.csv"
    try:
        root.mkdir(parents=True, exist_ok=True)
        with replacing(path) as new:
            write_size_list(source.sizes, new)
    except OSError as error:
        raise WorkloadError(f"{path}: cannot be written: {error.strerror}.") from error
    print(f"{path}: the list")
