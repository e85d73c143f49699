"""The size list and the payload files of a scenario, and what a campaign will take of disk and time."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec

from upload_study.live import check_live_figures
from upload_study.scenario import loads_of, request_cpu_s, with_expected_rates
from upload_study.spec import CampaignSpec, DriverError, Factors, Load, Scenario
from workload_gen import ListSource, SampleFiles, SamplePlan, ensure_list, file_source, plan_list, sample_source

VERSIONS = {"jmeter": "5.6.3", "lean": "1"}
OVERHEAD_S = 8.0
"""Of a run beside its loads: start, contract, what Java still compiles, stop, check; 7.4 to 9.3 on two machines."""
USUAL_BACKGROUND_S = 2.0
"""For which a server goes on with work of its own before each load."""
LIGHT_SHARE = 0.25
"""Of a core: what the generator lean leaves a server to do meanwhile."""
FASTEST = 0.5  # of the usual CPU time of an upload: no server here answers sooner, so none stores more in a time


def ensure(factors: Factors, load: Load, seed: int) -> SampleFiles:
    """Return the files of a scenario, made now when they are not there."""
    return ensure_list(_source(factors, load, seed))


def _source(factors: Factors, load: Load, seed: int) -> ListSource:
    if factors.sample == "own":
        return file_source(_own(load), count=load.rows, seed=seed)
    return sample_source(factors.sample, count=load.rows, seed=seed)


def _own(load: Load) -> Path:
    if load.sizes is None:
        raise DriverError("The sample 'own' needs your sizes: give --sizes with a model file, a list, or a folder.")
    return Path(load.sizes)


def needs(spec: CampaignSpec) -> dict[str, Any]:
    """Return what the campaign will take: bytes of input data to write, and for a run of each scenario its own."""
    _check_engines(spec)
    check_live_figures(spec)
    plans = {(s.factors.sample, s.load.rows): plan_list(_source(s.factors, s.load, spec.seed)) for s in spec.scenarios}
    scenarios = [_need(s, spec, plans[s.factors.sample, s.load.rows].summary.mean_bytes) for s in spec.scenarios]
    return {
        "versions": {name: VERSIONS[name] for name in sorted({s.factors.generator for s in spec.scenarios})},
        "input_bytes": sum(0 if plan.present else plan.disk_bytes for plan in plans.values()),
        "input_folder": str(next(iter(plans.values())).folder.parent),
        "inputs": {str(sample): _describe(plan) for (sample, _), plan in plans.items()},
        "scenarios": scenarios,
        "overhead_s": OVERHEAD_S,
    }


def _need(scenario: Scenario, spec: CampaignSpec, mean_bytes: float) -> dict[str, Any]:
    """Return what one run of a scenario will take: its loads, one after the other, and the warm-up before them."""
    expected = with_expected_rates(scenario.load, mean_bytes, scenario.server_cpu_pct)
    loads = loads_of(scenario.factors, expected, spec.injectors)
    request_s = request_cpu_s(mean_bytes)
    background_s = len(loads) * min(loads[0].background_s, USUAL_BACKGROUND_S)
    requests = sum(load.requests or round((load.duration_s or 0) / (FASTEST * request_s)) for load in loads)
    busy = sum(load.requests for load in loads if load.arrivals == "closed")
    thinking_s = sum((load.loops or 0) * load.think_time_ms / 1000 for load in loads)
    lead_in = sum(round(load.requests * load.lead_in_s / (load.duration_s or 1)) for load in loads)
    warm_up = loads[0].warmup_requests + round(LIGHT_SHARE * background_s / request_s) + lead_in
    fixed_s = sum(load.duration_s or 0.0 for load in loads) + thinking_s + loads[0].warmup_requests * request_s
    return {
        "factors": msgspec.to_builtins(scenario.factors),
        "requests": requests,
        "upload_bytes": int((requests + warm_up) * mean_bytes),
        "seconds": busy * request_s + sum(load.ramp_up_s for load in loads),
        "fixed_seconds": fixed_s + background_s + sum(load.lead_in_s for load in loads),
    }


def _check_engines(spec: CampaignSpec) -> None:
    if spec.injectors > 1 and any(scenario.factors.generator != "jmeter" for scenario in spec.scenarios):
        raise DriverError("--injectors: only --generator jmeter can make the load from several hosts.")


def _describe(plan: SamplePlan) -> dict[str, Any]:
    """What a reader must know of a list of sizes: what it amounts to, and the model or the list it was made from."""
    return {**asdict(plan.summary), "made_from": dict(plan.made_from)}


def prepare(spec: CampaignSpec) -> dict[str, Any]:
    """Make the size lists and payload files of all scenarios; what is there already stays."""
    made = {}
    for scenario in spec.scenarios:
        files = ensure(scenario.factors, scenario.load, spec.seed)
        made[str(scenario.factors.sample)] = files.folder.name
    return {"size_lists": made}
