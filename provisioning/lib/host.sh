# shellcheck shell=bash
# What this host has, and whether the settings fit it.

readonly memory_left_to_host_mib=512

# Prints the host's cores, one a line: those this process may use, or all, once isolation has taken the server's from it.
host_cores() {
  if [[ -e $(isolation_file before) ]]; then
    expand_cores "$(host_cores_online)"
  else
    expand_cores "$(host_cores_allowed)"
  fi
}

host_cores_allowed() {
  awk '/^Cpus_allowed_list/ {print $2}' /proc/self/status
}

host_cores_online() {
  cat /sys/devices/system/cpu/online
}

# Prints the cores that share a physical core with this one, itself included, one a line.
core_siblings() { # core
  local file=/sys/devices/system/cpu/cpu$1/topology/thread_siblings_list
  expand_cores "$(cat "$file" 2>/dev/null || printf '%s' "$1")"
}

# Prints the memory a new process could have, in MiB.
available_memory_mib() {
  awk '/^MemAvailable/ {print int($2 / 1024)}' /proc/meminfo
}

# Succeeds when KVM really runs a machine with the host's CPU model; /dev/kvm and libvirt may say so and be wrong.
kvm_works() {
  (printf '%s\n' '{"execute":"qmp_capabilities"}' '{"execute":"quit"}' |
    timeout 10 qemu-system-x86_64 -accel kvm -cpu host -machine q35 -m 64 \
      -nodefaults -display none -S -qmp stdio) >/dev/null 2>&1
}

# Replaces `auto` by cores: the first for the emulator and the host, the next physical core for the server, the rest
# for the client. Under emulation, where nothing is measured, client and emulator may share.
choose_cores() { # acceleration
  [[ "${settings[server_cores]}${settings[client_cores]}${settings[emulator_cores]}" == *auto* ]] || return 0
  [[ ${settings[server_cores]} == auto && ${settings[client_cores]} == auto && ${settings[emulator_cores]} == auto ]] ||
    give_up "server_cores, client_cores and emulator_cores are chosen together: set all three, or leave all three at auto."
  local -a cores=() physical=()
  local core
  mapfile -t cores < <(host_cores)
  for core in "${cores[@]}"; do
    [[ $(core_siblings "$core" | head -n 1) == "$core" || $1 == tcg ]] && physical+=("$core")
  done
  local needed=$((1 + settings[server_vcpus] + settings[client_vcpus]))
  if ((${#physical[@]} >= needed)); then
    settings[emulator_cores]=${physical[0]}
    settings[server_cores]=$(join_words , "${physical[@]:1:settings[server_vcpus]}")
    settings[client_cores]=$(join_words , "${physical[@]:1+settings[server_vcpus]:settings[client_vcpus]}")
  elif [[ $1 == tcg ]] && ((${#cores[@]} >= 2)); then
    settings[server_cores]=${cores[0]}
    settings[client_cores]=$(join_words , "${cores[@]:1}")
    settings[emulator_cores]=${settings[client_cores]}
  else
    give_up "The guests need $needed cores (${settings[server_vcpus]} for the server, ${settings[client_vcpus]} for the client, 1 for the emulator); this host has ${#physical[@]}."
  fi
}

join_words() { # separator words...
  local IFS=$1
  shift
  printf '%s\n' "$*"
}

# Gives up with the first reason why these cores cannot be taken.
check_cores() { # acceleration
  local role core other
  local -A taken=() exists=()
  for core in $(host_cores); do
    exists[$core]=1
  done
  for role in server client emulator; do
    [[ -n $(expand_cores "${settings[${role}_cores]}") ]] ||
      give_up "${role}_cores: ${settings[${role}_cores]} names no core; expected a list of cores such as 2,3 or 4-7."
    for core in $(expand_cores "${settings[${role}_cores]}"); do
      [[ -v exists[$core] ]] || give_up "${role}_cores: core $core is not one of this host's ($(join_words , $(host_cores)))."
      if [[ -v taken[$core] ]]; then
        [[ $1 == tcg && ${taken[$core]} == client && $role == emulator ]] ||
          give_up "${role}_cores: core $core is taken twice, by ${taken[$core]} and $role."
      fi
      taken[$core]=$role
    done
  done
  [[ $1 == tcg ]] && return
  for role in server client; do
    core=$(expand_cores "${settings[${role}_cores]}" | wc -l)
    ((core >= settings[${role}_vcpus])) || give_up "${role}_cores: expected at least ${settings[${role}_vcpus]} cores, one for each vCPU, found $core."
  done
  for core in $(expand_cores "${settings[server_cores]}"); do
    for other in $(core_siblings "$core"); do
      [[ ${taken[$other]-server} == server ]] ||
        give_up "server_cores: core $core shares a physical core with core $other of the ${taken[$other]}."
    done
  done
}

# Gives up when guests that do not run yet would not fit.
check_memory() { # MiB_needed
  local available
  available=$(available_memory_mib)
  (($1 == 0 || available >= $1 + memory_left_to_host_mib)) ||
    give_up "The guests need $1 MiB and $memory_left_to_host_mib MiB must be left to the host; only $available MiB are available."
}

# Gives up with the reason why a data disk cannot be used.
check_disk() { # name format_allowed
  local name=$1 value=${settings[disk_$1]} found
  case $value in
  none | image | emulated) return ;;
  esac
  [[ ! -d $value ]] || return 0
  [[ -b $value ]] || give_up "disk_$name: $value is neither a block device nor a folder."
  found=$(device_in_use "$value")
  [[ -z $found ]] || give_up "disk_$name: $value is in use ($found)."
  found=$(device_content "$value")
  [[ -z $found || $2 == yes ]] || listed format "$value" ||
    give_up "disk_$name: $value holds data ($found); --format-data-disk lets the lab erase it."
}

# Prints why a block device, or a part of it, cannot be given away; nothing when it can.
device_in_use() { # device
  lsblk -nrpo NAME,MOUNTPOINTS,TYPE "$1" | awk '
    $2 ~ /^(\/|\[SWAP\])/ {print $1 " is mounted on " $2; exit}
    $NF ~ /^(lvm|crypt|raid|md)/ {print $1 " is part of a volume"; exit}'
}

# Prints what is written on a device: file system, partition table. Where udev does not run lsblk knows nothing of it, so
# the device itself is looked at, too.
device_content() { # device
  local found
  found=$(lsblk -nro FSTYPE,PTTYPE,TYPE "$1" | awk '
    NR == 1 && NF > 1 {print $1; exit}
    NR > 1 {print "partitions"; exit}')
  # It ends with 2 where it finds nothing.
  [[ -n $found ]] || found=$(blkid -p -o value -s TYPE -s PTTYPE "$1" | head -n 1) || (($? == 2))
  printf '%s' "${found:+$found$'\n'}"
}
