#include "orchestrator/gather/parcel.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { PARCEL_MAGIC = 0x6c337032, ALIGNMENT = 64, PAGE = 4096 };

/* Before each piece; the path with a NUL, which `path_nbytes` does not count, and the data follow. Pieces and data begin
 * at multiples of ALIGNMENT: data that do not are copied into a file at half the speed. */
struct piece_head {
    uint32_t magic;
    uint16_t path_nbytes, end;
    uint32_t nbytes, unused;
    uint64_t offset, checksum;
};

static size_t padded(size_t nbytes)
{
    return (nbytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* What stands before the data. */
static size_t front(size_t path_nbytes)
{
    return padded(sizeof(struct piece_head) + path_nbytes + 1);
}

int parcel_open(struct parcel *p, struct error *err)
{
    p->used = 0;
    p->bytes = aligned_alloc(PAGE, PARCEL_NBYTES);
    return p->bytes ? 0 : error_nomem(err, "parcel", PARCEL_NBYTES);
}

void parcel_close(struct parcel *p)
{
    free(p->bytes);
    memset(p, 0, sizeof *p);
}

void *parcel_room(struct parcel *p, const char *path, size_t *room)
{
    const size_t head = front(strlen(path));

    if (strlen(path) >= PARCEL_PATH_MAX || p->used + head + ALIGNMENT > PARCEL_NBYTES) {
        return NULL;
    }
    *room = PARCEL_NBYTES - p->used - head;
    return p->bytes + p->used + head;
}

void parcel_add(struct parcel *p, const char *path, uint64_t offset, uint32_t nbytes, enum parcel_end end,
                uint64_t checksum)
{
    const size_t length = strlen(path);
    const struct piece_head head = {.magic = PARCEL_MAGIC,
                                    .path_nbytes = (uint16_t)length,
                                    .end = (uint16_t)end,
                                    .nbytes = nbytes,
                                    .offset = offset,
                                    .checksum = checksum};
    unsigned char *at = p->bytes + p->used;

    memcpy(at, &head, sizeof head);
    memset(at + sizeof head, 0, front(length) - sizeof head);
    memcpy(at + sizeof head, path, length + 1);
    at += front(length);
    memset(at + nbytes, 0, padded(nbytes) - nbytes);
    p->used += front(length) + padded(nbytes);
}

static bool is_plain_part(const char *part, size_t length)
{
    return length > 0 && !(length == 1 && part[0] == '.') && !(length == 2 && part[0] == '.' && part[1] == '.');
}

int parcel_path_check(const char *path, struct error *err)
{
    const char *part = path;

    if (strlen(path) >= PARCEL_PATH_MAX) {
        return error_set(err, path, "use shorter names", "the path of a profile is longer than %d bytes",
                         PARCEL_PATH_MAX - 1);
    }
    for (;;) {
        size_t length = strcspn(part, "/");

        if (!is_plain_part(part, length)) {
            return error_set(err, path, NULL, "\"%s\" is no path below the directory of profiles", path);
        }
        if (part[length] == '\0') {
            return 0;
        }
        part += length + 1;
    }
}

static int broken(struct error *err, size_t at)
{
    return error_set(err, "profiles", "run again; if it comes back, look at the network",
                     "a parcel of profiles arrived broken, at byte %zu", at);
}

int parcel_next(const void *bytes, size_t nbytes, size_t *at, struct parcel_piece *piece, struct error *err)
{
    const unsigned char *from = (const unsigned char *)bytes + *at;
    const size_t left = nbytes - *at;
    struct piece_head head;

    if (*at == nbytes) {
        return 0;
    }
    if (*at > nbytes || left < sizeof head) {
        return broken(err, *at);
    }
    memcpy(&head, from, sizeof head);
    if (head.magic != PARCEL_MAGIC || head.path_nbytes >= PARCEL_PATH_MAX || head.end > PARCEL_LOST ||
        front(head.path_nbytes) + padded(head.nbytes) > left) {
        return broken(err, *at);
    }
    memcpy(piece->path, from + sizeof head, head.path_nbytes);
    piece->path[head.path_nbytes] = '\0';
    if (strlen(piece->path) != head.path_nbytes || parcel_path_check(piece->path, NULL) < 0) {
        return broken(err, *at);
    }
    piece->offset = head.offset;
    piece->checksum = head.checksum;
    piece->end = (enum parcel_end)head.end;
    piece->nbytes = head.nbytes;
    piece->data = from + front(head.path_nbytes);
    *at += front(head.path_nbytes) + padded(head.nbytes);
    return 1;
}
