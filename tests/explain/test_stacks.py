"""What is read from the three profilers' files, and whose time it is."""

import json
from pathlib import Path

import pytest

from uploadlab.explain.explained import PROFILED_FILE, Profiled, explained
from uploadlab.explain.flame import flame_graph
from uploadlab.explain.stacks import Stack, of_java, of_node, of_perf, own_packages, stacks_in


def frame(name: str, url: str = "", line: int = 0) -> dict[str, object]:
    return {"functionName": name, "url": url, "lineNumber": line}


def test_v8s_profile_is_time_by_stack_without_what_was_idle(tmp_path: Path) -> None:
    nodes = [
        {"id": 1, "callFrame": frame("(root)"), "children": [2, 3, 6]},
        {"id": 2, "callFrame": frame("(idle)")},
        {"id": 3, "callFrame": frame("emit", "node:events", 9), "children": [4, 5]},
        {"id": 4, "callFrame": frame("", "file:///srv/app/server.js", 11)},
        {"id": 5, "callFrame": frame("push", "/srv/app/node_modules/busboy/lib/index.js", 4)},
        {"id": 6, "callFrame": frame("(garbage collector)")},
    ]
    profile = {"nodes": nodes, "samples": [2, 4, 5, 6, 4, 3], "timeDeltas": [9000, 1000, 2000, 500, 3000, 250]}
    (tmp_path / "node-1.cpuprofile").write_text(json.dumps(profile))
    found = {stack.frames: (stack.place, round(stack.seconds, 6)) for stack in of_node(tmp_path / "node-1.cpuprofile")}
    assert found == {
        ("emit node:events:10",): ("runtime", 0.00025),
        ("emit node:events:10", "(anonymous) server.js:12"): ("own", 0.004),
        ("emit node:events:10", "push busboy/lib/index.js:5"): ("library", 0.002),
        ("(garbage collector)",): ("gc", 0.0005),
    }
    assert stacks_in(tmp_path, tmp_path, [])[0] == "V8's profiler"


def test_async_profilers_stacks_tell_kernel_collector_java_libraries_and_own_code(tmp_path: Path) -> None:
    source = tmp_path / "src" / "Upload.java"
    source.parent.mkdir()
    source.write_text("/* a servlet */\npackage org.example.upload;\n\nclass Upload {}\n")
    lines = [
        "java/lang/Thread.run_[j];org/example/upload/Upload.doPost_[j] 5",
        "java/lang/Thread.run_[j];org/apache/catalina/Valve.invoke_[1] 4",
        "java/lang/Thread.run_[j];org/apache/catalina/Valve.invoke_[j];java/util/HashMap.get_[i] 3",
        "java/lang/Thread.run_[j];sun/nio/ch/IOUtil.write_[0];__send;do_syscall_64_[k] 2",
        "thread_native_entry;GangWorker::run;G1ParTask::work 1",
        "thread_native_entry;CompileBroker::compiler_thread_loop 7",
    ]
    (tmp_path / "java-1.stacks").write_text("\n".join(lines) + "\n")
    packages = own_packages(tmp_path)
    assert packages == ["org/example/upload"]
    stacks = list(of_java(tmp_path / "java-1.stacks", packages))
    assert [stack.place for stack in stacks] == ["own", "library", "runtime", "kernel", "gc", "runtime"]
    assert stacks[2].frames[-1] == "java/util/HashMap.get"
    assert [stack.seconds for stack in stacks] == pytest.approx([0.005, 0.004, 0.003, 0.002, 0.001, 0.007])


def test_perfs_stacks_of_go_and_of_others_are_read_from_the_inside_out(tmp_path: Path) -> None:
    text = """\
server 12
\t  55d1 main.upload (/srv/app/server)
\t  55d2 runtime.goexit.abi0 (/srv/app/server)

server 12
\t  55d1 github.com/gin-gonic/gin.(*Context).Next (/srv/app/server)
\t  55d2 runtime.goexit.abi0 (/srv/app/server)

server 12
\t  55d1 net/http.(*conn).serve (/srv/app/server)
\t  55d2 runtime.goexit.abi0 (/srv/app/server)

server 12
\t  55d1 runtime.scanobject (/srv/app/server)
\t  55d2 runtime.gcBgMarkWorker (/srv/app/server)

server 12
\tffff81 do_sys_write ([kernel.kallsyms])

python3 12
\t  7f01 parse (/srv/app/.venv/lib/site-packages/parser.so)

python3 12
\t  7f01 [unknown] (/usr/bin/python3)
"""
    path = tmp_path / "perf.stacks"
    path.write_text(text)
    stacks = list(of_perf(path, Path("/srv/app")))
    assert [stack.place for stack in stacks] == ["own", "library", "runtime", "gc", "kernel", "library", "runtime"]
    assert stacks[0].frames == ("runtime.goexit.abi0", "main.upload")


def test_the_kernels_share_is_the_cores_and_what_nothing_accounts_for_is_the_runtimes(tmp_path: Path) -> None:
    folder = tmp_path / "explain" / "s05-node"
    folder.mkdir(parents=True)
    (folder / "java-1.stacks").write_text("org/own/A.run_[j] 1000\norg/library/B.run_[j] 2000\n")
    columns = "time_ns,cpu_user_ticks,cpu_system_ticks,cpu_softirq_ticks,role_cpu_ns\n"
    (folder / "server.samples.csv").write_text(columns + "1,100,50,10,0\n2,700,350,110,10000000000\n")
    said = Profiled(cell="s05-node", system="node", folder=str(tmp_path), packages=["org/own"])
    (folder / PROFILED_FILE).write_text(
        json.dumps({"cell": said.cell, "system": said.system, "folder": said.folder, "packages": said.packages})
    )
    (found,) = explained(tmp_path)
    assert found.profiler == "async-profiler"
    assert found.shares == pytest.approx({"kernel": 0.4, "gc": 0.0, "runtime": 0.3, "library": 0.2, "own": 0.1})


def test_a_flame_graph_shows_each_frame_as_wide_as_its_share() -> None:
    stacks = [Stack(frames=("main", "a<b"), seconds=3.0, place="own"), Stack(frames=("main",), seconds=1.0, place="gc")]
    svg = flame_graph("server & co", stacks)
    assert "<title>a&lt;b: 75.0% of 4.0 s</title>" in svg
    assert 'width="900.0"' in svg
    assert "server &amp; co" in svg
