# shellcheck shell=bash
# How the guests are reached: one key for the lab, one host key for each guest, all known before the first connection.

access_folder() {
  printf '%s/.lab/guests/%s\n' "$repository" "${settings[name]}"
}

make_keys() {
  local folder role
  folder=$(access_folder)
  make_folder "$folder"
  make_key "$folder/identity" "upload-lab ${settings[name]}"
  for role in server client; do
    make_key "$folder/host-$role" "$role"
  done
  list_made file "$folder/known_hosts"
  for role in server client; do
    printf '%s %s\n' "$(lab_address "$role")" "$(cut -d ' ' -f 1,2 "$folder/host-$role.pub")"
  done >"$folder/known_hosts"
  give_to_owner "$repository/.lab" "$repository/.lab/guests" "$folder" "$folder"/*
}

make_key() { # file comment
  [[ -f $1 && -f $1.pub ]] && return
  list_made file "$1"
  list_made file "$1.pub"
  rm -f "$1"
  ssh-keygen -q -t ed25519 -N '' -C "$2" -f "$1"
}

# What is made in the project's folder belongs to whoever the project belongs to, not to root.
give_to_owner() { # paths...
  chown --reference="$repository" -- "$@"
}

# Prints the options of ssh that reach a guest and nothing else of the user's configuration, one a line. The known hosts may
# be several files: without quotes a path with a blank would be two.
ssh_options() {
  local folder
  folder=$(access_folder)
  printf '%s\n' -F /dev/null -i "$folder/identity" -o IdentitiesOnly=yes -o "UserKnownHostsFile=\"$folder/known_hosts\"" \
    -o StrictHostKeyChecking=yes -o BatchMode=yes -o ConnectTimeout=10 -o ServerAliveInterval=15 -o LogLevel=ERROR
  shared_connection_options
}

# Has one connection to each guest serve all that this call still has to say: a login takes an emulated guest seconds.
share_connections() {
  connections=$(mktemp -d)
  trap 'code=$?; hang_up; name_surprise "$code"' EXIT
}

# Should this script be killed, a connection that nobody uses ends by itself.
shared_connection_options() {
  [[ -z ${connections-} ]] ||
    printf '%s\n' -o ControlMaster=auto -o "ControlPath=$connections/%h" -o ControlPersist=60
}

hang_up() {
  local socket
  for socket in "$connections"/*; do
    # A guest that was stopped has hung up itself.
    [[ ! -S $socket ]] || ssh -F /dev/null -o "ControlPath=$socket" -O exit "${socket##*/}" 2>/dev/null || continue
  done
  rm -rf -- "$connections"
}

# Runs a command in a guest as root; standard input goes there.
in_guest() { # role command...
  local role=$1
  local -a options
  shift
  mapfile -t options < <(ssh_options)
  ssh "${options[@]}" "root@$(lab_address "$role")" "$@"
}
