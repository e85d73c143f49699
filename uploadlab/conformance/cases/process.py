"""What a server does where its disk fails, and when it is told to end: rows 7 to 9 of the upload contract."""

# fmt: off
from uploadlab.conformance.case import Case, Expect, must, should
from uploadlab.conformance.message import Forms, sample

FITS, TOO_LARGE = sample(20_000, "fits"), sample(900_000, "large")
DISK_BYTES = 512 << 10
"""The disk on which only one of them fits; servers with a limit of 1 MB take both."""
ROW_7, ROW_9 = "upload contract 7; RFC 9110 15.6", "upload contract 9"


def cases(f: Forms) -> list[Case]:
    large, needs = f.upload(f.file(TOO_LARGE)), ("system",)
    return [
        should("disk-full", "a file larger than what is free of the disk, then one that fits", large, FAILS, ROW_7, needs=needs, measure="disk-full"),
        should("disk-gone", "a large and a small upload while the folder of uploads is none, then one while it is", large, FAILS, ROW_7, needs=needs, measure="disk-gone"),
        must("stop", "the signal to end, with an idle connection open", f.upload(f.file(FITS)), ENDS, ROW_9, needs=needs, measure="stop"),
        should("stop-upload", "the signal to end in the middle of an upload", large, FINISHED, ROW_9, needs=needs, measure="stop-upload"),
    ]


FAILS = Expect(says="a 5xx, then accepted")
ENDS = Expect(says="the process ends within the time that sut.toml gives")
FINISHED = Expect(says="the process ends in time; the upload is stored as sent, or refused and nothing of it left")
