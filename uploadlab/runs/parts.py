"""The parts of a system in one run: which there are, on which cores and ports, and what each is told to begin with."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from uploadlab.errors import LabError
from uploadlab.hosts.host import Host
from uploadlab.hosts.link import LOOPBACK, Ethernet
from uploadlab.hosts.processes import Process
from uploadlab.planning.placement import Placement
from uploadlab.planning.study import Level, PartRole
from uploadlab.planning.system import Helper, PartHealth, Start, Sut, as_text
from uploadlab.runs.server import OPEN_FILES, wait_until_ready

SERVER, INJECTOR = "server", "injector"
Environment = dict[str, str]


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """One process of a system: the number `index` of its role."""

    role: str
    index: int
    start: Start
    place: str
    """Whose host of the rig it runs on: the server's or the injector's."""
    cores: list[int]
    host: str
    port: int
    ports: dict[str, int]
    enter: list[str] = []
    """What its commands begin with where it is in a network of its own."""

    @property
    def name(self) -> str:
        """`requester-0`: what its files are called."""
        return f"{self.role}-{self.index}"

    @property
    def address(self) -> str:
        """Where the others reach it."""
        return f"{self.host}:{self.port}"


class RunningPart(msgspec.Struct, kw_only=True):
    """A part that was started on a host, the helpers beside it, and where its log is."""

    part: Part
    host: Host
    process: Process
    helpers: list[Process]
    log: Path

    @property
    def last_words(self) -> str:
        """The last line of its log."""
        return self.host.last_line(self.log)

    @property
    def pids(self) -> list[int]:
        """Its process and its helpers'."""
        return [self.process.pid, *(helper.pid for helper in self.helpers)]


def parts_of(
    roles: Mapping[str, PartRole], sut: Sut, factors: Mapping[str, Level], place: Placement
) -> dict[str, list[Part]]:
    """Return the parts of a run by role, in the order in which they are started, with ports that nobody listens on.

    Raises LabError when the system does not say how a role is started.
    """
    found: dict[str, list[Part]] = {}
    for name, role in roles.items():
        if name not in sut.stack.parts:
            raise LabError(
                f"{sut.folder / 'sut.toml'}: stacks.{sut.stack_name}.start.{name} is missing; expected a table with "
                "the command that starts this role."
            )
        start = sut.stack.parts[name]
        found[name] = []
        count = int(factors[role.count] if isinstance(role.count, str) else role.count)
        for index, (where, cores) in zip(range(count), _cores(role, place), strict=False):
            host = host_of(place, where)
            numbers = [host.free_port() for _ in range(1 + len(start.ports))]
            found[name].append(
                Part(
                    role=name,
                    index=index,
                    start=start,
                    place=where,
                    cores=cores,
                    host=host.address,
                    port=numbers[0],
                    ports=dict(zip(start.ports, numbers[1:], strict=True)),
                )
            )
    return found


def host_of(place: Placement, where: str) -> Host:
    """Return the host of the rig's server or injector, which may be one."""
    return place.server if where == SERVER else place.injector


def joined(parts: Mapping[str, Sequence[Part]], network: Ethernet) -> dict[str, list[Part]]:
    """Return parts as the ends of a network; LabError for one whose port the lab itself would have to reach."""
    ends = iter(range(len(network.addresses)))
    return {role: [_at(network, next(ends), part) for part in some] for role, some in parts.items()}


def _at(network: Ethernet, end: int, part: Part) -> Part:
    if not part.start.conducted or any(helper.ready for helper in part.start.helpers):
        raise LabError(
            f"{part.name} is ready when its port answers, and the lab cannot reach a port over this link; choose "
            f"--links {LOOPBACK}."
        )
    return msgspec.structs.replace(part, host=network.addresses[end], enter=network.entering(end))


def _cores(role: PartRole, place: Placement) -> Iterator[tuple[str, list[int]]]:
    """Yield whose host each part of a role runs on, and on which of its cores, in turn."""
    while True:
        if role.place == "all":
            yield from ((where, [core]) for where in (SERVER, INJECTOR) for core in place.cores(where))
        else:
            yield role.place, place.cores(role.place)


