"""The ten samples of the paper's Table 1, read from `samples/table1.toml`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from workload_gen.errors import WorkloadError

SAMPLES_DIR = Path(__file__).resolve().parents[3] / "samples"
"""Where the project keeps Table 1 and, unless told otherwise, the lists and payloads made from it."""

TABLE1 = SAMPLES_DIR / "table1.toml"


@dataclass(frozen=True, kw_only=True)
class Table1Sample:
    """One row of Table 1: what a list of 10,000 sizes should be, and the load it was sent with."""

    sample: int
    mean_bytes: float
    sd_bytes: float
    pareto_k: float
    alpha: float
    scale: int
    threads: int
    loops: int
    disk: tuple[str, ...]


def read_table1(path: Path = TABLE1) -> dict[int, Table1Sample]:
    """The samples by number.

    Raises
    ------
    WorkloadError
        When the file cannot be read, or a row lacks a key or has one that is not known.
    """
    try:
        table = tomllib.loads(path.read_text())
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise WorkloadError(f"{path}: cannot read the table of samples: {error}.") from error
    samples = {}
    for row in table["samples"]:
        try:
            sample = Table1Sample(**{**row, "alpha": table["alpha"], "disk": tuple(row["disk"])})
        except (KeyError, TypeError) as error:
            raise WorkloadError(f"{path}: sample {row.get('sample', '?')}: {error}.") from error
        samples[sample.sample] = sample
    return samples


def table1_sample(sample: int) -> Table1Sample:
    """One sample of Table 1 by its number."""
    samples = read_table1()
    if sample not in samples:
        raise WorkloadError(f"There is no sample {sample}; Table 1 has samples {min(samples)} to {max(samples)}.")
    return samples[sample]
