/*
 * watch_keys - what the user types while a build is watched.
 *
 * On a terminal each key counts at once, and nothing is echoed; other input is read as lines. The terminal is as it was
 * before after watch_keys_close(), and when the process is stopped and goes on.
 */
#ifndef L3R_ORCHESTRATOR_WATCH_WATCH_KEYS_H
#define L3R_ORCHESTRATOR_WATCH_WATCH_KEYS_H

#include <stdbool.h>
#include <termios.h>

enum watch_key { WATCH_NOTHING, WATCH_AGAIN, WATCH_QUIT };

struct watch_keys {
    int fd; /* -1: there is no more input */
    bool changed;
    struct termios before;
};

void watch_keys_open(struct watch_keys *k, int fd);
void watch_keys_close(struct watch_keys *k);

/* Read what there is. An Enter asks for another replay, a q for the end; all else counts for nothing. The end of the input ends
 * nothing: `fd` is -1 then. */
enum watch_key watch_keys_read(struct watch_keys *k);

#endif
