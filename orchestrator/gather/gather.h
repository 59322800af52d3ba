/*
 * gather - profiles of processes that do not see the directory of profiles, sent to process 0 while the run goes on.
 *
 * Process 0 puts a token into the directory, until all have looked. A process that reads it there, and can write beside
 * it, lets its executors write in place; every other one opens an outbox (outbox.h), lets them write into that,
 * and sends what is finished in parcels: an event announces each to process 0 with its length, the parcel is an
 * MPI message. At most GATHER_PARCELS of a process are under way, so nobody needs memory for more. Process 0 hands them
 * to its inbox (inbox.h).
 *
 * A sender, one for each pass: joined -> (pump)* -> finished, when its executors are gone -> (pump)* -> idle, when all
 * has been taken.
 */
#ifndef L3R_ORCHESTRATOR_GATHER_GATHER_H
#define L3R_ORCHESTRATOR_GATHER_GATHER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/segment/segment.h"
#include "orchestrator/gather/inbox.h"
#include "orchestrator/messages/events.h"
#include "orchestrator/messages/order.h"

enum { GATHER_TOKEN = ORDER_TOKEN_MAX, GATHER_PARCELS = 4 };

/* --- process 0 --- */

struct gather_receiver;

/* For a job of several processes. `token` is what the others look for. With `stream` all of them send, whether they see
 * `dir` or not. */
int gather_open(struct gather_receiver **out, const char *dir, int nprocess, bool stream, char token[GATHER_TOKEN],
                struct error *err);

/* Take what a process said: EVENT_HELLO, EVENT_PARCEL (the parcel is received here) and EVENT_GATHERED; others are
 * ignored. -1 when MPI fails, a parcel that was announced does not come within ten seconds, or a signal waits: the
 * others can no longer be counted on, and nothing more may be taken. */
int gather_take(struct gather_receiver *r, const struct event *event, struct error *err);

/* Nothing else runs any more: from now on wait for messages without sleeping first. */
void gather_hurry(struct gather_receiver *r);

/* Has everybody who sends sent all? */
bool gather_is_complete(const struct gather_receiver *r);

/* Give up on those who have not; what they had begun is lost. */
void gather_give_up(struct gather_receiver *r, const char *why);

/* How many processes have sent, and where their files went. */
uint32_t gather_senders(const struct gather_receiver *r);
const struct inbox *gather_inbox(const struct gather_receiver *r);

void gather_close(struct gather_receiver *r); /* removes the token; NULL is fine */

/* --- the others --- */

struct gather_sender;

/* Must this process send? 0: it finds `token` ("" when no profiles are wanted) in the directory of profiles and may
 * write where its cards' go, `count` of them from `first` on; or it has none. */
int gather_must_send(const struct segment *seg, const char *token, uint32_t first, uint32_t count, struct error *err);

/* For one pass over the segment. */
int gather_join(struct gather_sender **out, const struct segment *seg, uint32_t first, uint32_t count,
                struct error *err);

/* Where executors are to write. */
const char *gather_dir(const struct gather_sender *s);

/* Send what can be sent now, as `process` of the job. It reads up to GATHER_PARCELS parcels from the disk, and waits for
 * nothing else. */
int gather_pump(struct gather_sender *s, struct events *events, uint32_t process, struct error *err);

/* The executors are gone: whatever they have left is to be sent too. With `hurry` those of all processes are, and the
 * core is this one's. May be called again. */
void gather_finish(struct gather_sender *s, bool hurry);

/* Everything that was to be sent has been taken. */
bool gather_is_idle(const struct gather_sender *s);

/* For how long the caller may sleep before the next gather_pump(), in nanoseconds; UINT64_MAX: for ever. */
uint64_t gather_nap_ns(const struct gather_sender *s);

/* NULL is fine. Parcels that are still under way belong to MPI, and stay. */
void gather_leave(struct gather_sender *s);

#endif
