/*
 * outbox - profile files of a process that does not see the directory of profiles, on their way there.
 *
 * Executors write into a directory of this process's own, on its own disk. The process hands over what is finished
 * (outbox_add), and packs it piece by piece into parcels (outbox_pack), which deletes the files. Of a file no
 * more is in memory than the parcels hold that are under way.
 *
 * The directory goes with the process. One that was left behind by a process that was killed is removed by the next
 * outbox that is opened beside it: its lock shows that, since the kernel drops it with the holder.
 */
#ifndef L3R_ORCHESTRATOR_GATHER_OUTBOX_H
#define L3R_ORCHESTRATOR_GATHER_OUTBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"
#include "orchestrator/gather/parcel.h"

struct outbox;

/* Make a directory below `base`; NULL: $TMPDIR, or /var/tmp, which is a disk where /tmp is memory. */
int outbox_open(struct outbox **out, const char *base, struct error *err);

/* Where executors write; the outbox's. */
const char *outbox_dir(const struct outbox *o);

/* Is that directory kept in memory (tmpfs)? */
bool outbox_is_in_memory(const struct outbox *o);

/* Hand over every file below `dir`, relative to outbox_dir(), that is not handed over yet; "" for all there are, when
 * the outbox is empty. Files that are still being written (*.part) are left out. What is not there is fine. */
int outbox_add(struct outbox *o, const char *dir, struct error *err);

/* Put pieces into `p`, which is empty, until it is full or nothing is left. What cannot be read travels as lost. */
void outbox_pack(struct outbox *o, struct parcel *p);

/* Give back some of the room of a file that was packed. A large file takes long to remove: this is for moments in which
 * there is nothing to pack. Not needed otherwise. */
void outbox_tidy(struct outbox *o);

bool outbox_is_empty(const struct outbox *o);

void outbox_close(struct outbox *o); /* removes the directory; NULL is fine */

#endif
