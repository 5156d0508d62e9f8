#!/usr/bin/env bash
# Runs native-image: GraalVM's, when GRAALVM_HOME names one or the command is on PATH; otherwise the builder that is assembled in DIRECTORY.
# usage: native-image.sh DIRECTORY [--offline] -- OPTIONS OF native-image...
# The assembled builder needs JAVA_HOME and what builder/assemble.sh names.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
directory=$1
shift
offline=()
[ "$1" = --offline ] && offline=(--offline) && shift
[ "$1" = -- ] && shift
if [ -n "${GRAALVM_HOME:-}" ]; then
    exec "$GRAALVM_HOME/bin/native-image" "$@"
elif command -v native-image >/dev/null; then
    exec native-image "$@"
fi
"$here/builder/assemble.sh" "$directory" "${offline[@]}"
exec "$JAVA_HOME/bin/java" "$here/builder/Driver.java" "$directory" "$@"
