#include "orchestrator/gather/inbox.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/file_hash.h"
#include "orchestrator/gather/parcel.h"

/* The file that a source is sending. */
struct arriving {
    char path[PARCEL_PATH_MAX]; /* "" between files */
    bool lost;                  /* the rest of it is dropped */
    uint64_t nbytes;
    struct file_writer writer;
    char made[PARCEL_PATH_MAX]; /* the directory of the last file, which is there */
    XXH3_state_t *hash;
};

struct inbox {
    char *dir;
    uint32_t nsource;
    struct arriving *sources;
    struct inbox_totals totals;
    struct inbox_loss losses[INBOX_MAX_LOSSES];
};

int inbox_open(struct inbox **out, const char *dir, uint32_t nsource, struct error *err)
{
    struct inbox *b = calloc(1, sizeof *b);

    *out = b;
    if (b) {
        b->dir = strdup(dir);
        b->sources = calloc(nsource ? nsource : 1, sizeof *b->sources);
        b->nsource = nsource;
    }
    if (b && b->dir && b->sources) {
        return 0;
    }
    inbox_close(b);
    *out = NULL;
    return error_nomem(err, dir, nsource * sizeof *b->sources);
}

void inbox_add_loss(struct inbox *b, const char *path, const char *why)
{
    if (b->totals.nloss < INBOX_MAX_LOSSES) {
        struct inbox_loss *loss = &b->losses[b->totals.nloss];

        snprintf(loss->path, sizeof loss->path, "%s", path);
        snprintf(loss->why, sizeof loss->why, "%s", why);
    }
    b->totals.nloss++;
}

static void lose(struct inbox *b, struct arriving *a, const char *why)
{
    if (!a->lost) {
        inbox_add_loss(b, a->path, why);
    }
    a->lost = true;
    file_write_abort(&a->writer);
}

static int make_dirs(struct arriving *a, char *full, struct error *err)
{
    char *slash = strrchr(full, '/');
    const char *last = strrchr(a->path, '/');
    size_t length = last ? (size_t)(last - a->path) : 0;
    int rc;

    if (a->made[0] && strlen(a->made) == length && strncmp(a->made, a->path, length) == 0) {
        return 0;
    }
    *slash = '\0';
    rc = file_make_dirs(full, err);
    *slash = '/';
    snprintf(a->made, sizeof a->made, "%.*s", rc == 0 ? (int)length : 0, a->path);
    return rc;
}

static int open_file(const struct inbox *b, struct arriving *a, struct error *err)
{
    char *full = file_join(b->dir, a->path, err);
    int rc;

    if (!full) {
        return -1;
    }
    rc = make_dirs(a, full, err);
    if (rc == 0) {
        rc = file_replace_begin(&a->writer, full, err);
    }
    free(full);
    if (rc == 0) {
        a->writer.unsynced = true;
        setvbuf(a->writer.stream, NULL, _IONBF, 0); /* pieces are large, or whole files */
    }
    return rc;
}

static int begin(struct inbox *b, struct arriving *a, const struct parcel_piece *piece, struct error *err)
{
    struct error cause;

    if (!a->hash) {
        a->hash = XXH3_createState();
    }
    if (!a->hash) {
        return error_nomem(err, piece->path, XXH3_SECRET_SIZE_MIN);
    }
    snprintf(a->path, sizeof a->path, "%s", piece->path);
    a->lost = false;
    a->nbytes = 0;
    XXH3_64bits_reset(a->hash);
    if (piece->offset != 0) {
        lose(b, a, "its beginning did not arrive");
    } else if (open_file(b, a, &cause) < 0) {
        lose(b, a, cause.what);
    }
    return 0;
}

static void write_piece(struct inbox *b, struct arriving *a, const struct parcel_piece *piece)
{
    XXH3_64bits_update(a->hash, piece->data, piece->nbytes);
    a->nbytes += piece->nbytes;
    if (piece->nbytes && fwrite(piece->data, 1, piece->nbytes, a->writer.stream) != piece->nbytes) {
        lose(b, a, strerror(errno));
    }
}

static void finish(struct inbox *b, struct arriving *a, const struct parcel_piece *piece)
{
    struct error cause;

    if (!a->lost && XXH3_64bits_digest(a->hash) != piece->checksum) {
        lose(b, a, "it arrived with a wrong checksum");
    }
    if (!a->lost && file_write_commit(&a->writer, &cause) < 0) {
        lose(b, a, cause.what);
    }
    if (!a->lost) {
        b->totals.nfile++;
        b->totals.nbytes += a->nbytes;
    }
    a->path[0] = '\0';
}

static void finish_lost(struct inbox *b, struct arriving *a, const struct parcel_piece *piece)
{
    char why[sizeof b->losses[0].why];

    snprintf(why, sizeof why, "%.*s", (int)piece->nbytes, (const char *)piece->data);
    lose(b, a, why);
    a->path[0] = '\0';
}

static int take_piece(struct inbox *b, struct arriving *a, const struct parcel_piece *piece, struct error *err)
{
    if (a->path[0] && strcmp(a->path, piece->path) != 0) {
        lose(b, a, "its end did not arrive");
        a->path[0] = '\0';
    }
    if (!a->path[0] && begin(b, a, piece, err) < 0) {
        return -1;
    }
    if (piece->offset != a->nbytes && !a->lost) {
        lose(b, a, "a part of it did not arrive");
    }
    if (piece->end == PARCEL_LOST) {
        finish_lost(b, a, piece);
        return 0;
    }
    if (!a->lost) {
        write_piece(b, a, piece);
    }
    if (piece->end == PARCEL_LAST) {
        finish(b, a, piece);
    }
    return 0;
}

int inbox_take(struct inbox *b, uint32_t source, const void *bytes, size_t nbytes, struct error *err)
{
    struct parcel_piece piece;
    size_t at = 0;
    int rc;

    if (source >= b->nsource) {
        return error_set(err, "profiles", NULL, "a parcel came from process %u of %u", source, b->nsource);
    }
    while ((rc = parcel_next(bytes, nbytes, &at, &piece, err)) == 1) {
        if (take_piece(b, &b->sources[source], &piece, err) < 0) {
            rc = -1;
            break;
        }
    }
    if (rc < 0) {
        inbox_end_source(b, source, "what its process sent makes no sense");
    }
    return rc;
}

void inbox_end_source(struct inbox *b, uint32_t source, const char *why)
{
    struct arriving *a = &b->sources[source];

    if (a->path[0]) {
        lose(b, a, why);
    }
    a->path[0] = '\0';
}

struct inbox_totals inbox_totals(const struct inbox *b)
{
    return b->totals;
}

uint32_t inbox_losses(const struct inbox *b, const struct inbox_loss **losses)
{
    *losses = b->losses;
    return b->totals.nloss < INBOX_MAX_LOSSES ? (uint32_t)b->totals.nloss : INBOX_MAX_LOSSES;
}

void inbox_close(struct inbox *b)
{
    if (!b) {
        return;
    }
    for (uint32_t i = 0; b->sources && i < b->nsource; i++) {
        file_write_abort(&b->sources[i].writer);
        XXH3_freeState(b->sources[i].hash);
    }
    free(b->sources);
    free(b->dir);
    free(b);
}
