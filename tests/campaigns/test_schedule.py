"""Which blocks a campaign makes that stops when it is sure: its runs are only noted, its clock is the test's."""

import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Self

import msgspec
import pytest
import tiny

from uploadlab.campaigns.progress import Progress, standing_line
from uploadlab.campaigns.schedule import REPORT_S, Comparison, Schedule, Standing
from uploadlab.errors import LabError
from uploadlab.hosts.local_host import LocalHost
from uploadlab.planning.needs import Need, Needs, with_sizes_that_fit, within_its_time
from uploadlab.planning.plan import PlannedRun
from uploadlab.planning.results import run_folder
from uploadlab.planning.space import check_space, has_room
from uploadlab.planning.study import Skip, load_study

RUN_S = 5.0
LOOK_S = 2.0
ONE, TWO = ({"size": size, "disk": "local"} for size in (1, 2))


class Lab:
    """A campaign of two scenarios and two systems, of which a run takes 5 s and a look 2 s of its own clock."""

    def __init__(
        self,
        folder: Path,
        *,
        verdict: Callable[[int, int], str] = lambda size, blocks: "open",
        is_valid: Callable[[PlannedRun], bool] = lambda run: True,
        **settings: object,
    ) -> None:
        quick = load_study(tiny.TINY).profile("quick")
        profile = msgspec.structs.replace(quick, **{"repeats": 3, "minutes": 15.0, **settings})
        self.campaign = tiny.campaign(folder, "quick", profile=profile)
        rows = [Need(factors=one, requests=1, upload_bytes=1000, seconds=0.5) for one in (ONE, TWO)]
        self.needs = Needs(versions={}, input_bytes=0, input_folder=str(folder), scenarios=rows)
        self.now_s = 1000.0
        self.told: list[list[Standing]] = []
        self.verdict, self.is_valid = verdict, is_valid
        self.more_blocks: dict[int, int | None] = {1: 1, 2: 1}
        self.better = ""
        self.made: list[PlannedRun] = []

    def carry_out(self, stop_after: int = 10**6) -> Self:
        schedule = Schedule(self.campaign, self.needs, self.decide, self.told.append, clock=lambda: self.now_s)
        for block in schedule.blocks():
            for run in block:
                folder = run_folder(self.campaign.folder, run)
                if folder.exists():
                    continue
                if len(self.made) >= stop_after:
                    return self
                self.make(run, folder)
        return self

    def make(self, run: PlannedRun, folder: Path) -> None:
        start_s = self.now_s
        self.now_s += RUN_S
        phases = {"run_start_ns": int(start_s * 1e9), "run_end_ns": int(self.now_s * 1e9)}
        record = {**msgspec.to_builtins(run), "status": "complete", "valid": self.is_valid(run), "phases": phases}
        folder.mkdir(parents=True)
        (folder / "run.json").write_text(json.dumps(record))
        self.made.append(run)

    def decide(self, folder: Path) -> list[Comparison]:
        self.now_s += LOOK_S
        return [
            Comparison(
                factors=one,
                systems=["alpha", "beta"],
                metric="mean_ms",
                question="speed",
                verdict=self.verdict(one["size"], self.blocks(one["size"])),
                better=self.better,
                lo=0.9,
                hi=1.2,
                more_blocks=self.more_blocks[one["size"]],
            )
            for one in (ONE, TWO)
        ]

    def blocks(self, size: int) -> int:
        return len({run.block for run in self.made if run.factors["size"] == size})

    def looks(self) -> list[dict]:
        return [json.loads(line) for line in (self.campaign.folder / "looks.jsonl").read_text().splitlines()]


@pytest.fixture
def folder(tmp_path) -> Path:
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


