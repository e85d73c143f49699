"""The method in a paragraph to cite, from what campaign.json alone records."""

from collections.abc import Mapping, Sequence
from typing import Any

from uploadlab.report.results import Results
from uploadlab.report.setup import Setup
from uploadlab.results.campaign import measured_once
from uploadlab.words.language import Language

WITHIN_BLOCKS = ("paired t", "sequential")
"""The methods of comparisons.csv that take ratios within blocks."""


def method(words: Language, results: Results, setup: Setup) -> str:
    """Describe in a paragraph how the campaign was measured."""
    sentences = [_compared(words, results, setup), _roles(words, results, setup), limit(words, setup)]
    sentences += [words.say("method_idle_cores") if setup.idle_cores == "poll" else ""]
    sentences += [_stored(words, results, setup), _held(words, results), *_load(words, results), _timed(words, results)]
    of_rounds = results.table("rounds") and all(len(cell.valid_runs) <= 1 for cell in results.cells)
    sentences += [words.say("method_rounds" if of_rounds else "method_intervals"), _decided(words, results)]
    return " ".join(sentence for sentence in sentences if sentence)


def _held(words: Language, results: Results) -> str:
    """Say which level the factors had that did not vary, in a study of several parts: what is acknowledged, for one."""
    if not results.declared.roles:
        return ""
    found = {
        name: {scenario.factors[name] for scenario in results.scenarios.values() if scenario.factors.get(name)}
        for name in results.declared.factors
    }
    said = [
        f"{words.column(name)}: {words.level(name, level) or level}"
        for name, levels in found.items()
        if len(levels) == 1
        for level in levels
    ]
    return words.say("method_held", levels="; ".join(said)) if said else ""


def _settings(results: Results) -> Mapping[str, Any]:
    return (results.campaign.get("profile") or {}).get("settings") or {}


def _timed(words: Language, results: Results) -> str:
    """Say what a time is of: the load generator's elapsed time, or the interval that a study declares."""
    if not results.declared.roles:
        return words.say("method_elapsed")
    began, ended = (results.declared.operation.get(key) for key in ("from", "to"))
    if not isinstance(began, list) or not isinstance(ended, list):
        return ""
    first, last = (words.roles.get(role, role) for role in (began[0], ended[0]))
    return words.say("method_operation", first=first, begin=began[-1], last=last, end=ended[-1])


def _load(words: Language, results: Results) -> list[str]:
    """Say what is particular about the load: open arrivals, the settled part of each run, scenarios measured once."""
    load = _settings(results).get("load") or {}
    calibrated = load.get("arrivals") == "open" and load.get("rate_per_s") == "calibrated"
    said = [
        words.say(phrase)
        for phrase, holds in (("method_open", calibrated), ("method_settled", load.get("window") == "settled"))
        if holds
    ]
    once = sum(measured_once(results.campaign, scenario.factors) for scenario in results.scenarios.values())
    return [*said, words.say("method_once", scenarios=words.count(once, "scenario"))] if once else said


def _decided(words: Language, results: Results) -> str:
    """Say how systems were compared, as the comparisons themselves say; empty where there is none with an interval."""
    methods = [row["method"] for row in results.table("comparisons").rows if row.get("method")]
    within = [method for method in methods if method in WITHIN_BLOCKS]
    if not methods:
        return ""
    margin = words.figures.plain(results.equal_margin_pct)
    said = [words.say("method_within_blocks" if within else "method_of_means", margin=margin)]
    if within and len(within) < len(methods):
        said.append(words.say("method_unpaired", count=words.count(len(methods) - len(within), "comparison")))
    minutes = _settings(results).get("minutes")
    if minutes is not None:
        said.append(words.say("method_looks", minutes=words.figures.plain(minutes)))
    return " ".join(said)


def cores(words: Language, setup: Setup) -> str:
    """Say which cores each role had, in a study of several; empty where that is not known."""
    said = [
        words.say("role_cores", role=words.roles[role], cores=words.say("or").join(_listed(words, one) for one in sets))
        for role, sets in setup.role_cores.items()
        if sets
    ]
    return words.say("cores_of_roles", roles="; ".join(said)) if said else ""


