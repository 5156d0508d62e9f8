#!/usr/bin/env bash
# Runs the shared contract against a staged library.
# usage: run.sh STAGE_DIR c|jvm|image|faults|memcheck
#   c       the C runner, linked with the shared library and with the static archive; then what the cases reach
#   jvm     the Java runner, over the FFM binding
#   image   the Java runner inside of a Native Image, named by FERRONET_IMAGE; its outcomes are those of the JVM
#   faults  both runners against the library with test hooks: every fault must turn its cases red, in both
#   memcheck  the C runner under valgrind, with the library with test hooks
# Prints "ok NAME", "not ok NAME - why" or "skip NAME - what is missing"; the exit code is 0 when nothing failed.
# The Java runner takes JAVA_HOME (JDK 22 or newer); FERRONET_JAVA_CLASSPATH names built api and ffm classes or jars,
# otherwise they are compiled from java-bindings.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
stage=${1:-}
mode=${2:-}
case $mode in c | jvm | image | faults | memcheck) ;; *) echo "usage: run.sh STAGE_DIR c|jvm|image|faults|memcheck" >&2; exit 2 ;; esac
stage=$(cd "$stage" && pwd) || exit 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# A process that may bind any port drops that privilege, so that the refusal of one can be tested.
unprivileged=()
if [ "$(id -u)" = 0 ] && setpriv --bounding-set=-net_bind_service --inh-caps=-net_bind_service true 2>/dev/null; then
    unprivileged=(setpriv --bounding-set=-net_bind_service --inh-caps=-net_bind_service)
fi

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
    "${unprivileged[@]}" "$java" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC --enable-native-access=ALL-UNNAMED "-Dferronet.library.path=$library" \
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
            run "c/$form" "${unprivileged[@]}" "$work/contract" --cases "$here/cases" --backend $backend --reached "$work/reached"
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

# What each case came to, without the reasons, less the cases that exceptions.txt takes out.
outcomes() {
    sed -nE 's/^(ok|not ok|skip) ([^ ]*).*/\1 \2/p' "$1" | grep -vE "/($(sed -n 's/^image \([^ ]*\) - .*/\1/p' "$here/exceptions.txt" | paste -sd'|' | sed 's/^$/-/'))\$" | sort
}

