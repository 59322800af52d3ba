"""What a replay that is not PASS raises."""


class ReplayError(RuntimeError):
    """A command that did not succeed. `verdict` is "FAIL", "INFRA" or "USAGE"; `cause`, `where` and `hint` are the texts of
    the error ("" where there is none), `result` the result file as a dict (None where there is none)."""

    def __init__(self, verdict, cause, where="", hint="", result=None):
        text = f"{verdict}: {cause}"
        if where:
            text += f" (in {where})"
        if hint:
            text += f"; hint: {hint}"
        super().__init__(text)
        self.verdict = verdict
        self.cause = cause
        self.where = where
        self.hint = hint
        self.result = result


class ReplayFailed(ReplayError):
    """FAIL: a kernel, an orchestration or a sub-worker is wrong, or an output is."""


class ReplayImpossible(ReplayError):
    """INFRA or USAGE: nothing is known about the kernels."""


def error_of(verdict, error, log, result=None):
    """The exception for the `error` object of a result file, or for the last error of what the program logged."""
    if error is None:
        error = last_error(log)
    kind = ReplayFailed if verdict == "FAIL" else ReplayImpossible
    return kind(verdict, error.get("what", ""), error.get("where", ""), error.get("hint", ""), result)


def last_error(log):
    """The last error in lines of the log, as a dict with "what", "where" and "hint"."""
    prefix = "l3replay: error: "
    found = {}
    for line in log.splitlines():
        if not line.startswith(prefix):
            if line.startswith("l3replay ") and ": " in line and not found:
                found = {"what": line.split(": ", 1)[1]}  # of a wrong command line
            continue
        text = line[len(prefix):]
        if text.startswith("  hint: "):
            found["hint"] = text[len("  hint: "):]
        elif text.startswith("  in "):
            found["where"] = text[len("  in "):]
        elif not text.startswith("  "):
            found = {"what": text}
    return found
