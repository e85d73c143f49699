"""What a study's own command is when there is no such program."""

from tiny import copy_of_tiny, refused


def test_a_command_of_a_study_that_is_no_program_is_one_sentence(tmp_path):
    folder = copy_of_tiny(tmp_path)
    with (folder / "study.toml").open("a") as study:
        study.write('\n[commands.tune]\ncommand = ["missing"]\ndescribe = "tune it"\nsetup = "nothing"\n')
    said = refused(folder, "tune")
    assert said.endswith(f"{folder}/study.toml: the command 'tune' is {folder}/missing; expected a program.")
