# Environment, locale, namespaces and directories that are not the usual ones.
variants="turkish german broken-locale no-home no-path-home empty-environment no-network pid-namespace user-name-unknown
    deep-directory odd-names removed-directory large-environment ignored-signals blocked-signals umask other-mpi-variables"

inject() { # VARIANT
    local allowed=(PASS) place
    draw_build
    draw_way
    case $1 in
    turkish) export LC_ALL=tr_TR.UTF-8 LANG=tr_TR.UTF-8 ;;
    german) export LC_ALL=de_DE.UTF-8 LC_NUMERIC=de_DE.UTF-8 ;;
    broken-locale) export LC_ALL=xx_NOWHERE LANG='@@' LANGUAGE=: TZ=Nowhere/None ;;
    no-home) unset HOME ;;
    no-path-home) export HOME=/nonexistent ;;
    empty-environment)
        way=(env -i PATH="$PATH" L3REPLAY_CACHE_DIR="$L3REPLAY_CACHE_DIR" TMPDIR="$work/tmp" L3R_TEST_TAG="$tag"
            OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ASAN_OPTIONS="$ASAN_OPTIONS" "${way[@]}")
        processes=(-n 1)
        [[ ${way[*]} != *mpirun* ]] || processes=()
        [[ ${way[*]} != *"-np 2"* ]] || way+=(--oversubscribe)
        ;;
    no-network) as_root && way=(unshare --net "${way[@]}") allowed=(PASS INFRA) ;;
    pid-namespace) as_root && way=(unshare --pid --fork --mount-proc "${way[@]}") ;;
    user-name-unknown)
        as_root
        own_store_of 54321
        way=(setpriv --reuid 54321 --regid 54321 --clear-groups env HOME="$work" "${way[@]}")
        ;;
    deep-directory)
        place=$work/$(printf 'd%.0s' {1..200})/$(printf 'e%.0s' {1..200})/$(printf 'f%.0s' {1..200})
        mkdir -p "$place" && mv "$build" "$place/build" && build=$place/build
        ;;
    odd-names) place="$work/a b 'c' \$d ;e"$'\t'"é" && mkdir -p "$place" && mv "$build" "$place/-build" && build=$place/-build ;;
    removed-directory)
        way=(bash -c 'mkdir "$0" && cd "$0" && rmdir "$0" && exec "$@"' "$work/gone" "${way[@]}")
        allowed=(PASS INFRA none)
        ;;
    large-environment) export L3R_LARGE_1 L3R_LARGE_2 && printf -v L3R_LARGE_1 '%0100000d' 0 && printf -v L3R_LARGE_2 '%0100000d' 0 ;;
    ignored-signals) way=(env --ignore-signal=INT,TERM,HUP,CHLD,PIPE,USR1,USR2,ALRM "${way[@]}") ;;
    blocked-signals) way=(env --block-signal=INT,TERM,HUP,CHLD,PIPE,USR1,USR2,ALRM "${way[@]}") ;;
    umask) umask "$(draw 000 077 0777)" && allowed=(PASS INFRA) ;;
    other-mpi-variables)
        processes=(-n "$(draw 1 2)") way=()
        export SLURM_JOB_ID=1 SLURM_NTASKS=4 PMI_RANK=7 PMI_SIZE=9 "OMPI_MCA_btl=$(draw self,vader,tcp nonsense self)"
        allowed=(PASS INFRA)
        ;;
    esac
    [ "$1" = no-network ] && mpirun_cannot_run && allowed+=(none)
    run_replay
    way=()
    judge "${allowed[@]}"
}
