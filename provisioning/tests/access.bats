#!/usr/bin/env bats
# shellcheck disable=SC2034,SC2154,SC2329,SC2030,SC2031  # settings and functions are used by the parts that setup loads
# How the guests are reached, from a project whose path has blanks and a quote in it.

setup() {
  load lab
  load_parts
  repository="$BATS_TEST_TMPDIR/somebody's  project"
}

@test "ssh takes the whole path of the known hosts" {
  local -a options
  mapfile -t options < <(ssh_options)
  ssh "${options[@]}" -G guest 2>/dev/null | grep -qxF "userknownhostsfile $(access_folder)/known_hosts"
}

@test "rsync hands each option of ssh on as it is" {
  settings[cache]=$BATS_TEST_TMPDIR
  mkdir "$(project_tree)" "$BATS_TEST_TMPDIR/bin"
  printf '#!/bin/sh\nprintf "%%s\\n" "$@" >"%s/given"\n' "$BATS_TEST_TMPDIR" >"$BATS_TEST_TMPDIR/bin/ssh"
  chmod +x "$BATS_TEST_TMPDIR/bin/ssh"
  PATH=$BATS_TEST_TMPDIR/bin:$PATH run send_project server
  ssh_options | diff - <(head -n "$(ssh_options | wc -l)" "$BATS_TEST_TMPDIR/given")
}
