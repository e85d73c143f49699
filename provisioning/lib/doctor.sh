# shellcheck shell=bash
# What this host has for the guests, and what it lacks.

# Prints one row a check; ends with 2 when something is missing without which `up` cannot work, even emulated.
examine_host() {
  local failed=0
  examine_programs || failed=1
  examine_kvm
  examine_cores || failed=1
  examine_memory || failed=1
  examine_disks || failed=1
  examine_isolation
  ((failed == 0)) || exit 2
}

row() { # check good|limited|missing sentence
  printf '%-12s %-8s %s\n' "$@"
}

examine_programs() {
  local -a missing
  mapfile -t missing < <(missing_packages)
  if ((${#missing[@]})); then
    row programs missing "sudo apt-get install --no-install-recommends $(join_words ' ' "${missing[@]}")"
    return 1
  fi
  row programs good 'libvirt, QEMU and what builds the image are there'
}

examine_kvm() {
  if [[ ! -e /dev/kvm ]]; then
    row KVM limited '/dev/kvm is not there (virtualisation off in the firmware, or a guest without nesting): only --tcg, no results'
  elif kvm_works; then
    row KVM good 'QEMU starts a machine with it'
  else
    row KVM limited '/dev/kvm is there, but QEMU cannot start a machine with it (as root?): only --tcg, no results'
  fi
}

# A check that gives up does so in a process of its own, and its sentence is the row's.
examine_cores() {
  local said
  if said=$( (choose_cores kvm && check_cores kvm) 2>&1); then
    choose_cores kvm
    row cores good "server ${settings[server_cores]}, client ${settings[client_cores]}, emulator ${settings[emulator_cores]}"
  elif (choose_cores tcg && check_cores tcg) 2>/dev/null; then
    row cores limited "$said Emulated, client and emulator share."
  else
    row cores missing "$said"
    return 1
  fi
}

examine_memory() {
  local said
  if said=$(check_memory "$((settings[server_memory_mib] + settings[client_memory_mib]))" 2>&1); then
    row memory good "$(available_memory_mib) MiB are available"
  else
    row memory missing "$said"
    return 1
  fi
}

examine_disks() {
  local disk said failed=0
  for disk in ssd hdd; do
    if said=$(check_disk "$disk" no 2>&1); then
      row "disk $disk" good "${settings[disk_$disk]} $(check_rotation "$disk" 2>&1)"
    else
      row "disk $disk" missing "$said"
      failed=1
    fi
  done
  return "$failed"
}

examine_isolation() {
  if [[ -d /run/systemd/system && -e /sys/fs/cgroup/cgroup.controllers ]]; then
    row isolation good 'isolate works with systemd'
  elif command -v tuna >/dev/null; then
    row isolation limited 'no systemd with cgroup v2; isolate --tool tuna moves threads once and does not hold them'
  else
    row isolation limited 'no systemd with cgroup v2, and no tuna: the server shares its core with the rest of the host'
  fi
}
