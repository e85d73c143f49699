"""What is said of load curves that are written by hand."""

from handmade import ENGLISH, PORTUGUESE, results_by_hand, run

from uploadlab.report.sentences.load_curves import sentences


def curves_of(folder, words, *, several):
    """Return what is said of curves by hand: Node.js has its knee at 200 of 300 a second, Tomcat none."""
    samples = (1, 5) if several else (1,)
    systems = ("node", "tomcat")
    cells = [f"s{sample:02}-{share}-{system}" for sample in samples for share in (10, 90) for system in systems]
    points = [
        {"curve": f"sample {sample}", "system": system, "rate_per_s": rate, "mean_ms": 2, "knee": str(knee).lower()}
        for sample in samples
        for system, at in (("node", 200), ("tomcat", 300))
        for rate in (100, 200, 300)
        for knee in [rate == at]
    ]
    limits = [
        {"curve": f"sample {sample}", "system": system, "p99_limit_ms": 50, "holds": holds, "rate_per_s": 100}
        for sample in samples
        for system, holds in (("node", "some"), ("tomcat", "none"))
    ]
    tables = {"load_curves": points, "load_limits": limits}
    rows = [run(cell, mean_ms=2) for cell in cells]
    results = results_by_hand(folder / "c", rows, tables=tables, capacity_factor="disk")
    return [said.replace("\u00a0", " ") for said in sentences(words, results)]


def test_of_several_curves_each_sentence_says_which_it_is_of(tmp_path):
    first, second = curves_of(tmp_path, ENGLISH, several=True)
    assert first.startswith("Sample 1: 99 of 100 requests are answered within 50 ms by Node.js in some repeats only")
    assert second.startswith("Sample 5: ")
    assert curves_of(tmp_path / "pt", PORTUGUESE, several=True)[0].startswith("Amostra 1: ")
    assert curves_of(tmp_path / "one", ENGLISH, several=False)[0].startswith("99 of 100 requests")


def test_a_knee_at_the_highest_rate_is_none_and_a_limit_passed_in_some_repeats_leaves_open_who_holds_longer(tmp_path):
    (said,) = curves_of(tmp_path, ENGLISH, several=False)
    assert "Above 200 a second for Node.js (mean 2.00 ms), response times grow faster than the rate." in said
    assert said.endswith(
        "At 300 a second, the highest rate measured, response times of Tomcat still grow more slowly than the rate."
    )
    assert "Which one keeps within that limit up to a higher rate is undecided." in said
