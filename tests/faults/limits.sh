# Little of what the system gives: descriptors, size of files, processes, processor time, stack, address space.
variants="descriptors file-size processes cpu stack memory locked"

inject() { # LIMIT
    local value allowed=(PASS INFRA)
    skip_sanitized
    draw_build
    draw_way
    case $1 in
    descriptors) value=-n\ $(draw 6 8 10 12 16 20 24 26 28 32 40 64) ;;
    file-size) value=-f\ $(draw 0 1 8 64 512 4096) ;;
    processes)
        as_root # as another user, whose processes are counted alone
        own_store_of nobody
        value=-u\ $(draw 2 4 8 12 16 24)
        ;;
    cpu) value=-t\ $(draw 1 2) ;;
    stack) value=-s\ $(draw 64 128 256 1024) ;;
    memory) value=-v\ $((($(number 40) + 6) * 16384)) ;;
    locked) value=-l\ 0 ;;
    esac
    if [ "$1" = processes ]; then
        way=(setpriv --reuid nobody --regid nogroup --clear-groups bash -c "ulimit $value; exec \"\$@\"" - env HOME="$work" "${way[@]}")
    else
        way=(bash -c "ulimit $value; exec \"\$@\"" - "${way[@]}")
    fi
    mpirun_cannot_run && allowed+=(none)
    run_replay
    way=()
    judge "${allowed[@]}"
}
