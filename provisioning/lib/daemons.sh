# shellcheck shell=bash
# A libvirtd of the lab's own: in a mount namespace of its own it finds folders of the lab's where the host's libvirt has its
# configuration, state, logs and sockets. The host's libvirt, where there is one, is neither used nor changed.

readonly libvirt_folders=(/etc/libvirt /var/lib/libvirt /var/log/libvirt /var/cache/libvirt /run/libvirt)

# Prints the lab's folder that libvirtd finds in the place of the host's. What ends with the machine is below /run.
own_folder() { # folder_of_libvirt
  case $1 in
  /run/*) printf '/run/upload-lab-%s\n' "${settings[name]}" ;;
  *) printf '%s/libvirt%s\n' "${settings[folder]}" "$1" ;;
  esac
}

lab_virsh() { # arguments...
  timeout 120 virsh -q -c "qemu:///system?socket=$(own_folder /run/libvirt)/libvirt-sock" "$@"
}

libvirt_answers() {
  lab_virsh version >/dev/null 2>&1
}

start_libvirt() {
  let_libvirt_use_kvm
  libvirt_answers && return
  make_own_folders
  list_made daemon libvirtd
  start_libvirtd || give_up 'libvirtd could not be started (see above).'
  wait_for 'libvirtd to answer' 30 libvirt_answers ||
    give_up "libvirtd was started and does not answer; $(own_folder /var/log/libvirt)/libvirtd.log says why."
}

make_own_folders() {
  local folder own
  make_folder "${settings[folder]}"
  list_made tree "${settings[folder]}/libvirt"
  list_made tree "$(own_folder /run/libvirt)"
  for folder in "${libvirt_folders[@]}"; do
    # Something must be there to be hidden, though libvirt may never have run.
    make_folder "$folder"
    own=$(own_folder "$folder")
    mkdir -p "$own"
  done
  # One of Debian's optional packages is all that makes it.
  mkdir -p "$(own_folder /var/lib/libvirt)/dnsmasq"
  # No profiles of AppArmor's are written to the host, and no second daemon is needed for the guests' consoles.
  printf '%s\n' 'security_driver = "none"' 'stdio_handler = "file"' >"$(own_folder /etc/libvirt)/qemu.conf"
  printf '%s\n' 'auth_unix_ro = "none"' 'auth_unix_rw = "none"' 'unix_sock_ro_perms = "0700"' 'unix_sock_rw_perms = "0700"' \
    >"$(own_folder /etc/libvirt)/libvirtd.conf"
}

# Runs it without the lock of this script, which would live as long as the daemon.
start_libvirtd() {
  local folder
  local -a places=()
  for folder in "${libvirt_folders[@]}"; do
    places+=("$(own_folder "$folder")" "$folder")
  done
  (
    exec {turn}>&-
    # shellcheck disable=SC2016  # the inner shell's own words
    exec unshare --mount --propagation slave bash -c '
      set -e
      pid_file=$1
      shift
      while (($#)); do
        mount --bind "$1" "$2"
        shift 2
      done
      exec libvirtd --daemon --pid-file "$pid_file"
    ' libvirtd "${settings[folder]}/libvirtd.pid" "${places[@]}"
  )
}

# Where /dev/kvm is there but not for QEMU's user (no udev), libvirt takes it for new at each call and never answers.
let_libvirt_use_kvm() {
  [[ -c /dev/kvm && ! -d /run/systemd/system ]] || return 0
  runuser -u libvirt-qemu -- test -w /dev/kvm && return
  list_made access "/dev/kvm $(stat -c '%a %u:%g' /dev/kvm)"
  chgrp kvm /dev/kvm
  chmod 660 /dev/kvm
}

restore_access() { # "device mode owner"
  local device mode owner
  read -r device mode owner <<<"$1"
  [[ $(stat -c '%a %G' "$device") == '660 kvm' ]] || return 0
  chown "$owner" "$device"
  chmod "$mode" "$device"
}

# Ends the lab's libvirtd, unless a guest that could not be removed still needs it or its process has become another.
stop_daemon() { # program
  local pid_file=${settings[folder]}/$1.pid pid
  [[ -z $(lab_virsh list --name 2>/dev/null) ]] || return
  if pid=$(cat "$pid_file" 2>/dev/null) && [[ $(cat "/proc/$pid/comm" 2>/dev/null) == "$1" ]]; then
    kill "$pid"
    wait_for "$1 to end" 30 process_is_gone "$pid" || kill -KILL "$pid"
  fi
  rm -f "$pid_file"
}

process_is_gone() { # pid
  [[ ! -d /proc/$1 ]]
}
