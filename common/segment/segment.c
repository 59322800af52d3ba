#include "common/segment/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/log.h"
#include "common/segment/segment_layout.h"

#define SEGMENT_MAGIC 0x6c337265706c6132u

enum { LEAST_FD = SEGMENT_FIRST_FD + SEGMENT_PARTS };

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

static int check_memory(const struct segment_header *h, const struct plan *plan, struct error *err)
{
    uint64_t nbytes = h->nbytes[SEGMENT_PLAN];
    uint64_t kb = available_kb();

    for (uint32_t i = 0; i < plan->nstorage; i++) {
        nbytes += plan->storages[i].nbytes;
    }
    if (kb && nbytes / 1024 > kb) {
        return error_set(err, NULL, "replay fewer cards on this host, or with smaller inputs",
                         "the tensors and windows of this replay need %llu MB, this host has %llu MB available",
                         (unsigned long long)(nbytes >> 20), (unsigned long long)(kb >> 10));
    }
    return 0;
}

/* --- one part ------------------------------------------------------------ */

/* Executors get the parts as descriptors below LEAST_FD: none of ours may be one that another would take the place of. */
static int move_up(int fd)
{
    int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, LEAST_FD), fault = errno;

    if (fd >= 0) {
        close(fd);
    }
    errno = fault;
    return high;
}