def test_an_open_comparison_gets_more_blocks_and_a_decided_one_none(folder):
    lab = Lab(folder, verdict=lambda size, blocks: "lower" if size == 1 or blocks >= 7 else "open").carry_out()
    assert (lab.blocks(1), lab.blocks(2)) == (3, 7)
    assert [look["scenarios"][1]["blocks"] for look in lab.looks()] == [3, 4, 5, 6, 7]
    assert [run.order for run in lab.made] == list(range(1, 21))
    for block in range(1, 8):
        assert {run.system for run in lab.made if run.block == block and run.factors == TWO} == {"alpha", "beta"}


def test_a_judgement_ends_when_one_comparison_is_worse_and_goes_on_when_one_is_better(folder):
    for name, better, blocks in (("worse", "alpha", 3), ("better", "beta", 6)):
        lab = Lab(folder / name, most_repeats=6)
        base, head = lab.campaign.systems
        lab.campaign = msgspec.structs.replace(
            lab.campaign, systems=[base, head, msgspec.structs.replace(base, variant="again", noise=True)]
        )
        lab.better = better
        lab.carry_out()
        assert (lab.blocks(1), lab.blocks(2)) == (blocks, blocks)


def test_no_scenario_gets_fewer_than_three_blocks_however_early_it_is_decided_or_short_the_time(folder):
    lab = Lab(folder, minutes=0.1, verdict=lambda size, blocks: "equal").carry_out()
    assert (lab.blocks(1), lab.blocks(2)) == (3, 3)
    assert len(lab.looks()) == 1


def test_a_campaign_that_fills_its_time_makes_blocks_of_all_scenarios_and_never_looks(folder):
    lab = Lab(folder, minutes=3, repeats=2, fills_time=True, verdict=lambda size, blocks: "equal").carry_out()
    assert {lab.blocks(1), lab.blocks(2)} == {8}  # 180 s less 20 s for the report, each block 2 x 5 s
    assert lab.told == []
    again = Lab(folder, minutes=3, repeats=2, fills_time=True).carry_out()
    assert again.made == []


@pytest.mark.parametrize(("left_out", "blocks"), [("beta", (3, 3)), ("alpha", (3, 0))])
def test_a_scenario_from_which_a_rule_leaves_out_the_baseline_or_all_systems_does_not_wait_for_them(
    folder, left_out, blocks
):
    lab = Lab(folder, baseline_repeats=1, minutes=None, skip=[Skip(where={"size": 2}, system=left_out)])
    alpha, beta = tiny.two_systems()
    lab.campaign = msgspec.structs.replace(lab.campaign, systems=[alpha], baseline=beta)
    lab.carry_out()
    assert (lab.blocks(1), lab.blocks(2)) == blocks
    assert {run.factors["size"] for run in lab.made if run.baseline} == {1}


def test_no_block_begins_that_would_not_end_in_time_with_the_look_and_the_report(folder):
    lab = Lab(folder, minutes=4.0)
    began_s = lab.now_s
    lab.carry_out()
    assert lab.now_s - began_s <= 240 - REPORT_S
    assert lab.now_s - began_s + 2 * RUN_S + LOOK_S > 240 - REPORT_S, "there was time for another block"
    assert abs(lab.blocks(1) - lab.blocks(2)) <= 1, "the time goes to both alike"
    assert lab.told[-1][0].why_not == "no time for another block"


def test_a_resumed_campaign_has_the_time_that_is_left_and_finishes_the_block_it_was_in(folder):
    lab = Lab(folder, minutes=4.0).carry_out(stop_after=19)
    half = lab.made[-1]
    lab.now_s += 5000  # nobody counts the night between
    lab.carry_out()
    assert lab.made[19].factors == half.factors
    assert lab.made[19].block == half.block
    assert lab.made[19].system != half.system
    spent_s = len(lab.made) * RUN_S + len(lab.looks()) * LOOK_S
    assert 240 - REPORT_S - 2 * RUN_S - LOOK_S < spent_s <= 240 - REPORT_S
    assert [look["look"] for look in lab.looks()] == list(range(1, len(lab.looks()) + 1))


