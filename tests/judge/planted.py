#!/usr/bin/env python3
"""Judge one planted change many times, and count the verdicts: how often is it found, how often is none a false alarm?

.venv/bin/python tests/judge/planted.py cpu 20 --minutes 10
.venv/bin/python tests/judge/planted.py none 20 --minutes 10 --beside
"""

import argparse
import contextlib
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from planted_app import CHANGES, make_app

LAB = Path(__file__).parents[2] / "lab"
A_THIRD = """
import time
while True:
    end = time.perf_counter() + 0.01
    while time.perf_counter() < end:
        pass
    time.sleep(0.02)
"""


def main() -> int:
    """Print a line for each judgement, then how often each verdict was given; return 0."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("change", choices=CHANGES)
    parser.add_argument("times", type=int)
    parser.add_argument("--beside", action="store_true", help="beside a process that takes a third of a core")
    parser.add_argument("--out", type=Path, default=Path("planted"), help="where the judgements are kept")
    asked, options = parser.parse_known_args()
    counted: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder, _another_program() if asked.beside else contextlib.nullcontext():
        app = make_app(Path(folder) / "photos")
        for number in range(1, asked.times + 1):
            out = (asked.out / f"{asked.change}-{number:02}").resolve()
            command = [LAB, "judge", "main", asked.change, "--seed", str(number), "--out", out, *options]
            done = subprocess.run(command, cwd=app, capture_output=True, text=True, check=False)
            counted[_told(number, out / "judge.json", done)] += 1
    print(f"{asked.change}: {', '.join(f'{verdict} {count}' for verdict, count in counted.most_common())}")
    return 0


def _told(number: int, path: Path, done: "subprocess.CompletedProcess[str]") -> str:
    last = (done.stderr.strip().splitlines() or [""])[-1]
    if not path.exists():
        print(f"{number:02} could not be judged: {last}", flush=True)
        return "none"
    judged = json.loads(path.read_text())
    print(
        f"{number:02} {judged['blocks']} blocks, {judged['minutes']:.1f} min, {judged['verdict']}: {last}", flush=True
    )
    return str(judged["verdict"])


@contextlib.contextmanager
def _another_program() -> Iterator[None]:
    program = subprocess.Popen([sys.executable, "-c", A_THIRD])
    try:
        yield
    finally:
        program.kill()
        program.wait()


if __name__ == "__main__":
    sys.exit(main())
