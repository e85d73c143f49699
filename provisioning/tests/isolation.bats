#!/usr/bin/env bats
# shellcheck disable=SC2034,SC2154,SC2329,SC2030,SC2031  # settings and functions are used by the parts that setup loads
# What isolation would do and undo. What it does is tested inside a guest, never on the machine that runs the tests.

setup() {
  load lab
  load_parts
  settings[server_cores]=1 settings[client_cores]=2,3 settings[emulator_cores]=0
}

@test "all cores but the server's and their hyper-threads are left to the rest" {
  [[ $(other_cores) == 0,2,3,4,6,7 ]]
}

@test "an up while the server's core is isolated still knows it, and chooses the same cores" {
  settings[server_cores]=auto settings[client_cores]=auto settings[emulator_cores]=auto
  host_cores_allowed() { printf '0,2-4,6-7\n'; }
  mkdir "${settings[folder]}"
  touch "$(isolation_file before)"
  choose_cores kvm
  [[ ${settings[emulator_cores]} == 0 && ${settings[server_cores]} == 1 && ${settings[client_cores]} == 2,3 ]]
  check_cores kvm
}

@test "systemd's slices lose the server's cores, the guests' slice does not" {
  interrupts_on_server_cores() { printf '24\n'; }
  run isolation_steps_systemd
  [[ ${lines[0]} == 'systemctl set-property --runtime init.scope AllowedCPUs=0,2,3,4,6,7' ]]
  [[ ${lines[3]} == 'echo 0,2,3,4,6,7 >/proc/irq/24/smp_affinity_list' ]]
  [[ $output != *machine.slice* ]]
}

@test "an interrupt on a hyper-thread of the server's core is moved, too" {
  compgen -G '/proc/irq/[0-9]*/smp_affinity_list' >/dev/null || skip "this kernel shows no interrupts"
  list_holds() { (($2 == 5)); }
  [[ -n $(interrupts_on_server_cores) ]]
}

@test "the options of old and new tuna are told apart" {
  tuna() { printf 'usage: tuna [-h] [--isolate] [--include]\n'; }
  [[ $(isolation_steps_tuna) == 'tuna --cpus=1,5 --isolate' ]]
  tuna() { printf 'usage: tuna [-h] {isolate,include,move,priority} ...\n'; }
  [[ $(isolation_steps_tuna) == 'tuna isolate --cpus 1,5' ]]
}

@test "only what isolate changed, and nobody else since, is put back" {
  cd "$BATS_TEST_TMPDIR"
  printf '%s\n' 'thread 10 5 0-7' 'thread 11 5 3' 'thread 12 5 0-7' 'thread 13 5 0-7' 'irq 24 - 0-7' 'default - - ff' >before
  printf '%s\n' 'thread 10 5 0,2-7' 'thread 11 5 3' 'thread 12 5 0,2-7' 'thread 13 5 0,2-7' 'irq 24 - 0,2-7' 'default - - fd' >after
  # 10 is as isolate left it, 11 never changed, 12 was moved by its user, 13 is another thread by now.
  printf '%s\n' 'thread 10 5 0,2-7' 'thread 11 5 3' 'thread 12 5 6' 'thread 13 9 0,2-7' 'irq 24 - 0,2-7' 'default - - fd' >now
  run restore_affinities before after now
  [[ ${lines[0]} == 'taskset -pc 0-7 10 >/dev/null' ]]
  [[ ${lines[1]} == 'echo 0-7 >/proc/irq/24/smp_affinity_list' ]]
  [[ ${lines[2]} == 'echo ff >/proc/irq/default_smp_affinity' ]]
  [[ ${#lines[@]} -eq 3 ]]
}

@test "an isolate that was interrupted is undone" {
  mkdir "${settings[folder]}"
  printf 'thread 10 5 0-7\nirq 24 - 0-7\n' >"$(isolation_file before)"
  affinities_now() { printf 'thread 10 5 0,2-4,6-7\nirq 24 - 0-7\n'; }
  run unisolate yes
  [[ $status -eq 0 ]]
  [[ ${lines[*]} == 'taskset -pc 0-7 10 >/dev/null' ]]
}

@test "this shell's own affinity is read as the kernel has it" {
  affinities_now >"$BATS_TEST_TMPDIR/now"
  grep -qE "^thread $BASHPID [0-9]+ |^thread $$ [0-9]+ " "$BATS_TEST_TMPDIR/now"
}
