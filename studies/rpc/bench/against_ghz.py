"""What a call costs the gRPC server in CPU: one of our client beside one of ghz, a load generator of others.

Ours and theirs, theirs and ours, and so on, on the same warm server. Printed are the means over the pairs, the mean
ratio with its 95 % interval (Student's t on the ratios' logarithms), and whether all of it is within what is wanted. A
load is to be so long that the kernel's ticks of 10 ms are below a hundredth of what the server uses.
"""

import argparse
import json
import math
import signal
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

RPC = Path(__file__).parents[1]
sys.path.insert(0, str(RPC / "tests"))
from rpc_ghz import METHODS, TICK_S, Server, build_ghz, serving  # noqa: E402 (the path above comes first)

from uploadlab.hosts.ports import free_port  # noqa: E402 (the path above comes first)
from uploadlab.statistics.intervals import t_quantile  # noqa: E402 (the path above comes first)

WANTED_PCT = 15.0
MOST_OF_TICKS = 0.01


def main() -> int:
    """Measure each operation; the exit code is 1 where the server surely spends more on the one than is wanted."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that what was started ends too
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=10, help="pairs of each operation (default: 10)")
    parser.add_argument("--calls", type=int, default=20_000, help="calls of a load (default: 20,000)")
    parser.add_argument("--cores", default="0,1", help="of the server and of the loads (default: 0,1)")
    parser.add_argument("--only", default="", help=f"one operation: {', '.join(METHODS)}")
    parser.add_argument("--json", action="store_true", help="print every figure as JSON instead")
    asked = parser.parse_args()
    on_server, on_load = (int(core) for core in asked.cores.split(","))
    found = []
    with tempfile.TemporaryDirectory(prefix="upload-lab-") as work:
        ghz = build_ghz(Path(work))
        for operation in METHODS:
            if asked.only not in ("", operation):
                continue
            folder = Path(work) / operation
            folder.mkdir()
            port, cores = free_port(), (on_server, on_load)
            with serving(folder, port, ghz=ghz, operation=operation, calls=asked.calls, cores=cores) as server:
                pairs = [_pair(server, ours_first=number % 2 == 0) for number in range(asked.pairs)]
            found.append({"operation": operation, "calls": asked.calls, **judged(pairs, wanted_pct=WANTED_PCT)})
            _check_ticks(found[-1])
            if not asked.json:
                print(_line(found[-1]), flush=True)
    if asked.json:
        print(json.dumps(found, indent=2))
    return int(any("apart" in one["verdict"] for one in found))


def _pair(server: Server, *, ours_first: bool) -> tuple[float, float]:
    if ours_first:
        return server.us_of_ours(), server.us_of_theirs()
    of_theirs = server.us_of_theirs()
    return server.us_of_ours(), of_theirs


def judged(pairs: Sequence[tuple[float, float]], *, wanted_pct: float) -> dict[str, Any]:
    """Return the figures of pairs of µs, ours and theirs: each, the mean ratio with its interval, and a verdict."""
    ours, theirs = zip(*pairs, strict=True)
    logs = [math.log(a / b) for a, b in pairs]
    middle = statistics.fmean(logs)
    half = t_quantile(len(logs) - 1) * statistics.stdev(logs) / math.sqrt(len(logs)) if len(logs) > 1 else math.inf
    most = math.log1p(wanted_pct / 100)
    verdict = "can't tell"
    if abs(middle) + half <= most:
        verdict = f"within {wanted_pct:g} %"
    elif abs(middle) - half > most:
        verdict = f"more than {wanted_pct:g} % apart"
    return {
        "ours_us": list(ours),
        "ghz_us": list(theirs),
        "ratio": math.exp(middle),
        "lo": math.exp(middle - half),
        "hi": math.exp(middle + half) if math.isfinite(half) else None,
        "wanted_pct": wanted_pct,
        "verdict": verdict,
    }


def _check_ticks(found: dict[str, Any]) -> None:
    used_s = min(*found["ours_us"], *found["ghz_us"]) * found["calls"] / 1e6
    if MOST_OF_TICKS * used_s < TICK_S:
        print(f"{found['operation']}: a load used {used_s:.2f} s of CPU; choose more --calls.", file=sys.stderr)


def _line(found: dict[str, Any]) -> str:
    ours, theirs = (statistics.fmean(found[whose]) for whose in ("ours_us", "ghz_us"))
    hi = "?" if found["hi"] is None else f"{found['hi']:.3f}"
    return (
        f"{found['operation']:<12}{ours:>8.1f} µs by ours{theirs:>8.1f} µs by ghz, ratio {found['ratio']:.3f} "
        f"({found['lo']:.3f} to {hi}, {len(found['ours_us'])} pairs): {found['verdict']}"
    )


if __name__ == "__main__":
    sys.exit(main())
