# shellcheck shell=bash
# The guests: made, started, waited for, removed.

readonly roles=(server client)

domain_of() { # role
  printf '%s-%s\n' "${settings[name]}" "$1"
}

guest_runs() { # role
  [[ $(lab_virsh domstate "$(domain_of "$1")" 2>/dev/null) == running ]]
}

# Prints the memory of the guests that do not run yet.
memory_needed() {
  local role sum=0
  for role in "${roles[@]}"; do
    guest_runs "$role" || ((sum += settings[${role}_memory_mib]))
  done
  printf '%d\n' "$sum"
}

# Makes whatever of a guest is missing or differs from the settings, then has it running.
make_guest() { # role acceleration
  local role=$1 domain changed=no
  domain=$(domain_of "$role")
  make_folder "${settings[folder]}/$role"
  make_seed "$role" "$2" || changed=yes
  make_definition "$role" "$2" || changed=yes
  system_disk_is_right "$role" || changed=yes
  if [[ $changed == no ]] && guest_runs "$role"; then
    return
  fi
  stop_guest "$role"
  make_system_disk "$role"
  make_project_copy "$role"
  say "Starting $domain"
  lab_virsh start "$domain" >/dev/null || give_up "$domain could not be started: $(last_lines "$(own_folder /var/log/libvirt)/qemu/$domain.log")"
}

# Returns 1 when the guest has to be started anew.
make_seed() { # role acceleration
  local folder=${settings[folder]}/$1 access user_data network_config instance file
  access=$(access_folder)
  user_data=$(render_user_data "$1" "$access/identity" "$access/host-$1" "$2")
  network_config=$(render_network_config "$1")
  instance=$(printf '%s\n%s' "$user_data" "$network_config" | sha256sum | cut -c 1-12)
  [[ -f $folder/seed.iso && $(cat "$folder/meta-data" 2>/dev/null) == "$(render_meta_data "$1" "$instance")" ]] && return
  for file in user-data network-config meta-data seed.iso; do
    list_made file "$folder/$file"
  done
  (
    umask 077
    printf '%s\n' "$user_data" >"$folder/user-data"
    printf '%s\n' "$network_config" >"$folder/network-config"
    render_meta_data "$1" "$instance" >"$folder/meta-data"
    genisoimage -quiet -volid cidata -rational-rock -output "$folder/seed.iso" \
      "$folder/user-data" "$folder/meta-data" "$folder/network-config"
  )
  return 1
}

# Returns 1 when the guest has to be started anew.
make_definition() { # role acceleration
  local xml=${settings[folder]}/$1/domain.xml domain wanted
  domain=$(domain_of "$1")
  wanted=$(render_domain "$1" "$2")
  [[ -f $xml && $(<"$xml") == "$wanted" ]] && lab_virsh dominfo "$domain" >/dev/null 2>&1 && return
  list_made file "$xml"
  list_made domain "$domain"
  printf '%s\n' "$wanted" >"$xml.part"
  lab_virsh define "$xml.part" >/dev/null || give_up "$domain could not be defined (see above)."
  mv "$xml.part" "$xml"
  return 1
}

system_disk_is_right() { # role
  local disk=${settings[folder]}/$1/system.qcow2
  [[ -f $disk && $(cat "$disk.from" 2>/dev/null) == "$(image_path)" ]]
}

# A guest's system disk holds only what differs from the image.
make_system_disk() { # role
  local disk=${settings[folder]}/$1/system.qcow2
  system_disk_is_right "$1" && return
  list_made file "$disk"
  list_made file "$disk.from"
  rm -f "$disk"
  qemu-img create -q -f qcow2 -F qcow2 -b "$(image_path)" "$disk" 6G ||
    give_up "$disk could not be made from $(image_path)."
  image_path >"$disk.from"
}

make_project_copy() { # role
  local disk=${settings[folder]}/$1/project.qcow2 base=${settings[folder]}/project.img
  [[ -f $disk ]] && return
  list_made file "$disk"
  list_made file "${settings[folder]}/$1/project.copied"
  rm -f "${settings[folder]}/$1/project.pushed"
  qemu-img create -q -f qcow2 -F raw -b "$base" "$disk" || give_up "$disk could not be made from $base."
  cp "$base.state" "${settings[folder]}/$1/project.copied"
}

stop_guest() { # role
  local domain
  domain=$(domain_of "$1")
  guest_runs "$1" || return 0
  say "Stopping $domain: its settings have changed"
  lab_virsh shutdown "$domain" >/dev/null 2>&1 || true
  wait_for "$domain to shut down" 60 guest_is_off "$1" || lab_virsh destroy "$domain" >/dev/null
}

guest_is_off() { # role
  ! guest_runs "$1"
}

# Waits until a guest can be logged in to; a kernel that panics at boot gets one more try.
wait_for_guest() { # role limit_s
  local role=$1 domain tries
  domain=$(domain_of "$role")
  for tries in 1 2; do
    wait_for "$domain to accept a login" "$2" guest_answers_or_failed "$role" || break
    guest_answers "$role" && return
    guest_panicked "$role" && ((tries == 1)) || break
    warn "$domain: the kernel panicked at boot; starting it once more."
    lab_virsh destroy "$domain" >/dev/null 2>&1 || true
    lab_virsh start "$domain" >/dev/null
  done
  give_up "$domain cannot be logged in to; the last lines of its console: $(last_lines "$(console_log "$role")")"
}

guest_answers() { # role
  in_guest "$1" true >/dev/null 2>&1 </dev/null
}

guest_answers_or_failed() { # role
  guest_answers "$1" || guest_panicked "$1" || ! guest_runs "$1"
}

guest_panicked() { # role
  grep -qaF 'Kernel panic' "$(console_log "$1")" 2>/dev/null
}

console_log() { # role
  printf '%s/%s/console.log\n' "${settings[folder]}" "$1"
}

last_lines() { # file
  tail -n 5 "$1" 2>/dev/null | tr -d '\r\033' | paste -sd '|' || printf 'nothing was written'
}

remove_domain() { # domain
  if lab_virsh dominfo "$1" >/dev/null 2>&1; then
    lab_virsh destroy "$1" >/dev/null 2>&1 || true
    lab_virsh undefine --managed-save --snapshots-metadata --checkpoints-metadata --nvram "$1" >/dev/null || return
  fi
  rm -f -- "${settings[folder]}/${1##*-}/console.log"*
}
