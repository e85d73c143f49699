"""What a `sut.toml` may say of a server that already exists, and what is refused."""

from pathlib import Path

import pytest

from uploadlab.errors import LabError
from uploadlab.planning.system import Sut, choose

SUT = """
[system]
id = "mine"
name = "Mine"

[stacks.current.start]
command = ["serve", "--port={port}", "--into={uploads}"]
env = { ADDRESS = "{host}:{port}", STORE = "{uploads}/images" }

[upload]
path = "/api/files"
field = "file"
"""


def _sut(folder: Path, old: str = "", new: str = "") -> Sut:
    assert old in SUT
    (folder / "sut.toml").write_text(SUT.replace(old, new) if old else SUT + new)
    return choose(folder, "current", {})


def test_few_keys_are_enough_and_the_rest_has_defaults(tmp_path):
    sut = _sut(tmp_path)
    assert (sut.health.path, sut.stack.versions, sut.bytes_verified) == ("", None, True)
    assert sut.stored_in(tmp_path, Path("/runs/1")) == Path("/runs/1")


@pytest.mark.parametrize(
    ("told", "expected", "elsewhere"),
    [
        ("{uploads}/images", Path("/runs/1/images"), False),
        ("/srv/files", Path("/srv/files"), True),
        ("files", Path("/app/files"), True),
        ("nowhere", None, False),
    ],
)
def test_files_are_looked_for_where_it_says(tmp_path, told, expected, elsewhere):
    sut = _sut(tmp_path, new=f'stored_in = "{told}"\n')
    assert sut.stored_in(Path("/app"), Path("/runs/1")) == expected
    assert sut.stores_elsewhere == elsewhere
    assert sut.bytes_verified == (told != "nowhere")


@pytest.mark.parametrize(
    ("new", "why"),
    [
        ("", ""),
        ('stored_in = "nowhere"\n', ""),
        ('stored_in = "files"\n', "upload.stored_in is a folder of its own, which two servers would share"),
        ("[stacks.current.start]\nport = 9000", "start.port is 9000, which two servers can't share"),
    ],
)
def test_two_servers_are_alive_at_a_time_unless_they_would_share_a_port_or_a_folder(tmp_path, new, why):
    start = "[stacks.current.start]"
    sut = _sut(tmp_path, start, new) if new.startswith(start) else _sut(tmp_path, new=new)
    assert sut.why_alone == why


def test_secrets_come_from_the_environment_and_one_that_lacks_is_named(tmp_path, monkeypatch):
    sut = _sut(tmp_path, new='headers = { Authorization = "Bearer $MY_TOKEN", X-Price = "$$5" }\n')
    monkeypatch.delenv("MY_TOKEN", raising=False)
    with pytest.raises(LabError, match=r"upload\.headers needs the variable MY_TOKEN"):
        sut.secrets()
    monkeypatch.setenv("MY_TOKEN", "s3cret")
    assert sut.secrets() == {"MY_TOKEN": "s3cret"}


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("{port}", "{prot}", "there is no {prot}; expected {host}, {port}, {uploads}"),
        ('field = "file"', 'field = "a\\"b"', "upload.field: expected the name of a form field"),
        ("", "retries = 3", "unknown field `retries`"),
        ("", 'headers = { Host = "a" }', "'Host' can't be set"),
        ("", 'headers = { X = "5 $" }', "a dollar sign that names no variable is $$"),
    ],
)
def test_what_can_not_be_is_refused_in_one_sentence(tmp_path, old, new, sentence):
    with pytest.raises(LabError) as caught:
        _sut(tmp_path, old, new)
    assert str(tmp_path / "sut.toml") in str(caught.value)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)
