# Builds with Maven what a launcher is about to run, at most once at a time, and shows how far it is. Sourced by
# the launchers (postrider, examples/support/run.sh), which have set:
#
#   launcher   name, for errors
#   home       the checkout
#   what       is built, for people: "Postrider", "the example orders"
#   target     directory for the log and the stamp
#   stamp      file that says when the last build began
#
# and have the functions needs_build, modules (separated by commas), before_build (removes what must not stay) and after_build.
# shellcheck shell=sh disable=SC2154 # set by the launcher

# One line that says where the build is, on a terminal; otherwise a line for each module. An empty local
# repository is filled first, which takes longest and is counted.
build_progress() {
    module=
    downloads=0
    while IFS= read -r line; do
        case $line in
            *'Building Postrider'*'['*)
                module=$(printf '%s' "$line" | sed -e 's/.*Building //' -e 's/ [^ ]*SNAPSHOT */ /' -e 's/  */ /g')
                if [ ! -t 2 ]; then printf '  %s\n' "$module" >&2; fi ;;
            *Downloaded\ from*)
                downloads=$((downloads + 1))
                if [ ! -t 2 ] && [ $((downloads % 100)) -eq 0 ]; then printf '  %s files downloaded\n' "$downloads" >&2; fi ;;
            *) continue ;;
        esac
        if [ -t 2 ]; then
            if [ "$downloads" -gt 0 ]; then
                printf '\r  %s  %s files downloaded\033[K' "$module" "$downloads" >&2
            else
                printf '\r  %s\033[K' "$module" >&2
            fi
        fi
    done
    if [ -t 2 ]; then printf '\r\033[K' >&2; fi
}

build() {
    if ! command -v mvn >/dev/null; then
        echo "$launcher: Maven 3.8 or newer is needed to build it, and there is no mvn on the path." >&2
        exit 1
    fi
    if [ -f "$stamp" ]; then
        echo "Building $what (its sources have changed)…" >&2
    else
        echo "Building $what (first run, takes a minute; longer if Maven has to download)…" >&2
    fi
    before_build
    mkdir -p "$target"
    log=$target/build.log
    # Taken before the build, so that whatever changes meanwhile is built next time.
    touch "$stamp.begun"
    # BUILT on a line of its own: Maven may end its last line with colours and without a line break.
    { (cd "$home" && mvn -B -Dstyle.color=never -Dmaven.test.skip=true -Dspotless.check.skip=true -Denforcer.skip=true \
        -pl "$(modules)" -am package) 2>&1 && printf '\nBUILT\n'; } | tee "$log" | build_progress
    if ! tail -n 1 "$log" | grep -qx BUILT; then
        grep -E 'ERROR|FATAL' "$log" >&2 || cat "$log" >&2
        echo "$launcher: The build failed; the whole log is in $log." >&2
        exit 1
    fi
    mv "$stamp.begun" "$stamp"
}

build_if_needed() {
    needs_build || return 0
    # Two that start at the same time must not build at the same time.
    if command -v flock >/dev/null; then
        mkdir -p "$target"
        exec 9>"$target/build.lock"
        flock 9
    fi
    if needs_build; then
        build
        after_build
    fi
    exec 9>&-
}
