"""`./lab sizes fit`: fit a size model to a folder of files or a list of sizes."""

import argparse
import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import tomli_w

from monitoring.whole_file import replacing
from workload_gen.commands.seed import seed
from workload_gen.errors import WorkloadError
from workload_gen.fitting.size_counts import counted
from workload_gen.lists.measured_sizes import read_sizes
from workload_gen.lists.model_file import model_table
from workload_gen.lists.sources import MAX_FILE_BYTES

if TYPE_CHECKING:
    from workload_gen.fitting.fit import SizesFit

MODEL_NAME = "model.toml"
PAGE_NAME = "index.html"


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "fit",
        help="fit a size model to your own files",
        description="Fit a lognormal body and a Pareto tail, and simpler models, to the sizes of the files below a "
        "folder or of a list; say which fits and how well; write the model and a page.",
    )
    parser.add_argument("path", type=Path, metavar="PATH", help="a folder, or a text or CSV list of sizes (.gz too)")
    parser.add_argument("--column", metavar="NAME", help="the column of a CSV file")
    parser.add_argument("--out", type=Path, metavar="DIR", help="default: fit-NAME in the working directory")
    parser.add_argument("--cap", type=float, metavar="BYTES", help="default: the largest size, or the upload limit")
    parser.add_argument("--seed", type=seed, default=1, help="of the bootstraps (default: %(default)s)")
    parser.add_argument("--bootstraps", type=int, default=200, metavar="N", help="default: %(default)s")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Carry the command out."""
    if options.cap is not None and not options.cap >= 1:
        raise WorkloadError(f"--cap must be at least 1 byte, not {options.cap}.")
    rng = np.random.default_rng(options.seed)
    sizes = counted(read_sizes(options.path, column=options.column), rng, limit_bytes=MAX_FILE_BYTES)
    # The libraries behind a fit take seconds and 80 MB to load: only here, and after the list was given back.
    from workload_gen.fitting.fit import fit_counted
    from workload_gen.fitting.fit_page import comparison

    fit = fit_counted(sizes, limit_bytes=MAX_FILE_BYTES, cap=options.cap, seed=options.seed, repeats=options.bootstraps)
    out = options.out or Path(f"fit-{options.path.resolve().name.partition('.')[0]}")
    _write(fit, out)
    print(f"{fit.count} sizes, {fit.different} different. {' '.join(fit.notes)}".rstrip())
    print(fit.sentence)
    print(f"\n{'bytes':<10} {'your files':>16} {'model':>16}")
    for what, files, model in comparison(fit):
        print(f"{what:<10} {files:>16} {model:>16}")
    print(f"\n{'model':<18} {'AIC':>14} {'difference':>11}")
    for c in fit.candidates:
        mark = " (chosen)" if c is fit.chosen else ""
        print(f"{c.model.kind:<18} {c.aic:>14,.1f} {100 * c.distance:>9.1f} %{mark}")
    print(f"\n{out / MODEL_NAME}: the model\n{out / PAGE_NAME}: the page")


def _write(fit: "SizesFit", out: Path) -> None:
    """Write the model and the page."""
    from monitoring.pages.render import render
    from workload_gen.fitting.fit_page import page

    html = render(page(fit))
    try:
        out.mkdir(parents=True, exist_ok=True)
        with replacing(out / PAGE_NAME) as new_page, replacing(out / MODEL_NAME) as new_model:
            new_page.write_text(html, encoding="utf-8")
            new_model.write_text(tomli_w.dumps({"model": model_table(fit.model), "fit": _provenance(fit)}))
    except OSError as error:
        raise WorkloadError(f"{out}: cannot be written: {error.strerror}.") from error


def _provenance(fit: "SizesFit") -> dict[str, str | int | float]:
    """The [fit] table of the model file: where the model came from and how good it is."""
    return {
        "fitted_to": fit.origin,
        "fitted_on": datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        "sizes": fit.count,
        "verdict": fit.sentence,
        "largest_difference": fit.chosen.distance,
    }
