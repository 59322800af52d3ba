#include "common/segment/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/log.h"

#define SEGMENT_MAGIC 0x6c337265706c6179u

/* A gap after each storage, so that a kernel that writes a little past its tensor does not change another. */
enum { STORAGE_ALIGN = 256, STORAGE_GAP = 256, WINDOW_ALIGN = 4096, PAGE = 65536 }; /* the largest page size in use */

static uint64_t align_up(uint64_t value, uint64_t to)
{
    return (value + to - 1) / to * to;
}

/* Kilobytes that the kernel thinks can still be had without swapping; 0 when it does not say. */
static uint64_t available_kb(void)
{
    FILE *f = fopen("/proc/meminfo", "r");
    unsigned long long kb = 0;
    char line[256];

    if (!f) {
        return 0;
    }
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "MemAvailable: %llu kB", &kb) == 1) {
            break;
        }
    }
    fclose(f);
    return kb;
}

static int check_memory(uint64_t nbytes, struct error *err)
{
    uint64_t kb = available_kb();

    if (kb && nbytes / 1024 > kb) {
        return error_set(err, NULL, "replay fewer cards on this host, or with smaller inputs",
                         "the tensors and windows of this replay need %llu MB, this host has %llu MB available",
                         (unsigned long long)(nbytes >> 20), (unsigned long long)(kb >> 10));
    }
    return 0;
}

/* Where the pages of the plan and the sheet end and those of the storages begin. */
static uint64_t constants_end(const struct segment_header *h)
{
    return align_up(h->sheet_at + h->sheet_nbytes, PAGE);
}

/* Lay out everything before the storages, then the storages; `offsets` has nstorage entries. What is constant gets
 * pages of its own, right below the storages: see protect_constants(). */
static void lay_out(struct segment_header *h, const struct plan *plan, uint64_t *offsets)
{
    uint64_t at = sizeof *h;

    h->words_at = align_up(at, 64);
    at = h->words_at + (uint64_t)h->nnode * sizeof(futex_word);
    h->lanes_at = align_up(at, 64);
    at = h->lanes_at + (uint64_t)h->nlane * sizeof(struct segment_lane);
    h->times_at = align_up(at, 64);
    at = h->times_at + (uint64_t)h->nnode * sizeof(struct segment_times);
    h->hashes_at = align_up(at, 64);
    at = h->hashes_at + h->nhash * sizeof(uint64_t);
    h->storages_at = align_up(at, PAGE);
    at = h->storages_at + (uint64_t)h->nstorage * sizeof(uint64_t);
    h->plan_at = align_up(at, 64);
    at = h->plan_at + h->plan_nbytes;
    h->sheet_at = align_up(at, 64);
    at = constants_end(h);
    for (uint32_t i = 0; i < plan->nstorage; i++) {
        const struct plan_storage *s = &plan->storages[i];

        at = align_up(at + STORAGE_GAP, s->kind == PLAN_WINDOW ? WINDOW_ALIGN : STORAGE_ALIGN);
        offsets[i] = at;
        at += s->nbytes;
    }
    h->nbytes = align_up(at + STORAGE_GAP, 4096);
}

static void point_into(struct segment *seg)
{
    char *base = (char *)seg->header;

    seg->words = (futex_word *)(base + seg->header->words_at);
    seg->lanes = (struct segment_lane *)(base + seg->header->lanes_at);
    seg->times = (struct segment_times *)(base + seg->header->times_at);
    seg->hashes = (uint64_t *)(base + seg->header->hashes_at);
    seg->storages = (const uint64_t *)(base + seg->header->storages_at);
    seg->sheet = base + seg->header->sheet_at;
}

static int map_fd(struct segment *seg, uint64_t nbytes, struct error *err)
{
    void *base = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED, seg->fd, 0);

    if (base == MAP_FAILED) {
        return error_errno(err, "shared segment", "free memory on this host", "cannot map %llu bytes",
                           (unsigned long long)nbytes);
    }
    seg->header = base;
    seg->mapped = nbytes;
    return 0;
}

/* Kernels write where they should not. The plan and the sheet cannot be written once they are there; lying between
 * the storages and the states of lanes, they also stop a kernel that runs downwards out of its tensor before it spoils
 * what the processes that judge it rely on. */
static int protect_constants(struct segment *seg, struct error *err)
{
    const struct segment_header *h = seg->header;

    if (mprotect((char *)seg->header + h->storages_at, constants_end(h) - h->storages_at, PROT_READ) < 0) {
        return error_errno(err, "shared segment", NULL, "cannot protect the plan");
    }
    return 0;
}

static void set_lanes_unbegun(struct segment *seg)
{
    for (uint32_t i = 0; i < seg->header->nlane; i++) {
        atomic_store(&seg->lanes[i].node, PLAN_NONE);
        atomic_store(&seg->lanes[i].awaits, PLAN_NONE);
    }
}

static void fill_segment(struct segment *seg, const struct segment_header *h, const uint64_t *offsets,
                         const void *image, const char *sheet)
{
    char *base = (char *)seg->header;

    memcpy(seg->header, h, sizeof *h);
    memcpy(base + h->storages_at, offsets, (size_t)h->nstorage * sizeof *offsets);
    memcpy(base + h->plan_at, image, h->plan_nbytes);
    memcpy(base + h->sheet_at, sheet, h->sheet_nbytes);
    point_into(seg);
    set_lanes_unbegun(seg);
}

