#include "common/process/handle.h"

#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct process *first;

void handles_lock(void)
{
    pthread_mutex_lock(&mutex);
}

void handles_unlock(void)
{
    pthread_mutex_unlock(&mutex);
}

void handles_add(struct process *p)
{
    p->next = first;
    first = p;
}

bool handles_remove(const struct process *p)
{
    for (struct process **at = &first; *at; at = &(*at)->next) {
        if (*at == p) {
            *at = p->next;
            return !first;
        }
    }
    return false;
}

bool handles_have(pid_t pid)
{
    for (const struct process *p = first; p; p = p->next) {
        if (p->pid == pid) {
            return true;
        }
    }
    return false;
}
