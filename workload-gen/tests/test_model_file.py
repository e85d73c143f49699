import numpy as np
import pytest
import tomli_w

from workload_gen import WorkloadError, ensure_list, file_source, plan_list
from workload_gen.lists.measured_sizes import MeasuredSizes
from workload_gen.lists.model_file import SIZE_MODELS, SizeModel, model_table, read_model
from workload_gen.lists.sources import model_sizes, replay_source
from workload_gen.models.heavy_tailed import Lognormal, LognormalPareto, Pareto
from workload_gen.models.simple import Constant, Exponential, Normal, Uniform, Zipf

EVERY_KIND = [
    Lognormal(mu=9.5, sigma=1.25),
    Lognormal(mu=9.5, sigma=1.25, cap=1e6),
    Pareto(alpha=1.1, x_min=133_000),
    LognormalPareto(mu=9.5, sigma=1.25, cut=1e5, alpha=1.9, tail_weight=0.02, cap=1e7),
    Exponential(scale=1 / 3),
    Normal(mu=100_000, sigma=15_000),
    Uniform(low=10, high=20),
    Constant(value=4096),
]


@pytest.mark.parametrize("model", EVERY_KIND)
def test_a_model_file_gives_back_the_model_that_was_written(tmp_path, model):
    tables = {"model": model_table(model), "popularity": {"exponent": 0.8, "items": 100}, "fit": {"sizes": 12}}
    (tmp_path / "model.toml").write_text(tomli_w.dumps(tables))
    assert read_model(tmp_path / "model.toml") == SizeModel(
        distribution=model, popularity=Zipf(exponent=0.8, items=100)
    )
    assert {type(m) for m in EVERY_KIND} == set(SIZE_MODELS.values())


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[model]\ndistribution = 'gamma'\n", "must be one of constant, empirical, exponential, lognormal"),
        ("[model]\npreset = ['surge-files']\n", "There is no preset"),
        ("[model]\npreset = 'surge-files'\ndistribution = 'pareto'\n", "both preset and distribution"),
        ("[model]\npreset = 'surge-files'\ncap = '1'\n", "cap must be a number"),
        ("[model]\npreset = 'surge-files'\nmu = 1\n", "'mu'; it takes cap"),
        ("[model]\npreset = 'surge-files'\n[popularity]\nexponent = 1\nitems = 2.5\n", "a whole number .* not 2.5"),
        ("[model]\ndistribution = 'lognormal'\nmu = 1\nsigma = 2\nalpha = 3\n", "'alpha'; it takes mu, sigma"),
        ("[model]\ndistribution = 'lognormal'\nmu = 1\n", "'sigma'; it takes mu, sigma"),
        ("[model]\ndistribution = 'lognormal'\nmu = true\nsigma = 2\n", "mu must be a number"),
        ("[model]\ndistribution = 'pareto'\nalpha = -1\nx_min = 2\n", "alpha must be a finite number above 0"),
        ("[model]\ndistribution = 'empirical'\nlist = 'none.txt'\nmu = 1.0\n", "takes the key list"),
        ("[model]\ndistribution = 'empirical'\nlist = 5\n", "takes the key list"),
        ("[model]\ndistribution = 'empirical'\nlist = 'none.txt'\n", "none.txt: cannot be read"),
        ("[models]\n", "unknown field `models`"),
        ("model = 3\n", r"Expected `object`, got `int` - at `\$.model`"),
        ("model = \n", "cannot be read as a model file"),
    ],
)
def test_a_wrong_model_file_is_refused_with_its_name_and_the_key(tmp_path, text, sentence):
    path = tmp_path / "model.toml"
    path.write_text(text)
    with pytest.raises(WorkloadError, match=rf"model\.toml: .*{sentence}"):
        read_model(path)


def test_a_list_from_a_model_follows_it():
    model = SizeModel(distribution=Lognormal(mu=9, sigma=1))
    sizes = model_sizes(model, count=10_000, seed=1)
    at = [0.1, 0.5, 0.9]
    np.testing.assert_allclose(np.quantile(sizes, at), model.distribution.quantile(at), rtol=0.001)


def test_popular_files_are_uploaded_again_by_zipfs_law():
    model = SizeModel(distribution=Uniform(low=1, high=1e6), popularity=Zipf(exponent=1, items=3))
    sizes = model_sizes(model, count=11_000, seed=1)
    _, counts = np.unique(sizes, return_counts=True)
    np.testing.assert_allclose(sorted(counts), [2000, 3000, 6000], atol=1)


def test_a_users_list_is_replayed_as_it_is_or_again_and_again_to_a_count():
    measured = MeasuredSizes(sizes=np.array([30, 10, 20]), origin="mine")
    assert replay_source(measured, "mine").sizes.tolist() == [30, 10, 20]
    assert replay_source(measured, "mine", count=7).sizes.tolist() == [30, 10, 20, 30, 10, 20, 30]


def test_the_driver_gets_files_for_a_model_file_and_for_a_list(tmp_path):
    model, mine, out = tmp_path / "photos.toml", tmp_path / "mine.csv", tmp_path / "out"
    model.write_text("[model]\ndistribution = 'lognormal'\nmu = 7\nsigma = 0.5\n")
    mine.write_text("300\n100\n300\n")
    from_model = ensure_list(file_source(model, count=50, seed=3), out)
    assert from_model.count == 50
    assert from_model.folder.name.startswith("photos-")
    assert from_model.folder.name.endswith("-n50-seed3")
    replayed = ensure_list(file_source(mine), out)
    assert replayed.sizes_csv.read_text() == "300\n100\n300\n"
    assert sorted(p.name for p in replayed.payload_dir.iterdir()) == ["100.split", "300.split"]
    assert plan_list(file_source(mine), out).present
    mine.write_text("300\n100\n301\n")
    assert not plan_list(file_source(mine), out).present
    model.write_text("[model]\ndistribution = 'lognormal'\nmu = 7\nsigma = 0.6\n")
    assert not plan_list(file_source(model, count=50, seed=3), out).present


def test_sizes_above_the_upload_limit_are_refused_with_what_to_do(tmp_path):
    mine = tmp_path / "mine.csv"
    mine.write_text("10\n5000000000\n300000000\n")
    with pytest.raises(WorkloadError, match=r"2 sizes above the upload limit of 209715200 bytes.*--cap"):
        plan_list(file_source(mine), tmp_path)


def test_an_empirical_model_draws_a_users_sizes_as_often_as_they_occur(tmp_path):
    (tmp_path / "mine.txt").write_text("20\n10\n20\n40\n")
    model = tmp_path / "mine.toml"
    model.write_text('[model]\ndistribution = "empirical"\nlist = "mine.txt"\n')
    source = file_source(model, count=400)
    values, counts = np.unique(source.sizes, return_counts=True)
    # Stratified: one uniform number in each 400th, so a quarter of the list is a quarter of the draw.
    assert dict(zip(values.tolist(), counts.tolist(), strict=True)) == {10: 100, 20: 200, 40: 100}
    before = source.made_from["model"]
    assert (before["distribution"], before["list_count"]) == ("empirical", 4)
    (tmp_path / "mine.txt").write_text("10\n20\n20\n41\n")
    assert file_source(model, count=400).made_from["model"] != before
