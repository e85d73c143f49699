"""What the upload paper claims, on our runs and on its printed numbers (published/)."""

from dataclasses import replace

from studies.upload.over_samples import (
    correlation,
    goes_with,
    lower_elsewhere,
    lower_or_higher,
    lower_overall,
    rank_trend,
    throughput_decays,
)
from uploadlab.claims import UNDECIDED, Conventions, Evidence, Outcome

CONVENTIONS = Conventions(first=("ssd", "hdd"))
"""Sample 5 was measured on both disks: its figures on SSD are in the sums and correlations."""


def mean_lower_everywhere(evidence: Evidence) -> Outcome:
    """Node.js has the lower mean response time in all ten samples.

    Tables 2 and 3, figure 4
    """
    return lower_or_higher(evidence, "mean_ms", "node", "tomcat", lower_in=range(1, 11))


def mean_23_percent_lower(evidence: Evidence) -> Outcome:
    """Node.js's mean response time is 23 % lower over the ten samples.

    Tables 2 and 3, section 5
    """
    return lower_overall(evidence, "mean_ms", "node", "tomcat", by=0.23)


def cv_lower_but_sample_10(evidence: Evidence) -> Outcome:
    """Node.js has the lower coefficient of variation in every sample but sample 10.

    Table 4
    """
    return lower_or_higher(evidence, "cv", "node", "tomcat", lower_in=range(1, 10), higher_in=[10])


def cv_lower_overall(evidence: Evidence) -> Outcome:
    """Over the ten samples Node.js's variability is lower than Tomcat's (sum of deviations over sum of means).

    Tables 2 and 3, last line
    """
    return lower_overall(evidence, "sd_ms", "node", "tomcat", over="mean_ms")


def cv_1_54_against_2_76(evidence: Evidence) -> Outcome:
    """The ratio of summed deviations to summed means is 1.54 for Node.js against 2.76 for Tomcat: 44 % lower.

    Tables 2 and 3, last line; section 6
    """
    return lower_overall(evidence, "sd_ms", "node", "tomcat", over="mean_ms", by=0.44)


def hdd_beats_ssd(evidence: Evidence) -> Outcome:
    """In sample 5 Node.js on a mechanical disk has a lower mean response time than Tomcat on SSD.

    Tables 2 and 3, rows 5D and 5S; section 6
    """
    on_disk, on_ssd = {"sample": 5, "disk": "hdd"}, {"sample": 5, "disk": "ssd"}
    return lower_elsewhere(evidence, "mean_ms", "node", "tomcat", where=on_disk, than_where=on_ssd)


def cpu_more_to_sample_6(evidence: Evidence) -> Outcome:
    """Node.js uses more CPU than Tomcat in samples 1 to 6 and less in the larger ones.

    Tables 2 and 3, section 6
    """
    found = lower_or_higher(evidence, "cpu_pct", "node", "tomcat", higher_in=range(1, 7), lower_in=range(7, 11))
    return _unless_limited(evidence, found)


def cpu_node_falls(evidence: Evidence) -> Outcome:
    """Node.js's CPU falls as the files grow.

    Table 2
    """
    return _unless_limited(evidence, rank_trend(evidence, "cpu_pct", "node", "falls"))


def cpu_tomcat_rises(evidence: Evidence) -> Outcome:
    """Tomcat's CPU rises as the files grow.

    Table 3
    """
    return _unless_limited(evidence, rank_trend(evidence, "cpu_pct", "tomcat", "rises"))


def pswitch_lower_with_cv(evidence: Evidence) -> Outcome:
    """In every sample the system with the lower coefficient of variation has fewer context switches per second.

    Tables 4 and 5
    """
    return goes_with(evidence, "cv", "pswitch_per_s", systems=("node", "tomcat"))


def correlation_node(evidence: Evidence) -> Outcome:
    """Across the samples Node.js's coefficient of variation goes with its context switches (r = 0.76).

    Table 6
    """
    return correlation(evidence, "pswitch_per_s", "cv", "node", r=0.76)


def correlation_tomcat(evidence: Evidence) -> Outcome:
    """Across the samples Tomcat's coefficient of variation goes with its context switches (r = 0.81).

    Table 6
    """
    return correlation(evidence, "pswitch_per_s", "cv", "tomcat", r=0.81)


def correlation_differences(evidence: Evidence) -> Outcome:
    """Across the samples the systems' difference in variation goes with their difference in context switches
    (r = 0.79).

    Table 6
    """
    return correlation(evidence, "pswitch_per_s", "cv", "node", minus="tomcat", r=0.79)


def errors_tomcat_grow(evidence: Evidence) -> Outcome:
    """Tomcat's errors grow with the size of the files (samples 1 to 8, all at the same number of users).

    Table 3
    """
    return rank_trend(evidence, "error_pct", "tomcat", "rises", samples=range(1, 9))


def throughput_tomcat_decays(evidence: Evidence) -> Outcome:
    """Tomcat's throughput decays in the course of a run of sample 7.

    Figure 5
    """
    return throughput_decays(evidence, "tomcat", sample=7)


def _unless_limited(evidence: Evidence, found: Outcome) -> Outcome:
    """Leave undecided what a limit on the server's CPU has decided: shares of CPU."""
    if evidence.server_cpu_limit_pct is None:
        return found
    limited = f"the server was held to {evidence.server_cpu_limit_pct:g} % of its cores, which shares of CPU show"
    return replace(found, verdict=UNDECIDED, reason=limited)
