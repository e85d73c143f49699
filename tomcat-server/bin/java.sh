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

# Prints the path of a Java 17 or newer: that of JAVA_HOME, else the one on PATH.
find_java() {
  local java version
  java=${JAVA_HOME:+$JAVA_HOME/bin/}java
  command -v "$java" >/dev/null ||
    give_up "Tomcat 11 needs Java 17 or newer, $java is not there; install it (Debian: apt-get install openjdk-17-jdk-headless) or set JAVA_HOME."
  version=$("$java" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p;T;q')
  [[ ${version:-0} -ge 17 ]] ||
    give_up "Tomcat 11 needs Java 17 or newer, $java is Java ${version:-of an unknown version}; set JAVA_HOME to a newer one."
  printf '%s\n' "$java"
}
