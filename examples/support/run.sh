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
launcher=run
what="the example $name"

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

before_build() { :; }
after_build() { :; }

. "$home/postrider-cli/src/launcher/build.sh"
build_if_needed

exec "$java" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC "-Dexamples.home=$examples" \
    -cp "$target/classes:$(cat "$target/run.class-path")" "$main" "$@"
