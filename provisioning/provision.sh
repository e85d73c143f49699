#!/usr/bin/env bash
# shellcheck source-path=SCRIPTDIR
# Two pinned guests, their network and disks, and the rig file that ./lab run --rig kvm uses.
set -euo pipefail

provisioning=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")" && pwd)
repository=$(dirname "$provisioning")
readonly provisioning repository
source "$provisioning/lib/say.sh"
source "$provisioning/lib/settings.sh"
source "$provisioning/lib/state.sh"
source "$provisioning/lib/host.sh"
source "$provisioning/lib/xml.sh"
source "$provisioning/lib/image.sh"
source "$provisioning/lib/cache.sh"
source "$provisioning/lib/access.sh"
source "$provisioning/lib/seed.sh"
source "$provisioning/lib/daemons.sh"
source "$provisioning/lib/network.sh"
source "$provisioning/lib/disks.sh"
source "$provisioning/lib/project.sh"
source "$provisioning/lib/guests.sh"
source "$provisioning/lib/rig.sh"
source "$provisioning/lib/isolation.sh"
source "$provisioning/lib/doctor.sh"
source "$provisioning/lib/verbs.sh"

usage() {
  cat <<'TEXT'
usage: provision.sh VERB [OPTION]...

  plan         print what `up` would make: network, guests and disks
  up           make the guests, or whatever of them is missing or differs from the settings
  status       say what runs, and how far the guests' clocks are off
  ssh ROLE     log in to `server` or `client`; what follows ROLE is run there
  down         remove everything that `up` has made; built images are kept
  isolate      give the server's cores to its guest alone (--dry-run prints what would be done)
  unisolate    restore what `isolate` has changed
  doctor       say what this host has and what it lacks

  --conf FILE          settings that differ from provisioning/guests.conf
  --set KEY=VALUE      one setting
  --disk NAME=WHAT     the same as --set disk_NAME=WHAT, for example hdd=/dev/sdb or hdd=emulated
  --image FILE         the same as --set image=FILE
  --tcg                emulate where KVM does not work: proves the set-up, measures nothing
  --format-data-disk   data disks may be erased
  --tool tuna          isolate with tuna instead of systemd
  --dry-run            isolate: only print
TEXT
}

main() { # arguments...
  local verb=${1-} tcg=no format=no dry_run=no tool=systemd
  local -a rest=() overrides=()
  [[ -n $verb ]] || {
    usage >&2
    give_up 'A verb is missing.'
  }
  shift
  read_settings "$provisioning/guests.conf"
  while (($#)); do
    case $1 in
    --tcg) tcg=yes ;;
    --format-data-disk) format=yes ;;
    --dry-run) dry_run=yes ;;
    --conf | --set | --disk | --image | --tool)
      (($# > 1)) || give_up "$1: a value is missing."
      case $1 in
      --conf) read_settings "$2" ;;
      --tool) tool=$2 ;;
      --set) overrides+=("$1" "$2") ;;
      --disk) overrides+=("$1" "disk_$2") ;;
      --image) overrides+=("$1" "image=$2") ;;
      esac
      shift
      ;;
    -*) give_up "$1: unknown option; provision.sh --help shows them." ;;
    *)
      [[ $verb == ssh ]] || give_up "$1: unexpected word; options begin with --, for example --conf FILE."
      rest=("$@")
      break
      ;;
    esac
    shift
  done
  take_overrides "${overrides[@]}"
  case $verb in
  plan) show_plan "$tcg" "$format" ;;
  up) bring_up "$tcg" "$format" ;;
  status) show_status ;;
  ssh) log_in "${rest[@]}" ;;
  down) take_down ;;
  isolate) isolate "$tool" "$dry_run" ;;
  unisolate) unisolate "$dry_run" ;;
  doctor) examine_host ;;
  help | -h | --help) usage ;;
  *) give_up "$verb: unknown verb; provision.sh --help shows them." ;;
  esac
}

watch_for_surprises
main "$@"
