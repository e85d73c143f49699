"""Model files: a size distribution as TOML, written by a fit or by hand."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeVar

import tomli_w

from workload_gen.errors import WorkloadError
from workload_gen.lists.measured_sizes import read_sizes, sha256_of_sizes
from workload_gen.models.discrete import Empirical, Zipf
from workload_gen.models.distribution import Distribution
from workload_gen.models.lognormal import Lognormal
from workload_gen.models.lognormal_pareto import LognormalPareto
from workload_gen.models.pareto import Pareto
from workload_gen.models.presets import preset_model
from workload_gen.models.simple import Constant, Exponential, Normal, Uniform

Made = TypeVar("Made", bound=Distribution)

SIZE_MODELS: dict[str, type[Distribution]] = {
    c.kind: c for c in (Lognormal, Pareto, LognormalPareto, Exponential, Normal, Uniform, Constant)
}


@dataclass(frozen=True, kw_only=True)
class SizeModel:
    """What a model file says: the distribution of sizes, and how popular each file is (None: each is new)."""

    distribution: Distribution
    popularity: Zipf | None = None


def read_model(path: Path) -> SizeModel:
    """Read a model file.

    Raises
    ------
    WorkloadError
        Names the file and the key, when the file cannot be read, a key is missing or not known, or a value is
        impossible.
    """
    try:
        document = tomllib.loads(path.read_text())
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise WorkloadError(f"{path}: cannot be read as a model file: {error}.") from error
    unknown = sorted(set(document) - {"model", "popularity", "fit"})
    if unknown:
        raise WorkloadError(f"{path}: unknown key {unknown[0]!r}; a model file has [model], [popularity] and [fit].")
    if not isinstance(document.get("model"), dict):
        raise WorkloadError(f"{path}: there is no [model] table.")
    if not isinstance(document.get("popularity", {}), dict):
        raise WorkloadError(f"{path}: popularity is no table; expected [popularity] with exponent and items.")
    try:
        popularity = document.get("popularity")
        return SizeModel(
            distribution=_distribution(document["model"], path.parent),
            popularity=None if popularity is None else _made(Zipf, popularity, "[popularity]"),
        )
    except WorkloadError as error:
        raise WorkloadError(f"{path}: {error}") from None


def _distribution(table: Mapping[str, Any], folder: Path) -> Distribution:
    if "preset" in table:
        unknown = sorted(set(table) - {"preset", "cap"})
        if unknown:
            raise WorkloadError(f"[model] has the unknown key {unknown[0]!r}; beside preset there may be cap.")
        return preset_model(table["preset"], table.get("cap"))
    kind = table.get("distribution")
    if kind == Empirical.kind:
        return _empirical({k: v for k, v in table.items() if k != "distribution"}, folder)
    if not isinstance(kind, str) or kind not in SIZE_MODELS:
        kinds = ", ".join(sorted([*SIZE_MODELS, Empirical.kind]))
        raise WorkloadError(f"[model] distribution is {kind!r}; it must be one of {kinds}.")
    return _made(SIZE_MODELS[kind], {k: v for k, v in table.items() if k != "distribution"}, f"[model] {kind}")


def _empirical(table: Mapping[str, Any], folder: Path) -> Empirical:
    """The sizes of the list or folder that the table names, relative to the model file."""
    if set(table) != {"list"} or not isinstance(table["list"], str):
        raise WorkloadError('[model] empirical takes the key list and no other: list = "PATH" of a list or a folder.')
    sizes = read_sizes(folder / table["list"]).sizes
    sizes.sort()
    return Empirical(sizes=sizes)


def _made(kind: type[Made], values: Mapping[str, Any], where: str) -> Made:
    """The distribution with these parameters, all of them known, present and numbers."""
    known = {f.name: f for f in fields(kind)}  # type: ignore[arg-type]
    for name, value in values.items():
        if name not in known:
            raise WorkloadError(f"{where} has the unknown key {name!r}; it takes {', '.join(known)}.")
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise WorkloadError(f"{where}: {name} must be a number, not {value!r}.")
        if known[name].type == "int" and not isinstance(value, int):
            raise WorkloadError(f"{where}: {name} must be a whole number, not {value!r}.")
    missing = [name for name, f in known.items() if f.default is MISSING and name not in values]
    if missing:
        raise WorkloadError(f"{where} lacks {missing[0]}.")
    return kind(**values)


def with_cap(model: SizeModel, cap: float) -> SizeModel:
    """The model conditional on sizes up to the cap.

    Raises
    ------
    WorkloadError
        When its distribution has no cap, or the cap is impossible.
    """
    distribution = model.distribution
    if not isinstance(distribution, Lognormal | Pareto | LognormalPareto):
        raise WorkloadError(f"A {distribution.kind} distribution takes no cap.")
    return replace(model, distribution=replace(distribution, cap=cap))


def model_table(distribution: Distribution) -> dict[str, str | float]:
    """The [model] table of a distribution, as plain data."""
    table: dict[str, str | float] = {"distribution": distribution.kind, **distribution.parameters()}
    if isinstance(distribution, Empirical):
        table["list_sha256"] = sha256_of_sizes(distribution.sizes)
    return table


def write_model(path: Path, model: SizeModel, fit: Mapping[str, str | int | float | bool] | None = None) -> None:
    """Write a model file; `fit` says where the parameters came from."""
    tables: dict[str, Mapping[str, str | int | float | bool]] = {"model": model_table(model.distribution)}
    if model.popularity is not None:
        tables["popularity"] = model.popularity.parameters()
    if fit is not None:
        tables["fit"] = fit
    path.write_text(tomli_w.dumps(tables))
