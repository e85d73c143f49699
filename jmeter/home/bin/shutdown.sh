#!/usr/bin/env bash
# Asks a JMeter started with -n to end after the requests in flight. Its port, 4445 unless told, is the argument.
set -euo pipefail

bin=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
exec "${JAVA_HOME:+$JAVA_HOME/bin/}java" -cp "$bin/ApacheJMeter.jar" org.apache.jmeter.util.ShutdownClient Shutdown "$@"
