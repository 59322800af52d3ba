#include "rank-worker/executor/card.h"

#include <stdlib.h>
#include <string.h>

#include "common/plan/plan_view.h"

/* A plan that was checked holds no dispatch that is too large for a device. */
_Static_assert((int)PLAN_DISPATCH_DIMS == (int)DEVICE_MAX_DIMS &&
                   (int)PLAN_DISPATCH_TENSORS == (int)DEVICE_MAX_TENSORS &&
                   (int)PLAN_DISPATCH_SCALARS == (int)DEVICE_MAX_SCALARS &&
                   (int)PLAN_MAX_MEMBERS == (int)DEVICE_MAX_RANKS,
               "a plan allows what a device takes");

struct card {
    const struct device_ops *ops;
    const struct segment *seg;
    struct device *device;
    uint32_t lane;
    uint32_t *program_ids; /* plan program -> device program; PLAN_NONE: not loaded */
    uint64_t *contexts;    /* domain -> device_ctx; 0: not made yet */
    bool profiled;
    const char *dfx_dir;
    uint32_t nother; /* profiled dispatches so far that have no k */
    char dir[DFX_PATH + 64];
    struct device_tensor tensors[DEVICE_MAX_TENSORS];
    uint64_t scalars[DEVICE_MAX_SCALARS];
};

static int load_program(struct card *card, const struct sheet_program *p, uint32_t *id, struct error *err)
{
    struct device_kernel *kernels = calloc(p->nkernel + 1u, sizeof *kernels);
    struct device_program program = {.name = p->name,
                                     .orchestration = p->orchestration,
                                     .function_name = p->function_name,
                                     .config_name = p->config_name,
                                     .nsignature = p->nsignature,
                                     .signature = p->signature,
                                     .nkernel = p->nkernel,
                                     .kernels = kernels};
    int rc;

    if (!kernels) {
        return error_nomem(err, p->name, p->nkernel * sizeof *kernels);
    }
    for (uint32_t i = 0; i < p->nkernel; i++) {
        kernels[i] = (struct device_kernel){.func_id = p->kernels[i].func_id,
                                            .core = (uint8_t)p->kernels[i].core,
                                            .name = p->kernels[i].name,
                                            .path = p->kernels[i].path};
    }
    rc = card->ops->load_program(card->device, &program, id, err);
    free(kernels);
    return rc;
}

static int load_programs(struct card *card, const struct sheet *sheet, struct error *err)
{
    const struct plan *plan = &card->seg->plan;

    for (uint32_t i = 0; i < plan->nprogram; i++) {
        card->program_ids[i] = PLAN_NONE;
    }
    for (uint32_t i = 0; i < plan->nnode; i++) {
        const struct plan_node *n = &plan->nodes[i];

        if (n->kind != PLAN_DISPATCH || n->lane != card->lane || card->program_ids[n->program] != PLAN_NONE) {
            continue;
        }
        if (n->program >= sheet->count || !sheet->programs[n->program].name) {
            return error_set(err, plan_text(plan, plan->programs[n->program]), NULL,
                             "the program has no compiled objects");
        }
        if (load_program(card, &sheet->programs[n->program], &card->program_ids[n->program], err) < 0) {
            return -1;
        }
    }
    return 0;
}

int card_open(struct card **out, const struct device_ops *ops, const struct segment *seg,
              const struct card_config *config, const struct sheet *sheet, struct error *err)
{
    const struct device_config device = {.card = (int)config->lane,
                                         .device_id = config->device_id,
                                         .ncores = config->ncores,
                                         .platform = seg->header->platform,
                                         .free_threads = seg->header->free_threads,
                                         .setup = &seg->header->device};
    struct card *card = calloc(1, sizeof *card);

    *out = card;
    if (!card) {
        return error_nomem(err, "card", sizeof *card);
    }
    card->ops = ops;
    card->seg = seg;
    card->lane = config->lane;
    card->profiled = dfx_any(&seg->header->dfx);
    card->dfx_dir = config->dfx_dir ? config->dfx_dir : seg->header->dfx.dir;
    card->program_ids = calloc(seg->plan.nprogram + 1u, sizeof *card->program_ids);
    card->contexts = calloc(seg->plan.ndomain + 1u, sizeof *card->contexts);
    if (!card->program_ids || !card->contexts) {
        error_nomem(err, "card", (seg->plan.nprogram + seg->plan.ndomain) * sizeof *card->contexts);
        goto fail;
    }
    if (ops->open(&card->device, &device, err) < 0 || load_programs(card, sheet, err) < 0) {
        goto fail;
    }
    return 0;
fail:
    card_close(card);
    *out = NULL;
    return -1;
}

void card_close(struct card *card)
{
    if (!card) {
        return;
    }
    card->ops->close(card->device);
    free(card->program_ids);
    free(card->contexts);
    free(card);
}

/* Dense rank of `card` in the domain, or PLAN_NONE. */
static uint32_t domain_rank(const struct plan *plan, uint32_t domain, uint32_t card)
{
    const struct plan_domain *d = &plan->domains[domain];

    for (uint32_t r = 0; r < d->nworkers; r++) {
        if (plan->cards[d->first_worker + r] == card) {
            return r;
        }
    }
    return PLAN_NONE;
}

