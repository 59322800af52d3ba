# Clocks and times of files that are not what one expects.
variants="future-files old-files epoch-files namespace mixed"

inject() { # VARIANT
    draw_build
    draw_way
    case $1 in
    future-files) find "$build" -exec touch -d '2099-01-01' {} + ;;
    old-files) find "$build" -exec touch -d '1990-01-01' {} + ;;
    epoch-files) find "$build" -exec touch -d '@0' {} + ;;
    mixed) find "$build" -type f | while read -r file; do touch -d "@$(number 2000000000)" "$file"; done ;;
    namespace)
        as_root
        unshare --time --monotonic 1 true 2>/dev/null || skip "no time namespaces"
        way=(unshare --time --monotonic "$(number 100000)" --boottime "$(number 100000)" --fork "${way[@]}")
        ;;
    esac
    run_replay "$(draw --swimlane --no-ccache)"
    way=()
    judge PASS
    run_replay
    judge PASS
}
