#!/usr/bin/env bats
# shellcheck disable=SC2034,SC2154,SC2329,SC2030,SC2031  # settings and functions are used by the parts that setup loads
# What is on a block device, as lsblk tells it, and what is refused then.

setup() {
  load lab
  load_parts
}

# lsblk's own lines for three devices: a disk with a mounted partition, one with a file system, an empty one.
lsblk() {
  local device=${*: -1} columns=$2
  case $columns-$device in
  NAME,MOUNTPOINTS,TYPE-/dev/used) printf '/dev/used  disk\n/dev/used1 /home part\n' ;;
  NAME,MOUNTPOINTS,TYPE-/dev/volume) printf '/dev/volume  disk\n/dev/mapper/a  lvm\n' ;;
  NAME,MOUNTPOINTS,TYPE-*) printf '%s  disk\n' "$device" ;;
  FSTYPE,PTTYPE,TYPE-/dev/full) printf 'ext4  disk\n' ;;
  FSTYPE,PTTYPE,TYPE-/dev/parted) printf ' gpt disk\n  part\n' ;;
  FSTYPE,PTTYPE,TYPE-*) printf '  disk\n' ;;
  esac
}

@test "a device with a mounted part is in use" {
  [[ $(device_in_use /dev/used) == '/dev/used1 is mounted on /home' ]]
}

@test "a device that is part of a volume is in use" {
  [[ $(device_in_use /dev/volume) == '/dev/mapper/a is part of a volume' ]]
}

@test "a device with a file system or partitions holds data" {
  [[ $(device_content /dev/full) == ext4 ]]
  [[ $(device_content /dev/parted) == gpt ]]
}

@test "an empty device is neither in use nor holds data" {
  [[ -z $(device_in_use /dev/empty) ]]
  [[ -z $(device_content /dev/empty) ]]
}

@test "the device this machine runs from is in use" {
  unset -f lsblk
  local device
  device=$(findmnt -nro SOURCE --target "$BATS_TEST_TMPDIR")
  [[ -b $device ]] || skip "the files here are not on a block device of their own"
  settings[disk_hdd]=$device
  refused 'is in use' check_disk hdd yes
}
