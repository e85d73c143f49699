# shellcheck shell=bash
# The heap and the folder that Tomcat writes into; sourced by the scripts that start it.

# With a smaller heap Java does not begin, with one larger than the memory it crashes; nobody would remove the folder then.
check_heap() { # MiB
  local smallest=16 largest
  largest=$(awk '/^MemTotal:/ {print int($2 / 1024)}' /proc/meminfo)
  if [[ ! $1 =~ ^[1-9][0-9]{0,6}$ ]] || (($1 < smallest || $1 > largest)); then
    give_up "HEAP_MB must be a whole number from $smallest to $largest, the memory of this machine, it is \"$1\"."
  fi
}

# Prints the path of a new temporary folder that carries the number of this process, which the server will have, too.
# Removes those whose server was killed and could not do it itself. Where the kernel refuses the heap, nothing
# of ours would run that could: so the heap is tried first.
make_temporary_base() { # java MiB
  local folder pid said parent=${TMPDIR:-/tmp}
  said=$("$1" "-Xms$2m" "-Xmx$2m" -XX:ErrorFile=/dev/null -version 2>&1) ||
    give_up "Java cannot start with a heap of $2 MiB (HEAP_MB): ${said//$'\n'/ }"
  for folder in "$parent"/tomcat-server.*.*/; do
    pid=${folder#"$parent"/tomcat-server.}
    pid=${pid%%.*}
    if [[ -O $folder && $pid =~ ^[0-9]+$ && ! -e /proc/$pid ]]; then
      rm -rf "$folder"
    fi
  done
  mktemp -d "$parent/tomcat-server.$$.XXXXXX"
}
