/*
 * inbox - profile files that arrive in parcels, put below the directory of profiles.
 *
 * Each source sends one file at a time; files of different sources grow side by side. A file is written beside its
 * place, and renamed when all of it is there and its checksum is right: what has its name is whole. What cannot be
 * written (a full disk) or arrives wrong is a loss: it is listed, nothing of it stays, and the rest goes on.
 */
#ifndef L3R_ORCHESTRATOR_GATHER_INBOX_H
#define L3R_ORCHESTRATOR_GATHER_INBOX_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

enum { INBOX_MAX_LOSSES = 32 };

struct inbox_loss {
    char path[256]; /* relative to the directory; cut when longer */
    char why[256];
};

struct inbox_totals {
    uint64_t nfile, nbytes; /* that arrived whole */
    uint64_t nloss;
};

struct inbox;

/* `nsource` numbers sources from 0. */
int inbox_open(struct inbox **out, const char *dir, uint32_t nsource, struct error *err);

/* Take the pieces of one parcel from `source`. -1 only when the parcel itself makes no sense: then nothing more of
 * this source can be taken, and its open file is lost. */
int inbox_take(struct inbox *b, uint32_t source, const void *bytes, size_t nbytes, struct error *err);

/* Nothing more comes from `source`: an unfinished file is lost, and `why` says why. */
void inbox_end_source(struct inbox *b, uint32_t source, const char *why);

/* Add a loss that others found. */
void inbox_add_loss(struct inbox *b, const char *path, const char *why);

struct inbox_totals inbox_totals(const struct inbox *b);

/* The first INBOX_MAX_LOSSES losses; returns how many there are in `*losses`. */
uint32_t inbox_losses(const struct inbox *b, const struct inbox_loss **losses);

void inbox_close(struct inbox *b); /* NULL is fine */

#endif
