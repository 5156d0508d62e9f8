#!/usr/bin/env bash
# Builds the examples against a staged library and runs them: shared and static, on both backends, against golden/.
# usage: run_tests.sh STAGE_DIR [--valgrind]
# STAGE_DIR holds include/ferronet.h and lib/. One line per test: ok NAME | not ok NAME - why | skip NAME - what is missing.
# --valgrind runs the servers under memcheck instead of bare. The exit code is 0 when no test failed.
set -u
here=$(cd "$(dirname "$0")" && pwd)
stage=${1:?usage: run_tests.sh STAGE_DIR [--valgrind]}
stage=$(cd "$stage" && pwd) || exit 2
memcheck=
[ "${2:-}" = --valgrind ] && memcheck=yes
work=$(mktemp -d)
server_pid=
cleanup() {
    [ -n "$server_pid" ] && kill "$server_pid" 2>/dev/null
    rm -rf "$work"
}
trap cleanup EXIT
passed=0 failures=0 skipped=0

ok() { passed=$((passed + 1)); echo "ok $1"; }
not_ok() { failures=$((failures + 1)); echo "not ok $1 - $2"; [ -n "${3:-}" ] && [ -f "$3" ] && sed 's/^/# /' "$3" | head -60; }
skip() { skipped=$((skipped + 1)); echo "skip $1 - $2"; }

# check NAME ACTUAL GOLDEN: compares two files.
check() {
    if diff -u "$3" "$2" >"$work/diff"; then ok "$1"; else not_ok "$1" "output differs from ${3##*/}" "$work/diff"; fi
}

build() { # KIND CMAKE_ARGS...
    local kind=$1
    shift
    if cmake -S "$here" -B "$work/$kind" -DFERRONET_ROOT="$stage" "$@" >"$work/$kind.log" 2>&1 &&
        cmake --build "$work/$kind" >>"$work/$kind.log" 2>&1; then
        ok "build/$kind"
    else
        not_ok "build/$kind" "cmake failed" "$work/$kind.log"
        return 1
    fi
}

run_under() { # PROGRAM ARGS...: with memcheck when asked for
    if [ -n "$memcheck" ]; then
        exec timeout 120 valgrind --quiet --error-exitcode=99 --leak-check=full --show-leak-kinds=definite \
            --errors-for-leak-kinds=definite "$@"
    else
        exec timeout 60 "$@"
    fi
}

start() { # PROGRAM ARGS...: starts a server in the background; sets port and server_pid
    : >"$work/server.out"
    run_under "$@" --port 0 >"$work/server.out" 2>"$work/server.err" &
    server_pid=$!
    port=
    for _ in $(seq 200); do
        port=$(sed -n 's/^listening on 127.0.0.1:\([0-9]*\)$/\1/p' "$work/server.out")
        [ -n "$port" ] && return 0
        kill -0 "$server_pid" 2>/dev/null || break
        sleep 0.1
    done
    not_ok "$test" "the server did not start" "$work/server.err"
    kill "$server_pid" 2>/dev/null
    wait "$server_pid" 2>/dev/null
    server_pid=
    return 1
}

finish() { # waits for the server's own end; leaves its output, without what varies, in server.txt
    local code
    wait "$server_pid"
    code=$?
    server_pid=
    sed -e 's/^\(listening on .*\):[0-9]*$/\1:PORT/' -e 's/^backend: .*/backend: BACKEND/' "$work/server.out" >"$work/server.txt"
    if [ $code -ne 0 ] || [ -s "$work/server.err" ]; then
        not_ok "$test" "the server ended with code $code" "$work/server.err"
        return 1
    fi
}

