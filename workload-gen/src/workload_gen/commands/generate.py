"""`./lab sizes generate`: write a size list and its payload files."""

from __future__ import annotations

import argparse
from pathlib import Path

from workload_gen.errors import WorkloadError
from workload_gen.lists.measured_sizes import read_sizes, without_larger
from workload_gen.lists.model_file import SizeModel, read_model, with_cap
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
from workload_gen.models.presets import PRESETS, preset_model
from workload_gen.models.solve import model_for_targets
from workload_gen.payloads.list_files import SamplePlan, ensure_list, human_bytes, plan_list, say_on_stderr
from workload_gen.table1 import SAMPLES_DIR

DEFAULT_SEED = 1


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "generate",
        help="write a size list and its payload files",
        description="Write a size list (CSV, one size a line) and its payload files, each different size once. What "
        "exists already is verified, and made again where it is damaged.",
    )
    source = parser.add_argument_group("where the sizes come from (one of)")
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
    shape.add_argument("--seed", type=int, default=DEFAULT_SEED, help="default: %(default)s")
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
    source = source_of(options)
    if options.dry_run or options.list_only:
        plan = plan_list(source, options.out)
        _print_plan(plan)
        if options.list_only and not options.dry_run:
            _write_list_alone(plan, options.out)
        return
    files = ensure_list(source, options.out, verify=options.verify)
    print(f"{files.sizes_csv}: {files.count} sizes, mean {files.mean_bytes:.6g} bytes, deviation {files.sd_bytes:.6g}")
    print(f"{files.payload_dir}: {files.unique} payloads, {files.min_bytes} to {files.max_bytes} bytes")


def source_of(options: argparse.Namespace) -> ListSource:
    """The list the options ask for."""
    _check_options(options)
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
    if options.model is not None:
        name, model = options.model.stem, read_model(options.model)
    elif options.preset is not None:
        name, model = options.preset, SizeModel(distribution=preset_model(options.preset))
    else:
        name = f"mean-{options.mean:g}"
        distribution = model_for_targets(
            mean=options.mean,
            sd=options.sd,
            alpha=options.alpha,
            tail_weight=options.tail_weight,
            cut=options.cut,
            cap=options.cap,
            limit_bytes=MAX_FILE_BYTES,
        )
        model = SizeModel(distribution=distribution)
    if options.cap is not None:
        model = with_cap(model, options.cap)
    return name, model


def _check_options(options: argparse.Namespace) -> None:
    """Refuse options that contradict one another, by name."""
    sources = ("sample", "model", "preset", "list", "mean")
    given = [s for s in sources if getattr(options, s) is not None]
    if len(given) != 1:
        raise WorkloadError(f"Give one of {', '.join('--' + s for s in sources)}, and only one.")
    belongs_to = {
        "as_printed": ("sample",),
        "column": ("list",),
        "sd": ("mean",),
        "alpha": ("mean",),
        "tail_weight": ("mean",),
        "cut": ("mean",),
        "cap": ("model", "preset", "mean", "list"),
    }
    for option, sources_of_option in belongs_to.items():
        if getattr(options, option) not in (None, False) and given[0] not in sources_of_option:
            names = " or ".join(f"--{name}" for name in sources_of_option)
            raise WorkloadError(f"--{option.replace('_', '-')} goes with {names}, not with --{given[0]}.")


def _print_plan(plan: SamplePlan) -> None:
    s = plan.summary
    print(f"{plan.folder}: {s.count} sizes, mean {s.mean_bytes:.6g} bytes, deviation {s.sd_bytes:.6g}")
    print(f"{s.unique} payloads, {s.min_bytes} to {s.max_bytes} bytes, {human_bytes(plan.disk_bytes)} of disk")


def _write_list_alone(plan: SamplePlan, root: Path) -> None:
    path = root / f"{plan.folder.name}.csv"
    partial = path.with_name(f".{path.name}.partial")
    try:
        root.mkdir(parents=True, exist_ok=True)
        write_size_list(plan.sizes, partial)
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise WorkloadError(f"{path}: cannot be written: {error.strerror}.") from error
    print(f"{path}: the list")
