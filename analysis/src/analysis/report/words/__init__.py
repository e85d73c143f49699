"""Everything the page says, one module a language."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence

from analysis.report.facts import Correlation, Doubts, Gap, Profile, Standing
from analysis.report.numbers import Figures
from analysis.report.results import Cell, Comparison, Results, Run, Scenario


class Words(ABC):
    """A language: its labels, and a sentence for each thing the figures can say."""

    code: str
    name: str
    figures: Figures
    labels: Mapping[str, str]
    columns: Mapping[str, str]
    """Headings of the columns of runs.csv and of the tables; a column without one is called by its name."""
    format_locale: Mapping[str, object]
    """Number format of the charts, as d3-format takes it."""

    def __getitem__(self, label: str) -> str:
        """Return the label."""
        return self.labels[label]

    def column(self, name: str) -> str:
        """Return the heading of a column."""
        if name not in self.columns and name.endswith("_paper"):
            return f"{self.column(name.removesuffix('_paper'))} ({self['paper']})"
        return self.columns.get(name, name)

    def table_text(self, text: str) -> str:
        """Return a text of the paper's tables in this language."""
        return text

    def verdict(self, verdict: str) -> str:
        """Return the word for a claim's verdict."""
        return self.labels.get(verdict, verdict)

    @abstractmethod
    def join(self, parts: Sequence[str]) -> str:
        """Join parts with commas and a last 'and'."""

    @abstractmethod
    def scenario(self, scenario: Scenario) -> str:
        """Name a scenario within a sentence: 'sample 5'."""

    @abstractmethod
    def scenarios(self, chosen: Sequence[Scenario], every: Sequence[Scenario]) -> str:
        """Name several scenarios within a sentence: 'samples 1 to 5 and 10'."""

    @abstractmethod
    def scenario_short(self, scenario: Scenario) -> str:
        """Name a scenario on an axis: '5', or '5 ssd' where disks vary too."""

    @abstractmethod
    def scenario_long(self, scenario: Scenario) -> str:
        """Name a scenario in a chooser, with the mean size of its files."""

    @abstractmethod
    def scenario_axis(self, results: Results) -> str:
        """Title the axis of the scenarios."""

    @abstractmethod
    def headline(self, results: Results, standings: Mapping[str, Sequence[Standing]]) -> str:
        """Answer in one sentence: who is faster, steadier, cheaper, in how many scenarios."""

    @abstractmethod
    def answer(self, results: Results, metric: str, standings: Sequence[Standing]) -> str:
        """Answer one of the three questions with figures and intervals."""

    @abstractmethod
    def standing(self, standing: Standing) -> str:
        """Say how the best stands to its rival in one scenario, in figures: '−20 % (−28 to −12 %)'."""

    @abstractmethod
    def doubts(self, doubts: Doubts, standings: Mapping[str, Sequence[Standing]]) -> list[str]:
        """Say what limits how far the answer can be trusted, a sentence each."""

    @abstractmethod
    def runs_counted(self, doubts: Doubts) -> str:
        """Say how many runs and requests the page rests on."""

    @abstractmethod
    def method(self, results: Results, doubts: Doubts) -> str:
        """Describe in a paragraph how the campaign was measured, for citing."""

    @abstractmethod
    def seen(self, results: Results, metric: str, profiles: Sequence[Profile], gap: Gap | None) -> str:
        """Say what a chart of a metric by scenario shows."""

    @abstractmethod
    def note(self, metric: str, doubts: Doubts, *, log: bool, invalid: int, intervals: bool) -> str:
        """Say how to read a chart by scenario, and its n."""

    @abstractmethod
    def switches_seen(self, results: Results, correlations: Sequence[Correlation]) -> str:
        """Say how switches go with the CV."""

    @abstractmethod
    def switches_note(self, points: int) -> str:
        """Say how to read the chart of switches against CV, and its n."""

    @abstractmethod
    def percentiles_seen(
        self, results: Results, scenario: Scenario, cells: Iterable[tuple[Cell, Mapping[float, float], int]]
    ) -> str:
        """Say what the percentile curves of a scenario show: each cell's percentiles and number of requests."""

    @abstractmethod
    def timeline_seen(self, results: Results, run: Run, facts: Mapping[str, tuple[float, float]], seconds: int) -> str:
        """Say what happened in a run: the extent (low, high) or sums of its series."""

    @abstractmethod
    def timeline_note(self, width_s: int) -> str:
        """Say how to read the timeline; a point stands for `width_s` seconds."""

    @abstractmethod
    def run_label(self, results: Results, run: Run) -> str:
        """Name a run in a chooser."""

    @abstractmethod
    def sizes_seen(self, results: Results, scenario: Scenario, shares: Sequence[tuple[str, float | None, int]]) -> str:
        """Say how much of a scenario's variance the file's size explains: system, percent, requests."""

    @abstractmethod
    def variance_seen(self, results: Results, largest: Mapping[str, tuple[str, float, float]]) -> str:
        """Say which part of the variance is the largest: system to (part, lowest and highest percent)."""

    @abstractmethod
    def indicators_seen(self, results: Results, ranking: Sequence[tuple[str, str, float | None, int]]) -> str:
        """Say which indicator goes with the variability: system, indicator, correlation, n."""

    @abstractmethod
    def problem(self, run: Run) -> str:
        """Say why a run does not count where its own reason is empty."""

    @abstractmethod
    def claims_counted(self, counts: Mapping[str, int]) -> str:
        """Say how many claims hold, fail and are undecided."""

    @abstractmethod
    def margin_of(self, comparison: Comparison) -> str:
        """Write a comparison's ratio with its interval."""
