#!/usr/bin/env bash
# Checks the layout of the sources:
#
#   * folders include and call only what docs/layers.txt allows, and docs/architecture.md shows that file as it is;
#   * no circles between modules (a module is X.c with X.h; it needs the modules whose headers it includes or whose functions
#     it calls);
#   * no two modules of one name; no folder of more than 24 .c files;
#   * JSON is read and written by common/base/json*: elsewhere cJSON is called only to walk a tree and to free it.
#
#     tests/lint/layers.sh [TOP]      TOP: another tree than this one
#
# Prints a line a fault; the exit code is 1 when there are any. Headers for users' code (rank-worker/cpu/include) have the
# names that their users expect, and are left out.
set -u
set -o pipefail

top=${1:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
most_files=24
cd "$top" || exit 2
work=$(mktemp -d "${TMPDIR:-/tmp}/l3r-layers.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT

find common launch topology orchestrator rank-worker tests -name '*.[ch]' ! -path 'rank-worker/cpu/include/*' | sort >"$work/files"
grep -v '^tests/' "$work/files" >"$work/sources"

# "MODULE MODULE WHY" for each need; WHY is a function's name or "#include".
xargs awk '
function module(path) { sub(/\.[ch]$/, "", path); return path }
function function_name(line) { sub(/\(.*/, "", line); sub(/.*[ *]/, "", line); return line }
FNR == 1 { file = FILENAME; mod = module(file); in_comment = 0; is_source[file] = 1 }
/^#include "/ { split($0, quoted, "\""); includes[file, ++ninclude[file]] = quoted[2] }
{
    # Without comments and strings.
    line = $0
    code = ""
    gsub(/\\./, "", line)
    gsub(/\047"\047/, "", line)
    while (line != "") {
        if (in_comment) {
            end = index(line, "*/")
            if (!end)
                break
            line = substr(line, end + 2)
            in_comment = 0
        } else if (match(line, /"[^"]*"|\/\*|\/\//)) {
            token = substr(line, RSTART, RLENGTH)
            code = code substr(line, 1, RSTART - 1)
            line = substr(line, RSTART + RLENGTH)
            if (token == "//")
                break
            in_comment = token == "/*"
        } else {
            code = code line
            break
        }
    }
    # The style of this tree: a definition begins in the first column, and its line does not end in a semicolon.
    if (file ~ /\.c$/ && code ~ /^[A-Za-z_].*\(/ && code !~ /;[ \t]*$/ && code !~ /=.*\(/) {
        name = function_name(code)
        if (code ~ /^static /)
            own[file, name] = 1
        else if (name ~ /^[a-z_][a-z0-9_]*$/ && name != "main")
            defined[name] = mod
    }
    gsub(/(struct|enum|union) +[A-Za-z0-9_]+/, "", code)
    # What no header of ours declares stands in for a function of the C library, or is called by foreign code only.
    if (file ~ /\.h$/ && code ~ /^[A-Za-z_].*\(/)
        declared[function_name(code)] = 1
    text[file, ++nline[file]] = code
}
END {
    for (file in is_source) {
        mod = module(file)
        for (i = 1; i <= ninclude[file]; i++)
            if (includes[file, i] in is_source && module(includes[file, i]) != mod)
                print mod, module(includes[file, i]), "#include"
        for (i = 1; file ~ /\.c$/ && i <= nline[file]; i++) {
            rest = text[file, i]
            while (match(rest, /[A-Za-z_][A-Za-z0-9_]*/)) {
                name = substr(rest, RSTART, RLENGTH)
                rest = substr(rest, RSTART + RLENGTH)
                if (name in defined && name in declared && defined[name] != mod && !((file, name) in own))
                    print mod, defined[name], name
            }
        }
    }
}' <"$work/sources" | sort -u >"$work/needs" || exit 2

check_folders() {
    awk '
    function folder(path) { sub(/\/[^\/]*$/, "", path); return path }
    FNR == NR {
        if ($0 !~ /^[a-z]/)
            next
        split($0, sides, ": *")
        n = split(sides[2], uses, " ")
        for (i = 1; i <= n; i++) {
            if (!(uses[i] in known))
                print "docs/layers.txt: " sides[1] " names " uses[i] ", which does not stand above it"
            allowed[sides[1], uses[i]] = 1
        }
        known[sides[1]] = 1
        next
    }
    {
        from = folder($1)
        to = folder($2)
        if (from in known && from != to && !((from, to) in allowed))
            print $1 ": " ($3 == "#include" ? "includes " $2 ".h" : "calls " $3 " of " $2) ": docs/layers.txt does not let " from " use " to
    }' docs/layers.txt "$work/needs"
    comm -13 <(grep -o '^[a-z][^:]*' docs/layers.txt | sort -u) <(sed 's,/[^/]*$,,' "$work/sources" | sort -u) |
        sed 's,.*,docs/layers.txt: & is missing,'
}

check_circles() {
    awk '{ print $1, $2 }' "$work/needs" | sort -u | tsort 2>&1 >/dev/null | sed -n 's/^tsort: -: input contains a loop:$/circle:/p; s/^tsort: \([^-].*\)/    \1/p'
}

check_names() {
    sed 's/\.[ch]$//' "$work/files" | sort -u | awk -F/ '
    { if ($NF in first) print $0 ": " first[$NF] " has that name too"; else first[$NF] = $0 }'
    grep '\.c$' "$work/sources" | sed 's,/[^/]*$,,' | sort | uniq -c |
        awk -v most="$most_files" '$1 > most { print $2 ": " $1 " .c files, at most " most }'
}

check_json() {
    grep -v '^common/base/json' "$work/sources" | xargs grep -no 'cJSON_[A-Za-z]*(' /dev/null |
        grep -v ':cJSON_\(ArrayForEach\|Delete\)($' | sed 's/($/: is for common\/base\/json* only/'
}

# What docs/architecture.md shows between two marks is docs/layers.txt without its comments.
check_document() {
    diff <(sed -n '/^<!-- layers -->$/,/^<!-- end of layers -->$/p' docs/architecture.md | grep '^[a-z]') \
        <(grep '^[a-z]' docs/layers.txt) >/dev/null ||
        echo "docs/architecture.md: what it shows between its marks 'layers' is not docs/layers.txt"
}

{
    check_folders
    check_circles
    check_names
    check_json
    check_document
} | tee "$work/faults"
[ ! -s "$work/faults" ]
