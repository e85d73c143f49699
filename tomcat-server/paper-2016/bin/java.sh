# shellcheck shell=bash
# Which Java runs the server; sourced by the other scripts.

# Says why it can't be done, in one sentence.
give_up() { # sentence
  printf 'tomcat-server paper-2016: %s\n' "$1" >&2
  exit 2
}

# Prints the path of the Java to use: the fetched one, else that of JAVA_HOME, else the one on PATH.
find_java() { # folder of the stack
  local java=$1/target/java/bin/java
  [[ -x $java ]] || java=${JAVA_HOME:+$JAVA_HOME/bin/}java
  command -v "$java" >/dev/null ||
    give_up "$java is not there; expected Java, install it (Debian: apt-get install default-jdk-headless) or set JAVA_HOME"
  printf '%s\n' "$java"
}