def test_a_run_that_was_disturbed_is_made_again_at_once_and_saves_its_block(folder):
    disturbed = ("alpha", ONE, "02")
    lab = Lab(folder, most_repeats=3, is_valid=lambda run: (run.system, run.factors, run.repeat) != disturbed)
    lab.carry_out()
    assert len(lab.made) == 13
    place = next(number for number, run in enumerate(lab.made) if run.repeat == "02b")
    again, block = lab.made[place], lab.made[place - 2 : place]
    assert (again.system, again.block, again.factors) == ("alpha", 2, ONE)
    assert {(run.block, run.factors["size"]) for run in block} == {(2, 1)}
    assert lab.told[-1][0].why_not == "it has the most blocks allowed, 3"


def test_an_invalid_run_makes_its_block_incomplete_and_the_scenario_gets_another(folder):
    lab = Lab(folder, verdict=lambda size, blocks: "lower")
    lab.is_valid = lambda run: (run.factors["size"], run.block, run.system) != (1, 2, "beta")
    lab.carry_out()
    assert (lab.blocks(1), lab.blocks(2)) == (4, 3)


def test_a_scenario_whose_runs_are_always_invalid_is_given_up(folder):
    lab = Lab(folder, verdict=lambda size, blocks: "open" if size == 1 else "lower")
    lab.is_valid = lambda run: run.factors["size"] != 1
    lab.carry_out()
    assert lab.blocks(1) == 4
    assert lab.told[-1][0].why_not == "its last 4 blocks had invalid runs"


@pytest.mark.parametrize("more_blocks", [200, None])
def test_a_scenario_that_the_time_cannot_decide_waits_for_the_others_and_gets_the_time_that_they_leave(
    folder, more_blocks
):
    lab = Lab(folder, repeats=5, minutes=5.0)  # which hold 30 blocks of 10 s
    lab.more_blocks[1] = more_blocks
    lab.verdict = lambda size, blocks: "lower" if size == 2 and blocks >= 8 else "open"
    lab.carry_out()
    assert [run.factors["size"] for run in lab.made[20:26]] == [2] * 6
    assert {run.factors["size"] for run in lab.made[26:]} == {1}
    assert lab.told[0][0].set_back == "it would need more blocks than there is time for"
    assert lab.looks()[0]["scenarios"][0]["set_back"] == lab.told[0][0].set_back


def test_before_its_first_look_no_scenario_waits_for_others(folder):
    lab = Lab(folder, minutes=1.8)  # which hold four blocks of each, fewer than a first look has
    lab.more_blocks[1] = 200
    lab.carry_out()
    assert (lab.blocks(1), lab.blocks(2)) == (4, 4)
    assert not any(standing.set_back for look in lab.told for standing in look)


@pytest.mark.parametrize(
    ("minutes", "most_repeats", "bound"), [(1.0, 40, 4), (2.0, 40, 6), (14.0, 40, 39), (15.0, 12, 12), (None, 40, 40)]
)
def test_a_campaign_allows_for_one_block_more_than_its_time_has_room_for(folder, minutes, most_repeats, bound):
    """Three planned blocks of two scenarios take 66 s, a further round of four runs 22 s."""
    lab = Lab(folder, minutes=minutes, most_repeats=most_repeats)
    assert within_its_time(lab.campaign, lab.needs).profile.most_repeats == bound


