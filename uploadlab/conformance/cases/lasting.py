"""What stays after many requests, and what many clients at once do to each other."""

# fmt: off
from uploadlab.conformance.case import Case, Do, Expect, Pause, Send, Step, accepted, must, should
from uploadlab.conformance.message import Forms, chunked, part, sample, text

ABORTED = "CVE-2026-2359; CVE-2026-77037"
MANY = 60
ONE, LARGE = sample(20_000, "lasting"), sample(400_000, "aborted")
STORED = (ONE, LARGE)
"""What these cases may leave as whole files."""


def cases(f: Forms) -> list[Case]:
    one, large = STORED
    upload = f.upload(f.file(large))
    start = upload.index(b"\r\n\r\n") + 4
    two = f.upload(f.file(one), f.file(large, "b.png"))
    broken = f.request(f.form(f.file(one))[:-40])
    cuts: dict[str, tuple[bytes, str]] = {
        "head": (upload[:60], "in the head"), "before-body": (upload[:start], "before the body"), "part-header": (upload[: start + 60], "in the part header"),
        "first-bytes": (upload[: start + 400], "after the first bytes of the file"), "file": (upload[: start + 200_000], "in the file"),
        "last-bytes": (upload[:-6], "in the final delimiter"), "chunk": (f.chunks(chunked(f.form(f.file(large)))[:200_000]), "in a chunk of the file"),
        "second-file": (two[:-1_000], "in a second file"),
    }
    rows = []
    for id, (data, words) in cuts.items():
        for how, step, verb in (("reset", Do.ABORT, "resets"), ("close", Do.LEAVE, "closes")):
            # Who takes one file may have accepted it before the second is aborted.
            steps: list[Step] = [Send(data), Pause(0.3 if id == "second-file" else 0.02), step]
            rows.append(must(f"abort-{id}-{how}", f"a client that {verb} {words}", steps, NOTHING_LEFT, "CVE-2026-5038; CVE-2026-88932", needs=("store",), measure="store", repeat=3))
    broken_file = f.upload(f.file(one), part(b'Content-Disposition: form-data; name=""; filename="b"', data=one))
    leaks: dict[str, tuple[list[Step], str, str]] = {
        "aborts": ([Send(upload[:-200_000]), Pause(0.01), Do.ABORT], f"{MANY} uploads reset in the file", ABORTED),
        "closes": ([Send(upload[:-200_000]), Pause(0.01), Do.LEAVE], f"{MANY} uploads closed in the file", ABORTED),
        "broken": ([Send(broken), Pause(0.01), Do.LEAVE], f"{MANY} forms cut in the final delimiter", "CVE-2025-47935; CVE-2026-3304"),
        "empty-names": ([Send(broken_file), Pause(0.01), Do.LEAVE], f"{MANY} forms with a bad part behind a file", "CVE-2026-3304"),
        "good": ([Send(f.upload(f.file(one))), Do.READ], f"{MANY} good uploads", "CWE-772"),
    }
    for id, (leaking, title, source) in leaks.items():
        rows.append(must(f"descriptors-{id}", title, leaking, FLAT, source, needs=("pid",), measure="descriptors", repeat=MANY))
    for id in ("aborts", "broken", "good"):
        rows.append(must(f"memory-{id}", leaks[id][1].replace(f"{MANY} ", "rounds of "), leaks[id][0], FLAT, "CVE-2025-47935; CWE-401", needs=("pid",), measure="memory", repeat=150))
    head_only: list[Step] = [Send(upload[:100])]
    half: list[Step] = [Send(upload[:-200_000])]
    return [
        *rows,
        must("together", "20 uploads at once", [Send(f.upload(text("comment"), f.file(large)))], accepted(large), "CWE-362", measure="together", repeat=20),
        must("beside-heads", "an upload beside 100 connections without a whole head", head_only, BESIDE, "CVE-2007-6750", measure="beside", repeat=100),
        must("beside-bodies", "an upload beside 100 connections that stall in the file", half, BESIDE, "CVE-2007-6750", measure="beside", repeat=100),
        should("stalled-head", "a head that never ends", head_only, CUT, "RFC 9110 15.5.9", measure="stall"),
        should("stalled-empty", "a connection on which nothing is sent", [], CUT, "RFC 9112 9.8", measure="stall"),
        should("stalled-body", "an upload that stalls in the file", half, CUT, "RFC 9110 15.5.9", measure="stall"),
    ]


NOTHING_LEFT = Expect(says="nothing of it is left in the store after 10 s")
FLAT = Expect(says="what the process holds does not grow")
BESIDE = Expect(says="accepted within 10 s")
CUT = Expect(says="408, or closed, within 95 s")
