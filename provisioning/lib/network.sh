# shellcheck shell=bash
# The private network: a bridge of libvirt's without a way out.

make_network() {
  local name=${settings[name]} xml=${settings[folder]}/network.xml
  if [[ -f $xml && $(<"$xml") == "$(render_network)" ]] && network_runs; then
    return
  fi
  check_network_is_free
  note_packet_filter
  list_made network "$name"
  list_made file "$xml"
  lab_virsh net-destroy "$name" >/dev/null 2>&1 || true
  render_network >"$xml"
  lab_virsh net-define "$xml" || give_up "The network $name could not be defined (see above)."
  lab_virsh net-start "$name" || give_up "The network $name could not be started (see above)."
}

network_runs() {
  lab_virsh net-list --name 2>/dev/null | grep -qxF "${settings[name]}"
}

check_network_is_free() {
  local taken
  taken=$(ip -4 -o route show root "${settings[network]}" | awk -v own="br-${settings[name]}" '$0 !~ "dev " own " " {print; exit}')
  [[ -z $taken ]] || give_up "network: ${settings[network]} is in use on this host (route \"${taken% }\"); set another."
}

# libvirt leaves its chains in the packet filter when a network ends; they go again when they were not there before and
# no network of the host's libvirt has put a rule into them since.
note_packet_filter() {
  local filter
  for filter in iptables ip6tables; do
    command -v "$filter" >/dev/null || continue
    "$filter" -S 2>/dev/null | grep LIBVIRT_ >/dev/null || list_made chains "$filter"
  done
}

remove_chains() { # iptables | ip6tables
  local table chain rule
  # Not grep -q: what is left unread would fail the pipe.
  ! "$1-save" 2>/dev/null | grep '^-A LIBVIRT_' >/dev/null || return 0
  for table in filter nat mangle; do
    "$1" -t "$table" -S 2>/dev/null | grep -E '^-A [A-Z]+ -j LIBVIRT_' | while read -r _ rule; do
      # shellcheck disable=SC2086  # a rule is several words
      "$1" -t "$table" -D $rule
    done
    for chain in $("$1" -t "$table" -S 2>/dev/null | sed -n 's/^-N \(LIBVIRT_.*\)/\1/p'); do
      "$1" -t "$table" -F "$chain"
      "$1" -t "$table" -X "$chain"
    done
  done
}
