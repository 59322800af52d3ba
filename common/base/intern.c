#include "common/base/intern.h"

#include <stdlib.h>

uint64_t intern_find(const struct intern *table, uint64_t hash, intern_same *same, const void *context, const void *key)
{
    if (!table->capacity) {
        return UINT64_MAX;
    }
    for (size_t i = hash & (table->capacity - 1);; i = (i + 1) & (table->capacity - 1)) {
        const struct intern_slot *slot = &table->slots[i];

        if (!slot->value) {
            return UINT64_MAX;
        }
        if (slot->hash == hash && same(context, slot->value - 1, key)) {
            return slot->value - 1;
        }
    }
}

static void put(struct intern *table, uint64_t hash, uint64_t value)
{
    size_t i = hash & (table->capacity - 1);

    while (table->slots[i].value) {
        i = (i + 1) & (table->capacity - 1);
    }
    table->slots[i] = (struct intern_slot){.value = value, .hash = hash};
}

static int grow(struct intern *table)
{
    struct intern bigger = {.capacity = table->capacity ? table->capacity * 2 : 64, .used = table->used};

    bigger.slots = calloc(bigger.capacity, sizeof *bigger.slots);
    if (!bigger.slots) {
        return -1;
    }
    for (size_t i = 0; i < table->capacity; i++) {
        if (table->slots[i].value) {
            put(&bigger, table->slots[i].hash, table->slots[i].value);
        }
    }
    free(table->slots);
    *table = bigger;
    return 0;
}

int intern_add(struct intern *table, uint64_t hash, uint64_t value)
{
    if (2 * (table->used + 1) > table->capacity && grow(table)) {
        return -1;
    }
    put(table, hash, value + 1);
    table->used++;
    return 0;
}

void intern_free(struct intern *table)
{
    free(table->slots);
    *table = (struct intern){0};
}