abi_check() { # KIND
    local libc
    test="$1/abi_check"
    (run_under "$work/$1/abi_check") >"$work/out" 2>"$work/err" || { not_ok "$test" "exit code" "$work/err"; return; }
    grep -v '^#' "$work/out" >"$work/text"
    check "$test" "$work/text" "$here/golden/abi_check.txt"
    test="$1/abi_check of a file"
    if (run_under "$work/$1/abi_check" "$stage/lib/libferronet.so.1") >"$work/text" 2>"$work/err" && [ "$(cat "$work/text")" = "library fits header: yes" ]; then
        ok "$test"
    else
        not_ok "$test" "the staged library was refused" "$work/err"
    fi
    test="$1/abi_check refuses what is no Ferronet library"
    libc=$(ldd "$work/$1/abi_check" | sed -n 's/.*=> \(.*\/libc\.[^ ]*\) .*/\1/p')
    if (run_under "$work/$1/abi_check" "$libc") >"$work/text" 2>"$work/err"; then
        not_ok "$test" "$libc was accepted"
    elif [ "$(cat "$work/err")" = "abi_check: $libc is not a Ferronet library: it has no symbol ferronet_abi" ]; then
        ok "$test"
    else
        not_ok "$test" "message" "$work/err"
    fi
}

# The fake libraries of the project tree: each is refused with its exact message, or accepted.
fakes() { # KIND
    local fakes="$here/../verify/abi/fakes" line name required outcome message said revision fingerprint
    [ -f "$fakes/expected.txt" ] || return
    revision=$(sed -n 's/^#define FERRONET_ABI_REVISION //p' "$stage/include/ferronet.h")
    fingerprint=$(sed -n 's/^#define FERRONET_LAYOUT_FINGERPRINT UINT64_C(\(.*\))$/\1/p' "$stage/include/ferronet.h")
    while read -r line; do
        name=${line#name=} name=${name%% *}
        required=${line#*required=} required=${required%% *}
        outcome=${line#*outcome=} outcome=${outcome%% *}
        message=${line#*message=}
        message=${message//FILE/$work/$name.so}
        message=${message//REVISION+1/$((revision + 1))}
        message=${message//REVISION/$revision}
        message=${message//FINGERPRINT/$fingerprint}
        test="$1/abi_check of the fake library $name"
        if ! "${CC:-cc}" -shared -fPIC "-I$stage/include" "$fakes/$name.c" -o "$work/$name.so" 2>"$work/err"; then
            not_ok "$test" "it does not build" "$work/err"
            continue
        fi
        said=$("$work/$1/abi_check" "$work/$name.so" "$required" 2>&1)
        if [ "$outcome" = FERRONET_OK ] && [ "$said" = "library fits header: yes" ]; then ok "$test"
        elif [ "$outcome" != FERRONET_OK ] && [ "$said" = "abi_check: $message" ]; then ok "$test"
        else not_ok "$test" "it said: $said"; fi
    done < <(grep '^name=' "$fakes/expected.txt")
}

echo_server() { # KIND BACKEND
    local client="$work/$1/test_client" large=20000000
    [ -n "$memcheck" ] && large=4000000
    test="$1/$2/echo_server"
    start "$work/$1/echo_server" --backend "$2" --connections 36 || return
    {
        timeout 60 "$client" echo "$port" 0
        timeout 60 "$client" echo "$port" 1
        timeout 60 "$client" echo "$port" 100000 32
        timeout 60 "$client" reset "$port"
        timeout 60 "$client" lazy "$port" "$large"
    } >"$work/client.out" 2>"$work/client.err" || :
    [ -s "$work/client.err" ] && { not_ok "$test" "the client failed" "$work/client.err"; kill "$server_pid" 2>/dev/null; wait "$server_pid" 2>/dev/null; server_pid=; return; }
    finish || return
    # How much of the reset connection's five bytes was echoed is a matter of timing.
    sed -i "s/^echoed [0-9]* bytes/echoed N bytes/" "$work/server.txt"
    sed "s/$large/LARGE/" "$work/client.out" >>"$work/server.txt"
    check "$test" "$work/server.txt" "$here/golden/echo_server.txt"
}

http_case() { # CLIENT NAME TEXT: one connection that sends TEXT (printf format), the answer into the transcript
    echo "== $2"
    # shellcheck disable=SC2059
    printf "$3" | timeout 60 "$1" raw "$port" | tr -d '\r'
    echo
}

http_hello() { # KIND BACKEND
    local client="$work/$1/test_client" long curls=0
    test="$1/$2/http_hello"
    command -v curl >/dev/null && curls=3
    start "$work/$1/http_hello" --backend "$2" --connections $((12 + curls)) || return
    long=$(printf '%09000d' 0)
    {
        http_case "$client" "two requests on one connection" 'GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /none HTTP/1.1\r\nHost: a\r\n\r\n'
        http_case "$client" "head" 'HEAD / HTTP/1.1\r\nhost: a\r\n\r\n'
        http_case "$client" "method" 'DELETE / HTTP/1.1\r\nHost: a\r\n\r\n'
        http_case "$client" "close" 'GET / HTTP/1.1\r\nHost: a\r\nConnection: foo, Close\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n'
        http_case "$client" "version 1.0" 'GET / HTTP/1.0\r\n\r\n'
        http_case "$client" "version 2.0" 'GET / HTTP/2.0\r\nHost: a\r\n\r\n'
        http_case "$client" "no host" 'GET / HTTP/1.1\r\n\r\n'
        http_case "$client" "not http" 'hello\r\n\r\n'
        http_case "$client" "bare line feed" 'GET / HTTP/1.1\nHost: a\n\n'
        http_case "$client" "body" 'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody'
        http_case "$client" "chunked" 'GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'
        http_case "$client" "head too large" "GET / HTTP/1.1\r\nHost: a\r\nX: $long\r\n\r\n"
    } >"$work/transcript" 2>"$work/client.err"
    if [ "$curls" -gt 0 ]; then
        curl -sS --max-time 20 "http://127.0.0.1:$port/" "http://127.0.0.1:$port/" >"$work/curl.out" 2>"$work/curl.err"
        curl -sS --max-time 20 --http1.0 "http://127.0.0.1:$port/" >>"$work/curl.out" 2>>"$work/curl.err"
        curl -sS --max-time 20 -o /dev/null -w '%{http_code}' "http://127.0.0.1:$port/none" >>"$work/curl.out" 2>>"$work/curl.err"
    fi
    finish || return
    cat "$work/client.err" >>"$work/transcript"
    check "$test" "$work/transcript" "$here/golden/http_hello.txt"
    if [ "$curls" -eq 0 ]; then
        skip "$test with curl" "curl"
    elif [ "$(cat "$work/curl.out")" = "Hello, World!Hello, World!Hello, World!404" ] && [ ! -s "$work/curl.err" ]; then
        ok "$test with curl"
    else
        cat "$work/curl.out" "$work/curl.err" >"$work/curl"
        not_ok "$test with curl" "wrong answers" "$work/curl"
    fi
    test="$1/$2/http_hello pipelines 1,000 requests"
    start "$work/$1/http_hello" --backend "$2" --connections 1 || return
    for _ in $(seq 1000); do printf 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'; done | timeout 60 "$client" raw "$port" >"$work/answers" 2>"$work/client.err"
    finish || return
    if [ "$(grep -c 'HTTP/1.1 200 OK' "$work/answers")" = 1000 ] && [ ! -s "$work/client.err" ]; then
        ok "$test"
    else
        not_ok "$test" "answers are missing" "$work/client.err"
    fi
}

gzip_pipe() { # KIND
    local pipe="$work/$1/gzip_pipe" file level word
    test="$1/gzip_pipe"
    if ! command -v gzip >/dev/null; then
        skip "$test" "gzip: apt-get install gzip | dnf install gzip | brew install gzip"
        return
    fi
    : >"$work/doc.empty"
    printf x >"$work/doc.one_byte"
    for _ in $(seq 2000); do cat "$here/README.md"; done | head -c 300000 >"$work/doc.text"
    head -c 1000000 /dev/zero >"$work/doc.zeros"
    head -c 200000 /dev/urandom >"$work/doc.noise"
    {
        for file in empty one_byte text zeros noise; do
            word=${file/_/ }
            for level in 1 6 9; do
                (run_under "$pipe" -$level) <"$work/doc.$file" >"$work/packed" 2>"$work/err" || { cat "$work/err"; continue; }
                gzip -d -c <"$work/packed" 2>&1 | cmp - "$work/doc.$file" || echo "$word: differs at level $level"
                gzip -$level -c <"$work/doc.$file" >"$work/packed"
                (run_under "$pipe" -d) <"$work/packed" 2>"$work/err" | cmp - "$work/doc.$file" || { echo "$word: differs from gzip -$level"; cat "$work/err"; }
            done
            echo "$word: gzip -d gives it back, we read gzip's"
        done
        printf 'two members: '
        { printf 'alpha ' | gzip -c; printf 'beta' | "$pipe"; } | (run_under "$pipe" -d) 2>&1
        echo
        printf hello | gzip -n -c >"$work/packed"
        printf 'cut off: '
        head -c 20 "$work/packed" | (run_under "$pipe" -d) 2>&1 | sed 's/^hello//'
        printf 'wrong checksum: '
        { head -c 17 "$work/packed"; printf '\377\377\377\377'; tail -c 4 "$work/packed"; } | (run_under "$pipe" -d) 2>&1 | sed 's/^hello//'
        printf 'garbage behind: '
        { cat "$work/packed"; printf 'rubbish'; } | (run_under "$pipe" -d) 2>&1 | sed 's/^hello//'
        printf 'not gzip: '
        printf 'plain text' | (run_under "$pipe" -d) 2>&1
    } >"$work/transcript"
    check "$test" "$work/transcript" "$here/golden/gzip_pipe.txt"
}

gzip_pool() { # KIND
    local i
    test="$1/gzip_pool"
    if ! command -v gzip >/dev/null; then
        skip "$test" "gzip: apt-get install gzip | dnf install gzip | brew install gzip"
        return
    fi
    for i in $(seq 200); do printf "line %d of $(printf '%*s' "$i" '')many\n" "$i"; done >"$work/lines"
    (run_under "$work/$1/gzip_pool") <"$work/lines" >"$work/packed" 2>"$work/err"
    {
        if gzip -d -c <"$work/packed" 2>&1 | cmp - "$work/lines"; then echo "gzip -d gives the lines back"; fi
        cat "$work/err"
    } >"$work/transcript"
    check "$test" "$work/transcript" "$here/golden/gzip_pool.txt"
}

# TLS with mutual authentication: our client and openssl's against our server, and our client against openssl's server.
tls_echo() { # KIND
    local pem="$here/../verify/contract/fixtures" client="$work/$1/tls_echo_client" ours theirs
    [ -f "$pem/server.pem" ] || return
    test="$1/tls_echo"
    if ! command -v openssl >/dev/null; then
        skip "$test" "openssl: apt-get install openssl | dnf install openssl | brew install openssl"
        return
    fi
    ours="--chain $pem/client.pem --key $pem/client.key --ca $pem/authority.pem"
    start "$work/$1/tls_echo_server" --chain "$pem/server.pem" --key "$pem/server.key" --ca "$pem/authority.pem" --connections 6 || return
    theirs="-connect 127.0.0.1:$port -servername localhost -CAfile $pem/authority.pem -verify_return_error -brief"
    # shellcheck disable=SC2086
    {
        echo "== our client"
        printf 'to be\nor not to be\n' | (run_under "$client" $ours --port "$port") 2>&1
        echo "== our client, for another host"
        printf 'x\n' | (run_under "$client" $ours --port "$port" --host wrong.test) 2>&1 | sed 's/; it is valid only.*//'
        echo "== our client, with a certificate past its time"
        printf 'x\n' | (run_under "$client" --chain "$pem/expired.pem" --key "$pem/expired.key" --ca "$pem/authority.pem" --port "$port") 2>&1
        echo "== openssl s_client"
        { printf 'hello openssl\n'; sleep 2; } | timeout 60 openssl s_client $theirs -cert "$pem/client.pem" -key "$pem/client.key" 2>/dev/null
        echo "== openssl s_client -tls1_2"
        { printf 'hello openssl\n'; sleep 2; } | timeout 60 openssl s_client $theirs -tls1_2 -cert "$pem/client.pem" -key "$pem/client.key" 2>/dev/null
        echo "== openssl s_client without a certificate"
        sleep 2 | timeout 60 openssl s_client $theirs 2>&1 | grep -o 'alert certificate required'
    } >"$work/transcript"
    finish || return
    sed -i 's/: verification time .*//' "$work/server.txt"
    timeout 120 openssl s_server -accept 127.0.0.1:0 -naccept 1 -rev -cert "$pem/server.pem" -cert_chain "$pem/server.pem" -key "$pem/server.key" \
        -CAfile "$pem/authority.pem" -Verify 2 -verify_return_error >"$work/openssl.out" 2>&1 &
    server_pid=$!
    for _ in $(seq 100); do
        port=$(sed -n 's/^ACCEPT .*:\([0-9]*\)$/\1/p' "$work/openssl.out")
        [ -n "$port" ] && break
        sleep 0.1
    done
    {
        echo "== our client, openssl s_server -rev"
        # shellcheck disable=SC2086
        printf 'drawer\n' | (run_under "$client" $ours --port "${port:-1}") 2>&1
        echo "== our server"
        cat "$work/server.txt"
    } >>"$work/transcript"
    kill "$server_pid" 2>/dev/null
    wait "$server_pid" 2>/dev/null
    server_pid=
    check "$test" "$work/transcript" "$here/golden/tls_echo.txt"
}

misuse() { # KIND: bad input ends with a clear message
    local text
    test="$1/bad arguments"
    if "$work/$1/echo_server" --port 65536 >"$work/out" 2>"$work/err"; then
        not_ok "$test" "port 65536 was accepted"
    else
        text=$(head -1 "$work/err")
        if [ "${text#*: }" = "--port takes a number from 0 to 65535" ]; then ok "$test"; else not_ok "$test" "$text"; fi
    fi
    test="$1/port in use"
    start "$work/$1/echo_server" || return
    if timeout 20 "$work/$1/http_hello" --port "$port" >"$work/out" 2>"$work/err"; then
        not_ok "$test" "a second server took the port"
    elif grep -q "^listen: EADDRINUSE: .*$port" "$work/err"; then
        ok "$test"
    else
        not_ok "$test" "message" "$work/err"
    fi
    kill "$server_pid"
    wait "$server_pid" 2>/dev/null
    server_pid=
}

if ! command -v cmake >/dev/null; then
    not_ok build "cmake is missing: apt-get install cmake | dnf install cmake | brew install cmake"
    exit 1
fi
if [ -n "$memcheck" ] && ! command -v valgrind >/dev/null; then
    skip valgrind "valgrind: apt-get install valgrind | dnf install valgrind"
    exit 0
fi

for kind in shared static; do
    # Memcheck sees the same code in both forms; the shared one is enough.
    [ -n "$memcheck" ] && [ $kind = static ] && continue
    if [ $kind = static ]; then build static -DFERRONET_STATIC=ON || continue; else build shared || continue; fi
    abi_check $kind
    gzip_pipe $kind
    gzip_pool $kind
    tls_echo $kind
    for backend in io_uring poll; do
        if [ $backend = io_uring ] && ! grep -q 'built: io_uring yes' "$work/out"; then
            skip "$kind/$backend" "io_uring is not built in"
            continue
        fi
        echo_server $kind $backend
        http_hello $kind $backend
    done
    if [ -z "$memcheck" ]; then
        misuse $kind
        [ $kind = static ] || fakes $kind
    fi
done
echo "# $passed passed, $failures failed, $skipped skipped"
[ $failures -eq 0 ]
