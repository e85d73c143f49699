# shellcheck shell=bash
# What the tests share: the parts of provision.sh with a host of known size, whatever machine runs the tests.

load_parts() {
  provisioning=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
  repository=/lab
  local part
  for part in say settings state host xml image cache access seed network daemons disks project guests rig isolation doctor verbs; do
    # shellcheck source=/dev/null
    source "$provisioning/lib/$part.sh"
  done
  read_settings "$provisioning/guests.conf"
  settings[folder]=$BATS_TEST_TMPDIR/guests
  settings[cache]=/cache
  known_host
}

# Eight cores in four physical ones: 0 and 4, 1 and 5, 2 and 6, 3 and 7 are siblings.
known_host() {
  host_cores_allowed() { printf '0-7\n'; }
  host_cores_online() { printf '0-7\n'; }
  core_siblings() { printf '%s\n' "$(($1 % 4))" "$(($1 % 4 + 4))"; }
  available_memory_mib() { printf '8000\n'; }
}

two_cores() {
  host_cores_allowed() { printf '0-1\n'; }
  core_siblings() { printf '%s\n' "$1"; }
}

# Holds a command to exit code 2 and a single line that has a sentence in it.
# shellcheck disable=SC2154  # bats sets them
refused() { # sentence command...
  local sentence=$1
  shift
  run "$@"
  [[ $status -eq 2 ]]
  [[ $output == *"$sentence"* ]]
  [[ ${#lines[@]} -eq 1 ]]
}
