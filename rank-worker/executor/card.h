/*
 * card - one card of the replay, as its executor sees it: an open device with
 * the programs that the lane needs, and dispatches resolved from plan to memory.
 */
#ifndef L3R_RANK_WORKER_EXECUTOR_CARD_H
#define L3R_RANK_WORKER_EXECUTOR_CARD_H

#include "common/plan/sheet.h"
#include "common/segment/segment.h"
#include "rank-worker/device.h"

struct card;

struct card_config {
    uint32_t lane; /* number of the card */
    int device_id;
    int ncores;          /* host cores that may be kept busy */
    const char *dfx_dir; /* for profiles; NULL: the segment's. Borrowed */
};

/* Open the device for a card and load every program its dispatches name. A failure here is INFRA: nothing has run. */
int card_open(struct card **out, const struct device_ops *ops, const struct segment *seg,
              const struct card_config *config, const struct sheet *sheet, struct error *err);
void card_close(struct card *card); /* NULL is fine */

/* Write the profiles of the last dispatch; returns how many files could not be written, which the log names. */
uint32_t card_save_profile(struct card *card);

/* Run one dispatch to its end. `*result` is what the device says of it. */
int card_dispatch(struct card *card, const struct plan_node *node, struct device_result *result, struct error *err);

/* device_ops.describe of the card's device; from any thread. False: the device cannot. */
bool card_describe(struct card *card, char *buf, size_t size);

#endif
