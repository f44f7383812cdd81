/* What the parts of reconcile share; not for others. */
#ifndef PODSKU_CLIENT_RECONCILE_PRIVATE_H
#define PODSKU_CLIENT_RECONCILE_PRIVATE_H

#include "client/reconcile.h"

/* A pod by itself, or a cluster with its members. Owns its strings. */
struct podsku_thing {
    char *id, *name, *gpu_id; /* name, gpu_id: NULL unknown */
    bool cluster;
    bool live;               /* not TERMINATED (a cluster: some member is not) */
    bool by_name;            /* a cluster without visible members: its marks are those that its name stands for */
    int64_t created_ms;      /* 0: unknown */
    int64_t created_mono_ms; /* 0: unknown */
    struct podsku_marks marks;
};
struct podsku_things {
    struct podsku_thing *list;
    size_t count;
};
void podsku_things_free(struct podsku_things *things);
/* Groups a list of pods: those without our marks are left out. Moves strings out of pods. False: out of memory. */
bool podsku_things_of_pods(struct podsku_pods *pods, struct podsku_things *things);
/*
 * Names clusters as the service does, and adds those without visible members whose name is that of an
 * entry, or "podsku-LAUNCH" (launch_id: NULL, or the launch that was asked for). False: out of memory.
 */
bool podsku_things_of_clusters(const struct podsku_clusters *clusters, const struct podsku_entries *entries,
                               const char *launch_id, struct podsku_things *things);
/* The live one with this intent, else one that has ended; NULL: none. */
const struct podsku_thing *podsku_thing_by_intent(const struct podsku_things *things, const char *intent);
const struct podsku_thing *podsku_thing_by_id(const struct podsku_things *things, const char *id);
/* More than one live thing carries this thing's intent. */
bool podsku_thing_has_twin(const struct podsku_things *things, const struct podsku_thing *thing);

/* What is done with a thing. Pure. */
struct podsku_reconcile_case {
    const struct podsku_reconcile_options *options;
    const struct podsku_thing *thing;
    const struct podsku_entry *entry; /* of its intent or id; NULL: none */
    bool launch_known;                /* some entry here is of its launch */
    bool running;                     /* its deploy holds the lock */
    bool twin;
    int64_t now_ms; /* wall clock */
};
struct podsku_reconcile_verdict {
    enum podsku_reconcile_state state;
    bool end;       /* terminate it */
    bool unsettled; /* if it is not ended */
    const char *why;
};
struct podsku_reconcile_verdict podsku_reconcile_decide(const struct podsku_reconcile_case *c);

#endif
