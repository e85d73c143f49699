# shellcheck shell=bash
# What a guest is told at its first boot: cloud-init's NoCloud files. Computed from the settings and the lab's keys.

render_meta_data() { # role instance
  printf 'instance-id: %s-%s-%s\nlocal-hostname: %s\n' "${settings[name]}" "$1" "$2" "$1"
}

render_network_config() { # role
  cat <<YAML
version: 2
ethernets:
  eth0:
    match:
      macaddress: "$(lab_mac "$1")"
    set-name: eth0
    addresses: ["$(lab_address "$1")/24"]
YAML
}

# The host key is made here, so that the first connection is already checked.
render_user_data() { # role access_key_file host_key_file acceleration
  cat <<YAML
#cloud-config
hostname: $1
disable_root: false
ssh_pwauth: false
users:
  - name: root
    ssh_authorized_keys:
      - $(<"$2.pub")
ssh_deletekeys: true
ssh_keys:
  ed25519_private: |
$(sed 's/^/    /' "$3")
  ed25519_public: $(<"$3.pub")
write_files:
  - path: /etc/security/limits.d/upload-lab.conf
    content: |
      * - nofile ${settings[open_files]}
      root - nofile ${settings[open_files]}
  - path: /etc/systemd/system.conf.d/upload-lab.conf
    content: |
      [Manager]
      DefaultLimitNOFILE=${settings[open_files]}
  - path: /etc/hosts
    append: true
    content: |
      $(lab_address server) server
      $(lab_address client) client
YAML
  [[ $4 == kvm ]] || render_java_options
}

# Emulated, Java spends most of its start on compiling, on threads that wait for each other and on proving classes that are
# proven elsewhere: with little of that JMeter starts in less than half the time. No figure of such a guest is a result.
render_java_options() {
  cat <<'YAML'
  - path: /etc/environment
    content: |
      JDK_JAVA_OPTIONS=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:CompileThresholdScaling=10 -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote
YAML
}