run_image() {
    local backend callbacks
    [ -x "${FERRONET_IMAGE:-}" ] || { not_ok image "FERRONET_IMAGE names no program"; return; }
    build_java || { not_ok jvm "it does not build: $(head -c 300 "$work/errors" | tr '\n' ' ')"; return; }
    for backend in io_uring poll auto; do
        run image "${unprivileged[@]}" "$FERRONET_IMAGE" contract --cases "$here/cases" --backend $backend
        outcomes "$work/lines" >"$work/in-image"
        jvm "$stage/lib/libferronet.so.1" --backend $backend >"$work/lines" 2>"$work/errors"
        outcomes "$work/lines" >"$work/on-jvm"
        if [ -s "$work/on-jvm" ] && cmp -s "$work/in-image" "$work/on-jvm"; then
            ok "image/$backend, the outcomes of the JVM"
        else
            not_ok "image/$backend, the outcomes of the JVM" "$(diff "$work/on-jvm" "$work/in-image" | grep '^[<>]' | head -5 | tr '\n' ' ')"
        fi
    done
    # The cases that have the library call back, in two isolates at once.
    callbacks=$(awk '$1 == "case" { name = $2 } $1 == "needs" { name = "" } name != "" && (/ sign( |$)/ || / verify=/ || / choose=/ || / key-log( |$)/ || $1 == "log") { print name }' \
        "$here"/cases/*.txt | sort -u | paste -sd,)
    if "$FERRONET_IMAGE" isolates --cases "$here/cases" --backend poll --only "$callbacks" >"$work/lines" 2>&1 &&
        [ "$(grep -c '^ok ' "$work/lines")" = $((4 * $(echo "$callbacks" | tr ',' '\n' | wc -l))) ]; then
        ok "image/callbacks in two isolates and on a foreign thread"
    else
        not_ok "image/callbacks in two isolates and on a foreign thread" "$(grep -v '^ok ' "$work/lines" | head -3 | tr '\n' ' ')"
    fi
}

run_memcheck() {
    local backend only
    if ! command -v valgrind >/dev/null; then
        echo "skip memcheck - valgrind: apt-get install valgrind | dnf install valgrind"
        return
    fi
    # The unoptimised library: an optimiser may evaluate both sides of a condition, which memcheck takes for an error.
    build_c "$work/contract" "$stage/hooks/lib/libferronet.so.1" "-Wl,-rpath,$stage/hooks/lib" ||
        { not_ok memcheck "it does not build: $(head -c 300 "$work/errors" | tr '\n' ' ')"; return; }
    sed -n 's/^memcheck \([^ ]*\) - .*/\1/p' "$here/exceptions.txt" | sort >"$work/excused"
    only=$(sed -n 's/^case //p' "$here"/cases/*.txt | sort | comm -23 - "$work/excused" | tr '\n' ,)
    for backend in io_uring poll; do
        run memcheck valgrind --quiet --trace-children=yes --error-exitcode=99 --leak-check=full --show-leak-kinds=definite \
            --errors-for-leak-kinds=definite "$work/contract" --cases "$here/cases" --backend $backend --limit 20000 --only "${only%,}"
    done
}

# outcome LINES NAME BACKEND: how the case ended, "other" when it is not for this backend or machine, or "absent".
outcome() {
    if grep -qE "^ok [a-z_]+/$2\$" "$1"; then echo green
    elif grep -qE "^not ok [a-z_]+/$2 - " "$1"; then echo red
    elif grep -qE "^skip [a-z_]+/$2 - " "$1" || awk -v name="$2" -v backend="$3" '
        $1 == "case" { inside = $2 == name }
        inside && $1 == "needs" && ($2 == "io_uring" || $2 == "poll") && $2 != backend { found = 1 }
        END { exit !found }' "$here"/cases/*.txt; then echo other
    else echo absent; fi
}

# strike LINES RUNNER BACKEND SPEC ONLY NEEDED: one run with the fault armed ("-": with none).
strike() {
    local lines=$1 runner=$2 fault=$4
    [ "$fault" = - ] && fault=
    local arguments=(--backend "$3" --limit 400)
    [ -n "$5" ] && arguments+=(--only "$5")
    [ -n "$6" ] && arguments+=(--fault "$6")
    if [ "$runner" = c ]; then
        FERRONET_FAULT=$fault timeout 600 "$work/contract" --cases "$here/cases" "${arguments[@]}" --reached "$work/reached" >"$lines" 2>&1
    else
        FERRONET_FAULT=$fault jvm "$stage/hooks/lib/libferronet.so.1" "${arguments[@]}" >"$lines" 2>&1
    fi
}

# judge RUNNER BACKEND SPEC RED GREEN: prints the one line about a fault in a runner on a backend.
judge() {
    local runner=$1 backend=$2 spec=$3 red=$4 green=$5 case found wrong='' only lines=$work/lines.$1.$2
    local name="faults/$runner/$backend/$spec" needed=${5:+${3%%:*}}
    only=$(echo $red $green | tr ' ' ,)
    strike "$lines" "$runner" "$backend" "$spec" "$only" "$needed"
    for case in $red; do
        found=$(outcome "$lines" "$case" "$backend")
        [ "$found" = red ] || [ "$found" = other ] || wrong="$wrong $case is $found, not red;"
    done
    for case in $green; do
        found=$(outcome "$lines" "$case" "$backend")
        [ "$found" = green ] || wrong="$wrong $case is $found, not green;"
    done
    if [ -n "$green" ]; then
        strike "$lines" "$runner" "$backend" - "$only" "$needed"
        for case in $green; do
            found=$(outcome "$lines" "$case" "$backend")
            [ "$found" = red ] || wrong="$wrong $case is $found without the fault;"
        done
    fi
    if [ -z "$wrong" ]; then echo "ok $name"; else echo "not ok $name - $wrong $(grep -vE '^(ok|not ok|skip) ' "$lines" | head -3 | tr '\n' ' ')"; fi
}

# check_fault SPEC RED GREEN: both runners on both backends, side by side, as most of the time is spent waiting.
check_fault() {
    local runner backend
    for runner in c jvm; do
        for backend in io_uring poll; do
            judge $runner $backend "$1" "$2" "$3" >"$work/judged.$runner.$backend" &
        done
    done
    wait
    cat "$work"/judged.*
    failures=$((failures + $(cat "$work"/judged.* | grep -c '^not ok')))
}

run_faults() {
    local library="$stage/hooks/lib/libferronet.so.1" word rest spec='' red='' green='' backend case
    if [ ! -f "$library" ]; then
        not_ok faults "$library is missing: cargo stage builds it"
        return
    fi
    build_c "$work/contract" "$library" "-Wl,-rpath,$stage/hooks/lib" || { not_ok faults/c "it does not build: $(head -c 300 "$work/errors" | tr '\n' ' ')"; return; }
    build_java || { not_ok faults/jvm "it does not build: $(head -c 300 "$work/errors" | tr '\n' ' ')"; return; }
    for backend in io_uring poll; do
        strike "$work/lines" c $backend - '' ''
        if [ "$(grep '^not ok' "$work/lines" | grep -vc /shipped-without-test-hooks)" = 0 ] && grep -q '^ok' "$work/lines"; then
            ok "faults/c/$backend/without a fault"
        else
            not_ok "faults/c/$backend/without a fault" "$(grep '^not ok' "$work/lines" | head -3 | tr '\n' ' ')"
        fi
    done
    while read -r word rest; do
        case $word in
        fault)
            [ -n "$spec" ] && check_fault "$spec" "$red" "$green"
            spec=$rest red='' green=''
            ;;
        red) red="$red $rest" ;;
        green) green="$green $rest" ;;
        esac
    done < <(grep -v '^#' "$here/faults.txt")
    check_fault "$spec" "$red" "$green"
    # The exceptions say what is reached here.
    for word in $(sed -n 's/^unreached \([A-Z_]*\) - .*run.sh faults reaches it$/\1/p' "$here/exceptions.txt"); do
        if grep -qx "$word" "$work/reached"; then ok "faults/reach/$word"; else not_ok "faults/reach/$word" "no case with a fault reaches it"; fi
    done
    # Every case must be in the list, and every name in the list must be a case.
    sed -n 's/^\(red\|green\) //p' "$here/faults.txt" | tr ' ' '\n' | sort -u >"$work/listed"
    sed -n 's/^case //p' "$here"/cases/*.txt | sort >"$work/cases"
    sed -n 's/^unbroken \([^ ]*\) - .*/\1/p' "$here/exceptions.txt" | sort >"$work/excused"
    rest=$(comm -23 "$work/cases" <(sort -u "$work/listed" "$work/excused") | tr '\n' ' ')
    if [ -z "$rest" ]; then ok "faults/every case can be broken"; else not_ok "faults/every case can be broken" "no fault turns these red: $rest"; fi
    rest=$(comm -13 "$work/cases" "$work/listed" | tr '\n' ' ')
    [ -z "$rest" ] || not_ok "faults/names" "faults.txt names what is no case: $rest"
}

run_$mode
[ $failures -eq 0 ]
