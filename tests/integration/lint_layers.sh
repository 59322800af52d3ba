#!/usr/bin/env bash
# tests/lint/layers.sh finds each fault that it is for, in a small tree with one fault at a time.
set -u

source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/l3replay-test.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
failures=0

# A tree in order: base below plan, and a module of each.
make_tree() {
    rm -rf "$work/tree"
    mkdir -p "$work"/tree/{docs,common/base,common/plan,launch,topology,orchestrator,rank-worker,tests} && cd "$work/tree" || exit 1
    printf '# lowest first\ncommon/base:\ncommon/plan: common/base\n' >docs/layers.txt
    printf '<!-- layers -->\n```\ncommon/base:\ncommon/plan: common/base\n```\n<!-- end of layers -->\n' >docs/architecture.md
    printf 'int text_length(const char *text);\n' >common/base/text.h
    printf '#include "common/base/text.h"\n\nint text_length(const char *text)\n{\n    return *text;\n}\n' >common/base/text.c
    printf 'int list_all(void);\n' >common/plan/list.h
    printf '#include "common/plan/list.h"\n\n#include "common/base/text.h"\n\nint list_all(void)\n{\n    return text_length("x");\n}\n' \
        >common/plan/list.c
}

complain() {
    echo "$1; it printed:"
    sed 's/^/    /' "$work/out"
    failures=$((failures + 1))
}

expect_fault() { # PATTERN
    if "$source_dir/tests/lint/layers.sh" "$work/tree" >"$work/out" 2>&1; then
        complain "should fail: $1"
    elif ! grep -qE -- "$1" "$work/out"; then
        complain "should say $1"
    fi
}

expect_order() { # WHAT
    "$source_dir/tests/lint/layers.sh" "$work/tree" >"$work/out" 2>&1 && [ ! -s "$work/out" ] || complain "$1 should pass"
}

make_tree
expect_order "the tree as it is"
# Words in comments and strings, a structure of the name, and an own function of the name are no calls.
printf '/* list_all() */\nstatic const char *const text = "list_all(\\"";\nstruct list_all { int n; };\n' >common/base/words.c
printf 'static int list_all(void)\n{\n    return 0;\n}\n\nint words(void)\n{\n    return list_all();\n}\n' >common/base/more.c
expect_order "a tree that only mentions a function"
# A function of the C library of its own is called by nobody here.
printf 'int usleep(unsigned time)\n{\n    return 0;\n}\n' >common/plan/sleep.c
printf '#include <unistd.h>\n\nvoid nap(void)\n{\n    usleep(1);\n}\n' >common/base/nap.c
expect_order "a tree that stands in for a function of the C library"

make_tree
printf '#include "common/plan/list.h"\n' >common/base/up.c
expect_fault '^common/base/up: includes common/plan/list\.h: .*common/base use common/plan$'

make_tree
printf 'int list_all(void);\n\nint up(void)\n{\n    return list_all();\n}\n' >common/base/up.c
expect_fault '^common/base/up: calls list_all of common/plan/list:'

make_tree
printf 'int text_more(const char *text);\n' >common/base/more.h
printf 'int text_more(const char *text)\n{\n    return text_length(text);\n}\n' >common/base/more.c
printf 'int text_twice(const char *text)\n{\n    return text_more(text);\n}\n' >>common/base/text.c
expect_fault '^circle:'

make_tree
printf 'int other(void);\n' >common/plan/text.h
expect_fault '^common/plan/text: common/base/text has that name too$'

make_tree
for i in $(seq 24); do
    printf 'int f%d(void)\n{\n    return 0;\n}\n' "$i" >"common/base/f$i.c"
done
expect_fault '^common/base: 25 \.c files, at most 24$'

make_tree
mkdir orchestrator/new
printf '#include "common/base/text.h"\n' >orchestrator/new/thing.c
expect_fault '^docs/layers\.txt: orchestrator/new is missing$'

make_tree
printf 'common/base: common/plan\ncommon/plan:\n' >docs/layers.txt
expect_fault '^docs/layers\.txt: common/base names common/plan, which does not stand above it$'

make_tree
sed -i 's/^common\/plan: .*/common\/plan:/' docs/architecture.md
expect_fault '^docs/architecture\.md:'

make_tree
printf 'void walk(cJSON *list)\n{\n    cJSON *e;\n\n    cJSON_ArrayForEach(e, list) {\n    }\n    cJSON_Delete(list);\n}\n' >common/plan/walk.c
expect_order "a tree that walks and frees JSON"
printf 'cJSON *read_list(const char *text)\n{\n    return cJSON_Parse(text);\n}\n' >common/plan/walk.c
expect_fault '^common/plan/walk\.c:3:cJSON_Parse: is for common/base/json\* only$'

[ "$failures" -eq 0 ] || exit 1
echo "every fault is found"
