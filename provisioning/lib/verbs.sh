# shellcheck shell=bash
# The verbs, each from its first check to its last line.

readonly boot_limit_kvm_s=120 boot_limit_tcg_s=1500

# Programs that `up` uses, and the Debian packages that bring them.
readonly needed_programs=(
  virsh:libvirt-clients libvirtd:libvirt-daemon-system qemu-system-x86_64:qemu-system-x86 qemu-img:qemu-utils
  genisoimage:genisoimage ssh:openssh-client ssh-keygen:openssh-client rsync:rsync uuidgen:uuid-runtime ip:iproute2
  lsblk:util-linux iptables:iptables
)
readonly image_programs=(mmdebstrap:mmdebstrap grub-mkimage:grub-common sfdisk:fdisk mke2fs:e2fsprogs)
readonly image_files=(/usr/lib/grub/i386-pc/boot.img:grub-pc-bin /usr/share/keyrings/debian-archive-keyring.gpg:debian-archive-keyring)

# Prints the Debian packages that are missing, one a line.
missing_packages() {
  local entry
  local -a programs=("${needed_programs[@]}") files=()
  if [[ ${settings[image]} == built ]]; then
    programs+=("${image_programs[@]}")
    files+=("${image_files[@]}")
  fi
  {
    for entry in "${programs[@]}"; do
      command -v "${entry%%:*}" >/dev/null || printf '%s\n' "${entry#*:}"
    done
    for entry in "${files[@]}"; do
      [[ -e ${entry%%:*} ]] || printf '%s\n' "${entry#*:}"
    done
  } | sort -u
}

# Prints kvm or tcg, or gives up: KVM does not work and emulation was not asked for.
choose_acceleration() { # tcg_allowed
  if [[ $1 == yes ]]; then
    printf 'tcg\n'
  elif kvm_works; then
    printf 'kvm\n'
  else
    give_up 'KVM does not work here (QEMU could not start a machine with it); --tcg emulates the guests, which proves the set-up and measures nothing.'
  fi
}

# Everything that can be refused before anything is touched.
check_settings() { # acceleration format_allowed
  local disk
  choose_cores "$1"
  check_cores "$1"
  for disk in ssd hdd; do
    check_disk "$disk" "$2"
    check_size "$disk"
    [[ ${settings[disk_$disk]} == none ]] || check_rotation "$disk"
  done
  [[ ${settings[disk_ssd]}${settings[disk_hdd]} != nonenone ]] || give_up 'disk_ssd and disk_hdd are both none; the server needs one.'
  [[ $(disk_backing ssd) != "$(disk_backing hdd)" ]] || give_up "disk_ssd and disk_hdd are the same: ${settings[disk_ssd]}."
  [[ ${settings[image]} == built || -f ${settings[image]} ]] || give_up "image: ${settings[image]} is not there."
}

show_plan() { # tcg_allowed format_allowed
  local acceleration=kvm role disk
  [[ $1 == no ]] || acceleration=tcg
  check_settings "$acceleration" "$2"
  printf '# image: %s\n' "$(image_path)"
  for disk in $(disks_of server); do
    printf '# disk %s: %s (%s), %s\n' "$disk" "$(disk_backing "$disk")" "$(disk_label "$disk")" "${settings[durability]}"
  done
  printf '# network\n'
  render_network
  for role in "${roles[@]}"; do
    printf '# %s\n' "$role"
    render_domain "$role" "$acceleration"
  done
}

require_root() { # verb
  [[ $(id -u) == 0 ]] || give_up "$1 needs root; run: sudo provisioning/provision.sh $1"
}