/* Its size can never change, so that nobody can take pages from under a process. */
static int make_part(struct segment_memory *part, const char *name, uint64_t nbytes, struct error *err)
{
    part->fd = move_up(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (part->fd < 0 || ftruncate(part->fd, (off_t)nbytes) < 0 ||
        fcntl(part->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) < 0) {
        return error_errno(err, "shared segment", "free memory on this host", "cannot make a segment of %llu bytes",
                           (unsigned long long)nbytes);
    }
    return 0;
}

static int map_part(struct segment_memory *part, uint64_t nbytes, int protection, struct error *err)
{
    void *base = mmap(NULL, nbytes, protection, MAP_SHARED, part->fd, 0);

    if (base == MAP_FAILED) {
        return error_errno(err, "shared segment", "free memory on this host", "cannot map %llu bytes",
                           (unsigned long long)nbytes);
    }
    part->base = base;
    part->nbytes = nbytes;
    return 0;
}

static int protect(char *at, uint64_t nbytes, int protection, struct error *err)
{
    if (mprotect(at, nbytes, protection) < 0) {
        return error_errno(err, "shared segment", "raise vm.max_map_count", "cannot protect parts of the segment");
    }
    return 0;
}

/* --- creating ------------------------------------------------------------ */

/* What is in the control part before a run; it is zeros. */
static void begin_control(struct segment *seg)
{
    const struct segment_header *h = seg->header;

    atomic_store(&seg->common->canary, h->canary);
    atomic_store(segment_last_canary(seg, PLAN_NONE), h->canary);
    for (uint32_t i = 0; i < h->nlane; i++) {
        struct segment_lane *status = lane_status(seg, i);

        atomic_store(&status->canary, h->canary);
        atomic_store(segment_last_canary(seg, i), h->canary);
        atomic_store(&status->node, PLAN_NONE);
        atomic_store(&status->awaits, PLAN_NONE);
        atomic_store(&status->suspect, PLAN_NONE);
    }
}

static void point_into_plan(struct segment *seg)
{
    seg->header = segment_at(seg, SEGMENT_PLAN, 0);
    seg->lanes = segment_at(seg, SEGMENT_PLAN, seg->header->lanes_at);
    seg->slots = segment_at(seg, SEGMENT_PLAN, seg->header->slots_at);
    seg->storages = segment_at(seg, SEGMENT_PLAN, seg->header->storages_at);
    seg->sheet = segment_at(seg, SEGMENT_PLAN, seg->header->sheet_at);
}

static void point_into_control(struct segment *seg)
{
    seg->common = segment_at(seg, SEGMENT_CONTROL, 0);
    seg->words = segment_at(seg, SEGMENT_CONTROL, seg->header->words_at);
    seg->hashes = segment_at(seg, SEGMENT_CONTROL, seg->header->hashes_at);
}

/* Fill the plan part, and see that it is not written again: but for the header's pages, not even here. */
static int fill_plan(struct segment *seg, const struct segment_header *h, const struct segment_layout *l,
                     const void *image, const char *sheet, struct error *err)
{
    struct segment_memory *part = &seg->parts[SEGMENT_PLAN];
    char *base = part->base;

    memcpy(base, h, sizeof *h);
    memcpy(base + h->lanes_at, l->lanes, (h->nlane + UINT64_C(1)) * sizeof *l->lanes);
    memcpy(base + h->storages_at, l->storages, (size_t)h->nstorage * sizeof *l->storages);
    memcpy(base + h->guards_at, l->guards, (size_t)h->nguard * sizeof *l->guards);
    memcpy(base + h->slots_at, l->slots, (size_t)h->nnode * sizeof *l->slots);
    memcpy(base + h->plan_at, image, h->plan_nbytes);
    memcpy(base + h->sheet_at, sheet, h->sheet_nbytes);
    point_into_plan(seg);
    if (fcntl(part->fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_SEAL) < 0 && errno != EINVAL) { /* Linux 5.1 */
        return error_errno(err, "shared segment", NULL, "cannot seal the plan");
    }
    return protect(base + h->lanes_at, part->nbytes - h->lanes_at, PROT_READ, err);
}

static int make_parts(struct segment *seg, struct segment_header *h, struct error *err)
{
    static const char *const names[] = {"l3replay-data", "l3replay-plan", "l3replay-control"}; /* for /proc/PID/maps */

    for (int i = 0; i < SEGMENT_PARTS; i++) {
        if (make_part(&seg->parts[i], names[i], h->nbytes[i], err) < 0 ||
            map_part(&seg->parts[i], h->nbytes[i], PROT_READ | PROT_WRITE, err) < 0) {
            return -1;
        }
        h->fds[i] = seg->parts[i].fd;
    }
    return 0;
}

static int create(struct segment *seg, struct segment_header *h, const struct plan *plan, const void *image,
                  const char *sheet, struct error *err)
{
    struct segment_layout layout = {0};
    int rc = -1;

    if (segment_lay_out(&layout, h, plan, err) == 0 && check_memory(h, plan, err) == 0 &&
        make_parts(seg, h, err) == 0 && fill_plan(seg, h, &layout, image, sheet, err) == 0) {
        point_into_control(seg);
        begin_control(seg);
        rc = plan_unpack(&seg->plan, seg->parts[SEGMENT_PLAN].base + h->plan_at, h->plan_nbytes, false, err);
    }
    segment_layout_free(&layout);
    return rc;
}

/* Executors log their notes, warnings and errors at every level, since notes and warnings are kept; what is printed
 * of them is decided where they are relayed (child_log.h). */
static enum log_level executors_level(void)
{
    return log_get_level() < LOG_WARN ? log_get_level() : LOG_WARN;
}

int segment_create(struct segment *seg, const struct plan *plan, const char *sheet, const char *platform,
                   struct error *err)
{
    struct segment_header h = {.magic = SEGMENT_MAGIC,
                               .nlane = plan_lane_count(plan),
                               .nnode = plan->nnode,
                               .nstorage = plan->nstorage,
                               .nhash = plan->narg,
                               .page = (uint32_t)sysconf(_SC_PAGESIZE),
                               .log_level = (uint32_t)executors_level()};
    void *image = NULL;
    size_t image_nbytes = 0;
    int rc = -1;

    memset(seg, 0, sizeof *seg);
    if (plan_pack(plan, &image, &image_nbytes, err) < 0) {
        return -1;
    }
    h.plan_nbytes = image_nbytes;
    h.sheet_nbytes = strlen(sheet) + 1;
    snprintf(h.platform, sizeof h.platform, "%s", platform);
    seg->times = calloc(plan->nnode + UINT64_C(1), sizeof *seg->times);
    if (!seg->times) {
        error_nomem(err, "shared segment", plan->nnode * sizeof *seg->times);
    } else if (getrandom(&h.canary, sizeof h.canary, 0) != (ssize_t)sizeof h.canary) {
        error_errno(err, "shared segment", NULL, "getrandom");
    } else {
        h.canary |= 1; /* zeros are what a kernel writes most */
        rc = create(seg, &h, plan, image, sheet, err);
    }
    free(image);
    if (rc < 0) {
        segment_unmap(seg);
    }
    return rc;
}

int segment_rewind(struct segment *seg, struct error *err)
{
    static const enum segment_part parts[] = {SEGMENT_DATA, SEGMENT_CONTROL};

    /* The pages are given back, not cleared: what the next pass does not touch costs no memory. */
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const struct segment_memory *part = &seg->parts[parts[i]];

        if (fallocate(part->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)part->nbytes) < 0) {
            return error_errno(err, "shared segment", NULL, "cannot clear the tensors and windows between two passes");
        }
    }
    begin_control(seg);
    return 0;
}

/* --- mapping ------------------------------------------------------------- */

