"""Who is measured: the floors, and the servers with the settings asked for."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from uploadlab.commands.choice import choose_systems
from uploadlab.errors import LabError
from uploadlab.planning.study import Study
from uploadlab.planning.system import Sut, choose

COMPONENT = Path(__file__).resolve().parents[2]
PARSING_FLOOR = "parsing floor"
RAW_FLOOR = "raw floor"
NODE_FLOOR = "node floor"


@dataclass(frozen=True)
class Target:
    """The least that a server's own runtime and libraries need, and how much more it may need, from some size on."""

    floor: str
    cpu_ratio: float
    from_bytes: int = 23 * 1024


TARGETS = {"node": Target(NODE_FLOOR, 1.25), "tomcat": Target(PARSING_FLOOR, 1.5)}


@dataclass(frozen=True, kw_only=True)
class Contestant:
    """A server or a floor, under the name the table gives it."""

    name: str
    sut: Sut
    stores_the_whole_body: bool = False
    target: Target | None = None


def floors() -> list[Contestant]:
    """Return the two floors of least work: the form parsed into a file, and the whole body put into one."""
    folder = COMPONENT / "floors" / "java"
    return [
        Contestant(name=PARSING_FLOOR, sut=choose(folder, "parse", {})),
        Contestant(name=RAW_FLOOR, sut=choose(folder, "raw", {}), stores_the_whole_body=True),
    ]


def library_floors() -> list[Contestant]:
    """Return the floors that use an HTTP library, those of the servers among them; Go's only where there is Go."""
    named = {"node": ("node", "parse"), "express": ("node", "express"), "servlet": ("servlet", "raw")}
    named |= {"go": ("go", "parse")} if shutil.which("go") else {}
    return [
        Contestant(
            name=f"{name} floor",
            sut=choose(COMPONENT / "floors" / folder, stack, {}),
            stores_the_whole_body=stack == "raw",
        )
        for name, (folder, stack) in named.items()
    ]


def server(study: Study, text: str) -> Contestant:
    """Return the server that `SYSTEM[@STACK][,SETTING=VALUE]...` names; LabError when there is none."""
    key, *settings = text.split(",")
    name, _, stack = key.partition("@")
    for setting in settings:
        if "=" not in setting:
            raise LabError(f"--server {text}: expected SYSTEM[@STACK][,SETTING=VALUE]..., like tomcat,max_threads=25.")
    [sut] = choose_systems(study, [name], [stack or "current"], [f"{name}.{setting}" for setting in settings])
    return Contestant(name=text, sut=sut, target=TARGETS.get(name) if sut.stack_name == "current" else None)
