/* The exchange of tile_order.h by functions push(value) and pop(); -DLANE=0, 1 or 2. */
#ifndef L3R_TESTS_UNIT_CPU_ORDER_EXCHANGE_H
#define L3R_TESTS_UNIT_CPU_ORDER_EXCHANGE_H

#include "tile_order.h"

template <typename Push, typename Pop> uint64_t order_exchange(Push push, Pop pop)
{
    uint64_t popped = 0;
#if LANE == 0
    push(order_q(0));
    for (int i = 0; i < ORDER_TOKENS; i++) {
        popped = order_mix(popped, pop());
        push(order_r(i));
        if (i + 1 < ORDER_TOKENS) {
            push(order_q(i + 1));
        }
    }
#elif LANE == 1
    for (int i = 0; i < ORDER_TOKENS; i++) {
        popped = order_mix(popped, pop());
        push(order_p(i));
        popped = order_mix(popped, pop());
    }
#else
    (void)push;
    (void)pop;
#endif
    return popped;
}

#endif
