# host_orch.py misbehaves while it is recorded. It is part of the build, no kernel has run: INFRA, and never a wait without
# an end.
variants="raise exit os-exit kill-self segfault hang endless-submits garbage-on-descriptors endless-line surrogate
    thread-left child-left daemon memory close-all recursion stop-self chdir atexit-hang"

inject() { # VARIANT
    local code allowed=(INFRA)
    copy_example vector-add
    case $1 in
    raise) code='raise ValueError("on purpose")' ;;
    exit) code="raise SystemExit($(draw 0 1 3))" ;;
    os-exit) code="os._exit($(draw 0 1 3))" ;;
    kill-self) code="os.kill(os.getpid(), signal.$(draw SIGKILL SIGTERM SIGABRT SIGSEGV))" ;;
    segfault) code='import ctypes; ctypes.string_at(8)' ;;
    hang) code='while True: pass' ;;
    endless-submits) code='n = 0
    while True:
        _ta = TaskArgs()
        _ta.add_tensor(make_tensor_arg(orch._worker, tensors["a"]), TensorArgType.INPUT)
        _submit_chip(orch, callables["add_rows"], _ta, config, 0)' ;;
    garbage-on-descriptors) code='for fd in range(0, 64):
        try:
            os.write(fd, b"garbage\\n{}\\n[1,2\\n\\xff\\0\\n")
        except OSError:
            pass' allowed=(PASS INFRA) ;;
    endless-line) code='while True: print("a line without an end ", end="")' allowed=(PASS INFRA) ;;
    surrogate) code='raise ValueError("\udcff\udc80")' ;;
    thread-left) code='threading.Thread(target=time.sleep, args=(1000,)).start()' allowed=(PASS INFRA) ;;
    child-left) code='subprocess.Popen(["sleep", "1000"])' allowed=(PASS INFRA) ;;
    daemon) code='subprocess.Popen(["sleep", "1000"], start_new_session=True)' allowed=(PASS INFRA) ;;
    memory) code='x = [bytearray(1 << 40)]' ;;
    close-all) code='os.closerange(0, 64)' allowed=(PASS INFRA) ;;
    recursion) code='f = lambda: f(); f()' ;;
    stop-self) code='os.kill(os.getpid(), signal.SIGSTOP)' ;;
    chdir) code='os.chdir("/"); os.environ.clear(); sys.path.clear()' allowed=(PASS INFRA) ;;
    atexit-hang) code='atexit.register(time.sleep, 1000)' allowed=(PASS INFRA) ;;
    esac
    replace_text "$build/orchestration/host_orch.py" '    rows = ' "    import atexit, os, signal, subprocess, sys, threading, time
    $code
    rows = "
    draw_way
    L3REPLAY_RECORD_TIMEOUT=$((8 * slow)) run_replay
    judge "${allowed[@]}"
}
