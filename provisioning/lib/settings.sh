# shellcheck shell=bash
# The settings: read from files, never executed, each value checked by form where it is read.

declare -gA settings=()

# What a value must look like, and how to say that.
declare -grA setting_forms=(
  [name]='^[a-z][a-z0-9-]{0,11}$|a lower-case letter, then at most 11 letters, digits or dashes'
  [network]='^(10|172|192)(\.[0-9]{1,3}){2}\.0/24$|a private network such as 10.83.17.0/24'
  [folder]='^/[A-Za-z0-9_./-]+$|an absolute path of letters, digits, dots, dashes and slashes'
  [cache]='^/[A-Za-z0-9_./-]+$|an absolute path of letters, digits, dots, dashes and slashes'
  [image]='^(built|/[A-Za-z0-9_./-]+)$|built, or the absolute path of a cloud image'
  [rig]='^[A-Za-z0-9_./-]+$|a path of letters, digits, dots, dashes and slashes'
  [mirror]='^https?://[A-Za-z0-9_.:/-]+$|the address of a Debian mirror'
  [server_cores]='^(auto|[0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*)$|auto or a list of cores such as 2,3 or 4-7'
  [client_cores]='^(auto|[0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*)$|auto or a list of cores such as 2,3 or 4-7'
  [emulator_cores]='^(auto|[0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*)$|auto or a list of cores such as 2,3 or 4-7'
  [server_vcpus]='^[1-9][0-9]?$|a whole number from 1 to 99'
  [client_vcpus]='^[1-9][0-9]?$|a whole number from 1 to 99'
  [server_memory_mib]='^[1-9][0-9]{2,6}$|a whole number of MiB from 100'
  [client_memory_mib]='^[1-9][0-9]{2,6}$|a whole number of MiB from 100'
  [client_heap_mib]='^[1-9][0-9]{1,6}$|a whole number of MiB from 10'
  [open_files]='^[1-9][0-9]{2,6}$|a whole number from 100'
  [disk_ssd]='^(none|image|/[A-Za-z0-9_./:-]+)$|a block device, a folder, image or none'
  [disk_hdd]='^(none|image|emulated|/[A-Za-z0-9_./:-]+)$|a block device, a folder, image, emulated or none'
  [disk_gib]='^[1-9][0-9]{0,4}$|a whole number of GiB from 1'
  [hdd_iops]='^[1-9][0-9]{0,6}$|a whole number from 1'
  [hdd_mb_per_s]='^[1-9][0-9]{0,5}$|a whole number from 1'
  [durability]='^(buffered|small-dirty|sync)$|buffered, small-dirty or sync'
)

# Reads `key = value` lines over the settings read before.
read_settings() { # file
  local file=$1 line number=0
  [[ -r $file ]] || give_up "$file: cannot be read; expected a settings file such as provisioning/guests.conf."
  while IFS= read -r line || [[ -n $line ]]; do
    ((++number))
    line=${line%%#*}
    [[ $line =~ ^[[:space:]]*$ ]] && continue
    [[ $line =~ ^[[:space:]]*([a-z_]+)[[:space:]]*=[[:space:]]*(.*[^[:space:]])[[:space:]]*$ ]] ||
      give_up "$file, line $number: expected KEY = VALUE, found \"${line##[[:space:]]}\"."
    set_setting "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" "$file, line $number"
  done <"$file"
}

set_setting() { # key value where_it_is_from
  local key=$1 value=$2 where=$3 form
  [[ -v setting_forms[$key] ]] ||
    give_up "$where: unknown setting \"$key\"; the settings are explained in provisioning/guests.conf."
  form=${setting_forms[$key]}
  [[ $value =~ ${form%|*} ]] || give_up "$where: $key is \"$value\", expected ${form##*|}."
  settings[$key]=$value
}

# Sets the values given on the command line.
take_overrides() { # option key=value...
  while (($#)); do
    [[ $2 == *=* ]] || give_up "$1 $2: expected KEY=VALUE."
    set_setting "${2%%=*}" "${2#*=}" "$1"
    shift 2
  done
}

# Prints a list of cores such as 1,4-6 as one number a line.
expand_cores() { # list
  local part
  for part in ${1//,/ }; do
    seq "${part%-*}" "${part#*-}"
  done
}