int segment_create(struct segment *seg, const struct plan *plan, const char *sheet, const char *platform,
                   struct error *err)
{
    struct segment_header h = {.magic = SEGMENT_MAGIC,
                               .nlane = plan_lane_count(plan),
                               .nnode = plan->nnode,
                               .nstorage = plan->nstorage,
                               .nhash = plan->narg,
                               .log_level = (uint32_t)log_get_level()};
    uint64_t *offsets = calloc(plan->nstorage ? plan->nstorage : 1, sizeof *offsets);
    void *image = NULL;
    size_t image_nbytes = 0;
    int rc = -1;

    memset(seg, 0, sizeof *seg);
    seg->fd = -1;
    if (!offsets) {
        error_nomem(err, "shared segment", (uint64_t)plan->nstorage * sizeof *offsets);
        goto out;
    }
    if (plan_pack(plan, &image, &image_nbytes, err) < 0) {
        goto out;
    }
    h.plan_nbytes = image_nbytes;
    h.sheet_nbytes = strlen(sheet) + 1;
    snprintf(h.platform, sizeof h.platform, "%s", platform);
    lay_out(&h, plan, offsets);
    if (check_memory(h.nbytes, err) < 0) {
        goto out;
    }
    seg->fd = memfd_create("l3replay", MFD_CLOEXEC);
    if (seg->fd < 0 || ftruncate(seg->fd, (off_t)h.nbytes) < 0) {
        error_errno(err, "shared segment", "free memory on this host", "cannot make a segment of %llu bytes",
                    (unsigned long long)h.nbytes);
        goto out;
    }
    if (map_fd(seg, h.nbytes, err) < 0) {
        goto out;
    }
    fill_segment(seg, &h, offsets, image, sheet);
    if (protect_constants(seg, err) == 0) {
        rc = plan_unpack(&seg->plan, (char *)seg->header + h.plan_at, h.plan_nbytes, false, err);
    }
out:
    free(offsets);
    free(image);
    if (rc < 0) {
        segment_unmap(seg);
    }
    return rc;
}

int segment_rewind(struct segment *seg, struct error *err)
{
    struct segment_header *h = seg->header;
    uint64_t first = constants_end(h);

    /* The pages are given back, not cleared: what the next pass does not touch costs no memory. */
    if (madvise((char *)h + first, h->nbytes - first, MADV_REMOVE) < 0) {
        return error_errno(err, "shared segment", NULL, "cannot clear the tensors and windows between two passes");
    }
    for (uint32_t i = 0; i < h->nnode; i++) {
        atomic_store(&seg->words[i], WORD_PENDING);
    }
    memset(seg->lanes, 0, h->nlane * sizeof *seg->lanes);
    memset(seg->times, 0, h->nnode * sizeof *seg->times);
    if (h->hashing) {
        memset(seg->hashes, 0, h->nhash * sizeof *seg->hashes);
    }
    set_lanes_unbegun(seg);
    atomic_store(&h->starting, 0);
    atomic_store(&h->go, WORD_PENDING);
    return 0;
}

int segment_map(struct segment *seg, int fd, struct error *err)
{
    struct stat st;
    int rc = -1;

    memset(seg, 0, sizeof *seg);
    seg->fd = fd;
    if (fstat(fd, &st) < 0) {
        error_errno(err, "shared segment", NULL, "cannot look at the segment");
        goto out;
    }
    if ((uint64_t)st.st_size < sizeof(struct segment_header)) {
        error_set(err, "shared segment", NULL, "the segment is too small to be one");
        goto out;
    }
    if (map_fd(seg, (uint64_t)st.st_size, err) < 0) {
        goto out;
    }
    if (seg->header->magic != SEGMENT_MAGIC || seg->header->nbytes != (uint64_t)st.st_size) {
        error_set(err, "shared segment", "run the l3replay and l3replay-executor of one installation",
                  "the segment is not one of this version");
        goto out;
    }
    point_into(seg);
    if (protect_constants(seg, err) == 0) {
        rc = plan_unpack(&seg->plan, (char *)seg->header + seg->header->plan_at, seg->header->plan_nbytes, false, err);
    }
out:
    if (rc < 0) {
        segment_unmap(seg);
    }
    return rc;
}

int segment_open_peer(struct segment *seg, pid_t pid, int fd, struct error *err)
{
    char path[64];
    int mine;

    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)pid, fd);
    mine = open(path, O_RDWR | O_CLOEXEC);
    if (mine < 0) {
        memset(seg, 0, sizeof *seg);
        seg->fd = -1;
        return error_errno(err, path, "run all processes of a host as one user and in one process namespace",
                           "cannot open the shared segment of process %ld", (long)pid);
    }
    return segment_map(seg, mine, err);
}

void segment_close_fd(struct segment *seg)
{
    if (seg->fd > 0) {
        close(seg->fd);
    }
    seg->fd = -1;
}

void segment_unmap(struct segment *seg)
{
    /* The plan's arrays lie in the mapping: there is nothing of it to free. */
    if (seg->header) {
        munmap(seg->header, seg->mapped);
    }
    if (seg->fd > 0) {
        close(seg->fd);
    }
    memset(seg, 0, sizeof *seg);
    seg->fd = -1;
}

const char *lane_state_name(enum lane_state state)
{
    static const char *const names[] = {"starting", "ready", "waiting", "running", "saving profiles", "done", "failed"};

    return (unsigned)state < sizeof names / sizeof *names ? names[state] : "?";
}
