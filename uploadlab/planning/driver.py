"""Call a study's driver: an executable with a few verbs that speaks JSON."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec

from uploadlab.errors import LabError
from uploadlab.hosts.host import Host
from uploadlab.last_line import last_line
from uploadlab.planning.study import Study

GATE_FAILED = 1
POLL_S = 0.25
BEGIN = "begin"
GO_ON = "go on"
NO_REASON = "the driver gave no reason."
WITH_FOLDER = ("check", "credentials")


class Gate(msgspec.Struct, kw_only=True):
    """What the harness needs of a gate that a driver judged."""

    name: str
    passed: bool
    sentence: str


class Verified(msgspec.Struct, kw_only=True):
    """What `verify` must say."""

    gate: Gate
    begin: str = BEGIN
    """The line that `load` is told to begin with."""


class Phases(msgspec.Struct, kw_only=True):
    """The measured part of a load, in ns since the epoch."""

    measure_start_ns: int
    measure_end_ns: int


class Counts(msgspec.Struct, kw_only=True):
    """The requests of the measured part: shares are taken of them, so there must be one."""

    requests: Annotated[int, msgspec.Meta(ge=1)]
    errors: Annotated[int, msgspec.Meta(ge=0)]


class MeasuredWindow(msgspec.Struct, kw_only=True):
    """What the harness needs of one of the loads that a run measured."""

    load: str | int
    start_ns: int
    end_ns: int
    mean_ms: float
    counts: Counts
    gates: list[Gate]


class Checked(msgspec.Struct, kw_only=True):
    """What `check` must say; of a run with `windows` their own gates stand there."""

    phases: Phases
    counts: Counts
    load: dict[str, Any]
    gates: list[Gate]
    windows: list[MeasuredWindow] = []


REPLIES: dict[str, type] = {"verify": Verified, "check": Checked}


class GateFailed(LabError):
    """The driver found that a run cannot be valid."""


def ask(
    host: Host,
    study: Study,
    verb: str,
    spec: dict[str, Any],
    folder: Path,
    *,
    cores: Sequence[int] = (),
    env: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Run a verb to its end on a host, its spec in a folder there, and return the JSON object it printed.

    `env` is what the verb may know and the spec, which is kept, may not.

    Raises GateFailed or LabError with the driver's own sentence.
    """
    command = [str(host.path(study.driver)), verb, "--spec", str(write_spec(host, folder, verb, spec))]
    if verb in WITH_FOLDER:
        command += ["--out", str(folder)]
    done = host.run(command, cwd=host.path(study.folder), cores=cores, env=env)
    if done.returncode == GATE_FAILED:
        raise GateFailed(last_line(done.stderr, NO_REASON))
    if done.returncode:
        raise LabError(last_line(done.stderr, NO_REASON))
    try:
        result = json.loads(done.stdout)
    except json.JSONDecodeError as error:
        raise LabError(f"{study.driver} {verb}: printed no JSON: {done.stdout[:80]!r}.") from error
    if not isinstance(result, dict):
        raise LabError(f"{study.driver} {verb}: printed no JSON object.")
    try:
        msgspec.convert(result, REPLIES.get(verb, dict))
    except msgspec.ValidationError as error:
        raise LabError(f"{study.driver} {verb}: printed something unexpected: {error}.") from error
    return result


class Load:
    """A running verb of the driver, `load` or `engine`, whose lines of JSON are followed while it runs.

    A `load` makes itself ready while the server does, and waits for the word to begin.
    """

    def __init__(
        self,
        host: Host,
        study: Study,
        spec: dict[str, Any],
        folder: Path,
        cores: Sequence[int],
        *,
        verb: str = "load",
        name: str = "load",
        env: Mapping[str, str] | None = None,
    ) -> None:
        """Start it on a host; its raw files go to a folder there, its spec and its log are named `name`.

        `env` is what it may know and the spec, which is kept, may not.
        """
        self._host = host
        self._log = folder / f"{name}.log"
        written = write_spec(host, folder, name, spec)
        command = [str(host.path(study.driver)), verb, "--spec", str(written), "--out", str(folder)]
        self.process = host.start(
            name,
            command,
            cwd=host.path(study.folder),
            cores=cores,
            env=env,
            log=self._log,
            piped=True,
            told=verb == "load",
        )

    def begin(self, verified: dict[str, Any]) -> None:
        """Give a `load` the word to begin, as `verify` printed it: the server is there and keeps the contract."""
        self._host.tell(self.process, verified.get("begin", BEGIN))

    def go_on(self) -> None:
        """Tell a `load` that the server's background work is over."""
        self._host.tell(self.process, GO_ON)

    @property
    def last_words(self) -> str:
        """The last line of what it said on standard error."""
        return self._host.last_line(self._log)

    def messages(self, watch: Callable[[], None]) -> Iterator[dict[str, Any]]:
        """Yield each message until it ends; call `watch` a few times a second meanwhile."""
        pending = b""
        while True:
            watch()
            chunk = self.process.read(POLL_S)
            if chunk is None:
                continue
            if not chunk:
                return
            *lines, pending = (pending + chunk).split(b"\n")
            yield from (self._message(line) for line in lines if line.strip())

    def _message(self, line: bytes) -> dict[str, Any]:
        try:
            message = json.loads(line)
        except ValueError:
            message = None
        if not isinstance(message, dict):
            said = line[:80].decode(errors="replace")
            raise LabError(f"{self._log.stem}: printed no JSON object, but: {said}")
        return message

    def follow(self, watch: Callable[[], None]) -> Iterator[dict[str, Any]]:
        """Yield each message of the load until it ends; call `watch` a few times a second meanwhile.

        Raises LabError with the driver's sentence when the load ends with another code than 0.
        """
        yield from self.messages(watch)
        if code := self.stop():
            raise LabError(f"The load generator ended with code {code}: {self.last_words}")

    def stop(self) -> int:
        """Ask it to end, and return its exit code."""
        return self._host.stop(self.process, timeout_s=30)


def write_spec(host: Host, folder: Path, verb: str, spec: dict[str, Any]) -> Path:
    """Write what a verb is told into a folder of a host, and return where."""
    path = folder / f"{verb}.spec.json"
    host.write(path, json.dumps(spec, indent=1))
    return path
