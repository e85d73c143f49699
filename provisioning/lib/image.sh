# shellcheck shell=bash
# The guests' system image: built here from Debian packages, without mounts or loop devices, and kept until its inputs change.

readonly image_root_mib=3072
readonly image_suite=bookworm

# Prints the names of the packages that go into the image.
image_packages() {
  grep -v -e '^#' -e '^$' "$provisioning/image/packages"
}

# Prints a digest of everything the built image depends on.
image_digest() {
  cat "$provisioning"/image/* "$provisioning/lib/image.sh" | sha256sum | cut -c 1-16
}

# Prints the path of the image the guests start from.
image_path() {
  if [[ ${settings[image]} == built ]]; then
    printf '%s/image-%s.qcow2\n' "${settings[cache]}" "$(image_digest)"
  else
    printf '%s\n' "${settings[image]}"
  fi
}

# Makes sure that the image is there; the file appears only when it is whole.
make_image() {
  local image
  image=$(image_path)
  [[ -f $image ]] && return
  mkdir -p "${settings[cache]}"
  chmod 755 "${settings[cache]}"
  local work
  work=$(mktemp -d "${settings[cache]}/build.XXXXXX")
  say "Building the guests' image (once; some minutes): log in ${settings[cache]}/build.log"
  if ! (build_image "$work" "$image.part") >"${settings[cache]}/build.log" 2>&1; then
    rm -rf "$work" "$image.part"
    give_up "The image could not be built: $(tail -n 1 "${settings[cache]}/build.log") (whole output: ${settings[cache]}/build.log)"
  fi
  rm -rf "$work"
  mv "$image.part" "$image"
}

build_image() { # work_folder output
  set -e
  install_packages "$1/root"
  configure_root "$1/root"
  pack_root "$1/root" "$1" "$2"
}

install_packages() { # root_folder
  local mirror=${settings[mirror]} move_dev
  move_dev=$(printf %q "$provisioning/image/initramfs-move-dev")
  mmdebstrap --mode=root --variant=minbase --format=directory \
    --include="$(image_packages | paste -sd ,)" \
    --aptopt='Acquire::Languages "none"' \
    --dpkgopt='path-exclude=/usr/share/doc/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' \
    --essential-hook="cd \"\$1\" && mkdir -p etc/initramfs-tools/conf.d etc/initramfs-tools/scripts/init-top etc/initramfs-tools/scripts/init-bottom" \
    --essential-hook="printf 'MODULES=list\n' >\"\$1/etc/initramfs-tools/conf.d/lab\"" \
    --essential-hook="printf '%s\n' virtio_pci virtio_blk ext4 >\"\$1/etc/initramfs-tools/modules\"" \
    --essential-hook="cd \"\$1/etc/initramfs-tools/scripts\" && cp $move_dev init-bottom/udev && printf '#!/bin/sh\n' >init-top/udev && chmod 755 init-*/udev" \
    "$image_suite" "$1" \
    "deb $mirror $image_suite main" \
    "deb $mirror $image_suite-updates main" \
    "deb ${mirror%/debian}/debian-security $image_suite-security main"
}

configure_root() { # root_folder
  local root=$1 image=$provisioning/image unit generator
  install -m 644 "$image/fstab" "$root/etc/fstab"
  install -m 644 "$image/cloud.cfg" "$root/etc/cloud/cloud.cfg.d/99-lab.cfg"
  install -m 644 "$image/chrony.conf" "$root/etc/chrony/chrony.conf"
  install -D -m 644 "$image/chrony.service.conf" "$root/etc/systemd/system/chrony.service.d/lab.conf"
  install -D -m 644 "$image/grub.cfg" "$root/boot/grub/grub.cfg"
  printf 'ptp_kvm\n' >"$root/etc/modules-load.d/lab.conf"
  mkdir -p "$root/opt/upload-lab"
  rm -f "$root"/etc/ssh/ssh_host_* "$root/etc/hostname"
  : >"$root/etc/machine-id"
  while read -r unit; do
    ln -sf /dev/null "$root/etc/systemd/system/$unit"
  done <"$image/masked-units"
  mkdir -p "$root/etc/systemd/system-generators"
  while read -r generator; do
    ln -sf /dev/null "$root/etc/systemd/system-generators/$generator"
  done <"$image/masked-generators"
  ln -sf /lib/systemd/system/systemd-networkd.service "$root/etc/systemd/system/multi-user.target.wants/systemd-networkd.service"
}

# A disk with an MBR, GRUB in the gap before its one partition, and an ext4 file system filled from the folder.
pack_root() { # root_folder work_folder output
  local root=$1 work=$2 output=$3 raw=$2/disk.raw
  truncate -s "$((image_root_mib + 2))M" "$raw"
  printf '2048,,L,*\n' | sfdisk -q "$raw"
  mke2fs -q -t ext4 -L labroot -E root_owner=0:0,offset=1048576 -d "$root" -F "$raw" "$((image_root_mib * 1024))k"
  grub-mkimage -O i386-pc -p '(hd0,msdos1)/boot/grub' -o "$work/core.img" biosdisk part_msdos ext2 normal linux serial terminal
  dd if=/usr/lib/grub/i386-pc/boot.img of="$raw" bs=446 count=1 conv=notrunc status=none
  dd if="$work/core.img" of="$raw" bs=512 seek=1 conv=notrunc status=none
  qemu-img convert -O qcow2 "$raw" "$output"
}
