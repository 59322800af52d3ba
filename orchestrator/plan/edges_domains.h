/*
 * edges_domains - which comm domains each dispatch uses.
 *
 * A dispatch uses a domain when an argument is a view of one of its windows or
 * a scalar is an address of it. Nothing else uses domains. Private to
 * orchestrator/plan/edges*.c.
 */
#ifndef L3R_ORCHESTRATOR_PLAN_EDGES_DOMAINS_H
#define L3R_ORCHESTRATOR_PLAN_EDGES_DOMAINS_H

#include "common/plan/plan.h"

struct node_domains {
    uint64_t *first; /* by node: its set in pool[] */
    uint32_t *pool;  /* sets: their size, then the domains, ascending */
    size_t npool, capacity;
};

int domains_init(struct node_domains *d, const struct plan *p, struct error *err);
void domains_free(struct node_domains *d);

bool domains_shared(const struct node_domains *d, uint32_t node_a, uint32_t node_b);

/* First node that can use none of the domains that `node` uses and `other` does not; 0 when there are none. */
uint32_t domains_end_of_others(const struct node_domains *d, const struct plan *p, uint32_t node, uint32_t other);

#endif