require_programs() {
  local -a missing
  mapfile -t missing < <(missing_packages)
  ((${#missing[@]} == 0)) ||
    give_up "Missing: $(join_words ' ' "${missing[@]}"). Install with: sudo apt-get install --no-install-recommends $(join_words ' ' "${missing[@]}")"
}

# One provision.sh at a time for each lab.
take_turn() {
  exec {turn}>"/run/lock/upload-lab-${settings[name]}.lock"
  flock -n "$turn" || give_up "Another provision.sh is working on the lab ${settings[name]}; wait until it has ended."
}

bring_up() { # tcg_allowed format_allowed
  local acceleration role disk limit erasable=
  require_root up
  require_programs
  acceleration=$(choose_acceleration "$1")
  check_settings "$acceleration" "$2"
  take_turn
  share_connections
  [[ $acceleration == kvm ]] || warn 'the guests are emulated: what runs in them is not a result.'
  make_project_ready
  make_image_in_cache
  stage_project
  start_libvirt
  check_memory "$(memory_needed)"
  make_keys
  make_network
  make_project_disk
  for disk in $(disks_of server); do
    make_backing "$disk"
  done
  for role in "${roles[@]}"; do
    make_guest "$role" "$acceleration"
  done
  limit=boot_limit_${acceleration}_s
  for role in "${roles[@]}"; do
    wait_for_guest "$role" "${!limit}"
  done
  push_projects
  for role in "${roles[@]}"; do
    set_clock "$role"
  done
  [[ $2 == no ]] || erasable=ssd,hdd
  prepare_server "$erasable"
  characterise_disks "$acceleration"
  write_rig "$acceleration"
  say "Ready: ./lab run --rig kvm reads $(rig_file)."
}

push_projects() {
  local role
  local -A sending=()
  for role in "${roles[@]}"; do
    push_project "$role" &
    sending[$role]=$!
  done
  for role in "${roles[@]}"; do
    wait "${sending[$role]}" || give_up "The project could not be copied to the $role (see above)."
  done
}

show_status() {
  local role state
  require_root status # the socket of the lab's libvirtd is for nobody else
  for role in "${roles[@]}"; do
    state=$(lab_virsh domstate "$(domain_of "$role")" 2>/dev/null) || state='not there'
    printf '%-8s %-16s %-12s %s\n' "$role" "$(lab_address "$role")" "$state" "$(describe_login "$role" "$state")"
  done
}

describe_login() { # role state
  local offset_ms
  [[ $2 == running ]] || return 0
  if offset_ms=$(clock_offset_ms "$1"); then
    printf 'login works, clock %+.0f ms\n' "$offset_ms"
  else
    printf 'no login\n'
  fi
}

# Prints how far a guest's clock is ahead of the host's, in ms: of five questions over one connection, the answer that came
# fastest, against the middle between asking and hearing.
clock_offset_ms() { # role
  local before guest after fastest='' offset_ms
  coproc asked { in_guest "$1" 'while read -r _; do date +%s%N; done' 2>/dev/null; }
  for _ in 1 2 3 4 5; do
    before=$(date +%s%N)
    printf '\n' >&"${asked[1]}" && read -r -t 30 guest <&"${asked[0]}" || return
    after=$(date +%s%N)
    if [[ -z $fastest ]] || ((after - before < fastest)); then
      fastest=$((after - before))
      offset_ms=$(((guest - (before + after) / 2) / 1000000))
    fi
  done
  exec {asked[1]}>&-
  wait "$asked_PID"
  printf '%d\n' "$offset_ms"
}

# An isolated guest starts with what its emulated battery clock says and has nothing to follow where KVM's clock is missing:
# the host's time is given to it when it is more than this off.
readonly clock_tolerance_ms=20

set_clock() { # role
  local offset_ms
  offset_ms=$(clock_offset_ms "$1") || give_up "The clock of the $1 could not be read."
  ((${offset_ms#-} > clock_tolerance_ms)) || return 0
  in_guest "$1" bash -s -- "$offset_ms" <"$provisioning/guest/set-clock" ||
    give_up "The clock of the $1 could not be set."
}

log_in() { # role command...
  local role=${1-}
  [[ " ${roles[*]} " == *" $role "* && -n $role ]] || give_up "ssh: expected server or client, found \"$role\"."
  shift
  trap - EXIT
  [[ -f $(access_folder)/identity ]] || give_up "The lab ${settings[name]} is not up; run provision.sh up first."
  in_guest "$role" "$@"
}

# Piece by piece, whatever is there: guests, network, files, folders, daemons. What cannot be removed stays listed.
take_down() {
  local failed=0
  [[ -f $(state_file) ]] || {
    remove_folder "${settings[folder]}" # `up` may have failed before it made anything in it
    say "Nothing to remove: the lab ${settings[name]} is not there."
    return
  }
  require_root down
  take_turn
  start_libvirt
  remove_listed domain remove_domain || failed=1
  remove_listed network remove_network || failed=1
  remove_listed chains remove_chains || failed=1
  remove_listed file rm -f -- || failed=1
  { remove_listed daemon stop_daemon && remove_listed tree rm -rf --one-file-system --; } || failed=1
  remove_listed folder remove_folder || failed=1
  remove_listed format true || failed=1
  remove_listed access restore_access || failed=1
  ((failed == 0)) || give_up "Some of it could not be removed (see above) and is still listed in $(state_file); run down again."
  rm -f "$(state_file)"
  rmdir --ignore-fail-on-non-empty "${settings[folder]}"
  rm -f "/run/lock/upload-lab-${settings[name]}.lock"
}

remove_listed() { # kind command...
  local name failed=0
  while read -r name; do
    if "${@:2}" "$name" </dev/null; then
      unlist "$1" "$name"
    else
      failed=1
    fi
  done < <(made "$1")
  return "$failed"
}

remove_network() { # network
  if lab_virsh net-info "$1" >/dev/null 2>&1; then
    lab_virsh net-destroy "$1" >/dev/null 2>&1 || true
    lab_virsh net-undefine "$1" >/dev/null
  fi
}

# A folder that holds something of somebody else's stays.
remove_folder() { # folder
  [[ ! -d $1 ]] || rmdir --ignore-fail-on-non-empty -- "$1"
}
