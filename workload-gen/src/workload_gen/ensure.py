"""What other components call: the files of a sample, of a model or of a user's own list."""

from __future__ import annotations

from pathlib import Path

from workload_gen.lists.sources import file_source, sample_source
from workload_gen.payloads.list_files import SampleFiles, SamplePlan, Say, Verify, ensure_list, plan_list, say_on_stderr
from workload_gen.table1 import SAMPLES_DIR


def plan_sample(sample: int, *, count: int, seed: int, root: Path = SAMPLES_DIR) -> SamplePlan:
    """The list of a Table 1 sample and the disk its files need; nothing is written."""
    return plan_list(sample_source(sample, count=count, seed=seed), root)


def ensure_sample(
    sample: int, *, count: int, seed: int, root: Path = SAMPLES_DIR, verify: Verify = "stat", say: Say = say_on_stderr
) -> SampleFiles:
    """The files of a Table 1 sample: made if they are not there, verified if they are, repaired if they are damaged.

    Parameters
    ----------
    sample : number in Table 1
    count : sizes in the list
    seed : of the list
    root : the folder that holds the samples' folders
    verify : "stat" compares size and modification time with the manifest and hashes only files that differ;
        "hash" hashes every file
    say : gets a sentence for the user when files are made or repaired

    Raises
    ------
    WorkloadError
        When the settings are impossible, the folder cannot be written, or the disk is too full.
    """
    return ensure_list(sample_source(sample, count=count, seed=seed), root, verify=verify, say=say)


def plan_sizes(path: Path, *, count: int | None = None, seed: int = 1, root: Path = SAMPLES_DIR) -> SamplePlan:
    """`plan_sample` for a model file or a user's own list."""
    return plan_list(file_source(path, count=count, seed=seed), root)


def ensure_sizes(
    path: Path, *, count: int | None = None, seed: int = 1, root: Path = SAMPLES_DIR, say: Say = say_on_stderr
) -> SampleFiles:
    """`ensure_sample` for a model file (.toml: a list of `count` sizes, 10,000 unless told otherwise, is drawn) or a
    user's own list (any other file, or a folder: its sizes as they are; of a longer list a random part of `count`).
    """
    return ensure_list(file_source(path, count=count, seed=seed), root, say=say)
