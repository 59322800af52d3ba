/*
 * unknown_name - the name that a compiler did not know, read from its messages.
 *
 * The interface of orchestrations and kernels has changed its names several times. A build of a newer stack than this
 * program knows ends in messages about a header that is not there or a name that is not declared, and the first of
 * these says what the interface lacks.
 */
#ifndef L3R_RANK_WORKER_COMPILE_UNKNOWN_NAME_H
#define L3R_RANK_WORKER_COMPILE_UNKNOWN_NAME_H

#include <stddef.h>

enum unknown_kind { UNKNOWN_NOTHING = 0, UNKNOWN_HEADER, UNKNOWN_IDENTIFIER };

/* The first header or identifier that `messages` (of g++ or clang, in the C locale) say is unknown, into `name` (cut to
 * its size). UNKNOWN_NOTHING, with an empty name: the messages are about something else. */
enum unknown_kind unknown_name(const char *messages, char *name, size_t size);

#endif
