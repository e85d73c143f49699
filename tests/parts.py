"""A small campaign of four systems of two parts, by its tables: known figures, a paper's timer beside round trips."""

import json
from collections.abc import Mapping, Sequence
from itertools import combinations, product
from pathlib import Path
from typing import Any

from handmade import write_table

from uploadlab.results.campaign import Campaign
from uploadlab.tables.declared_tables import write_declared_tables

SYSTEMS = {"berkeley": "Berkeley", "zeromq": "ZeroMQ", "nanomsg": "nanomsg", "nng": "nng"}
ROUND_TRIP_MS = {"berkeley": 0.070, "zeromq": 0.100, "nanomsg": 0.125, "nng": 0.1255}
REPEATS = 5
FACTORS = ("loop", "rate_per_s", "message_bytes")
METRICS = {"mean_ms": False, "server_loop_mean_ms": False, "delivered_per_s": True}
DECLARED: dict[str, Any] = {
    "words": {"operation": {"en": "message", "pt": "mensagem"}, "operations": {"en": "messages", "pt": "mensagens"}},
    "roles": {
        "responder": {"place": "server", "measured": True},
        "requester": {"place": "injector", "measured": True, "sends": True},
    },
    "factors": {
        "loop": {"cell": "{}", "describe": "who waits for whom"},
        "rate_per_s": {"cell": "r{}", "describe": "messages due a second", "unmarked": 0},
        "message_bytes": {"cell": "b{}", "describe": "bytes of a message", "axis": {"scale": "log", "unit": "B"}},
    },
    "operation": {"from": ["requester", "sent"], "to": ["requester", "answered"]},
    "metrics": {
        "response": {
            "column": "mean_ms",
            "unit": "ms",
            "name": {"en": "round trip", "pt": "tempo de ida e volta"},
        },
        "paper": {
            "column": "server_loop_mean_ms",
            "unit": "ms",
            "name": {"en": "paper's timer", "pt": "cronômetro do artigo"},
        },
        "throughput": {
            "column": "delivered_per_s",
            "unit": "messages/s",
            "better": "higher",
            "name": {"en": "throughput", "pt": "vazão"},
        },
    },
    "report": {"questions": ["response", "throughput"]},
    "tables": {
        "table2": {
            "paper": {"en": "Table 2", "pt": "Tabela 2"},
            "title": {"en": "Lines of a client", "pt": "Linhas de um cliente"},
            "rows": ["system"],
            "value": ["lines", "ease"],
            "published": "table2.csv",
        },
        "round_trips": {
            "title": {"en": "Round trips", "pt": "Idas e voltas"},
            "rows": ["message_bytes"],
            "columns": ["system"],
            "value": "response",
            "where": {"loop": "ping_pong"},
            "published": "round_trips.csv",
        },
    },
    "figures": {
        "grafico1": {
            "paper": "Gráfico 1",
            "kind": "by_system",
            "y": "paper",
            "beside": "response",
            "where": {"loop": "paced", "rate_per_s": 30, "message_bytes": 10240},
        },
        "grafico5": {
            "paper": "Gráfico 5",
            "kind": "by_level",
            "x": "message_bytes",
            "y": "throughput",
            "where": {"loop": "ping_pong"},
            "published": "grafico5.csv",
        },
    },
}
SCENARIOS = [("paced", 30, 10240), *(("ping_pong", 0, size) for size in (100, 10240, 102400))]


def write_parts(folder: Path, systems: Sequence[str] = tuple(SYSTEMS), **declared: object) -> Path:
    """Write the campaign: campaign.json, published numbers, runs.csv and comparisons.csv; return its folder."""
    rows = [
        _run(levels, system, repeat) for levels, system, repeat in product(SCENARIOS, systems, range(1, REPEATS + 1))
    ]
    document = {
        "schema": 1,
        "study": {"id": "echo", "title": "Sockets", **DECLARED, **declared},
        "profile": {"name": "quick", "settings": {}},
        "seed": 7,
        "systems": {
            key: {"name": SYSTEMS[key], "stack": "current", "facts": {"lines": 9 + 2 * place}}
            for place, key in enumerate(systems)
        },
        "rig": {"roles": {"server": {"host": "local", "cores": [0]}, "injector": {"host": "local", "cores": [1]}}},
        "runs": [
            {
                **{key: row[key] for key in ("cell", "repeat", "system", "stack")},
                "factors": {name: row[name] for name in FACTORS},
            }
            for row in rows
        ],
    }
    (folder / "published").mkdir(parents=True)
    (folder / "campaign.json").write_text(json.dumps(document), encoding="utf-8")
    (folder / "published" / "table2.csv").write_text("system,lines,ease\nberkeley,23,Pouco\nzeromq,9,Muito\n")
    (folder / "published" / "grafico5.csv").write_text("system,message_bytes,throughput\nberkeley,102400,9000\n")
    (folder / "published" / "round_trips.csv").write_text("system,message_bytes,response\nzeromq,102400,0.5\n")
    write_table(folder / "analysis" / "runs.csv", tuple(rows[0]), rows)
    campaign = Campaign(folder=folder, record=document, runs=(), damaged=())
    write_declared_tables(folder / "analysis" / "tables", campaign, [{**row, "valid": True} for row in rows])
    comparisons = list(_comparisons(rows, systems))
    write_table(folder / "analysis" / "comparisons.csv", tuple(comparisons[0]), comparisons)
    return folder


def _run(levels: tuple[str, int, int], system: str, repeat: int) -> dict[str, object]:
    loop, rate, size = levels
    scatter = 1 + 0.004 * (repeat - (REPEATS + 1) / 2)
    mean_ms = ROUND_TRIP_MS[system] * (1 + size / 51200) * scatter
    scenario = f"{loop}-r{rate}-b{size}"
    return {
        "cell": f"{scenario}-{system}",
        "scenario": scenario,
        "system": system,
        "stack": "current",
        **dict(zip(FACTORS, levels, strict=True)),
        "threads": "",
        "repeat": f"{repeat:02d}",
        "block": repeat,
        "order": repeat,
        "status": "complete",
        "valid": "true",
        "reason": "",
        "requests": 10_000,
        "errors": 0,
        "error_pct": 0,
        "mean_ms": mean_ms,
        "server_loop_mean_ms": 1000 / rate * scatter if rate else mean_ms,
        "delivered_per_s": rate or 1000 / mean_ms,
    }


def _comparisons(rows: Sequence[Mapping[str, Any]], systems: Sequence[str]) -> Any:
    for scenario, metric in product(dict.fromkeys(row["scenario"] for row in rows), METRICS):
        for a, b in combinations(systems, 2):
            values = {
                key: [row[metric] for row in rows if (row["scenario"], row["system"]) == (scenario, key)]
                for key in (a, b)
            }
            ratio = sum(values[a]) / sum(values[b])
            low, high = 0.98 * ratio, 1.02 * ratio
            lower = a if high < 1 else b if low > 1 else ""
            equal = low > 1 / 1.05 and high < 1.05
            better = "" if equal or not lower else ({a: b, b: a}[lower] if METRICS[metric] else lower)
            yield {
                **{"scenario": scenario, "metric": metric, "system_a": a, "system_b": b, "ratio": ratio},
                **{"lo": low, "hi": high, "n_a": REPEATS, "n_b": REPEATS, "better": better},
                "verdict": "equal within 5 %" if equal else "decided" if better else "can't tell",
            }
