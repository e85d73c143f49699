"""Settings files: what is unknown or wrong is refused by name, file and line."""

from pathlib import Path

import pytest
from campaigns_of_parts import ECHO
from tiny import TINY

from uploadlab.commands.choice import choose_systems
from uploadlab.errors import LabError
from uploadlab.planning.study import load_study
from uploadlab.planning.system import choose, load_system

WITHIN_RUN = '[factors.rounds]\nkind = "within_run"\nlevels = [1, 2]\ndescribe = "rounds"\n'


def _study_with(tmp_path: Path, old: str, new: str, study: Path = TINY) -> Path:
    text = (study / "study.toml").read_text()
    assert old in text
    (tmp_path / "study.toml").write_text(text.replace(old, new, 1))
    return tmp_path


@pytest.mark.parametrize(
    ("study", "old", "new", "sentence"),
    [
        (TINY, "repeats = 2", "repaets = 2", "unknown field `repaets`"),
        (TINY, "sampler_cpu_pct = 1e9", 'sampler_cpu_pct = "one"', "Expected `float`, got `str`"),
        (TINY, "repeats = 2", "repeats = 0", "Expected `int` >= 1 - at `$.profiles[...].repeats`"),
        (TINY, "size = [1, 2] }", "size = [3] }", "names the size 3, which the study does not have"),
        (TINY, "size = [1, 2] }", "colour = [3] }", "profiles.quick.levels: 'colour' is not a factor"),
        (TINY, "[gates]", "[gates", "not valid TOML"),
        (ECHO, 'place = "server"', 'place = "server"\nspeed = 3', "unknown field `speed`"),
        (ECHO, 'place = "injector"', 'place = "injector"\ncount = "peers"', "roles.requester.count"),
        (ECHO, "[roles.requester]", f'{WITHIN_RUN}[roles.requester]\ncount = "rounds"', "roles.requester.count"),
        (ECHO, 'column = "mean_ms"\n', "", "missing required field `column`"),
        (ECHO, '"requester", "answered"', '"requester", "ansered"', "not 'requester' and 'ansered'"),
        (ECHO, "[operation] ", '[operation]\nclock = "one_host" ', "unknown field `clock`"),
        (ECHO, 'unit = "B"', 'kind = "sizes"', "Invalid enum value 'sizes'"),
        (ECHO, "message_bytes = [100, 10000] }", "message_bytes = [] }", "no level of 'message_bytes'"),
    ],
)
def test_a_wrong_study_is_refused_in_one_sentence(tmp_path, study, old, new, sentence):
    with pytest.raises(LabError) as caught:
        load_study(_study_with(tmp_path, old, new, study))
    assert sentence in str(caught.value)
    assert str(tmp_path / "study.toml") in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_system_that_is_like_another_differs_from_it_in_its_names_alone(tmp_path):
    (tmp_path / "sut.toml").write_text(f'like = "{TINY / "alpha"}"\n[system]\nid = "other"\nname = "Other"\n')
    other, alpha = load_system(tmp_path), load_system(TINY / "alpha")
    assert (other.system.id, other.stacks, other.settings) == ("other", alpha.stacks, alpha.settings)
    (tmp_path / "sut.toml").write_text('[system]\nid = "other"\nname = "Other"\n')
    with pytest.raises(LabError, match="expected stacks, or the folder of a system that this one is like"):
        load_system(tmp_path)
    (tmp_path / "sut.toml").write_text('like = "."\n[system]\nid = "other"\nname = "Other"\n')
    with pytest.raises(LabError, match="is like another itself; expected a system with stacks"):
        load_system(tmp_path)


def test_an_unknown_stack_profile_system_or_setting_is_refused_with_those_there_are():
    study = load_study(TINY)
    with pytest.raises(LabError, match="alpha has no stack 'old'; it has current"):
        choose(TINY / "alpha", "old", {})
    with pytest.raises(LabError, match="no profile 'long'; it has quick"):
        study.profile("long")
    with pytest.raises(LabError, match="no system 'gamma'; the study has alpha, beta"):
        choose_systems(study, ["gamma"], ["current"], [])
    with pytest.raises(LabError, match="alpha has no setting 'colour'; its settings are: greeting, broken"):
        choose_systems(study, None, ["current"], ["alpha.colour=red"])
    with pytest.raises(LabError, match=r"expected SYSTEM\.SETTING=VALUE"):
        choose_systems(study, None, ["current"], ["colour"])


def test_settings_take_the_default_the_shipped_or_the_given_value():
    assert choose(TINY / "alpha", "current", {}).environment()["GREETING"] == "hello"
    assert choose(TINY / "alpha", "current", {"as_shipped": "true"}).environment()["GREETING"] == "hi"
    assert choose(TINY / "alpha", "current", {"greeting": "moin"}).environment()["GREETING"] == "moin"


def test_as_shipped_is_a_named_set_for_every_system_and_single_settings_come_on_top():
    study = load_study(TINY)
    alpha, _ = choose_systems(study, None, ["current"], ["as_shipped"])
    assert alpha.settings["greeting"] == "hi"
    alpha, _ = choose_systems(study, None, ["current"], ["as_shipped", "alpha.greeting=moin"])
    assert alpha.settings["greeting"] == "moin"
    with pytest.raises(LabError, match=r"alpha\.as_shipped=yeah: expected a value of type bool"):
        choose_systems(study, None, ["current"], ["alpha.as_shipped=yeah"])


def test_several_values_of_a_setting_make_variants_that_are_named_by_what_varies(tmp_path):
    study = load_study(TINY)
    suts = choose_systems(study, None, ["current"], ["alpha.greeting=hello,moin"])
    assert [sut.key for sut in suts] == ["alpha@current,greeting=hello", "alpha@current,greeting=moin", "beta"]
    assert [sut.settings["greeting"] for sut in suts[:2]] == ["hello", "moin"]
    with pytest.raises(LabError, match="a value is given twice"):
        choose_systems(study, None, ["current"], ["alpha.greeting=moin,moin"])
