# shellcheck shell=bash
# The list of what this lab has made, written before each thing is made. Nothing that is not on it is ever removed.

state_file() {
  printf '%s/made\n' "${settings[folder]}"
}

listed() { # kind name
  grep -qxF -- "$1 $2" "$(state_file)" 2>/dev/null
}

list_made() { # kind name
  listed "$1" "$2" || printf '%s %s\n' "$1" "$2" >>"$(state_file)"
}

unlist() { # kind name
  local rest
  rest=$(grep -vxF -- "$1 $2" "$(state_file)") || true
  printf '%s' "${rest:+$rest$'\n'}" >"$(state_file)"
}

# Prints the names of this kind, the last made first.
made() { # kind
  [[ -f $(state_file) ]] || return 0
  sed -n "s/^$1 //p" "$(state_file)" | tac
}

# Makes a folder and its missing parents, each listed.
make_folder() { # path
  [[ -d $1 ]] && return
  make_folder "$(dirname "$1")"
  mkdir "$1"
  chmod 755 "$1"
  [[ $1 == "${settings[folder]}" || ! -d ${settings[folder]} ]] || list_made folder "$1"
}
