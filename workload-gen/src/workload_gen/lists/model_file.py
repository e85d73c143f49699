"""Model files: a size distribution as TOML, written by a fit or by hand."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from workload_gen.errors import WorkloadError
from workload_gen.lists.measured_sizes import read_sizes, sha256_of_sizes
from workload_gen.models.distribution import Distribution
from workload_gen.models.heavy_tailed import Lognormal, LognormalPareto, Pareto, with_cap
from workload_gen.models.presets import preset_model
from workload_gen.models.simple import Constant, Empirical, Exponential, Normal, Uniform, Zipf

Made = TypeVar("Made")
Table = dict[str, Any]

SIZE_MODELS: dict[str, type[Distribution]] = {
    c.kind: c for c in (Lognormal, Pareto, LognormalPareto, Exponential, Normal, Uniform, Constant)
}


@dataclass(frozen=True, kw_only=True)
class SizeModel:
    """What a model file says: the distribution of sizes, and how popular each file is (None: each is new)."""

    distribution: Distribution
    popularity: Zipf | None = None


class _File(msgspec.Struct, forbid_unknown_fields=True):
    model: Table
    popularity: Table | None = None
    fit: Table | None = None


def read_model(path: Path) -> SizeModel:
    """Read a model file.

    Raises
    ------
    WorkloadError
        Names the file and the key, when the file cannot be read, a key is missing or not known, or a value is
        impossible.
    """
    try:
        file = msgspec.toml.decode(path.read_bytes(), type=_File)
        return SizeModel(
            distribution=_distribution(file.model, path.parent),
            popularity=None if file.popularity is None else _made(Zipf, file.popularity, "[popularity]"),
        )
    except (OSError, UnicodeDecodeError, msgspec.DecodeError) as error:
        raise WorkloadError(f"{path}: cannot be read as a model file: {error}.") from error
    except WorkloadError as error:
        raise WorkloadError(f"{path}: {error}") from None


def _distribution(table: Table, folder: Path) -> Distribution:
    if "preset" in table and "distribution" in table:
        raise WorkloadError("[model] has both preset and distribution: it must be one of them.")
    parameters = {name: value for name, value in table.items() if name not in ("preset", "distribution")}
    if "preset" in table:
        model = preset_model(str(table["preset"]))
        return _made(partial(with_cap, model), parameters, "[model] preset") if parameters else model
    kind = str(table.get("distribution", ""))
    if kind == Empirical.kind:
        return _empirical(parameters, folder)
    if kind not in SIZE_MODELS:
        kinds = ", ".join(sorted([*SIZE_MODELS, Empirical.kind]))
        raise WorkloadError(f"[model] distribution is {kind!r}; it must be one of {kinds}.")
    return _made(SIZE_MODELS[kind], parameters, f"[model] {kind}")


def _empirical(parameters: Table, folder: Path) -> Empirical:
    """The sizes of the list or folder that the table names, relative to the model file."""
    if set(parameters) != {"list"} or not isinstance(parameters["list"], str):
        raise WorkloadError('[model] empirical takes the key list and no other: list = "PATH" of a list or a folder.')
    sizes = read_sizes(folder / parameters["list"]).sizes
    sizes.sort()
    return Empirical(sizes=sizes)


def _made(kind: Callable[..., Made], parameters: Table, where: str) -> Made:
    """What is made of parameters, all of them known, present and numbers."""
    for name, value in parameters.items():
        if type(value) not in (int, float):
            raise WorkloadError(f"{where}: {name} must be a number, not {value!r}.")
    try:
        return kind(**parameters)
    except TypeError as error:
        raise WorkloadError(f"{where}: {error}; it takes {', '.join(inspect.signature(kind).parameters)}.") from None


def model_table(distribution: Distribution) -> dict[str, str | float]:
    """The [model] table of a distribution, as plain data."""
    table: dict[str, str | float] = {"distribution": distribution.kind, **distribution.parameters()}
    if isinstance(distribution, Empirical):
        table["list_sha256"] = sha256_of_sizes(distribution.sizes)
    return table
