# shellcheck shell=bash
# The descriptions libvirt gets. Everything here is computed from the settings alone.

lab_uuid() { # part
  uuidgen --sha1 --namespace @url --name "upload-lab:${settings[name]}/$1"
}

# A locally administered address that is the same each time.
lab_mac() { # role
  printf '%s/%s' "${settings[name]}" "$1" | sha256sum | sed -E 's/^(..)(..)(..).*/52:54:00:\1:\2:\3/'
}

lab_address() { # host | server | client
  local -A last=([host]=1 [server]=11 [client]=12)
  printf '%s.%s\n' "${settings[network]%.0/24}" "${last[$1]}"
}

# Prints the names of the data disks of a role.
disks_of() { # role
  local disk
  [[ $1 == server ]] || return 0
  for disk in ssd hdd; do
    [[ ${settings[disk_$disk]} == none ]] || printf '%s\n' "$disk"
  done
}

# Prints what backs a data disk: a device, or an image file.
disk_backing() { # disk
  local value=${settings[disk_$1]}
  case $value in
  image | emulated) printf '%s/%s-%s.img\n' "${settings[folder]}" "${settings[name]}" "$1" ;;
  /dev/*) printf '%s\n' "$value" ;;
  *) printf '%s/%s-%s.img\n' "${value%/}" "${settings[name]}" "$1" ;;
  esac
}

render_network() {
  cat <<XML
<network>
  <name>${settings[name]}</name>
  <uuid>$(lab_uuid network)</uuid>
  <bridge name='br-${settings[name]}' stp='off' delay='0'/>
  <dns enable='no'/>
  <ip address='$(lab_address host)' prefix='24'/>
</network>
XML
}

render_domain() { # role acceleration
  local role=$1
  local folder=${settings[folder]}/$role
  local -A type=([kvm]=kvm [tcg]=qemu)
  cat <<XML
<domain type='${type[$2]}'>
  <name>${settings[name]}-$role</name>
  <uuid>$(lab_uuid "$role")</uuid>
  <memory unit='MiB'>${settings[${role}_memory_mib]}</memory>
  <vcpu>${settings[${role}_vcpus]}</vcpu>
  <cputune>
$(render_pins "$role")
    <emulatorpin cpuset='${settings[emulator_cores]}'/>
  </cputune>
  <os>
    <type arch='x86_64' machine='q35'>hvm</type>
    <boot dev='hd'/>
  </os>
  <features><acpi/><apic/></features>
$(render_cpu "$2")
$(render_clock "$2")
  <on_crash>destroy</on_crash>
  <devices>
    <disk type='file' device='disk'>
      <driver name='qemu' type='qcow2'/>
      <source file='$folder/system.qcow2'/>
      <target dev='vda' bus='virtio'/>
    </disk>
    <disk type='file' device='disk'>
      <driver name='qemu' type='raw'/>
      <source file='$folder/seed.iso'/>
      <target dev='vdb' bus='virtio'/>
      <readonly/>
    </disk>
    <disk type='file' device='disk'>
      <driver name='qemu' type='qcow2'/>
      <source file='$folder/project.qcow2'/>
      <target dev='vdc' bus='virtio'/>
    </disk>
$(render_disks "$role")
    <interface type='network'>
      <mac address='$(lab_mac "$role")'/>
      <source network='${settings[name]}'/>
      <model type='virtio'/>
    </interface>
    <serial type='file'>
      <source path='$folder/console.log'/>
    </serial>
    <rng model='virtio'>
      <backend model='random'>/dev/urandom</backend>
    </rng>
    <memballoon model='none'/>
  </devices>
</domain>
XML
}

# One vCPU a core, in turn.
render_pins() { # role
  local -a cores
  local vcpu
  mapfile -t cores < <(expand_cores "${settings[$1_cores]}")
  for ((vcpu = 0; vcpu < settings[$1_vcpus]; vcpu++)); do
    printf "    <vcpupin vcpu='%d' cpuset='%d'/>\n" "$vcpu" "${cores[vcpu % ${#cores[@]}]}"
  done
}

# Emulated, the oldest model that NumPy's wheels run on: every newer instruction costs more to emulate. To a processor that
# says it is AMD's Linux gives no second page table against Meltdown: emulated, that one made system calls nine times dearer.
render_cpu() { # acceleration
  if [[ $1 == kvm ]]; then
    printf "  <cpu mode='host-passthrough' migratable='off'/>\n"
  else
    printf "  <cpu mode='custom' match='exact'><model fallback='forbid' vendor_id='AuthenticAMD'>Nehalem</model></cpu>\n"
  fi
}

# Emulated, the HPET is the counter that survives the guest being off its core for seconds: the other wraps after 4.7 s.
render_clock() { # acceleration
  local -A hpet=([kvm]=no [tcg]=yes)
  printf "  <clock offset='utc'>\n"
  printf "    <timer name='rtc' tickpolicy='catchup'/>\n    <timer name='pit' tickpolicy='delay'/>\n"
  printf "    <timer name='hpet' present='%s'/>\n  </clock>\n" "${hpet[$1]}"
}

# Without the host's page cache: the guest waits for the device, not for the host's memory.
render_disks() { # role
  local disk backing type source letter=d
  for disk in $(disks_of "$1"); do
    backing=$(disk_backing "$disk") type=file source=file
    [[ $backing != /dev/* ]] || type=block source=dev
    printf "    <disk type='%s' device='disk'>\n" "$type"
    printf "      <driver name='qemu' type='raw' cache='none' io='native'/>\n"
    printf "      <source %s='%s'/>\n" "$source" "$backing"
    printf "      <target dev='vd%s' bus='virtio'/>\n" "$letter"
    if [[ ${settings[disk_$disk]} == emulated ]]; then
      printf '      <iotune>\n'
      printf '        <total_bytes_sec>%d</total_bytes_sec>\n' "$((settings[hdd_mb_per_s] * 1000000))"
      printf '        <total_iops_sec>%d</total_iops_sec>\n' "${settings[hdd_iops]}"
      printf '      </iotune>\n'
    fi
    printf "      <serial>lab%s</serial>\n    </disk>\n" "$disk"
    letter=e
  done
}
