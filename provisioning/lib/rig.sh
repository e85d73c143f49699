# shellcheck shell=bash
# The rig file: how the harness reaches the guests.

rig_file() {
  case ${settings[rig]} in
  /*) printf '%s\n' "${settings[rig]}" ;;
  *) printf '%s/%s\n' "$repository" "${settings[rig]}" ;;
  esac
}

render_rig() { # acceleration
  local emulated=false access patience=
  access=$(access_folder)
  # An emulated guest may not get to answer for a while.
  [[ $1 == kvm ]] || emulated=true patience=', patience_s = 45'
  cat <<TOML
# Written by provisioning/provision.sh up; the next up writes it anew.
name = "kvm"
emulated = $emulated

[roles.server]
host = "$(lab_address server)"
ssh = { user = "root", port = 22, identity = "$access/identity", known_hosts = "$access/known_hosts"$patience }
cores = [$(vcpu_list server)]
folder = "$guest_folder"

[roles.injector]
host = "$(lab_address client)"
ssh = { user = "root", port = 22, identity = "$access/identity", known_hosts = "$access/known_hosts"$patience }
cores = [$(vcpu_list client)]
folder = "$guest_folder"
heap_mib = ${settings[client_heap_mib]}
TOML
  local disk figures
  for disk in $(disks_of server); do
    printf '\n[disks.%s]\nlabel = "%s"\n' "$disk" "$(disk_label "$disk")"
    [[ ${settings[disk_$disk]} != emulated ]] || printf 'emulated = true\n'
    printf 'folder = "/srv/upload-lab/%s"\ndurability = "%s"\n' "$disk" "${settings[durability]}"
    figures=$(sed -n 2p "${settings[folder]}/$disk.fio" 2>/dev/null) || true
    [[ -z $figures ]] || printf 'fio = { %s }\n' "$figures"
  done
}

vcpu_list() { # role
  seq -s ', ' 0 "$((settings[$1_vcpus] - 1))"
}

write_rig() { # acceleration
  local file
  file=$(rig_file)
  [[ ! -e $file ]] || listed file "$file" || give_up "$file exists and was not written by this lab; set another rig in the settings."
  list_made file "$file"
  render_rig "$1" >"$file.part"
  if cmp -s "$file.part" "$file"; then
    rm "$file.part"
  else
    mv "$file.part" "$file"
    give_to_owner "$file"
  fi
}
