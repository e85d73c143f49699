#!/usr/bin/env bash
# Makes rmi_keystore.jks in the current folder: the key that JMeter and its remote engines share for RMI over SSL.
# Copy the file to every engine; JMeter looks for it in the folder it is started in. Arguments are handed to keytool.
set -euo pipefail

exec "${JAVA_HOME:+$JAVA_HOME/bin/}keytool" -genkeypair -keyalg RSA -alias rmi -keystore rmi_keystore.jks \
  -storepass changeit -keypass changeit -validity 30 -dname "CN=rmi" "$@"
