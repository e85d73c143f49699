"""Where a list of sizes comes from: a sample of Table 1, a model, or a user's own list."""

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workload_gen.errors import WorkloadError
from workload_gen.lists.as_printed import as_printed_sizes
from workload_gen.lists.measured_sizes import MeasuredSizes, read_sizes, sha256_of_sizes
from workload_gen.lists.model_file import SizeModel, model_table, read_model
from workload_gen.lists.size_list import check_count, chunks, stratified_sizes
from workload_gen.lists.table1 import TABLE1_COUNT, table1_sample, table1_sizes
from workload_gen.models.distribution import Sizes

GENERATOR = 1
"""Raised when the same settings would give other lists or payloads, so that old folders are made again."""

DEFAULT_COUNT = TABLE1_COUNT

MAX_FILE_BYTES = 200 * 1024 * 1024
"""The upload contract's limit for one file."""


@dataclass(frozen=True, kw_only=True)
class ListSource:
    """A list that can be made: the folder it gets, what decides its content, and how to draw it."""

    folder_name: str
    made_from: Mapping[str, Any]
    draw: Callable[[], Sizes]

    @cached_property
    def sizes(self) -> Sizes:
        """The list in upload order, uint32, shape (count,), drawn when first asked for."""
        return self.draw()


def sample_source(sample: int, *, count: int, seed: int) -> ListSource:
    """The list of a Table 1 sample."""
    row = table1_sample(sample)
    _check(count, seed)
    return ListSource(
        folder_name=f"sample-{sample:02d}-n{count}-seed{seed}",
        made_from={
            "generator": GENERATOR,
            "sample": sample,
            "count": count,
            "seed": seed,
            "mean_bytes": row.mean_bytes,
            "sd_bytes": row.sd_bytes,
            "pareto_k": row.pareto_k,
            "alpha": row.alpha,
        },
        draw=lambda: table1_sizes(row, count=count, seed=seed),
    )


def as_printed_source(sample: int, *, count: int, seed: int) -> ListSource:
    """The list that the paper's formulas give as they are printed."""
    plain, row = sample_source(sample, count=count, seed=seed), table1_sample(sample)
    return replace(
        plain,
        folder_name=f"sample-{sample:02d}-as-printed-n{count}-seed{seed}",
        made_from={**plain.made_from, "as_printed": True},
        draw=lambda: as_printed_sizes(row, count=count, seed=seed, limit_bytes=MAX_FILE_BYTES).sizes,
    )


def model_source(name: str, model: SizeModel, *, count: int, seed: int) -> ListSource:
    """A list drawn from a model; `name` begins the folder's name."""
    _check(count, seed)
    made_from = {
        "generator": GENERATOR,
        "model": model_table(model.distribution),
        "popularity": None if model.popularity is None else asdict(model.popularity),
        "count": count,
        "seed": seed,
        "draw": "stratified",
    }
    digest = hashlib.sha256(json.dumps(made_from, sort_keys=True).encode()).hexdigest()[:8]
    return ListSource(
        folder_name=f"{_plain(name)}-{digest}-n{count}-seed{seed}",
        made_from=made_from,
        draw=lambda: model_sizes(model, count=count, seed=seed),
    )


def model_sizes(model: SizeModel, *, count: int, seed: int) -> Sizes:
    """A list of `count` sizes from a model.

    With a popularity the model gives that many files, and each upload is one of them by its rank, the ranks in random
    order of size.
    """
    rng = np.random.default_rng(seed)
    if model.popularity is None:
        return stratified_sizes(model.distribution.quantile, count, rng)
    files = stratified_sizes(model.distribution.quantile, model.popularity.items, rng)
    ranks = stratified_sizes(model.popularity.quantile, count, rng)
    return np.asarray(files[ranks - 1])


def replay_source(measured: MeasuredSizes, name: str, *, count: int | None = None, seed: int = 1) -> ListSource:
    """A user's own list, as it is.

    With a `count` above its length, all of it again and again up to the count; with one below, a random part of it in
    its order: the first sizes of a list that is in some order would be another distribution.

    Raises
    ------
    WorkloadError
        When a size of the list, drawn or not, is above the upload limit.
    """
    sizes = measured.sizes
    check_within_limit(sizes)
    length = sizes.size if count is None else count
    _check(length, seed)
    identity = sha256_of_sizes(sizes)
    is_part = length < sizes.size
    return ListSource(
        folder_name=f"{_plain(name)}-{identity[:8]}-n{length}" + (f"-seed{seed}" if is_part else ""),
        made_from={
            "generator": GENERATOR,
            "list_sha256": identity,
            "list_count": sizes.size,
            "count": length,
            **({"notes": list(measured.notes)} if measured.notes else {}),
            **({"seed": seed} if is_part else {}),
        },
        draw=lambda: _of_length(sizes, length, seed),
    )


def _of_length(sizes: NDArray[np.integer], count: int, seed: int) -> Sizes:
    if count < sizes.size:
        return _random_part(sizes, count, np.random.default_rng(seed))
    fitting = sizes.astype(np.uint32, copy=False)
    return fitting if count == sizes.size else np.resize(fitting, count)


def _random_part(sizes: NDArray[np.integer], count: int, rng: np.random.Generator) -> Sizes:
    """`count` of the sizes at random in their order, every choice as likely.

    How many fall in each stretch of the list is hypergeometric; so no permutation of the whole list is held.
    """
    parts = []
    wanted, left = count, sizes.size
    for stretch in chunks(sizes.size):
        length = stretch.stop - stretch.start
        here = int(rng.hypergeometric(wanted, left - wanted, length))
        places = rng.choice(length, here, replace=False, shuffle=False)
        parts.append(sizes[stretch][np.sort(places)].astype(np.uint32))
        wanted, left = wanted - here, left - length
    return np.concatenate(parts)


def check_within_limit(sizes: NDArray[np.integer]) -> None:
    """Refuse a list with sizes that no server of the lab takes."""
    above = int((sizes > MAX_FILE_BYTES).sum())
    if above:
        raise WorkloadError(
            f"The list has {above} sizes above the upload limit of {MAX_FILE_BYTES} bytes, the largest {sizes.max()}; "
            f"give a --cap of at most that limit (for ./lab run --sizes take the list that "
            f"./lab sizes generate --list PATH --cap {MAX_FILE_BYTES} --list-only writes)."
        )


def file_source(path: Path, *, count: int | None = None, seed: int = 1) -> ListSource:
    """The list that a file stands for: a model file (.toml) gives a list of `count` sizes drawn from it, any other is
    replayed: as it is, or where it is longer than `count`, a random part of that length.
    """
    if path.suffix == ".toml":
        return model_source(path.stem, read_model(path), count=DEFAULT_COUNT if count is None else count, seed=seed)
    measured = read_sizes(path)
    if count is not None:
        count = min(count, measured.sizes.size)
    return replay_source(measured, path.name.partition(".")[0], count=count, seed=seed)


def _check(count: int, seed: int) -> None:
    check_count(count)
    if seed < 0:
        raise WorkloadError(f"The seed must be a whole number from 0, not {seed}.")


def _plain(name: str) -> str:
    """A name fit for a folder."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-.") or "list"
