#!/usr/bin/env bash
# Changes sources at random, one place at a time, and shows which changes no unit test notices.
#
#     tests/mutate.sh [--seed N] [--count N] [--build DIR] [--tests "NAME..."] FILE.c...
#
# A change is another operator, bound or return value, or a `continue` or `break` left out. Of each file --count places (5) are
# changed, chosen by --seed (1). After each change the tests are built in DIR (build) and run until one fails: those that
# include the module's header, then those that link with its folder; or those given. One line a change:
#
#     noticed | NOT NOTICED | no build    FILE:LINE    BEFORE -> AFTER    TEST
#
# A change that is not noticed may be equivalent: look before you write a test. Files are changed in place and restored, also
# after Ctrl-C; nothing else may edit or build them meanwhile. The exit code is 1 when a change was not noticed.
set -u
set -o pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$top" || exit 2
seed=1 count=5 build=build given= limit=120 files=()
while [ $# -gt 0 ]; do
    case $1 in
    --seed | --count | --build | --tests)
        [ $# -ge 2 ] || { echo "$1 wants a value" >&2; exit 2; }
        case $1 in --seed) seed=$2 ;; --count) count=$2 ;; --build) build=$2 ;; --tests) given=$2 ;; esac
        shift 2
        ;;
    *.c)
        [ -f "$1" ] || { echo "there is no $1" >&2; exit 2; }
        files+=("$1")
        shift
        ;;
    *)
        sed -n '2,/^set/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
        exit 2
        ;;
    esac
done
[ -f "$build/build.ninja" ] || { echo "$build is no build directory made with ninja" >&2; exit 2; }
work=$(mktemp -d "${TMPDIR:-/tmp}/l3r-mutate.XXXXXX") || exit 2
mkdir "$work/tmp"
file=

restore() {
    [ -z "$file" ] || cp "$work/original" "$file"
}
trap 'restore; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# "LINE COLUMN LENGTH AFTER" for each place of a file that can be changed. Comments, strings and lines of the preprocessor are
# left alone; so are shifts, arrows and assignments.
places() { # FILE
    awk '
    BEGIN {
        n = split("== != <= >= < > && || + - return_-1; return_0; return_true; return_false; continue; break;", before, " ")
        split("!= == < > <= >= || && - + return_0; return_-1; return_false; return_true; ; ;", after, " ")
    }
    /^[ \t]*[*#\/]/ { next }
    {
        code = $0
        while (match(code, /"([^"\\]|\\.)*"|\/\*.*/))
            code = substr(code, 1, RSTART - 1) sprintf("%" RLENGTH "s", "") substr(code, RSTART + RLENGTH)
        for (i = 1; i <= n; i++) {
            old = before[i]
            gsub(/_/, " ", old)
            if (i <= 10)
                old = " " old " "
            for (at = 1; (k = index(substr(code, at), old)) > 0; at += k) {
                new = after[i]
                gsub(/_/, " ", new)
                print FNR, at + k - 1, length(old), i <= 10 ? " " new " " : new
            }
        }
    }' "$1"
}

# Tests of FILE, one a line: those that include its header, or those of its folder.
near_tests() { # FILE
    grep -l "\"${1%.c}.h\"" tests/unit/test_*.c | sed 's,.*/,,; s/\.c$//'
}

far_tests() { # FILE
    ninja -C "$build" -t query "libl3r_$(dirname "$1" | tr / _).a" | grep -oE '\btests/test_[a-z_0-9]+$' | sed 's,.*/,,'
}

# Build and run tests. Returns 1 when one failed (`verdict` names it), 2 when they cannot be built.
run_tests() { # NAME...
    local test
    [ $# -gt 0 ] || return 0
    ninja -C "$build" "${@/#/tests/}" >"$work/log" 2>&1 || { verdict="no build"; return 2; }
    for test in "$@"; do
        if ! TMPDIR=$work/tmp timeout -k 5 $limit "$build/tests/$test" >"$work/log" 2>&1 </dev/null; then
            verdict="noticed" by=$test
            return 1
        fi
    done
}

try() { # LINE COLUMN LENGTH AFTER
    awk -v line="$1" -v column="$2" -v n="$3" -v after="$4" '
        FNR == line { $0 = substr($0, 1, column - 1) after substr($0, column + n) } { print }' "$work/original" >"$file"
    verdict="NOT NOTICED" by=
    run_tests "${near[@]}" && run_tests "${far[@]}" && missed=1
}

missed=0
for source in "${files[@]}"; do
    if [ -n "$given" ]; then
        read -ra near <<<"$given"
        far=()
    else
        mapfile -t near < <(near_tests "$source")
        mapfile -t far < <(far_tests "$source" | grep -vxF "$(printf '%s\n' "${near[@]}")")
    fi
    [ $((${#near[@]} + ${#far[@]})) -gt 0 ] || { echo "no unit test links with $source" >&2; exit 2; }
    cp "$source" "$work/original"
    file=$source
    while IFS= read -r place; do
        read -r line column length _ <<<"$place"
        after=${place#"$line $column $length "}
        before=$(sed -n "${line}p" "$work/original")
        before=${before:column-1:length}
        try "$line" "$column" "$length" "$after"
        printf '%-12s %s:%s  %s -> %s  %s\n' "$verdict" "$source" "$line" "$before" "$after" "$by"
        restore
    done < <(places "$source" | awk -v seed="$seed" 'BEGIN { srand(seed) } { print rand() "\t" $0 }' | sort -n | cut -f 2- |
        head -n "$count" | sort -n)
    file=
done
exit $missed
