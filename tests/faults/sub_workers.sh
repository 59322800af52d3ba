# A sub-worker misbehaves: FAIL with its name, unless it did no harm.
variants="raise exit os-exit segfault kill-self hang surrogate garbage-on-descriptors close-stdout thread-left pool-left
    child-left daemon atexit-hang memory stop-self recursion out-of-bounds"

inject() { # VARIANT
    local code allowed=(FAIL)
    copy_example vector-add
    case $1 in
    raise) code='raise ValueError("on purpose")' ;;
    exit) code="raise SystemExit($(draw 0 1 3))" ;;
    os-exit) code="os._exit($(draw 0 1 3))" ;;
    segfault) code='import ctypes; ctypes.string_at(8)' ;;
    kill-self) code="os.kill(os.getpid(), signal.$(draw SIGTERM SIGABRT SIGUSR1))" allowed=(FAIL INFRA) ;;
    hang) code='while True: pass' ;;
    surrogate) code='raise ValueError("\udcff\udc80")' ;;
    garbage-on-descriptors) code='for fd in range(0, 64):
        try:
            os.write(fd, b"garbage\\n{}\\n[1,2\\n\\xff\\0\\n")
        except OSError:
            pass' allowed=(PASS FAIL) ;;
    close-stdout) code='sys.stdout.close(); os.close(1)' allowed=(PASS) ;;
    thread-left) code='threading.Thread(target=time.sleep, args=(1000,)).start()' allowed=(PASS) ;;
    pool-left) code='import concurrent.futures as f; globals()["pool"] = f.ThreadPoolExecutor(2); pool.submit(time.sleep, 1000)' allowed=(PASS) ;;
    child-left) code='subprocess.Popen(["sleep", "1000"])' allowed=(PASS) ;;
    daemon) code='subprocess.Popen(["sleep", "1000"], start_new_session=True)' allowed=(PASS) ;;
    atexit-hang) code='atexit.register(time.sleep, 1000)' allowed=(PASS) ;;
    memory) code='x = bytearray(1 << 50)' ;;
    stop-self) code='os.kill(os.getpid(), signal.SIGSTOP)' allowed=(FAIL INFRA) ;;
    recursion) code='f = lambda: f(); f()' ;;
    out-of-bounds) code='args[0].buffer[1 << 30] = 0' ;;
    esac
    mkdir "$build/sub_workers"
    printf 'import atexit, os, signal, subprocess, sys, threading, time\n\n\ndef check(args):\n    %s\n' "$code" >"$build/sub_workers/check.py"
    replace_text "$build/orchestration/host_orch.py" '

host_orch._pypto' '
    _ta_s = TaskArgs()
    _ta_s.add_tensor(make_tensor_arg(orch._worker, tensors["out"]), TensorArgType.INOUT)
    orch.submit_sub(sub_ids["check"], _ta_s)


host_orch._pypto'
    draw_way
    run_replay --timeout $((5 * slow))
    judge "${allowed[@]}"
    if [ "$(verdict_of_run)" = FAIL ]; then
        grep -aq 'check' "$work/err" || complain "FAIL without the name of the sub-worker"
    fi
}
