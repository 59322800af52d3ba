# A process of the run is killed at a random moment. What is left of the run says INFRA: it says nothing of the kernels.
late=yes
variants="front mpirun 0 1 executor python compiler two-executors"

inject() { # ROLE
    local victims allowed=(PASS INFRA) role=$1
    draw_build
    draw_way
    case $role in
    front) processes=(-n "$(draw 1 2)") way=() ;;
    mpirun) processes=(-n 2) way=() ;;
    1) way=(mpirun -np 2) processes=() ;;
    compiler) L3REPLAY_CACHE_DIR=$work/store ;;
    esac
    start_replay
    random_moment
    [ "$role" = two-executors ] && role=executor
    victims=($(find_role "$role"))
    [ "$1" = two-executors ] || victims=("${victims[@]:0:1}")
    [ ${#victims[@]} -eq 0 ] || kill -KILL "${victims[@]:0:2}" 2>/dev/null
    finish_run
    # Nobody is left who could print, or remove the front's directories.
    [ "$role" = front ] && allowed+=(none) && next_start_sweeps
    [ "$role" = 0 ] && [ ${#way[@]} -gt 0 ] && allowed+=(none)
    judge "${allowed[@]}"
}
