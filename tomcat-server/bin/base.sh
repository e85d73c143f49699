# shellcheck shell=bash
# The folder that Tomcat writes into; sourced by the scripts that start it.

# Prints the path of a new temporary folder that carries the number of this process, which the server will have, too.
# Removes those whose server was killed and could not do it itself.
make_temporary_base() {
  local folder pid parent=${TMPDIR:-/tmp}
  for folder in "$parent"/tomcat-server.*.*/; do
    pid=${folder#"$parent"/tomcat-server.}
    pid=${pid%%.*}
    if [[ -O $folder && $pid =~ ^[0-9]+$ && ! -e /proc/$pid ]]; then
      rm -rf "$folder"
    fi
  done
  mktemp -d "$parent/tomcat-server.$$.XXXXXX"
}
