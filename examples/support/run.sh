#!/bin/sh
# run.sh NAME MAIN [ARG...]: builds the example NAME if needed, and runs the program MAIN of its module "demo".
#
#   JAVA_HOME   the JDK to use; otherwise the one on the path
set -eu

name=$1
main=$2
shift 2
examples=$(CDPATH='' cd -- "$(dirname "$0")/.." && pwd -P)
home=$(dirname "$examples")

java=${JAVA_HOME:+$JAVA_HOME/bin/}java
if ! command -v "$java" >/dev/null; then
    echo "run: JDK 17 or newer is needed, and there is no $java." >&2
    exit 1
fi

target=$examples/$name/demo/target
stamp=$target/built-by-run

# What the example is made of, its own folder included.
needs_build() {
    [ -f "$stamp" ] || return 0
    changed=$(cd "$home" && find . \( -name target -o -name .git -o -path './*/src/test' -o -path ./postrider-bench \
        -o -path ./postrider-tests -o -path ./postrider-user-tests \) -prune -o \
        -type f \( -path '*/src/main/*' -o -name pom.xml \) -newer "$stamp" -print | head -n 1)
    [ -n "$changed" ]
}

modules() {
    for pom in "$examples/$name"/pom.xml "$examples/$name"/*/pom.xml; do
        [ -f "$pom" ] && dirname "$pom"
    done | sed "s|^$home/||" | paste -s -d , -
}

# One line that says where the build is, on a terminal; otherwise a line for each module.
progress() {
    while IFS= read -r line; do
        case $line in
            *'Building Postrider'*'['*)
                module=$(printf '%s' "$line" | sed -e 's/.*Building //' -e 's/ [^ ]*SNAPSHOT */ /' -e 's/  */ /g')
                if [ -t 2 ]; then printf '\r  %s\033[K' "$module" >&2; else printf '  %s\n' "$module" >&2; fi ;;
        esac
    done
    if [ -t 2 ]; then printf '\r\033[K' >&2; fi
}

build() {
    if ! command -v mvn >/dev/null; then
        echo 'run: Maven 3.8 or newer is needed to build the example, and there is no mvn on the path.' >&2
        exit 1
    fi
    echo "Building the example $name …" >&2
    mkdir -p "$target"
    log=$target/build.log
    # Taken before the build, so that whatever changes meanwhile is built next time.
    touch "$stamp.begun"
    # BUILT on a line of its own: Maven may end its last line with colours and without a line break.
    { (cd "$home" && mvn -B -Dstyle.color=never -Dmaven.test.skip=true -Dspotless.check.skip=true -Denforcer.skip=true \
        -pl "$(modules)" -am package) 2>&1 && printf '\nBUILT\n'; } | tee "$log" | progress
    if ! tail -n 1 "$log" | grep -qx BUILT; then
        grep -E 'ERROR|FATAL' "$log" >&2 || cat "$log" >&2
        echo "run: The build failed; the whole log is in $log." >&2
        exit 1
    fi
    mv "$stamp.begun" "$stamp"
}

if needs_build; then
    # Two that start at the same time must not build at the same time.
    if command -v flock >/dev/null; then
        mkdir -p "$target"
        exec 9>"$target/build.lock"
        flock 9
    fi
    if needs_build; then
        build
    fi
    exec 9>&-
fi

exec "$java" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC "-Dexamples.home=$examples" \
    -cp "$target/classes:$(cat "$target/run.class-path")" "$main" "$@"