def test_a_size_between_neighbours_of_like_cost_is_left_out_where_the_planned_blocks_and_one_more_do_not_fit(folder):
    """Four blocks of five sizes, two systems and 5.5 s a run take 220 s; of four sizes 176 s.

    With the cost of a request they are as 35.0, 35.4, 55, 58 and 65: the neighbours of size 4 are 1.18 times
    apart, then those of size 2 1.57 and of size 3 1.84.
    """
    lab = Lab(folder, minutes=3)
    factor = msgspec.structs.replace(
        lab.campaign.study.file.factors["size"], size={"table": "table1", "request_bytes": 35_000}
    )
    file = msgspec.structs.replace(lab.campaign.study.file, factors=lab.campaign.study.file.factors | {"size": factor})
    study = msgspec.structs.replace(lab.campaign.study, file=file)
    sizes = {1: 4, 2: 400, 3: 20_000, 4: 23_000, 5: 30_000}
    campaign = msgspec.structs.replace(lab.campaign, study=study, levels={"size": [*sizes], "disk": ["local"]})
    rows = [
        Need(factors={"size": size, "disk": "local"}, requests=10, upload_bytes=10 * each, seconds=0.5)
        for size, each in sizes.items()
    ]
    needs = msgspec.structs.replace(lab.needs, scenarios=rows)
    smaller, gone = with_sizes_that_fit(campaign, needs)
    assert gone == [4]
    assert smaller.levels["size"] == [1, 2, 3, 5]
    assert with_sizes_that_fit(campaign, msgspec.structs.replace(needs, overhead_s=2.0)) == (campaign, [])
    assert with_sizes_that_fit(campaign, msgspec.structs.replace(needs, overhead_s=60.0))[1] == [4, 2]


def test_a_disk_without_room_for_more_uploads_ends_it(folder):
    lab = Lab(folder)
    for row in lab.needs.scenarios:
        row.upload_bytes = 10**15
    lab.carry_out()
    assert (lab.blocks(1), lab.blocks(2)) == (3, 3)
    assert lab.told[-1][0].why_not == "no space to store more"


def test_of_uploads_in_memory_one_run_must_fit_and_of_others_all(folder, monkeypatch):
    lab = Lab(folder)
    for row in lab.needs.scenarios:
        row.upload_bytes = 6_000
    monkeypatch.setattr(LocalHost, "space", lambda *_: (1, 10_000))
    for filesystem, fits in (("tmpfs", True), ("ext4", False)):
        disk = {"filesystem": filesystem, "free_bytes": 10_000, "size_bytes": 10_000}
        monkeypatch.setattr(LocalHost, "describe_disk", lambda *_, disk=disk: disk)
        assert has_room(lab.campaign, lab.needs, ONE) is fits
        with contextlib.nullcontext() if fits else pytest.raises(LabError, match="No space"):
            check_space(lab.campaign, lab.needs)


def test_without_minutes_there_are_exactly_the_planned_blocks_and_nobody_looks(folder):
    lab = Lab(folder, minutes=None, repeats=4).carry_out()
    assert (lab.blocks(1), lab.blocks(2)) == (4, 4)
    assert not (folder / "looks.jsonl").exists()


def test_without_minutes_a_block_with_an_invalid_run_is_repeated_whole_up_to_the_bound(folder):
    lab = Lab(folder, minutes=None, repeats=2, is_valid=lambda run: run.system != "beta").carry_out()
    assert (lab.blocks(1), lab.blocks(2)) == (3, 3)
    assert len(lab.made) == 12, "none of them again at once"


def test_a_scenarios_line_says_its_blocks_and_what_is_open_and_why_it_gets_no_more():
    known = [
        Comparison(factors=ONE, systems=["a", "b"], metric=name, name=name, verdict=verdict, lo=0.9, hi=1.2)
        for name, verdict in (("mean", "lower"), ("CPU", "open"))
    ]
    standing = Standing(name="z1-local", blocks=5, comparisons=known, goes_on=False, why_not="why")
    words = " ".join(standing_line(standing).split())
    assert words == "z1-local 5 blocks 1 of 2 decided; open: CPU 0.90\u20131.20 (why)"


def test_before_its_first_look_a_scenarios_line_says_that_there_was_none():
    known = [Comparison(factors=ONE, systems=["a", "b"], metric="mean", name="mean", verdict="open", more_blocks=1)]
    standing = Standing(name="z1-local", blocks=4, comparisons=known, goes_on=False, why_not="why")
    assert " ".join(standing_line(standing).split()) == "z1-local 4 blocks no look before the end (why)"
    on = msgspec.structs.replace(standing, goes_on=True, why_not="")
    assert " ".join(standing_line(on).split()) == "z1-local 4 blocks no look yet"


