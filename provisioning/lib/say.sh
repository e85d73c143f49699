# shellcheck shell=bash
# How the script speaks: results on standard output, everything else on standard error, one sentence when it gives up.

say() { # sentence
  printf '%s\n' "$1" >&2
}

warn() { # sentence
  printf 'warning: %s\n' "$1" >&2
}

# Ends the script: 2 is "could not be done". A sentence of a subshell reaches the caller by its exit code.
give_up() { # sentence
  printf '%s\n' "$1" >&2
  exit 2
}

# Repeats a command every second until it succeeds; says what it waits for when that takes long.
wait_for() { # what limit_s command...
  local what=$1 limit_s=$2 began=$SECONDS said=$SECONDS
  shift 2
  until "$@"; do
    if ((SECONDS - began >= limit_s)); then
      say "Gave up waiting for $what after $limit_s s."
      return 1
    fi
    if ((SECONDS - said >= 15)); then
      say "Waiting for $what ($((SECONDS - began)) of at most $limit_s s)"
      said=$SECONDS
    fi
    sleep 1
  done
}

# No failure without a word: a command that nobody expected to fail is named, and the script ends with 2.
watch_for_surprises() {
  set -E
  trap 'surprise="${FUNCNAME[0]-}: $BASH_COMMAND"' ERR
  trap 'name_surprise $?' EXIT
}

name_surprise() { # exit_code
  (($1 == 0 || $1 == 2)) && return
  say "Unexpected failure in ${surprise-an unknown place}."
  exit 2
}
