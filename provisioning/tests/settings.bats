#!/usr/bin/env bats
# shellcheck disable=SC2034,SC2154,SC2329,SC2030,SC2031  # settings and functions are used by the parts that setup loads
# The settings and what is refused.

setup() {
  load lab
  load_parts
}

conf() { # line...
  printf '%s\n' "$@" >"$BATS_TEST_TMPDIR/own.conf"
}

@test "every setting has a form, and the file of defaults sets every one" {
  [[ ${#settings[@]} -eq ${#setting_forms[@]} ]]
}

@test "a file's own lines override the defaults, the others stay" {
  conf '# a comment' 'client_vcpus = 4   # more'
  read_settings "$BATS_TEST_TMPDIR/own.conf"
  [[ ${settings[client_vcpus]} == 4 ]]
  [[ ${settings[server_vcpus]} == 1 ]]
}

@test "an unknown setting is refused with its file and line" {
  conf '' 'server_core = 1'
  refused 'own.conf, line 2: unknown setting "server_core"' read_settings "$BATS_TEST_TMPDIR/own.conf"
}

@test "a line that is no setting is refused with its file and line" {
  conf 'server_vcpus 1'
  refused 'own.conf, line 1: expected KEY = VALUE' read_settings "$BATS_TEST_TMPDIR/own.conf"
}

@test "a value of the wrong form is refused and the right form is said" {
  conf 'durability = fast'
  refused 'durability is "fast", expected buffered, small-dirty or sync' read_settings "$BATS_TEST_TMPDIR/own.conf"
}

@test "a value is never executed" {
  # shellcheck disable=SC2016  # that is the point
  conf 'name = $(touch executed)'
  refused 'name is "$' read_settings "$BATS_TEST_TMPDIR/own.conf"
  [[ ! -e executed ]]
}

@test "a settings file that is not there is refused" {
  refused 'none.conf: cannot be read' read_settings "$BATS_TEST_TMPDIR/none.conf"
}

@test "cores are expanded from ranges and lists" {
  [[ $(expand_cores 1,4-6 | paste -sd ' ') == '1 4 5 6' ]]
}

@test "cores are chosen from different physical cores, the first left to the emulator" {
  choose_cores kvm
  [[ ${settings[emulator_cores]} == 0 ]]
  [[ ${settings[server_cores]} == 1 ]]
  [[ ${settings[client_cores]} == 2,3 ]]
  check_cores kvm
}

@test "two cores are too few with KVM" {
  two_cores
  refused 'The guests need 4 cores (1 for the server, 2 for the client, 1 for the emulator); this host has 2.' choose_cores kvm
}

@test "on two cores emulated guests leave the server its own core" {
  two_cores
  choose_cores tcg
  check_cores tcg
  [[ ${settings[server_cores]} == 0 && ${settings[client_cores]} == 1 && ${settings[emulator_cores]} == 1 ]]
}

cores() { # server client emulator
  settings[server_cores]=$1 settings[client_cores]=$2 settings[emulator_cores]=$3
}

@test "a core taken twice is refused" {
  cores 1 1,2 0
  refused 'client_cores: core 1 is taken twice, by server and client.' check_cores kvm
  cores 1 2,3 1
  refused 'emulator_cores: core 1 is taken twice, by server and emulator.' check_cores tcg
  cores 1 2,3 2
  refused 'emulator_cores: core 2 is taken twice, by client and emulator.' check_cores kvm
}

@test "a core that the host does not have is refused" {
  cores 1 2,8 0
  refused "client_cores: core 8 is not one of this host's (0,1,2,3,4,5,6,7)." check_cores kvm
}

@test "a core that shares the server's physical core is refused" {
  cores 1 2,5 0
  refused 'server_cores: core 1 shares a physical core with core 5 of the client.' check_cores kvm
}

@test "fewer cores than vCPUs are refused" {
  cores 1 2 0
  refused 'client_cores: expected at least 2 cores, one for each vCPU, found 1.' check_cores kvm
}

@test "a range from a core down names none and is refused, of emulated guests too" {
  cores 3-1 2 0
  refused 'server_cores: 3-1 names no core; expected a list of cores such as 2,3 or 4-7.' check_cores tcg
  cores 1 2,3 7-4
  refused 'emulator_cores: 7-4 names no core' check_cores kvm
}

@test "some cores chosen and some not is refused" {
  cores 1 auto auto
  refused 'set all three, or leave all three at auto' choose_cores kvm
}

@test "guests that do not fit the memory are refused" {
  check_memory 7488
  refused 'The guests need 7489 MiB and 512 MiB must be left to the host; only 8000 MiB are available.' check_memory 7489
}

@test "a data disk that is neither device nor folder is refused" {
  settings[disk_ssd]=/nowhere
  refused 'disk_ssd: /nowhere is neither a block device nor a folder.' check_disk ssd no
}

@test "the same disk twice, no disk, and a missing image are refused" {
  cores 1 2,3 0
  mkdir "$BATS_TEST_TMPDIR/device"
  settings[disk_ssd]=none settings[disk_hdd]=none
  refused 'disk_ssd and disk_hdd are both none' check_settings kvm no
  settings[disk_hdd]=emulated settings[image]=/nowhere.qcow2
  refused 'image: /nowhere.qcow2 is not there.' check_settings kvm no
}
