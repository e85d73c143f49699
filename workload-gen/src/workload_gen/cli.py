"""The command line: `./lab sizes generate` and its fellows."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from workload_gen.ensure import ensure_sample
from workload_gen.errors import WorkloadError
from workload_gen.table1 import SAMPLES_DIR

EXIT_DONE = 0
EXIT_NOT_DONE = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
    except WorkloadError as error:
        print(error, file=sys.stderr)
        return EXIT_NOT_DONE
    return EXIT_DONE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="lab sizes", description="Upload sizes and payload files.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    generate = commands.add_parser("generate", help="write a size list and its payload files")
    generate.add_argument("--sample", type=int, required=True, metavar="N", help="sample of Table 1, 1 to 10")
    generate.add_argument("--count", type=int, default=10_000, help="sizes in the list (default: %(default)s)")
    generate.add_argument("--seed", type=int, default=1, help="of the list (default: %(default)s)")
    generate.add_argument("--out", type=Path, default=SAMPLES_DIR, metavar="DIR", help="default: samples/")
    generate.add_argument("--verify", choices=("stat", "hash"), default="stat", help="how to check files that exist")
    generate.set_defaults(run=_generate)
    return parser


def _generate(options: argparse.Namespace) -> None:
    files = ensure_sample(
        options.sample, count=options.count, seed=options.seed, root=options.out, verify=options.verify
    )
    print(f"{files.sizes_csv}: {files.count} sizes, mean {files.mean_bytes:.6g} bytes, deviation {files.sd_bytes:.6g}")
    print(f"{files.payload_dir}: {files.unique} payloads, {files.min_bytes} to {files.max_bytes} bytes")
