#!/usr/bin/env bats
# shellcheck disable=SC2034,SC2154,SC2329,SC2030,SC2031  # settings and functions are used by the parts that setup loads
# What libvirt and the harness get, as whole files.
#
# bats provisioning/tests/plan.bats with RENEW=yes writes the expected files anew; read the difference.

setup() {
  load lab
  load_parts
  settings[folder]=/guests
  settings[server_cores]=1 settings[client_cores]=2,3 settings[emulator_cores]=0
}

matches() { # golden_file
  local golden=$BATS_TEST_DIRNAME/golden/$1
  [[ ${RENEW-} != yes ]] || printf '%s\n' "$output" >"$golden"
  diff "$golden" <(printf '%s\n' "$output")
}

valid() { # kind
  printf '%s\n' "$output" >"$BATS_TEST_TMPDIR/given.xml"
  virt-xml-validate "$BATS_TEST_TMPDIR/given.xml" "$1"
}

@test "the server has one pinned vCPU, both data disks past the page cache, the hard disk throttled" {
  run render_domain server kvm
  matches server-kvm.xml
  valid domain
}

@test "the client has two vCPUs on cores of their own and no data disk" {
  run render_domain client kvm
  matches client-kvm.xml
  valid domain
}

@test "an emulated server differs in its type, CPU and clock alone" {
  run render_domain server tcg
  valid domain
  run diff "$BATS_TEST_DIRNAME/golden/server-kvm.xml" <(printf '%s\n' "$output")
  [[ $(grep -c '^[<>]' <<<"$output") -eq 6 ]]
}

@test "real devices are handed on as blocks and not throttled" {
  settings[disk_ssd]=/dev/nvme0n1p3 settings[disk_hdd]=/dev/sdb
  run render_domain server kvm
  matches server-devices.xml
  valid domain
}

@test "the network leads nowhere but to the host" {
  run render_network
  matches network.xml
  valid network
  [[ $output != *forward* ]]
}

@test "the seed names the host key, the lab's key, the address and the limit of open files" {
  printf 'PUBLIC KEY\n' | tee "$BATS_TEST_TMPDIR/key.pub" >"$BATS_TEST_TMPDIR/host.pub"
  printf 'PRIVATE\nKEY\n' >"$BATS_TEST_TMPDIR/host"
  run render_user_data server "$BATS_TEST_TMPDIR/key" "$BATS_TEST_TMPDIR/host" kvm
  matches user-data.yaml
  local of_kvm=$output
  run render_user_data server "$BATS_TEST_TMPDIR/key" "$BATS_TEST_TMPDIR/host" tcg
  [[ ${output#"$of_kvm"} == *'JDK_JAVA_OPTIONS='* ]]
  run render_network_config client
  matches network-config.yaml
}

@test "the rig file says what is emulated, and holds what fio measured" {
  settings[folder]=$BATS_TEST_TMPDIR
  printf '# identity\nrandom_write_iops = 119.8\n' >"$BATS_TEST_TMPDIR/hdd.fio"
  run render_rig tcg
  matches rig.toml
}

@test "names, addresses and identifiers of two labs differ" {
  local first second
  first=$(lab_uuid server)$(lab_mac server)
  settings[name]=other
  second=$(lab_uuid server)$(lab_mac server)
  [[ $first != "$second" ]]
}