/* Contexts are made at first use: a plan may hold thousands of domains that a card sees one after another. */
static int domain_context(struct card *card, uint32_t domain, uint64_t *out, struct error *err)
{
    const struct plan *plan = &card->seg->plan;
    const struct plan_domain *d = &plan->domains[domain];
    struct device_domain desc = {
        .rank = domain_rank(plan, domain, card->lane), .nranks = d->nworkers, .window_nbytes = d->window_nbytes};

    if (card->contexts[domain] == 0) {
        if (desc.rank == PLAN_NONE) {
            return error_set(err, plan_text(plan, d->name), "add the card to the domain's workers",
                             "card %u uses the context of a domain it is no member of", card->lane);
        }
        for (uint32_t r = 0; r < d->nworkers; r++) {
            desc.windows[r] = segment_window(card->seg, domain, r);
        }
        if (card->ops->add_domain(card->device, &desc, &card->contexts[domain], err) < 0) {
            return -1;
        }
    }
    *out = card->contexts[domain];
    return 0;
}

static int resolve_scalar(struct card *card, const struct plan_scalar *s, uint64_t *out, struct error *err)
{
    uint64_t base = 0;

    if (s->kind == PLAN_DEVICE_CTX) {
        if (s->card != card->lane) {
            return error_set(err, plan_text(&card->seg->plan, card->seg->plan.domains[s->domain].name),
                             "give a dispatch the device_ctx of the card it runs on",
                             "a dispatch on card %u is given the domain context of card %u", card->lane, s->card);
        }
        if (domain_context(card, s->domain, &base, err) < 0) {
            return -1;
        }
    } else if (s->kind == PLAN_WINDOW_BASE) {
        base = (uint64_t)(uintptr_t)segment_window(card->seg, s->domain,
                                                   domain_rank(&card->seg->plan, s->domain, s->card));
    }
    *out = base + s->bits;
    return 0;
}

static int resolve_tensor(const struct card *card, const struct plan_arg *arg, struct device_tensor *out,
                          struct error *err)
{
    struct plan_tensor view;

    if (plan_view_resolve(&card->seg->plan, arg->view, &view, err) < 0) {
        return -1;
    }
    out->dtype = view.dtype;
    out->tag = (enum tensor_tag)arg->tag;
    out->addr = (char *)segment_storage(card->seg, view.storage) + view.offset;
    out->nbytes = view.nbytes;
    out->ndim = view.ndim;
    for (uint32_t i = 0; i < view.ndim; i++) {
        out->shape[i] = (uint32_t)view.shape[i];
        out->stride[i] = (uint32_t)view.stride[i];
    }
    if (view.ndim == 0) { /* a device knows no tensor without axes */
        out->ndim = 1;
        out->shape[0] = out->stride[0] = 1;
    }
    return 0;
}

static struct device_switches switches(struct card *card, const struct plan_node *node)
{
    const struct dfx *dfx = &card->seg->header->dfx;

    dfx_dispatch_dir(card->dfx_dir, dfx->flat, card->lane, node->k, node->k == PLAN_NONE ? card->nother++ : 0,
                     card->dir, sizeof card->dir);
    return (struct device_switches){.swimlane = dfx->swimlane,
                                    .pmu = dfx->pmu,
                                    .dep_gen = dfx->dep_gen,
                                    .scope_stats = dfx->scope_stats,
                                    .dump_args = dfx->dump_args,
                                    .dir = card->dir};
}

/* A device knows its program at most, and the same program may run on other cards, and often on this one. */
static void name_dispatch(const struct card *card, const struct plan_node *node, struct error *err)
{
    const struct plan *plan = &card->seg->plan;
    char place[320];

    if (strcmp(err->where, plan_text(plan, plan->programs[node->program])) == 0) {
        err->where[0] = '\0'; /* the place says it */
    }
    error_within(err, plan_node_place(plan, (uint32_t)(node - plan->nodes), place, sizeof place));
}

int card_dispatch(struct card *card, const struct plan_node *node, struct device_result *result, struct error *err)
{
    const struct plan *plan = &card->seg->plan;
    struct device_dispatch dispatch = {.program = card->program_ids[node->program],
                                       .ntensor = node->narg,
                                       .nscalar = node->nscalar,
                                       .tensors = card->tensors,
                                       .scalars = card->scalars};

    if (node->narg > DEVICE_MAX_TENSORS || node->nscalar > DEVICE_MAX_SCALARS) {
        return error_set(err, plan_text(plan, plan->programs[node->program]), NULL,
                         "a dispatch takes at most %d tensors and %d scalars, this one has %u and %u",
                         DEVICE_MAX_TENSORS, DEVICE_MAX_SCALARS, node->narg, node->nscalar);
    }
    for (uint32_t i = 0; i < node->narg; i++) {
        if (resolve_tensor(card, &plan->args[node->first_arg + i], &card->tensors[i], err) < 0) {
            return -1;
        }
    }
    for (uint32_t i = 0; i < node->nscalar; i++) {
        if (resolve_scalar(card, &plan->scalars[node->first_scalar + i], &card->scalars[i], err) < 0) {
            return -1;
        }
    }
    if (card->profiled) {
        dispatch.switches = switches(card, node);
    }
    if (card->ops->run(card->device, &dispatch, result, err) < 0) {
        name_dispatch(card, node, err);
        return -1;
    }
    return 0;
}

uint32_t card_save_profile(struct card *card)
{
    return card->profiled ? card->ops->save_profile(card->device) : 0;
}

bool card_describe(struct card *card, char *buf, size_t size)
{
    if (card->ops->describe) {
        card->ops->describe(card->device, buf, size);
    }
    return card->ops->describe != NULL;
}
