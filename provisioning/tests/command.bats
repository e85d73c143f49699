#!/usr/bin/env bats
# shellcheck disable=SC2034,SC2154,SC2329,SC2030,SC2031  # settings and functions are used by the parts that setup loads
# The command line, and the waits.

provision() {
  "$BATS_TEST_DIRNAME/../provision.sh" "$@"
}

refused() { # sentence arguments...
  local sentence=$1
  shift
  run provision "$@"
  [[ $status -eq 2 ]]
  [[ ${lines[-1]} == *"$sentence"* ]]
}

@test "plan prints the network and both guests, and makes nothing" {
  run provision plan --tcg --set "folder=$BATS_TEST_TMPDIR/guests" --set cache="$BATS_TEST_TMPDIR/cache"
  [[ $status -eq 0 ]]
  [[ $output == *'<name>uploadlab-server</name>'*'<name>uploadlab-client</name>'* ]]
  [[ ! -e $BATS_TEST_TMPDIR/guests && ! -e $BATS_TEST_TMPDIR/cache ]]
}

@test "an unknown verb, option, role and a missing value are refused" {
  refused 'fly: unknown verb' fly
  refused '--fast: unknown option' plan --fast
  refused '--conf: a value is missing' plan --conf
  refused 'expected server or client, found "sever"' ssh sever
  refused '--set: unknown setting "cores"' plan --set cores=1
  refused 'disk_hdd is "floppy"' plan --disk hdd=floppy
}

@test "a word that no verb but ssh takes is refused: what is behind it would not be read" {
  refused 'my.conf: unexpected word' plan my.conf --tcg
  refused 'my.conf: unexpected word' isolate --dry-run my.conf
  refused 'my.conf: unexpected word' down --set "folder=$BATS_TEST_TMPDIR/guests" my.conf
}

@test "what is set on the command line goes before the file, wherever it stands" {
  printf 'name = of-the-file\n' >"$BATS_TEST_TMPDIR/own.conf"
  run provision plan --tcg --set name=mine --conf "$BATS_TEST_TMPDIR/own.conf"
  [[ $output == *'<name>mine-server</name>'* ]]
}

@test "down without a lab says so and is done" {
  run provision down --set "folder=$BATS_TEST_TMPDIR/guests"
  [[ $status -eq 0 ]]
  [[ $output == 'Nothing to remove'* ]]
}

@test "down removes the empty folder of an up that failed at once" {
  mkdir "$BATS_TEST_TMPDIR/guests"
  run provision down --set "folder=$BATS_TEST_TMPDIR/guests"
  [[ $status -eq 0 ]]
  [[ ! -e $BATS_TEST_TMPDIR/guests ]]
}

@test "the packages of the guests stand in the project's lock" {
  load lab
  load_parts
  repository=$(cd "$provisioning/.." && pwd)
  run locked_packages
  [[ $status -eq 0 ]]
  [[ $output == *$'\nmsgspec=='* ]]
}

@test "doctor ends with 2 where something is missing, and its last word is a row" {
  run provision doctor --set server_memory_mib=9999999
  [[ $status -eq 2 ]]
  [[ $output == *$'\nmemory       missing  '* ]]
  [[ $output != *'Unexpected failure'* ]]
}

@test "status is for root: to anybody else libvirtd would not answer, and the guests would not be there" {
  load lab
  load_parts
  id() { printf '1000\n'; }
  run show_status
  [[ $status -eq 2 ]]
  [[ $output == 'status needs root; run: sudo provisioning/provision.sh status' ]]
}

@test "a wait ends at its limit and says what it waited for" {
  load lab
  load_parts
  run wait_for 'the moon' 1 false
  [[ $status -eq 1 ]]
  [[ $output == 'Gave up waiting for the moon after 1 s.' ]]
  run wait_for 'nothing' 1 true
  [[ $status -eq 0 && -z $output ]]
}
