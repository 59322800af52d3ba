#!/bin/bash
# Completions and the manual page are made of the options' tables: what --help shows is in them, and shells take them.
. "$(dirname "$0")/lib_replay.sh"

# What bash would offer for the words of a command line, the last of which is begun.
completed() {
    PATH=$(dirname "$L3REPLAY"):$PATH bash -c '
        eval "$("$0" completions bash)" || exit
        compopt() { :; } # wants a completion under way
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _l3replay
        ((${#COMPREPLY[@]} == 0)) || printf "%s\n" "${COMPREPLY[@]}"' "$L3REPLAY" "$@"
}

expect_completed() { # WORDS... -- COMPLETIONS
    local words=()
    while [ "$1" != -- ]; do
        words+=("$1")
        shift
    done
    shift
    ran="completion of ${words[*]}"
    [ "$(completed "${words[@]}" | sort | tr '\n' ' ')" = "$*${*:+ }" ] ||
        complain "completions should be '$*', not '$(completed "${words[@]}" | tr '\n' ' ')'"
}

expect_completed l3replay rep -- report
expect_completed l3replay run --pac -- --pace
expect_completed l3replay run --pace "" -- domain free
expect_completed l3replay run --platform a5 -- a5 a5sim
expect_completed l3replay cache --c -- --clear
cd "$work" && mkdir results && touch results.json
expect_completed l3replay run --result resu -- results results.json
expect_completed l3replay inspect resu -- results results.json
expect_completed l3replay run build --seed res --

run "$L3REPLAY" completions man
expect_status 0
cp "$work/out" "$work/l3replay.1"
for command in $("$L3REPLAY" --help | sed -n 's/^  \([a-z-]*\)  .*/\1/p'); do
    grep -q "^\.SS l3replay $command\b" "$work/l3replay.1" || complain "the manual page should have $command"
    for option in $("$L3REPLAY" "$command" --help | grep -oE '^ +(-., )?--[a-z-]+' | grep -oE -- '--[a-z-]+'); do
        case $option in --help | --usage) continue ;; esac
        completed l3replay "$command" "$option" | grep -qx -- "$option" || complain "bash should complete $command $option"
        grep -qF -- "\\fB${option//-/\\-}\\fR" "$work/l3replay.1" || grep -qF -- "${option//-/\\-}\\fR" "$work/l3replay.1" ||
            complain "the manual page should have $option of $command"
    done
done
if command -v groff >/dev/null; then
    run groff -man -ww -Tutf8 "$work/l3replay.1"
    expect_status 0
    [ -s "$work/err" ] && complain "groff should find nothing wrong"
fi

"$L3REPLAY" completions zsh >"$work/_l3replay"
ran="completions zsh"
[ "$(head -n 1 "$work/_l3replay")" = "#compdef l3replay" ] || complain "zsh looks at the first line"
if command -v zsh >/dev/null; then
    run zsh -n "$work/_l3replay"
    expect_status 0
fi

run "$L3REPLAY" completions
expect_usage 'say which: bash, zsh or man'
run "$L3REPLAY" completions fish
expect_usage "not 'fish'"
run bash -c '"$0" completions bash >/dev/full' "$L3REPLAY"
expect_status 3
conclude
