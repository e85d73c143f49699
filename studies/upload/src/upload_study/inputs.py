"""The size list and the payload files of a scenario, and what a campaign will take of disk and time."""

from typing import Any

from upload_study.scenario import SECONDS_A_BYTE, SECONDS_A_REQUEST, resolve
from upload_study.spec import CampaignSpec, Load
from workload_gen import SampleFiles, ensure_sample, plan_sample

JMETER_VERSION = "5.6.3"


def ensure(sample: int, load: Load, seed: int) -> SampleFiles:
    """Return the files of a scenario's sample, made now when they are not there."""
    return ensure_sample(sample, count=load.rows, seed=seed)


def needs(spec: CampaignSpec) -> dict[str, Any]:
    """Return what the campaign will take: bytes of input data to write, and for a run of each scenario its own."""
    wanted = {(s.factors.sample, s.load.rows) for s in spec.scenarios}
    plans = {key: plan_sample(key[0], count=key[1], seed=spec.seed) for key in wanted}
    scenarios = []
    for scenario in spec.scenarios:
        load = resolve(scenario.factors, scenario.load)
        requests = load.requests + load.warmup_requests
        upload_bytes = int(requests * plans[scenario.factors.sample, scenario.load.rows].summary.mean_bytes)
        scenarios.append(
            {
                "factors": {"sample": scenario.factors.sample, "disk": scenario.factors.disk},
                "requests": load.requests,
                "upload_bytes": upload_bytes,
                "seconds": requests * SECONDS_A_REQUEST + upload_bytes * SECONDS_A_BYTE + load.ramp_up_s,
            }
        )
    return {
        "versions": {"jmeter": JMETER_VERSION},
        "input_bytes": sum(0 if plan.present else plan.disk_bytes for plan in plans.values()),
        "input_folder": str(next(iter(plans.values())).folder.parent),
        "scenarios": scenarios,
    }


def prepare(spec: CampaignSpec) -> dict[str, Any]:
    """Make the size lists and payload files of all scenarios; what is there already stays."""
    made = {}
    for scenario in spec.scenarios:
        files = ensure(scenario.factors.sample, scenario.load, spec.seed)
        made[str(scenario.factors.sample)] = files.folder.name
    return {"size_lists": made}
