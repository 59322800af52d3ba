#!/bin/bash
# Builds in awkward places: paths with blanks and other letters, read-only directories, symbolic links.
. "$(dirname "$0")/lib_replay.sh"

copy_example tensor-parallel 'größe und 名前 (1)'
run mpirun -np 2 "$L3REPLAY" run "$build" --device-ids 0-3
expect_pass 0
run "$L3REPLAY" inspect "$build"
expect_status 0

copy_example allreduce "it's \$HOME & \"quotes\""
run mpirun -np 2 "$L3REPLAY" run "$build" --device-ids 0-1
expect_pass 0

# By a symbolic link, by a relative path, with a slash at the end, and moved after a first run.
copy_example vector-add
ln -s "$build" "$work/link"
run "$L3REPLAY" run "$work/link" -n 1
expect_pass 0
run env -C "$work/builds" "$L3REPLAY" run vector-add/ -n 2
expect_pass 0
mv "$build" "$work/moved"
run "$L3REPLAY" run "$work/moved" -n 1
expect_pass 0

# A build that cannot be written. Root writes everywhere, so root becomes somebody else.
copy_example pipeline
find "$build" -type f -exec sha256sum {} + | sort >"$work/before"
chmod -R a-w,a+rX "$build"
chmod a+rx "$work" "$work/builds"
chmod 1777 "$work/tmp"
mkdir -m 1777 "$work/store" "$work/home"
as_user=()
if [ "$(id -u)" -eq 0 ]; then
    as_user=(setpriv --reuid 65534 --regid 65534 --clear-groups env HOME="$work/home")
fi
run "${as_user[@]}" env L3REPLAY_CACHE_DIR="$work/store" "$L3REPLAY" run "$build" -n 2
expect_pass 0
find "$build" -type f -exec sha256sum {} + | sort >"$work/after"
cmp -s "$work/before" "$work/after" || complain "the read-only build was changed"

# No place for the object store either: it says so once and works.
mkdir -m 555 "$work/readonly"
run "${as_user[@]}" env L3REPLAY_CACHE_DIR="$work/readonly/store" "$L3REPLAY" run "$build" -n 1 --device-ids 0
expect_pass 0
expect_nothing_left
# Symlinks that were planted where binaries go lead nowhere outside.
copy_example vector-add planted
run "$L3REPLAY" run "$build" -n 1
expect_pass 0
echo precious >"$work/victim"
mkdir "$work/outside"
for binary in "$build"/next_levels/*/cache/*.bin; do
    ln -sf "$work/victim" "$binary"
done
run "$L3REPLAY" run "$build" -n 1
expect_pass 0
[ "$(cat "$work/victim")" = precious ] || complain "a link in cache/ led outside"
rm -rf "$build"/next_levels/*/cache
for program in "$build"/next_levels/*/; do
    ln -s "$work/outside" "$program/cache"
done
run "$L3REPLAY" run "$build" -n 1
expect_pass 0
expect_err 'cache is a symlink'
[ -z "$(ls -A "$work/outside")" ] || complain "a cache/ that is a link led outside"

conclude
