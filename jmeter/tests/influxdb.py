"""Debian's InfluxDB in a temporary folder, asked as Grafana asks it."""

import json
import re
import subprocess
import urllib.parse
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from waiting import PATIENCE_S, wait_for

from uploadlab.hosts.ports import free_port, is_listened_on

DATABASE = "upload_lab"
CONFIGURATION = """
reporting-disabled = true
bind-address = "127.0.0.1:{rpc}"
[meta]
  dir = "{folder}/meta"
[data]
  dir = "{folder}/data"
  wal-dir = "{folder}/wal"
[http]
  bind-address = "127.0.0.1:{http}"
  log-enabled = false
[monitor]
  store-enabled = false
"""


@dataclass
class InfluxDB:
    """Runs while `with` lasts, on free ports of the loopback; `folder` is its own."""

    folder: Path

    def __enter__(self) -> Self:
        rpc, http = free_port(), free_port()
        configuration = self.folder / "influxdb.conf"
        configuration.write_text(CONFIGURATION.format(folder=self.folder, rpc=rpc, http=http))
        self.url = f"http://127.0.0.1:{http}"
        self.write_url = f"{self.url}/write?db={DATABASE}"
        with (self.folder / "influxd.log").open("wb") as log:
            self._process = subprocess.Popen(["influxd", "-config", configuration], stdout=log, stderr=log)
        wait_for(lambda: is_listened_on("127.0.0.1", http), beside=self._process, pause_s=0.1)
        self.ask(f"CREATE DATABASE {DATABASE}")
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(PATIENCE_S)

    def ask(self, query: str) -> list[dict[str, Any]]:
        """Return the series that a query of InfluxQL finds: their tags, columns and values; times are epoch ms."""
        asked = urllib.parse.urlencode({"db": DATABASE, "epoch": "ms", "q": query}).encode()
        with urllib.request.urlopen(f"{self.url}/query", data=asked, timeout=PATIENCE_S) as answer:
            (result,) = json.load(answer)["results"]
        assert "error" not in result, f"{result['error']}: {query}"
        return result.get("series", [])


def as_grafana_asks(query: str, values: dict[str, str], *, from_ms: int, to_ms: int, every_ms: int) -> str:
    """Return a query with its variables and macros filled in as Grafana's documentation describes.

    `$timeFilter` is the time shown, `$__interval` and `$__interval_ms` the width of a point; `${name}` is a variable's
    value, `${name:regex}` the same escaped for a regular expression. The value for All is the variable's own and is not
    escaped.
    """
    filled = query.replace("$timeFilter", f"time >= {from_ms}ms and time <= {to_ms}ms")
    filled = filled.replace("$__interval_ms", str(every_ms)).replace("$__interval", f"{every_ms}ms")
    return re.sub(r"\$\{(\w+)(:regex)?\}", lambda match: _value(values[match[1]], escaped=bool(match[2])), filled)


def _value(value: str, *, escaped: bool) -> str:
    """Escape what a regular expression reads as more than itself, as Grafana's regex format does."""
    return re.sub(r"[\\^$.*+?()\[\]{}|]", r"\\\g<0>", value) if escaped and value != ".*" else value