def environments(
    parts: Mapping[str, Sequence[Part]], sut: Sut, settings: Mapping[str, Any], common: Mapping[str, str]
) -> dict[str, Environment]:
    """Return what each part is told by its environment, by its name.

    `settings` are the scenario's factors and load: every number, text and switch of them becomes a variable in upper
    case. `common` is the same for all parts.
    """
    told = {
        name.upper(): as_text(value) for name, value in settings.items() if isinstance(value, (bool, int, float, str))
    }
    addresses = {f"{role.upper()}_ADDRESSES": ",".join(part.address for part in some) for role, some in parts.items()}
    return {
        part.name: {
            **told,
            **sut.environment(),
            **part.start.env,
            **addresses,
            **common,
            "ROLE": part.role,
            "INDEX": str(part.index),
            "COUNT": str(len(some)),
            "HOST": part.host,
            "PORT": str(part.port),
            **{f"{name.upper()}_PORT": str(port) for name, port in part.ports.items()},
        }
        for some in parts.values()
        for part in some
    }


def start_part(host: Host, sut: Sut, part: Part, environment: Environment, log: Path) -> RunningPart:
    """Start a part's helpers and the part, and wait until what is not conducted is ready; LabError when it is not."""
    folder = host.path(sut.folder)
    helpers = [_start_helper(host, part, helper, environment, folder, log) for helper in part.start.helpers]
    health = part.start.health or PartHealth()
    if not part.start.conducted:
        for variable in _own_ports(part, health):
            _refuse_taken(host, part.name, environment, variable)
    process = host.start(
        f"{sut.key} {part.name}",
        [*part.enter, *part.start.command],
        cwd=folder,
        cores=part.cores,
        env=environment,
        log=log,
        piped=part.start.conducted,
        told=part.start.conducted,
        open_files=OPEN_FILES,
    )
    running = RunningPart(part=part, host=host, process=process, helpers=helpers, log=log)
    if not part.start.conducted:
        _wait_until_ready(host, part.name, process, health, environment, folder, log)
    return running


def _start_helper(host: Host, part: Part, helper: Helper, environment: Environment, folder: Path, log: Path) -> Process:
    own = environment | helper.env
    if helper.ready:
        _refuse_taken(host, f"{part.name}'s {helper.command[0]}", own, helper.ready.port)
    process = host.start(
        f"{part.name} helper",
        [*part.enter, *helper.command],
        cwd=folder,
        cores=part.cores,
        env=own,
        log=log,
        open_files=OPEN_FILES,
    )
    if helper.ready:
        _wait_until_ready(host, f"{part.name}'s {helper.command[0]}", process, helper.ready, own, folder, log)
    return process


def _own_ports(part: Part, health: PartHealth) -> list[str]:
    """Return the variables of the ports that it listens on itself, and no helper beside it."""
    of_helpers = {helper.ready.port for helper in part.start.helpers if helper.ready}
    return [health.port, *sorted({f"{name.upper()}_PORT" for name in part.ports} - of_helpers)]


def _refuse_taken(host: Host, name: str, environment: Environment, variable: str) -> None:
    """Raise LabError where the port is another's by now: whoever answers there would be taken for the part."""
    port = environment[variable]
    if host.listens(int(port)):
        raise LabError(f"{name} was not started: another program listens on its port {port}.")


def _wait_until_ready(
    host: Host, name: str, process: Process, health: PartHealth, environment: Environment, folder: Path, log: Path
) -> None:
    def is_ready(left_s: float) -> bool:
        limited = ["timeout", "--signal=KILL", f"{left_s:.3f}", "env", *variables, *health.command]
        return host.listens(port) and (not health.command or host.run(limited, cwd=folder).returncode == 0)

    port, variables = int(environment[health.port]), [f"{key}={value}" for key, value in environment.items()]
    wait_until_ready(host, name, process, log, is_ready, health.timeout_s, "was not ready")
