#!/usr/bin/env bash
# Runs the shared contract against a staged library.
# usage: run.sh STAGE_DIR c|jvm|faults
#   c       the C runner, linked with the shared library and with the static archive; then what the cases reach
#   jvm     the Java runner, over the FFM binding
#   faults  both runners against the library with test hooks: every fault must turn its cases red, in both
# Prints "ok NAME", "not ok NAME - why" or "skip NAME - what is missing"; the exit code is 0 when nothing failed.
# The Java runner takes JAVA_HOME (JDK 22 or newer); FERRONET_JAVA_CLASSPATH names built api and ffm classes or jars,
# otherwise they are compiled from java-bindings.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
stage=${1:-}
mode=${2:-}
case $mode in c | jvm) ;; *) echo "usage: run.sh STAGE_DIR c|jvm" >&2; exit 2 ;; esac
stage=$(cd "$stage" && pwd) || exit 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

ok() { echo "ok $1"; }
not_ok() { failures=$((failures + 1)); echo "not ok $1 - $2"; }

# run PREFIX COMMAND...: shows the lines of a runner with a prefix before each name, and counts its failures.
run() {
    local prefix=$1
    shift
    "$@" >"$work/lines" 2>"$work/errors"
    local code=$?
    sed -E "s#^(ok|not ok|skip) #\1 $prefix/#" "$work/lines"
    failures=$((failures + $(grep -c '^not ok' "$work/lines")))
    if [ $code -gt 1 ] || ! grep -q '^ok' "$work/lines"; then
        not_ok "$prefix" "the runner ended with code $code: $(head -c 300 "$work/errors" | tr '\n' ' ')"
    fi
}

build_c() { # OUTPUT LINK_ARGS...
    local output=$1
    shift
    "${CC:-cc}" -std=c99 -O1 -g -Wall -Wextra -Werror -pedantic "-I$stage/include" "$here"/c/*.c -o "$output" "$@" -lpthread -ldl -lm 2>"$work/errors"
}

build_java() {
    local java_home=${JAVA_HOME:-}
    java=${java_home:+$java_home/bin/}java
    if [ -n "${FERRONET_JAVA_CLASSPATH:-}" ]; then
        classes=$FERRONET_JAVA_CLASSPATH
    else
        classes=$work/bindings
        mkdir -p "$classes"
        find "$root"/java-bindings/api/src/main/java "$root"/java-bindings/ffm/src/main/java -name '*.java' ! -name module-info.java >"$work/sources"
        "${java%java}javac" --release 22 -nowarn -d "$classes" "@$work/sources" 2>"$work/errors" || return 1
        cp -R "$root"/java-bindings/ffm/src/main/resources/. "$classes"
    fi
    mkdir -p "$work/runner"
    find "$here"/jvm -name '*.java' >"$work/sources"
    "${java%java}javac" --release 17 -Xlint:all -Werror -cp "$classes" -d "$work/runner" "@$work/sources" 2>"$work/errors"
}

jvm() { # LIBRARY ARGS...
    local library=$1
    shift
    "$java" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC --enable-native-access=ALL-UNNAMED "-Dferronet.library.path=$library" \
        -cp "$work/runner:$classes" io.ferronet.contract.Main --cases "$here/cases" "$@"
}

# Compares what the cases reached with what there is, and the numbers that they use with the header.
check_reach() {
    sort -u "$work/reached" >"$work/have"
    local name why missing=0
    for name in $(grep -v '^#' "$root/headers/exports.txt") $(sed -n 's/^#define \(FERRONET_ERR_[A-Z_]*\) .*/\1/p' "$stage/include/ferronet.h"); do
        [ "$name" = FERRONET_ERR_BASE ] && continue
        why=$(sed -n "s/^unreached $name - //p" "$here/exceptions.txt")
        if grep -qx "$name" "$work/have"; then
            [ -n "$why" ] && { not_ok "reach/$name" "it is reached, so its exception can go"; missing=1; }
        elif [ -z "$why" ]; then
            not_ok "reach/$name" "no case reaches it, and exceptions.txt does not say why"
            missing=1
        fi
    done
    [ $missing = 0 ] && ok "reach/every function and status"
    missing=0
    while read -r _ name value; do
        why=$(sed -n "s/^#define FERRONET_$name \(.*\)$/\1/p" "$stage/include/ferronet.h" | head -1)
        if [ -z "$why" ] || [ $((${why//[uUlL]/})) -ne $((value)) ]; then
            not_ok "constants/$name" "cases say $value, ferronet.h says ${why:-nothing}"
            missing=1
        fi
    done < <(grep '^const ' "$here/cases/00-constants.txt")
    [ $missing = 0 ] && ok "constants/as in ferronet.h"
}

run_c() {
    local form backend
    : >"$work/reached"
    for form in shared static; do
        if [ $form = shared ]; then
            build_c "$work/contract" -L"$stage/lib" -lferronet "-Wl,-rpath,$stage/lib"
        else
            build_c "$work/contract" "$stage/lib/libferronet.a"
        fi || { not_ok "c/$form" "it does not build: $(head -c 300 "$work/errors" | tr '\n' ' ')"; continue; }
        for backend in io_uring poll auto; do
            [ $form = static ] && [ $backend = auto ] && continue
            run "c/$form" "$work/contract" --cases "$here/cases" --backend $backend --reached "$work/reached"
        done
    done
    check_reach
}

run_jvm() {
    local backend
    build_java || { not_ok jvm "it does not build: $(head -c 300 "$work/errors" | tr '\n' ' ')"; return; }
    for backend in io_uring poll auto; do
        run jvm jvm "$stage/lib/libferronet.so.1" --backend $backend
    done
}

run_$mode
[ $failures -eq 0 ]
