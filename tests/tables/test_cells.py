from uploadlab.tables.cells import selected_repeat


def run(repeat, errors, mean_ms, valid=True):
    return {"repeat": repeat, "errors": errors, "mean_ms": float(mean_ms), "valid": valid}


def test_the_repeat_with_the_fewest_errors_is_selected():
    assert selected_repeat([run("01", 3, 100), run("02", 1, 500), run("03", 2, 100)]) == "02"


def test_among_equal_errors_the_mean_nearest_to_the_mean_of_all_repeats_is_selected():
    # the mean of the four is 125; repeat 04 is nearest but has errors
    runs = [run("01", 0, 100), run("02", 0, 110), run("03", 0, 160), run("04", 5, 130)]
    assert selected_repeat(runs) == "02"


def test_invalid_repeats_are_neither_selected_nor_averaged():
    runs = [run("01", 0, 100), run("02", 0, 120), run("03", 0, 9000, valid=False)]
    assert selected_repeat([*runs, run("04", 0, 111)]) == "04"
    assert selected_repeat([run("01", 0, 1, valid=False)]) is None
