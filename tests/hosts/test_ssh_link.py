"""How ssh is called for a host of a rig."""

import subprocess

from uploadlab.hosts.processes import Processes
from uploadlab.hosts.role import Role, Ssh
from uploadlab.hosts.ssh_link import SshLink


def test_ssh_takes_the_whole_paths_of_a_key_and_of_known_hosts_that_have_blanks(tmp_path):
    ssh = Ssh(identity="/my  lab/key", known_hosts="/my  lab/known hosts")
    client = SshLink(Role(host="10.0.0.1", cores=[0], ssh=ssh), Processes(tmp_path))._client()
    read = subprocess.run([*client, "-G", "10.0.0.1"], capture_output=True, text=True, check=False)
    assert read.returncode == 0, read.stderr
    assert {"identityfile /my  lab/key", "userknownhostsfile /my  lab/known hosts"} <= set(read.stdout.splitlines())
