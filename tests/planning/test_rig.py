"""Rig files: what is read, and the one sentence for each mistake."""

from pathlib import Path

import pytest

from uploadlab.errors import LabError
from uploadlab.planning.rig import load_rig, with_injectors

GOOD = """
name = "two"
emulated = true
[roles.server]
host = "10.0.0.1"
ssh = { user = "root", port = 22, identity = "KEY", known_hosts = "KEY" }
cores = [0]
folder = "/opt/upload-lab"
[roles.injector]
host = "10.0.0.2"
ssh = { user = "root" }
cores = [0, 1]
folder = "/opt/upload-lab"
heap_mib = 800
[disks.ssd]
label = "SSD"
folder = "/srv/ssd"
[disks.hdd]
label = "emulated HDD"
emulated = true
folder = "/srv/hdd"
durability = "small-dirty"
fio = { random_write_iops = 120, sequential_mb_per_s = 129.5, fsync_ms = 16.7 }
"""


@pytest.fixture
def rig_file(tmp_path):
    (tmp_path / "key").write_text("")

    def write(old: str = "", new: str = "") -> str:
        assert old in GOOD
        text = GOOD.replace(old, new, 1) if old else GOOD
        (tmp_path / "rig.toml").write_text(text.replace("KEY", str(tmp_path / "key")))
        return str(tmp_path / "rig.toml")

    return write


def test_a_rig_file_names_roles_hosts_cores_and_disks(rig_file):
    rig = load_rig(rig_file())
    assert (rig.name, rig.emulated, rig.one_host) == ("two", True, False)
    assert {name: role.cores for name, role in rig.roles.items()} == {"server": [0], "injector": [0, 1]}
    assert rig.roles["injector"].heap_mib == 800
    assert rig.disks["hdd"].label == "emulated HDD"
    assert rig.disks["hdd"].facts == {
        "emulated": True,
        "durability": "small-dirty",
        "fio": {"random_write_iops": 120, "sequential_mb_per_s": 129.5, "fsync_ms": 16.7},
    }
    assert rig.disks["ssd"].folder == Path("/srv/ssd")
    assert rig.disks["ssd"].facts["durability"] == "buffered"


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("cores = [0]", "cores = []", "roles.server.cores: expected core numbers, each once"),
        ("cores = [0, 1]", "cores = [1, 1]", "roles.injector.cores: expected core numbers, each once"),
        ("heap_mib = 800", "heap = 800", "line 14: Object contains unknown field `heap`"),
        ('folder = "/srv/ssd"', 'folder = "ssd"', "disks.ssd.folder: expected an absolute path, not 'ssd'"),
        ('identity = "KEY"', 'identity = "/no/key"', "roles.server.ssh.identity: there is no file /no/key"),
        ('host = "10.0.0.1"', 'host = "local"', "roles.server.host: expected an address, not 'local'"),
        ('host = "10.0.0.1"', 'host = "upload_server"', "some servers refuse requests to 'upload_server'."),
        ('label = "SSD"', "label = ", "not valid TOML"),
    ],
)
def test_a_mistake_in_a_rig_file_is_one_sentence_with_file_key_and_what_was_expected(rig_file, old, new, sentence):
    path = rig_file(old, new)
    with pytest.raises(LabError) as error:
        load_rig(path)
    assert str(error.value).startswith(path)
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)


def test_a_server_here_needs_an_address_that_the_other_host_reaches(rig_file):
    ssh = 'ssh = { user = "root", port = 22, identity = "KEY", known_hosts = "KEY" }\n'
    path = Path(rig_file(ssh))
    with pytest.raises(LabError, match="host: expected an address of this machine, where a role without ssh runs, not"):
        load_rig(str(path))
    path.write_text(path.read_text().replace("10.0.0.1", "127.0.0.1"))
    assert not load_rig(str(path)).one_host
    path.write_text(path.read_text().replace("127.0.0.1", "local"))
    with pytest.raises(LabError, match="expected the address at which the injector's host reaches this machine"):
        load_rig(str(path))


def test_roles_on_one_host_may_not_share_cores(rig_file):
    path = Path(rig_file())
    lines = path.read_text().replace("10.0.0.2", "10.0.0.1").splitlines()
    ssh = [line for line in lines if line.startswith("ssh")]
    path.write_text("\n".join(ssh[0] if line == ssh[1] else line for line in lines))
    with pytest.raises(LabError, match="server and injector are on one host and share cores"):
        load_rig(str(path))


def test_named_injectors_have_all_but_their_address_from_the_rigs_injector(rig_file):
    rig = with_injectors(load_rig(rig_file()), ["10.0.0.5", "lab@10.0.0.6:2200"])
    assert rig.distributed
    assert rig.injectors == ["injector", "injector-2"]
    first, second = (rig.roles[name] for name in rig.injectors)
    assert (first.host, first.ssh.user, first.ssh.port) == ("10.0.0.5", "root", None)
    assert (second.host, second.ssh.user, second.ssh.port) == ("10.0.0.6", "lab", 2200)
    assert first.cores == second.cores == [0, 1]
    assert second.heap_mib == 800
    assert rig.roles["server"] == load_rig(rig_file()).roles["server"]
    assert not rig.one_host


@pytest.mark.parametrize(
    ("named", "says"),
    [
        (["-oProxyCommand=x"], r"--injectors -oProxyCommand=x: expected HOST, USER@HOST or USER@HOST:PORT\."),
        (["a b"], r"--injectors a b: expected HOST"),
        ([], r"--injectors: expected at least one host\."),
        (["10.0.0.5", "root@10.0.0.5"], r"--injectors: 10\.0\.0\.5 is named twice"),
        (["10.0.0.1"], r"--injectors 10\.0\.0\.1: the server runs there; expected other hosts\."),
    ],
)
def test_injectors_that_cannot_be_used_are_named(rig_file, named, says):
    with pytest.raises(LabError, match=says):
        with_injectors(load_rig(rig_file()), named)