static int map_plan(struct segment *seg, struct error *err)
{
    struct segment_memory *part = &seg->parts[SEGMENT_PLAN];
    struct stat st;

    if (fstat(part->fd, &st) < 0) {
        return error_errno(err, "shared segment", NULL, "cannot look at the segment");
    }
    if ((uint64_t)st.st_size < sizeof(struct segment_header)) {
        return error_set(err, "shared segment", NULL, "the segment is too small to be one");
    }
    if (map_part(part, (uint64_t)st.st_size, PROT_READ, err) < 0) {
        return -1;
    }
    seg->header = segment_at(seg, SEGMENT_PLAN, 0);
    if (seg->header->magic != SEGMENT_MAGIC || seg->header->nbytes[SEGMENT_PLAN] != part->nbytes) {
        return error_set(err, "shared segment", "run the l3replay and l3replay-executor of one installation",
                         "the segment is not one of this version");
    }
    point_into_plan(seg);
    return 0;
}

/* Of an executor: pages that a kernel cannot touch lie around tensors, and it can write no other lane's block. */
static int restrict_to_lane(const struct segment *seg, uint32_t lane, struct error *err)
{
    const struct segment_header *h = seg->header;
    const uint64_t *guards = segment_at(seg, SEGMENT_PLAN, h->guards_at);
    char *data = seg->parts[SEGMENT_DATA].base, *control = seg->parts[SEGMENT_CONTROL].base;

    if (lane >= h->nlane) {
        return error_set(err, "shared segment", NULL, "the plan has no lane %u", lane);
    }
    for (uint32_t i = 0; i < h->nguard; i++) {
        if (protect(data + guards[i], h->page, PROT_NONE, err) < 0) {
            return -1;
        }
    }
    if (protect(control, seg->lanes[0], PROT_READ | PROT_WRITE, err) < 0) {
        return -1;
    }
    return protect(control + seg->lanes[lane], seg->lanes[lane + 1] - seg->lanes[lane], PROT_READ | PROT_WRITE, err);
}

/* The plan part is mapped. */
static int map_others(struct segment *seg, struct error *err)
{
    const struct segment_header *h = seg->header;

    if (map_part(&seg->parts[SEGMENT_DATA], h->nbytes[SEGMENT_DATA], PROT_READ | PROT_WRITE, err) < 0 ||
        map_part(&seg->parts[SEGMENT_CONTROL], h->nbytes[SEGMENT_CONTROL], PROT_READ, err) < 0) {
        return -1;
    }
    point_into_control(seg);
    return plan_unpack(&seg->plan, seg->parts[SEGMENT_PLAN].base + h->plan_at, h->plan_nbytes, false, err);
}

int segment_map(struct segment *seg, int first_fd, uint32_t lane, struct error *err)
{
    memset(seg, 0, sizeof *seg);
    for (int i = 0; i < SEGMENT_PARTS; i++) {
        seg->parts[i].fd = first_fd + i;
    }
    if (map_plan(seg, err) < 0 || map_others(seg, err) < 0 || restrict_to_lane(seg, lane, err) < 0) {
        segment_unmap(seg);
        return -1;
    }
    return 0;
}

static int open_part(struct segment *seg, enum segment_part part, pid_t pid, int fd, struct error *err)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)pid, fd);
    seg->parts[part].fd = move_up(open(path, (part == SEGMENT_PLAN ? O_RDONLY : O_RDWR) | O_CLOEXEC));
    if (seg->parts[part].fd < 0) {
        return error_errno(err, path, "run all processes of a host as one user and in one process namespace",
                           "cannot open the shared segment of process %ld", (long)pid);
    }
    return 0;
}

int segment_open_peer(struct segment *seg, pid_t pid, int plan_fd, struct error *err)
{
    memset(seg, 0, sizeof *seg);
    if (open_part(seg, SEGMENT_PLAN, pid, plan_fd, err) < 0 || map_plan(seg, err) < 0 ||
        open_part(seg, SEGMENT_DATA, pid, seg->header->fds[SEGMENT_DATA], err) < 0 ||
        open_part(seg, SEGMENT_CONTROL, pid, seg->header->fds[SEGMENT_CONTROL], err) < 0 || map_others(seg, err) < 0) {
        segment_unmap(seg);
        return -1;
    }
    return 0;
}

void segment_close_fd(struct segment *seg, enum segment_part part)
{
    if (seg->parts[part].fd > 0) {
        close(seg->parts[part].fd);
    }
    seg->parts[part].fd = -1;
}

void segment_unmap(struct segment *seg)
{
    /* The plan's arrays lie in the mapping: there is nothing of it to free. */
    for (int i = 0; i < SEGMENT_PARTS; i++) {
        if (seg->parts[i].base) {
            munmap(seg->parts[i].base, seg->parts[i].nbytes);
        }
        segment_close_fd(seg, (enum segment_part)i);
    }
    free(seg->times);
    memset(seg, 0, sizeof *seg);
}

const char *lane_state_name(enum lane_state state)
{
    static const char *const names[] = {"starting", "ready", "waiting", "running", "saving profiles", "done", "failed"};

    return (unsigned)state < sizeof names / sizeof *names ? names[state] : "?";
}
