#!/usr/bin/env bats
# shellcheck disable=SC2034,SC2154,SC2329,SC2030,SC2031  # settings and functions are used by the parts that setup loads
# The list of what was made, and that nothing else is removed.

setup() {
  load lab
  load_parts
  make_folder "${settings[folder]}"
}

@test "what was made last is removed first" {
  list_made file /one
  list_made file /two
  [[ $(made file | paste -sd ' ') == '/two /one' ]]
}

@test "a thing is listed once" {
  list_made file /one
  list_made file /one
  [[ $(made file) == /one ]]
}

@test "a removed thing leaves the list, the others stay" {
  list_made file /one
  list_made folder /one
  unlist file /one
  [[ -z $(made file) ]]
  [[ $(made folder) == /one ]]
}

@test "only listed files go; a folder that holds anything else stays" {
  local folder=${settings[folder]}/server
  make_folder "$folder"
  touch "$folder/ours" "$folder/theirs"
  list_made file "$folder/ours"
  remove_listed file rm -f --
  remove_listed folder remove_folder
  [[ ! -e $folder/ours ]]
  [[ -e $folder/theirs ]]
}

bats_require_minimum_version 1.5.0

@test "what could not be removed stays listed" {
  list_made file /one
  run ! remove_listed file false
  [[ $(made file) == /one ]]
}

@test "what has gone already is no obstacle" {
  list_made file "${settings[folder]}/gone"
  list_made folder "${settings[folder]}/gone-too"
  remove_listed file rm -f --
  remove_listed folder remove_folder
  [[ -z $(made file)$(made folder) ]]
}

@test "an image file that somebody else made is refused, ours is kept" {
  local backing=${settings[folder]}/uploadlab-ssd.img
  settings[disk_gib]=1
  touch "$backing"
  refused 'exists and was not made by this lab.' make_backing ssd
  list_made file "$backing"
  make_backing ssd
}

@test "an image file of another size than is set is refused, with what can be done" {
  local backing=${settings[folder]}/uploadlab-ssd.img
  settings[disk_gib]=2
  truncate -s 1G "$backing"
  list_made file "$backing"
  refused "disk_gib: $backing has 1 GiB, not 2; set disk_gib = 1, or run down and then up, which makes it anew and empty." check_settings kvm no
  settings[disk_gib]=1
  check_settings kvm no
}

@test "an image that does not fit its file system is refused" {
  settings[disk_gib]=99999
  run make_backing ssd
  [[ $status -eq 2 ]]
  [[ $output == *'an image of 99999 GiB does not fit'* ]]
  [[ ! -e ${settings[folder]}/uploadlab-ssd.img ]]
}

@test "libvirtd gets folders of the lab's, and what the host has in their place is not written to" {
  local folder
  for folder in "${libvirt_folders[@]}"; do
    [[ $(own_folder "$folder") == "${settings[folder]}"/libvirt/* || $(own_folder "$folder") == /run/upload-lab-uploadlab ]]
  done
}

@test "what libvirtd has left goes only when libvirtd has ended" {
  list_made daemon libvirtd
  lab_virsh() { printf 'uploadlab-server\n'; }
  run ! remove_listed daemon stop_daemon
  [[ $(made daemon) == libvirtd ]]
}
