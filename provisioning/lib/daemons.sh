# shellcheck shell=bash
# libvirt's own daemons: used where they answer, started where they do not, and only those stopped again.

lab_virsh() { # arguments...
  timeout 120 virsh -q -c qemu:///system "$@"
}

libvirt_answers() {
  lab_virsh version >/dev/null 2>&1
}

start_libvirt() {
  let_libvirt_use_kvm
  libvirt_answers && return
  if [[ -d /run/systemd/system ]]; then
    start_units
  else
    start_daemon virtlogd /run/libvirt/virtlogd-sock
    start_daemon libvirtd /run/libvirt/libvirt-sock
  fi
  wait_for 'libvirtd to answer' 30 libvirt_answers ||
    give_up 'libvirtd was started and does not answer; its own log says why.'
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

start_units() {
  local unit
  for unit in virtlogd.socket libvirtd.socket; do
    systemctl --quiet is-active "$unit" && continue
    list_made unit "$unit"
    systemctl start "$unit" || give_up "systemctl could not start $unit; \"systemctl status $unit\" says why."
  done
}

start_daemon() { # program socket
  local pid_file=${settings[folder]}/$1.pid
  command -v "$1" >/dev/null || give_up "$1 is missing; install libvirt-daemon-system."
  socket_answers "$2" && return
  list_made daemon "$1"
  # Without the lock of this script, which would live as long as the daemon.
  (
    exec {turn}>&-
    exec "$1" --daemon --pid-file "$pid_file"
  ) || give_up "$1 could not be started."
}

socket_answers() { # socket
  [[ -S $1 ]] && ss -xlH src "$1" | grep -q .
}

# Ends a daemon that this lab has started, unless its process has become another or others' guests need it by now.
stop_daemon() { # program
  local pid_file=${settings[folder]}/$1.pid pid
  if [[ -n $(lab_virsh list --name 2>/dev/null) ]]; then
    say "$1 is left running: other guests use it."
    rm -f "$pid_file"
    return
  fi
  if pid=$(cat "$pid_file" 2>/dev/null) && [[ $(cat "/proc/$pid/comm" 2>/dev/null) == "$1" ]]; then
    kill "$pid"
    wait_for "$1 to end" 30 process_is_gone "$pid" || kill -KILL "$pid"
  fi
  rm -f "$pid_file"
}

process_is_gone() { # pid
  [[ ! -d /proc/$1 ]]
}
