# shellcheck shell=bash
# Which Java runs the server; sourced by the other scripts.

# Says why it can't be done, in one sentence.
give_up() { # sentence
  printf '%s\n' "$1" >&2
  exit 2
}

# Makes Java say what goes wrong in English, by which a full disk is told from other failures, and take names of folders
# in UTF-8 where the locale, as in a container, has no letters but ASCII's.
use_locale() {
  export LC_CTYPE=${LC_ALL:-${LC_CTYPE:-${LANG-}}} LC_MESSAGES=C
  unset LC_ALL LANGUAGE
  if [[ $(locale charmap) == ANSI_X3.4-1968 ]]; then
    export LC_CTYPE=C.UTF-8
  fi
} 2>/dev/null # bash and locale complain of a locale that is not installed; C takes its place

# Prints which Java it is, such as 17: as the file beside it says, else as it says itself, for which it must start.
java_version() { # java
  local release number=
  release=$(dirname "$(dirname "$(readlink -f "$(command -v "$1")")")")/release
  if [[ -r $release ]]; then
    number=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$release")
  fi
  if [[ -z $number ]]; then
    number=$("$1" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p;T;q')
  fi
  printf '%s\n' "$number"
}

# Prints the path of a Java 17 or newer: that of JAVA_HOME, else the one on PATH.
find_java() {
  local java version
  java=${JAVA_HOME:+$JAVA_HOME/bin/}java
  command -v "$java" >/dev/null ||
    give_up "Tomcat 11 needs Java 17 or newer, $java is not there; install it (Debian: apt-get install openjdk-17-jdk-headless) or set JAVA_HOME."
  version=$(java_version "$java")
  [[ ${version:-0} -ge 17 ]] ||
    give_up "Tomcat 11 needs Java 17 or newer, $java is Java ${version:-of an unknown version}; set JAVA_HOME to a newer one."
  printf '%s\n' "$java"
}
