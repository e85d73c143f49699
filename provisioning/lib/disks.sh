# shellcheck shell=bash
# The server's data disks: what backs them on the host, and what they are worth in the guest.

# Of an emulated guest only the throttle is worth knowing, and that shows at once.
readonly fio_kvm_s=5 fio_tcg_s=2

# Image files are given their space at once, where the file system can.
make_backing() { # disk
  local backing
  backing=$(disk_backing "$1")
  if [[ $backing == /dev/* ]]; then
    list_made format "$backing"
    return
  fi
  [[ -f $backing ]] && listed file "$backing" && return
  [[ ! -e $backing ]] || give_up "disk_$1: $backing exists and was not made by this lab."
  list_made file "$backing"
  check_space "$1" "$backing"
  fallocate -l "${settings[disk_gib]}G" "$backing" 2>/dev/null || truncate -s "${settings[disk_gib]}G" "$backing"
}

# Gives up when the image file that an earlier `up` made has another size: it is kept as it is, with what is on it.
check_size() { # disk
  local backing bytes
  backing=$(disk_backing "$1")
  [[ -f $backing ]] && listed file "$backing" || return 0
  bytes=$(stat -c %s "$backing")
  ((bytes == settings[disk_gib] << 30)) ||
    give_up "disk_gib: $backing has $((bytes >> 30)) GiB, not ${settings[disk_gib]}; set disk_gib = $((bytes >> 30)), or run down and then up, which makes it anew and empty."
}

check_space() { # disk file
  local free_gib
  free_gib=$(df --output=avail -B1G "$(dirname "$2")" | tail -n 1)
  ((free_gib > settings[disk_gib])) ||
    give_up "disk_$1: an image of ${settings[disk_gib]} GiB does not fit $(dirname "$2"), which has $free_gib GiB free."
}

disk_label() { # disk
  case $1-${settings[disk_$1]} in
  ssd-*) printf 'SSD\n' ;;
  hdd-emulated) printf 'emulated HDD\n' ;;
  hdd-*) printf 'HDD\n' ;;
  esac
}

# Warns when the kernel says of a disk the opposite of its name; virtual disks may say anything.
check_rotation() { # disk
  local backing device rotates
  [[ ${settings[disk_$1]} != emulated ]] || return 0
  backing=$(disk_backing "$1")
  device=$backing
  if [[ $backing != /dev/* ]]; then
    [[ -d $(dirname "$backing") ]] || return 0
    device=$(df --output=source "$(dirname "$backing")" | tail -n 1)
  fi
  rotates=$(lsblk -dnro ROTA "$device" 2>/dev/null | head -n 1) || return 0
  case $1$rotates in
  ssd1) warn "disk_ssd: the kernel says that $device rotates." ;;
  hdd0) warn "disk_hdd: the kernel says that $device does not rotate." ;;
  esac
}

# Formats and mounts the data disks in the guest, unless they are.
prepare_server() { # erasable_disks
  local -a disks
  mapfile -t disks < <(disks_of server)
  in_guest server bash -s -- "${settings[durability]}" "'$1'" "${disks[@]}" <"$provisioning/guest/prepare-server" ||
    give_up "The server's data disks could not be made ready (see above)."
}

# Measures each data disk, once for what it is.
characterise_disks() { # acceleration
  local disk file identity figures seconds=fio_$1_s
  for disk in $(disks_of server); do
    file=${settings[folder]}/$disk.fio
    identity="# $(render_disks server | sha256sum | cut -c 1-16) ${settings[durability]} ${!seconds} s"
    [[ $(head -n 1 "$file" 2>/dev/null) == "$identity" ]] && continue
    say "Measuring $(disk_label "$disk") with fio"
    list_made file "$file"
    figures=$(in_guest server bash -s -- "/srv/upload-lab/$disk" "${!seconds}" <"$provisioning/guest/characterise") ||
      give_up "$(disk_label "$disk") could not be measured (see above)."
    printf '%s\n%s\n' "$identity" "$figures" >"$file"
  done
}
