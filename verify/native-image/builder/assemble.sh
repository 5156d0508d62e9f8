#!/usr/bin/env bash
# Assembles a native-image builder from packages of registries, for machines without GraalVM.
# usage: assemble.sh DIRECTORY [--offline]
# DIRECTORY is complete when it holds the file `complete`; then nothing is done. Takes JAVA_HOME (Temurin 25), Maven, a C compiler, nm, ar, apt-get and
# dpkg-deb. Nothing of the machine's own package configuration is changed. See ../README.md.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# The pins. svm's version must not be above the JDK's.
svm=25.0.2
static_package=openjdk-25-jvmci-jdk static_suite=trixie-security
static_source=openjdk-26 source_suite=sid
source_tools="autoconf libcups2-dev libfontconfig-dev libasound2-dev libpcsclite-dev"

directory=${1:?usage: assemble.sh DIRECTORY [--offline]}
maven=(mvn --batch-mode --quiet --file "$here/pom.xml")
[ "${2:-}" = --offline ] && maven+=(--offline)
[ -e "$directory/complete" ] && exit 0
: "${JAVA_HOME:?JAVA_HOME names no JDK}"
rm -rf "$directory"
mkdir -p "$directory/clibraries/include" "$directory/work"
directory=$(cd "$directory" && pwd)
work=$directory/work
say() { echo "native-image builder: $*" >&2; }

# A private root for apt: own lists, own archives, one suite, the machine's mirror and keyring.
# apt_in NAME TYPE SUITE COMMAND...
apt_in() {
    local root=$work/$1 type=$2 suite=$3 wanted uri
    shift 3
    case $suite in *-security) wanted=debian-security ;; *) wanted=debian ;; esac
    uri=$({ cat /etc/apt/sources.list.d/*.sources /etc/apt/sources.list 2>/dev/null || true; } |
        awk -v wanted="/$wanted/?$" '/^#/ { next } { for (i = 2; i <= NF; i++) if ($i ~ wanted) { print $i; exit } }')
    [ -n "$uri" ] || { say "the machine's apt sources name no mirror of $wanted"; return 1; }
    mkdir -p "$root/lists/partial" "$root/archives/partial"
    echo "$type [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri $suite main" >"$root/sources.list"
    local options=(-q -o "Dir::Etc::sourcelist=$root/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$root/lists"
        -o "Dir::Cache::archives=$root/archives" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=root)
    [ -e "$root/updated" ] || { apt-get "${options[@]}" update && touch "$root/updated"; } || return 1
    (cd "$root" && "$@" "${options[@]}")
}

from_package() {
    apt_in package deb $static_suite apt-get download $static_package || return 1
    mkdir "$work/package/tree"
    dpkg-deb --fsys-tarfile "$work"/package/*.deb | tar -x -C "$work/package/tree" --wildcards '*/lib/lib*.a' || return 1
    cp "$work"/package/tree/usr/lib/jvm/*/lib/lib*.a "$directory/clibraries/"
}

# Without the package: the same libraries, built from the source of a newer JDK by the machine's own. No HotSpot is built.
from_source() {
    say "$static_package of $static_suite cannot be had; building the libraries from the source of $static_source ($source_suite), about 4 minutes"
    apt_in source deb-src $source_suite apt-get --only-source --download-only source $static_source || return 1
    apt-get install -y -q --no-install-recommends $source_tools || return 1
    (
        cd "$work/source"
        mkdir tree
        tar -x -f "${static_source}"_*.orig.tar.* -C tree --strip-components=1
        cd tree
        # The system's own compiler: configure refuses a gcc that is a link to ccache.
        export PATH=/usr/bin:/bin
        bash configure --with-boot-jdk="$JAVA_HOME" --enable-headless-only --disable-warnings-as-errors --with-native-debug-symbols=none
        make java.base-static-libs
    ) || return 1
    find "$work/source/tree/build" -path '*static*' -name 'lib*.a' -exec cp {} "$directory/clibraries/" \;
}

"${maven[@]}" org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies -Dsvm.version=$svm -DoutputDirectory="$directory/modules"
from_package || from_source || { say "neither $static_package ($static_suite) nor the source of $static_source ($source_suite) can be had"; exit 1; }
for library in java nio net zip; do
    [ -e "$directory/clibraries/lib$library.a" ] || { say "lib$library.a is missing from what was found"; exit 1; }
done

# The JDK again, because the builder looks for a library of its own below java.home. Hard links where they are possible.
cp -al "$JAVA_HOME/." "$directory/jdk" 2>/dev/null || { rm -rf "$directory/jdk"; cp -a "$JAVA_HOME/." "$directory/jdk"; }
mkdir -p "$directory/jdk/lib/svm/builder/lib"
cc=(${CC:-cc} -O2 -fPIC -Wall -Wextra)
"${cc[@]}" -shared "-I$JAVA_HOME/include" "-I$JAVA_HOME/include/linux" "$here/shims/reporter.c" -o "$directory/jdk/lib/svm/builder/lib/libreporterchelper.so"

# One structure for each processor, from the interface that describes it.
for processor in AMD64 AArch64 RISCV64; do
    lower=$(echo $processor | tr '[:upper:]' '[:lower:]')
    {
        echo "#pragma once"
        echo "typedef struct {"
        "$JAVA_HOME/bin/javap" -p -cp "$directory/modules/svm-$svm.jar" "com.oracle.svm.core.$lower.${processor}LibCHelper\$CPUFeatures" |
            sed -n 's/.* boolean \([A-Za-z0-9_]*\)();/    char \1;/p'
        echo "} CPUFeatures;"
    } >"$directory/clibraries/include/${lower}cpufeatures.h"
done
cat >"$directory/clibraries/include/svm_locale.h" <<'HEADER'
#pragma once
#define SVM_LOCALE_INITIALIZATION_SUCCEEDED 0
#define SVM_LOCALE_INITIALIZATION_OUT_OF_MEMORY 1
typedef struct {
    const char *display_language, *display_script, *display_country, *display_variant;
    const char *format_language, *format_script, *format_country, *format_variant;
} svm_locale_props_t;
HEADER
"${cc[@]}" "-I$directory/clibraries/include" -c "$here/shims/chelper.c" -o "$work/chelper.o"
ar rcs "$directory/clibraries/liblibchelper.a" "$work/chelper.o"

# libjvm: our own functions, and one that aborts with its name for every other that the libraries refer to.
"${cc[@]}" -c "$here/shims/jvm.c" -o "$work/jvm.o"
nm --undefined-only --no-sort "$directory"/clibraries/lib*.a 2>/dev/null | awk '$1 == "U" && $2 ~ /^JVM_/ { print $2 }' | sort -u >"$work/needed"
nm --defined-only "$work/jvm.o" | awk '{ print $3 }' | sort -u >"$work/present"
{
    echo '#include <stdio.h>'
    echo '#include <stdlib.h>'
    comm -23 "$work/needed" "$work/present" |
        awk '{ printf "void %s(void) { fputs(\"%s is not in the test-only libjvm\\n\", stderr); abort(); }\n", $1, $1 }'
} >"$work/stubs.c"
"${cc[@]}" -ffunction-sections -c "$work/stubs.c" -o "$work/stubs.o"
ar rcs "$directory/clibraries/libjvm.a" "$work/jvm.o" "$work/stubs.o"

rm -rf "$work"
touch "$directory/complete"
