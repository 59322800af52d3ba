# A process of the run gets no more memory from a random moment on, or all of them together have little (a control group, whose
# processes the kernel kills). What fails outside of kernels says nothing of them.
late=yes
variants="front 0 1 executor python compiler group"

# A control group of version 2 or 1 with so many megabytes, in $group.
make_group() {
    local parent=/sys/fs/cgroup file=memory.max
    as_root
    [ -e "$parent/cgroup.controllers" ] || parent=/sys/fs/cgroup/memory file=memory.limit_in_bytes
    group=$parent/l3replay-fault-$$
    mkdir "$group" 2>/dev/null || skip "no control groups to write to"
    [ -e "$group/cgroup.procs" ] && echo "$(($1 << 20))" 2>/dev/null >"$group/$file" || {
        rmdir "$group"
        skip "no control group limits memory"
    }
}

inject() { # ROLE
    local victims group="" allowed=(PASS INFRA) room
    draw_build
    draw_way
    case $1 in
    front) processes=(-n "$(draw 1 2)") way=() ;;
    1) way=(mpirun -np 2) processes=() ;;
    compiler) L3REPLAY_CACHE_DIR=$work/store ;;
    group)
        make_group "$(draw 8 16 32 64 96 128)"
        way=(bash -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "${way[@]}")
        allowed+=(none) # where those that print are killed too
        ;;
    esac
    [ "$1" = group ] || skip_sanitized
    start_replay
    if [ "$1" != group ]; then
        random_moment
        victims=($(find_role "$1"))
        # As much as it has, and a little more.
        if [ ${#victims[@]} -gt 0 ]; then
            room=$(sed -n 's/^VmSize:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/${victims[0]}/status" 2>/dev/null)
            [ -z "$room" ] || prlimit --pid "${victims[0]}" --as=$(((room + $(draw 0 16 256 4096)) * 1024)) 2>/dev/null
        fi
    fi
    finish_run
    if [ -n "$group" ]; then
        next_start_sweeps # the front may be among the killed
        rmdir "$group" 2>/dev/null
    fi
    # Removing a directory takes memory: the front says that it could not, and the next start does.
    ! grep -aq '^l3replay: warning: cannot remove .*/l3replay-mpi' "$work/err" || next_start_sweeps
    judge "${allowed[@]}"
}
