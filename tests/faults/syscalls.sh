# One system call of one process of the run fails (strace injects it). What fails outside of kernels says nothing of them.
variants="open read write memory descriptors processes sockets files wait sync"

inject() { # GROUP
    local call error when allowed=(PASS INFRA)
    command -v strace >/dev/null || skip "no strace"
    strace -f -o /dev/null true 2>/dev/null || skip "may not trace"
    draw_build
    draw_way
    case $1 in
    open) call=openat error=$(draw EMFILE ENFILE EACCES EIO ENOMEM EINTR) ;;
    read) call=$(draw read pread64 getdents64) error=$(draw EIO EINTR ENOMEM) ;;
    write) call=$(draw write pwrite64 writev) error=$(draw ENOSPC EIO EINTR EDQUOT) ;;
    memory) call=$(draw mmap mprotect memfd_create ftruncate fallocate) error=$(draw ENOMEM EINTR ENOSPC) ;;
    descriptors) call=$(draw pipe2 dup2 dup3 fcntl eventfd2 signalfd4 epoll_create1 pidfd_open) error=$(draw EMFILE EINVAL ENOMEM) ;;
    processes) call=$(draw clone clone3 vfork execve setpgid prctl) error=$(draw EAGAIN ENOMEM EPERM) ;;
    sockets) call=$(draw socket bind connect listen accept4 sendto recvfrom sendmsg recvmsg) error=$(draw EMFILE ECONNREFUSED EINTR ENOBUFS) ;;
    files) call=$(draw rename mkdir unlink chmod newfstatat link flock) error=$(draw EACCES EROFS ENOSPC EIO EINTR) ;;
    wait) call=$(draw poll ppoll epoll_wait wait4 waitid futex) error=$(draw EINTR EAGAIN) ;;
    sync) call=$(draw fsync fdatasync sync_file_range) error=$(draw EIO ENOSPC) ;;
    esac
    when=$(number 120)
    way=(strace -f -qq -o /dev/null -e trace="$call" -e inject="$call:error=$error:when=$((when + 1))" "${way[@]}")
    run_replay
    # The call that failed may be one of the user's own mpirun, which then started nobody who could print.
    [[ ${way[*]} == *mpirun* ]] && ! grep -aq '^l3replay: ' "$work/err" && allowed+=(none)
    way=(traced) # strace hands the exit code of a command on, but not when it ended by a signal
    judge "${allowed[@]}"
}
