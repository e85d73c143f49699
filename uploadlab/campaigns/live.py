"""`--live PORT`: a page of the campaign while it runs, its progress each second and the report so far."""

import functools
import http.server
import json
import threading
from importlib.resources import files
from pathlib import Path
from typing import Any, ClassVar

from uploadlab.campaigns.report import MADE, report
from uploadlab.errors import LabError

HOST = "127.0.0.1"


class LivePage:
    """Serves a campaign's report to browsers of this machine; shows what it is told, and only that."""

    def __init__(self, folder: Path, port: int) -> None:
        """Listen on a port (0: any free one); LabError when it is taken."""
        self._folder = folder
        self._state: dict[str, Any] = {"line": "starting", "share": 0.0, "standings": [], "reports": 0}
        self._state |= {"requests": 0, "errors": 0, "per_s": 0.0}
        of_this_page = type("_HandlerOfThisPage", (_Handler,), {"state": self._state})
        handler = functools.partial(of_this_page, directory=str(folder / "report"))
        try:
            self._server = http.server.ThreadingHTTPServer((HOST, port), handler)
        except OSError as error:
            raise LabError(f"--live {port}: {error.strerror}; choose another port.") from error
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://{HOST}:{self._server.server_address[1]}/"

    def show(self, line: str, share: float) -> None:
        """Say where the campaign is, and which share of it is over."""
        self._state |= {"line": line, "share": round(share, 3)}

    def show_load(self, requests: int, errors: int, per_s: float) -> None:
        """Say what the running load has done so far."""
        self._state |= {"requests": requests, "errors": errors, "per_s": per_s}

    def show_standings(self, lines: list[str]) -> None:
        """Say what the time that is left is spent on, and where each scenario stands."""
        self._state["standings"] = lines

    def refresh_report(self) -> None:
        """Recompute the report from the runs there are; between runs, so that none is disturbed."""
        self._state["reports"] += report(self._folder, quiet=True) in MADE

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()


METRICS = {
    "requests": "Requests of the running load so far.",
    "errors": "Failed requests of the running load so far.",
    "per_s": "Requests a second of the running load.",
    "share": "Share of the campaign that is over.",
    "reports": "Reports computed since the start.",
}


def metrics(values: dict[str, Any]) -> str:
    """Return the progress in the text format of Prometheus, version 0.0.4."""
    return "".join(
        f"# HELP uploadlab_{name} {text}\n# TYPE uploadlab_{name} gauge\nuploadlab_{name} {values[name]}\n"
        for name, text in METRICS.items()
    )


class _Handler(http.server.SimpleHTTPRequestHandler):
    """The page, the progress, and the files of the campaign's `report` folder."""

    state: ClassVar[dict[str, Any]]

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path == "/":
            self._answer("text/html; charset=utf-8", files("uploadlab.campaigns").joinpath("live.html").read_bytes())
        elif path == "/progress.json":
            self._answer("application/json", json.dumps(self.state).encode())
        elif path == "/metrics":
            self._answer("text/plain; version=0.0.4; charset=utf-8", metrics(self.state).encode())
        elif path.startswith("/report/"):
            self.path = self.path.removeprefix("/report")  # what the inherited method serves lies in that folder
            super().do_GET()
        else:
            self.send_error(404)

    def do_HEAD(self) -> None:
        self.send_error(405)

    def _answer(self, kind: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Keep the terminal for the campaign's progress."""
