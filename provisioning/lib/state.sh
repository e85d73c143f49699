# shellcheck shell=bash
# The list of what this lab has made, written before each thing is made. Nothing that is not on it is ever removed.

state_file() {
  printf '%s/made\n' "${settings[folder]}"
}

listed() { # kind name
  grep -qxF -- "$1 $2" "$(state_file)" 2>/dev/null
}

list_made() { # kind name
  note_line "$(state_file)" "$1 $2"
}

unlist() { # kind name
  forget_line "$(state_file)" "$1 $2"
}

note_line() { # file line
  grep -qxF -- "$2" "$1" 2>/dev/null || printf '%s\n' "$2" >>"$1"
}

forget_line() { # file line
  local rest
  rest=$(grep -vxF -- "$2" "$1") || (($? == 1)) # 1: no other line is left
  printf '%s' "${rest:+$rest$'\n'}" >"$1"
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
