#!/bin/bash
# --no-recompile: the binary of the build runs, and each source or header that it is not made of is named. What counts is
# content, not time.
. "$(dirname "$0")/lib_replay.sh"

export L3REPLAY_CACHE_DIR=$work/store

copy_example vector-add
program=$build/next_levels/add_rows
kernel=$program/kernels/aiv/vector_add.cpp
header=$program/kernels/aiv/offset.h
echo '#define OFFSET 0.0f' >"$header"
sed -i '1i #include "offset.h"' "$kernel"

old() { # run the binaries as they lie there
    run "$L3REPLAY" run "$build" -n 1 --no-recompile "$@"
    expect_pass 0
    expect_err 'compile [0-9]+ ms: 0 built, 0 reused'
}

edited='was edited after the binary that runs was built: the old one runs'

run "$L3REPLAY" run "$build" -n 1
expect_pass 0
old
refuse_err "$edited|is not known"

# A time alone is no edit.
touch "$kernel" "$header"
old
refuse_err "$edited"

# An edited header, and the same with a time before that of the binary.
sed -i 's/0\.0f/9.0f/' "$header"
old
expect_err "offset\.h, a header of vector_add\.cpp of program add_rows, $edited"
refuse_err "vector_add\.cpp of program add_rows was edited"
touch -d 2001-01-01 "$header"
old
expect_err "offset\.h, a header of vector_add\.cpp of program add_rows, $edited"
sed -i 's/9\.0f/0.0f/' "$header"
old
refuse_err "$edited"

# A source that was put back with its old time, as cp -p, rsync -t and git checkout do.
cp -p "$kernel" "$work/before.cpp"
touch -d 2001-01-01 "$work/before.cpp"
echo '// another version' >>"$kernel"
run "$L3REPLAY" run "$build" -n 1
expect_pass 0
cp -p "$work/before.cpp" "$kernel"
old
expect_err "vector_add\.cpp of program add_rows $edited"

# A header that is gone.
mv "$header" "$work/offset.h"
old
expect_err "offset\.h, a header of vector_add\.cpp"
mv "$work/offset.h" "$header"

# Another binary than the one that was put there, and an account of another version: nothing is known, and that is said.
run "$L3REPLAY" run "$build" -n 1
expect_pass 0
cp "$program/cache/.l3replay.made" "$work/made"
for text in '' 'l3replay-made 2' 'l3replay-made 1' "$(head -c 200 "$work/made")" "$(sed 's/^binary .*/binary x y/' "$work/made")"; do
    printf '%s\n' "$text" >"$program/cache/.l3replay.made"
    old
    expect_err 'what 2 binaries of program add_rows were made of is not known'
done
touch -d '+1 hour' "$kernel"
old
expect_err "vector_add\.cpp of program add_rows $edited" 'is not known'
cp "$work/made" "$program/cache/.l3replay.made"
old
refuse_err "$edited|is not known"
printf '\0' >>"$program/cache/orch_add_rows.bin"
old
expect_err 'what 1 binary of program add_rows was made of is not known'

# What is put into the build never looks newer than an edit that it does not contain.
sed -i '1i #include <fcntl.h>\n#include <unistd.h>' "$kernel"
replace_call "$kernel" vector_add 'close(open("'"$work"'/started", O_CREAT | O_WRONLY, 0600));
    while (access("'"$work"'/go", F_OK) != 0) usleep(10000);'
start "$L3REPLAY" run "$build" -n 1
while [ ! -e "$work/started" ] && kill -0 "$started" 2>/dev/null; do
    sleep 0.05
done
echo '#define OFFSET 1.0f' >"$header"
echo '// during the run' >>"$kernel"
touch -d 2001-01-01 "$header"
touch "$work/go"
finish_run
for file in "$program"/kernels/aiv/*.so "$program"/cache/incore_*.bin; do
    [ "$file" -nt "$header" ] && complain "$file looks newer than a header that it does not contain"
    [ "$file" -nt "$kernel" ] && complain "$file looks newer than a source that it does not contain"
done
run "$L3REPLAY" run "$build" -n 1 --no-recompile
expect_err "vector_add\.cpp of program add_rows $edited" "offset\.h, a header of vector_add\.cpp of program add_rows, $edited"

conclude