def test_before_the_first_look_of_all_the_terminal_does_not_say_that_nothing_is_decided(capsys):
    known = [Comparison(factors=ONE, systems=["a", "b"], metric="mean", name="mean", verdict="open", more_blocks=1)]
    progress = Progress(4, RUN_S)
    progress.count_time(900, lambda: 540)
    progress.looked([Standing(name="z1-local", blocks=3, comparisons=known, goes_on=True)])
    said = " ".join(capsys.readouterr().err.split())
    assert said == "After 3 blocks it is too early to decide; at most 9 min more for z1-local"


def test_the_terminal_and_the_live_page_say_after_a_look_what_the_time_is_spent_on(folder, capsys):
    lab = Lab(folder)
    shown: list[list[str]] = []
    watcher = SimpleNamespace(show=lambda line, share: None, show_standings=shown.append)
    progress = Progress(4, RUN_S, watcher)
    progress.count_time(900, lambda: 540)
    lab.verdict = lambda size, blocks: "lower" if size == 1 or blocks >= 4 else "open"
    schedule = Schedule(lab.campaign, lab.needs, lab.decide, progress.looked, clock=lambda: lab.now_s)
    for block in schedule.blocks():
        for run in block:
            lab.make(run, run_folder(folder, run))
            progress.runs_started([run])
            progress.run_ended({"cell": run.cell, "repeat": run.repeat, "status": "failed", "reason": "-"})
    said = capsys.readouterr().err
    spent_on, _, *standings = shown[0]
    assert spent_on == "After 3 blocks 1 of 2 comparisons are decided; at most 9 min more for z2-local (speed)"
    assert spent_on in " ".join(said.split())
    assert "run 2 of 4+  z" in said
    assert "run 5  z" in said
    assert said.endswith(
        "z1-local              3 blocks  1 of 1 decided\nz2-local              4 blocks  1 of 1 decided\n"
    )
    assert [line.split()[0] for line in standings] == ["z1-local", "z2-local"]
    assert [line.split()[0] for line in shown[-1]] == ["z1-local", "z2-local"]


def test_a_run_that_fails_a_gate_at_one_of_its_loads_is_said_to_be_invalid_there(capsys):
    gate = {"name": "injector_wait", "passed": False, "sentence": "Threads waited."}
    at = {"saturated": [gate | {"passed": True}], 10: [gate]}
    windows = [{"load": load, "gates": gates} for load, gates in at.items()]
    progress = Progress(1, RUN_S)
    told = {"cell": "s05-local-node", "repeat": "01", "status": "complete", "valid": False, "gates": []}
    progress.run_ended(told | {"counts": {"requests": 9, "errors": 0}, "windows": windows})
    said = " ".join(capsys.readouterr().err.split())
    assert said == "run 1 of 1 s05-local-node/01 INVALID at 10% of capacity 9 requests, 0 errors. Threads waited."


@pytest.mark.parametrize("cell", ["s05-local-node", "s05-local-lean-saturated-a-system-of-a-very-long-name"])
def test_each_line_keeps_to_80_columns_and_cuts_no_number(cell, capsys):
    progress = Progress(60, 10.0, counted="uploads")
    progress.count_time(900, lambda: 660)
    progress.runs_started([SimpleNamespace(cell=cell, repeat="03")])
    progress.live({"phase": "measuring", "requests": 123456, "per_s": 12345.6, "errors": 1234})
    gate = {"name": "injector_cpu", "passed": False, "sentence": "The load generator used 91 % of its core. " * 3}
    counts = {"requests": 123456, "errors": 1234}
    record = {"cell": cell, "repeat": "03", "status": "complete", "valid": False, "counts": counts, "gates": [gate]}
    progress.run_ended(record | {"windows": []})
    said = capsys.readouterr().err.splitlines()
    assert max(map(len, said)) <= 80
    assert said[1].endswith("/03  measuring  123,456  12,346/s  1,234 errors  ≤ 11 min left")
