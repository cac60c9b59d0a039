#!/bin/bash
# stranger.sh CHECKOUT [DIRECTORY]: takes the path of somebody who has never seen Postrider and has the README alone, on a
# clean clone, with an empty local repository of Maven, as an ordinary user: every block of "See it work" and "Quick start"
# is pasted as it stands, in its order, into two terminals. Fails at the first that does not do what the page says.
#
#   STRANGER_SKIP   blocks that contain this text are skipped, for those who look for something in particular
#   STRANGER_REPO   a local repository to use instead of an empty one, for the same
set -euo pipefail

checkout=$(cd "$1" && pwd -P)
work=${2:-$(mktemp -d)}
mkdir -p "$work"
work=$(cd "$work" && pwd -P)
clone=$work/postrider

if [ "$(id -u)" = 0 ]; then
    # Who may do everything does not notice what others may not do.
    git clone -q "file://$checkout" "$clone"
    mkdir -p "$work/home" "$work/blocks"
    cp "$0" "$work/stranger.sh"
    chown -R nobody "$work"
    chmod 755 "$work"
    exec setpriv --reuid nobody --clear-groups env HOME="$work/home" STRANGER_CLONED=yes \
        bash "$work/stranger.sh" "$work" "$work"
fi
[ -n "${STRANGER_CLONED:-}" ] || git clone -q "file://$checkout" "$clone"
home=$work/home
blocks=$work/blocks
mkdir -p "$home" "$blocks"
export HOME=$home
# Maven takes both from here, also where the launcher calls it.
export MAVEN_OPTS="-Dmaven.repo.local=${STRANGER_REPO:-$home/repository} -Duser.home=$home"
cd "$clone"

# Blocks become files 01.sh, 02.xml …, and 02.xml.path if the paragraph before one begins with the path of a file.
awk -v dir="$blocks" '
    /^## /                          { on = /^## (See it work|Quick start)/; para = "" }
    !on                             { next }
    !code && /^```[a-z]+$/          { code = 1; file = sprintf("%s/%02d.%s", dir, ++n, substr($0, 4))
                                      printf "" > file
                                      if (match(para, /^(\*\*)?`[^`]+\.(xml|java)`/)) {
                                          path = substr(para, RSTART, RLENGTH); gsub(/[`*]/, "", path)
                                          print path > (file ".path") }
                                      next }
    code && /^```$/                 { code = 0; para = ""; close(file); next }
    code                            { print > file; next }
    /^$/                            { next_para = 1; next }
                                    { if (next_para) { para = ""; next_para = 0 } para = para $0 " " }
' README.md
[ -s "$blocks/01.sh" ] || { echo 'stranger: README.md has no blocks where they should be.' >&2; exit 1; }

running=()
end() {
    status=$?
    for pid in "${running[@]}"; do kill -INT "$pid" 2>/dev/null || true; done
    for pid in "${running[@]}"; do wait "$pid" 2>/dev/null || true; done
    [ $status = 0 ] || echo "stranger: stopped; everything is in $work" >&2
    exit $status
}
trap end EXIT

say() { printf '%s  %s\n' "$(date +%T)" "$*"; }

# In the second terminal: one shell, so that exports stay.
paste() {
    say "$1: $(head -n 1 "$1")"
    # shellcheck disable=SC1090 # it is what the page says
    . "$1" 2>&1 | tee "$1.out"
}

until_said() {
    for _ in $(seq 600); do
        if grep -q "$2" "$1" 2>/dev/null; then return 0; fi
        sleep 1
    done
    echo "stranger: $1 does not say \"$2\":" >&2
    cat "$1" >&2
    return 1
}

# Those that run until Ctrl-C have a terminal of their own.
own_terminal() {
    say "$1, in a terminal of its own: $(head -n 1 "$1")"
    bash "$1" >"$1.out" 2>&1 &
    running+=($!)
}

for block in "$blocks"/*; do
    case $block in *.path | *.out | *.tail.sh) continue ;; esac
    if [ -n "${STRANGER_SKIP:-}" ] && grep -q -- "$STRANGER_SKIP" "$block"; then
        say "$block: skipped"
        continue
    fi
    case $block in
        *.xml | *.java)
            path=$(cat "$block.path")
            say "$block: is $path"
            cp "$block" "$path" ;;
        *.sql)
            # No client of the database is needed on the way; this is one.
            say "$block: $(head -n 1 "$block")"
            java -cp 'quick-start/target/dependency/*' \
                postrider-user-tests/src/stranger/Sql.java "$block" ;;
        *.sh)
            if grep -q '^\./postrider devservices' "$block"; then
                own_terminal "$block"
                until_said "$block.out" 'export POSTRIDER_KAFKA'
                # What it prints is what the next block should say, unless the ports were taken.
                servers=$block.out
            elif grep -q '^export POSTRIDER' "$block"; then
                # shellcheck disable=SC1090 # as above
                . "$block"
                eval "$(grep -o 'export POSTRIDER.*' "$servers")"
            elif grep -q '^\./postrider relay' "$block"; then
                grep -v '^\./postrider \(relay\|status\)' "$block" >"$block.before.tail.sh"
                grep '^\./postrider relay' "$block" >"$block.relay.tail.sh"
                grep '^\./postrider status' "$block" >"$block.status.tail.sh"
                paste "$block.before.tail.sh"
                own_terminal "$block.relay.tail.sh"
                until_said "$block.relay.tail.sh.out" 'relay'
                paste "$block.status.tail.sh"
                grep -q alive "$block.status.tail.sh.out"
            else
                paste "$block"
            fi ;;
    esac
    # What the page promises.
    if grep -q '^\./postrider demo' "$block"; then
        demos=$(grep -c '^\./postrider demo' "$block")
        [ "$(grep -c '^OK: nothing lost' "$block.out")" = "$demos" ]
    fi
    if grep -q 'com\.acme\.Application' "$block"; then grep -q '^Arrived: ' "$block.out"; fi
done
say 'stranger: every block did what the page says.'