def limit(words: Language, setup: Setup) -> str:
    """Say that the server was held to a share of its cores, or to several; empty where it was not."""
    if setup.server_shares:
        return words.say("limit_shares", percents=_percents(words, setup.server_shares))
    if setup.server_cpu_limit_pct is None:
        return ""
    percent = words.figures.plain(setup.server_cpu_limit_pct)
    return words.say("limit_one" if len(setup.server_cores) == 1 else "limit_many", percent=percent)


def limited_shares(words: Language, setup: Setup) -> str:
    """Say how shares of the server's cores read under that limit; empty where there was none."""
    if setup.server_shares:
        held = [share for share in setup.server_shares if share < 100]
        return words.say("limited_some", percents=_percents(words, held))
    if setup.server_cpu_limit_pct is None:
        return ""
    return words.say("limited_shares", percent=words.figures.plain(setup.server_cpu_limit_pct))


def _percents(words: Language, shares: Sequence[float]) -> str:
    return words.join([words.figures.plain(share) for share in shares])


def _compared(words: Language, results: Results, setup: Setup) -> str:
    campaign = results.campaign
    versions, profile = campaign.get("versions") or {}, campaign.get("profile") or {}
    names = [_versioned(system.name, system.versions) for system in results.systems.values()]
    return words.say(
        "method_compared" if len(names) > 1 else "method_measured",
        systems=words.join(names or [words.figures.missing]),
        lab=f"Upload Lab {versions.get('lab') or ''}".strip(),
        day=words.say("method_day", day=setup.day) if setup.day else "",
        profile=profile.get("name") or words.figures.missing,
        seed=campaign.get("seed", words.figures.missing),
        scenarios=words.count(setup.scenarios, "scenario"),
        repeats=words.counted(_repeats(results, setup), "repeat"),
        fresh=words.say("method_fresh_parts" if results.declared.roles else "method_fresh"),
        load="" if results.declared.roles else words.say("method_load", generators=generators(words, results)),
    )


def _repeats(results: Results, setup: Setup) -> tuple[float, float]:
    """Return the fewest and the most repeats of a cell: where a campaign stops when it is sure, what it might have."""
    settings = _settings(results)
    least, most = settings.get("repeats"), settings.get("most_repeats")
    if settings.get("minutes") is None or least is None or most is None:
        return setup.repeats
    return least, most


def generators(words: Language, results: Results) -> str:
    """Return what made the load; what does not say so is older than the choice."""
    names, versions = results.declared.words.get("generators") or {}, results.campaign.get("versions") or {}
    used = [f"{name} {versions[key]}" for key, name in names.items() if versions.get(key)]
    return words.join(used or [next(iter(names.values()), words.figures.missing)])


def _roles(words: Language, results: Results, setup: Setup) -> str:
    host = [setup.cpu_model, words.count(setup.cores, "core") if setup.cores else ""]
    host += [f"Linux {setup.kernel}" if setup.kernel else ""]
    if setup.virtual_machine:
        host.append(words.say("method_virtual", kind=hypervisor(words, setup)))
    known = ", ".join(part for part in host if part) or words.figures.missing
    if results.declared.roles and setup.same_host:
        said = cores(words, setup)
        return " ".join(part for part in (words.say("method_parts_one_host", host=known), said) if part)
    pair = {"server": _listed(words, setup.server_cores), "injector": _listed(words, setup.injector_cores)}
    pinned = words.say("method_cores", **pair) if all(pair.values()) else ""
    return words.say("method_one_host" if setup.same_host else "method_two_hosts", host=known, cores=pinned)


def hypervisor(words: Language, setup: Setup) -> str:
    """Name the hypervisor."""
    return words.say("unknown_hypervisor") if setup.virtual_machine == "unknown" else setup.virtual_machine


def _stored(words: Language, results: Results, setup: Setup) -> str:
    if results.declared.roles or not setup.disks:
        return ""
    return words.say("method_stored", disks=words.join(list(setup.disks.values())))


def _listed(words: Language, cores: Sequence[int]) -> str:
    return words.join([str(core) for core in cores]) if cores else ""


def _versioned(name: str, versions: Mapping[str, object]) -> str:
    if not versions:
        return name
    return f"{name} ({', '.join(f'{part} {version}' for part, version in versions.items())})"
