/*
 * inherited - what this process was started with must not decide how it works.
 */
#ifndef L3R_COMMON_PROCESS_INHERITED_H
#define L3R_COMMON_PROCESS_INHERITED_H

/* Call it first thing in main(). Unblocks all signals and makes their dispositions the default: a parent that ignores SIGCHLD
 * would have waitpid() fail. SIGHUP, SIGINT and SIGQUIT stay ignored where they are, since nohup and shells ignore them on
 * purpose. SIGPIPE and SIGXFSZ are ignored: the reader of our output may end, files may be limited, and write() then says so. Standard descriptors that are
 * closed are opened on /dev/null, or the next file would get their number; stdin and stdout for reading only, so that a
 * result that goes nowhere is an error. -1 when /dev/null cannot be opened. */
int process_reset_self(void);

#endif
