#!/usr/bin/env bash
# One try of campaign.sh: KIND VARIANT SEED. Ends with 0 (right), 1 (wrong, with what was wrong on stderr) or 77 (this
# machine or build cannot do it). With --warm it runs the builds of the campaign once without a fault, so that their
# programs are in the store, and prints how many milliseconds such a run takes.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/lib_faults.sh"

if [ "$1" = --warm ]; then
    warm
    exit
fi

kind=$1 variant=$2
RANDOM=$(($3 % 32768))
. "$here/$kind.sh"
inject "$variant"
[ "$failures" -eq 0 ] || keep_logs "$1" "$2" "$3"
conclude
