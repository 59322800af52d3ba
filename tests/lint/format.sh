#!/usr/bin/env bash
# The sources are formatted as .clang-format says: prints those that are not. --fix formats them.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
# Examples look like what the compiler writes.
mapfile -t files < <(git ls-files '*.c' '*.h' '*.cpp' ':!examples/')
if [ "${1:-}" = --fix ]; then
    exec clang-format-19 -i "${files[@]}"
fi
clang-format-19 --dry-run -Werror "${files[@]}" 2>&1 | sed -n 's/^\([^:]*\):.*clang-format-violations.*/\1/p' | sort -u | {
    mapfile -t wrong
    [ ${#wrong[@]} -eq 0 ] || { printf 'not formatted: %s\n' "${wrong[@]}"; exit 1; }
}
