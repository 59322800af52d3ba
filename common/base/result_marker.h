/* result_marker - how the line on stdout that says a run's result begins (docs/formats.md, "Result markers"). */
#ifndef L3R_COMMON_BASE_RESULT_MARKER_H
#define L3R_COMMON_BASE_RESULT_MARKER_H

/* A literal, so that signal handlers and help texts have it too; behind it stands PASS, FAIL or INFRA. */
#define RESULT_MARKER "PYPTO_EXEC_RESULT="

/* How the line begins that says how many outputs were compared, and the line where that is not known. */
#define RESULT_CHECKED "PYPTO_EXEC_CHECKED="
#define RESULT_NOTHING_CHECKED RESULT_CHECKED "0/0 outputs\n"

#endif
