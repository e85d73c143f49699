"""From measurements to the table: ratios to the parsing floor within a round, medians over rounds."""

import csv
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import IO

from server_bench.contestant import PARSING_FLOOR, RAW_FLOOR, Target
from server_bench.measurement import Measurement


@dataclass(frozen=True, kw_only=True)
class Row:
    """One contestant at one file size; ratios are to the floor in the same round."""

    file_bytes: int
    contestant: str
    cpu_us_per_upload: float
    cpu_ratio: float
    cpu_ratio_lowest: float
    cpu_ratio_highest: float
    uploads_per_s: float
    uploads_ratio: float
    server_busy: float
    generator_share: float

    @property
    def generator_was_cheaper(self) -> bool:
        """True when the generator needed less CPU than what it drove, so that it was not the bottleneck."""
        return self.generator_share < 1


def rows(measurements: Sequence[Measurement], floor: str = PARSING_FLOOR) -> list[Row]:
    """Return the rows of the table, by size and then in the order of the contestants, the floor first."""
    by_key = {(one.file_bytes, one.contestant, one.round): one for one in measurements}
    sizes = dict.fromkeys(one.file_bytes for one in measurements)
    names = sorted(dict.fromkeys(one.contestant for one in measurements), key=lambda name: name != floor)
    rounds = sorted({one.round for one in measurements})
    return [
        _row([(by_key[size, name, round], by_key[size, floor, round]) for round in rounds])
        for size in sizes
        for name in names
    ]


def _row(pairs: Sequence[tuple[Measurement, Measurement]]) -> Row:
    def median(of: Callable[[Measurement, Measurement], float]) -> float:
        return statistics.median(of(own, floor) for own, floor in pairs)

    ratios = [own.cpu_us_per_upload / floor.cpu_us_per_upload for own, floor in pairs]
    return Row(
        file_bytes=pairs[0][0].file_bytes,
        contestant=pairs[0][0].contestant,
        cpu_us_per_upload=median(lambda own, _: own.cpu_us_per_upload),
        cpu_ratio=statistics.median(ratios),
        cpu_ratio_lowest=min(ratios),
        cpu_ratio_highest=max(ratios),
        uploads_per_s=median(lambda own, _: own.uploads_per_s),
        uploads_ratio=median(lambda own, floor: own.uploads_per_s / floor.uploads_per_s),
        server_busy=median(lambda own, _: own.server_cpu_s / own.elapsed_s),
        generator_share=median(lambda own, _: own.generator_share),
    )


HEADER = (
    "file bytes",
    "server",
    "CPU µs/upload",
    "ratio to the floor",
    "lowest–highest",
    "uploads/s",
    "ratio to the floor",
    "core busy",
    "generator/server CPU",
)


def markdown(table: Iterable[Row]) -> str:
    """Return the table as Markdown."""
    return _markdown(
        HEADER,
        [
            (
                f"{row.file_bytes:,}",
                row.contestant,
                f"{row.cpu_us_per_upload:.0f}",
                f"{row.cpu_ratio:.2f}",
                f"{row.cpu_ratio_lowest:.2f}–{row.cpu_ratio_highest:.2f}",
                f"{row.uploads_per_s:,.0f}",
                f"{row.uploads_ratio:.2f}",
                f"{100 * row.server_busy:.0f} %",
                f"{row.generator_share:.2f}",
            )
            for row in table
        ],
    )


def markdown_against(measurements: Sequence[Measurement], floors: Sequence[str]) -> str:
    """Return CPU per upload as ratios to each of these floors: medians over rounds of the ratios within a round."""
    tables = [rows(measurements, floor) for floor in floors]
    return _markdown(
        ("file bytes", "server", *(f"CPU to the {floor}" for floor in floors)),
        [
            (f"{same[0].file_bytes:,}", same[0].contestant, *(f"{row.cpu_ratio:.2f}" for row in same))
            for same in zip(*(sorted(table, key=_place) for table in tables), strict=True)
            if same[0].contestant not in (PARSING_FLOOR, RAW_FLOOR, *floors)
        ],
    )


def markdown_targets(measurements: Sequence[Measurement], targets: Mapping[str, Target]) -> str:
    """Return for each contestant with a target its CPU per upload as a ratio to the floor it is held to, and a verdict.

    Contestants whose floor was not measured are left out, and sizes below those of the target.
    """
    measured = {one.contestant for one in measurements}
    judged = [
        (row, targets[row.contestant])
        for floor in dict.fromkeys(target.floor for target in targets.values() if target.floor in measured)
        for row in rows(measurements, floor)
        if row.contestant in targets and targets[row.contestant].floor == floor
    ]
    return _markdown(
        ("file bytes", "server", "held to the", "CPU to it", "lowest–highest", "target", ""),
        [
            (
                f"{row.file_bytes:,}",
                row.contestant,
                target.floor,
                f"{row.cpu_ratio:.2f}",
                f"{row.cpu_ratio_lowest:.2f}–{row.cpu_ratio_highest:.2f}",
                f"{target.cpu_ratio:.2f}",
                "met" if row.cpu_ratio <= target.cpu_ratio else "not met",
            )
            for row, target in sorted(judged, key=lambda pair: _place(pair[0]))
            if row.file_bytes >= target.from_bytes
        ],
    )


def _place(row: Row) -> tuple[int, str]:
    return row.file_bytes, row.contestant


def _markdown(header: Sequence[str], cells: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(header, *cells, strict=True)]
    rule = ["-" * width if i == 1 else "-" * (width - 1) + ":" for i, width in enumerate(widths)]
    return "\n".join(
        f"| {' | '.join(map(_aligned, range(len(line)), line, widths))} |" for line in (header, rule, *cells)
    )


def _aligned(column: int, text: str, width: int) -> str:
    return text.ljust(width) if column == 1 else text.rjust(width)


def write_csv(measurements: Iterable[Measurement], file: IO[str]) -> None:
    """Write every measurement as it was taken."""
    writer = csv.DictWriter(file, list(Measurement.__dataclass_fields__), lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(one) for one in measurements)
