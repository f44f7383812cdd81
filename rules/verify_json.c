/* The podsku.verify/1 document, and what views ask a verification. */
#include <string.h>

#include "base/json.h"
#include "rules/verify_parts.h"

static const char *const verdicts[] = {NULL, "match", "mismatch", "unverified"};
static const char *const nvlinks[] = {"unknown", "all", "partial", "none", "single"};

const char *podsku_verdict_name(enum podsku_verdict verdict)
{
    return verdicts[verdict] ? verdicts[verdict] : "no expectation";
}

/* --- accessors --------------------------------------------------------------------------------- */

int podsku_verification_gpus(const struct podsku_verification *v)
{
    return v->reading ? v->reading->gpus : -1;
}

bool podsku_verification_has_links(const struct podsku_verification *v)
{
    const struct podsku_reading *r = v->reading;

    return r && r->matrix.topo->gpus && !r->matrix.topo->header_broken && r->matrix.clash.code < 0 &&
           r->problem.code != VERIFY_HIDES_NVLINK;
}

bool podsku_verification_whole(const struct podsku_verification *v)
{
    return v->reading && v->reading->whole;
}

struct podsku_pair_link podsku_verification_link(const struct podsku_verification *v, int i, int j)
{
    struct podsku_pair_link unknown = {PODSKU_PATH_UNKNOWN, 0};

    if (!podsku_verification_has_links(v) || i < 0 || j < 0 || i >= v->reading->matrix.topo->gpus ||
        j >= v->reading->matrix.topo->gpus)
        return unknown;
    return podsku_verify_cell_link(&v->reading->matrix.topo->cell[i][j]);
}

int podsku_verification_numa(const struct podsku_verification *v, int gpu)
{
    return v->reading && v->reading->numa_nodes && gpu >= 0 && gpu < v->reading->matrix.topo->gpus
               ? v->reading->numa[gpu]
               : -1;
}

int podsku_verification_group_count(const struct podsku_verification *v)
{
    return v->reading ? v->reading->groups.count : 0;
}

bool podsku_verification_in_group(const struct podsku_verification *v, int group, int gpu)
{
    return podsku_verify_set_has(&v->reading->groups.sets[group], gpu);
}

bool podsku_verification_picked(const struct podsku_verification *v, int gpu)
{
    return v->verdict == PODSKU_VERDICT_MATCH && v->reading && v->wants_gpus > 0 && v->wants_gpus < v->reading->gpus &&
           gpu >= 0 && gpu < v->reading->gpus && podsku_verify_set_has(&v->picked, gpu);
}

double podsku_verification_link_gbs(const struct podsku_verification *v)
{
    return v->link_gbs;
}

const char *podsku_verification_model(const struct podsku_verification *v, int gpu)
{
    const struct podsku_reading *r = v->reading;

    if (!r || r->list.conflict || gpu < 0 || gpu >= r->list.all->count || !r->list.all->name[gpu][0])
        return NULL;
    return r->list.all->name[gpu];
}

static const struct verify_entry *entry(const struct verify_entries *entries, size_t index, const char **code)
{
    if (index >= entries->count)
        return NULL;
    *code = podsku_verify_finding_name(entries->list[index].code);
    return &entries->list[index];
}

const char *podsku_verification_problem(const struct podsku_verification *v, size_t index, const char **code)
{
    const struct verify_entry *found = entry(&v->problems, index, code);

    return found ? found->message : NULL;
}

const char *podsku_verification_note(const struct podsku_verification *v, size_t index, const char **code)
{
    const struct verify_entry *found = entry(&v->notes, index, code);

    return found ? found->message : NULL;
}

const char *podsku_verification_advice(const struct podsku_verification *v, size_t index)
{
    return index < v->advice.count ? v->advice.list[index] : NULL;
}

/* --- the document ------------------------------------------------------------------------------ */

static json_t *encode_links(const struct podsku_verification *v)
{
    const struct verify_matrix *m = v->reading ? v->reading->matrix.topo : NULL;
    char word[PODSKU_LINK_TEXT_SIZE];
    bool ok = true;

    if (!podsku_verification_has_links(v))
        return json_null();
    json_t *rows = json_array();
    for (int i = 0; ok && i < m->gpus; i++) {
        if (m->filled[i] == 0) {
            ok = json_array_append_new(rows, json_null()) == 0;
            continue;
        }
        json_t *row = json_array();
        for (int j = 0; ok && j < m->gpus; j++) {
            struct podsku_pair_link link = podsku_verify_cell_link(&m->cell[i][j]);
            ok = json_array_append_new(row, link.path == PODSKU_PATH_UNKNOWN
                                                ? json_null()
                                                : json_string(podsku_link_text(link, word))) == 0;
        }
        if (json_array_append_new(rows, row) != 0)
            ok = false;
    }
    if (!ok) {
        json_decref(rows);
        return NULL;
    }
    return rows;
}

static json_t *encode_groups(const struct podsku_reading *r)
{
    json_t *groups = json_array();
    bool ok = groups != NULL;

    for (int i = 0; ok && r && i < r->groups.count; i++) {
        json_t *group = json_array();
        for (int gpu = 0; gpu < r->gpus; gpu++) {
            if (podsku_verify_set_has(&r->groups.sets[i], gpu))
                ok &= json_array_append_new(group, json_integer(gpu)) == 0;
        }
        ok &= json_array_append_new(groups, group) == 0;
    }
    return podsku_json_whole(groups, ok);
}

/* The linked group that meets a requirement for fewer GPUs; null where none was looked for. */
static json_t *encode_picked(const struct podsku_verification *v)
{
    json_t *group = json_array();
    bool ok = group != NULL;
    bool any = false;

    for (int gpu = 0; ok && v->reading && gpu < v->reading->gpus; gpu++) {
        if (!podsku_verification_picked(v, gpu))
            continue;
        any = true;
        ok = json_array_append_new(group, json_integer(gpu)) == 0;
    }
    if (ok && any)
        return group;
    json_decref(group);
    return ok ? json_null() : NULL;
}

static json_t *encode_mig(const struct podsku_reading *r)
{
    json_t *devices = json_array();
    bool ok = devices != NULL;

    for (int i = 0; ok && r && i < r->list.all->mig_count; i++) {
        const struct verify_mig *mig = &r->list.all->mig[i];
        ok = json_array_append_new(devices, json_pack("{s:i, s:s}", "gpu", mig->gpu, "profile", mig->profile)) == 0;
    }
    return podsku_json_whole(devices, ok);
}

static json_t *encode_models(const struct podsku_reading *r)
{
    json_t *models = json_array();
    bool ok = models != NULL;

    for (int i = 0; ok && r && !r->list.conflict && i < r->list.all->count; i++) {
        const char *name = r->list.all->name[i];
        ok = json_array_append_new(models, podsku_json_text(name[0] ? name : NULL)) == 0;
    }
    return podsku_json_whole(models, ok);
}

static json_t *encode_nccl(const struct verify_nccl *nccl)
{
    if (!nccl->seen)
        return json_null();
    json_t *transports = json_object();
    json_t *slow = json_array();
    bool ok = transports && slow;

    for (int i = 0; ok && i < nccl->transport_count; i++)
        ok = json_object_set_new(transports, nccl->transports[i].name, json_integer(nccl->transports[i].channels)) == 0;
    for (int i = 0; ok && i < nccl->slow_count; i++) {
        const struct verify_nccl_pair *pair = &nccl->pairs[i];
        int a;
        int b;
        podsku_verify_nccl_gpus(nccl, pair, &a, &b);
        /* The same rank in several communicators is not the same process: then GPUs name the pair. */
        json_t *names =
            nccl->communicators && a >= 0 && b >= 0 ? json_pack("[i, i]", a, b) : json_pack("[i, i]", pair->a, pair->b);
        if (names && i > 0 && json_equal(names, json_array_get(slow, json_array_size(slow) - 1)))
            json_decref(names); /* on SHM and on NET */
        else
            ok = names && json_array_append_new(slow, names) == 0;
    }
    json_t *object = json_object();
    ok &= json_object_set(object, "transports", transports) == 0 && json_object_set(object, "slow_pairs", slow) == 0;
    json_decref(transports);
    json_decref(slow);
    return podsku_json_whole(object, ok);
}

static json_t *encode_entries(const struct verify_entries *entries)
{
    json_t *list = json_array();
    bool ok = list != NULL;

    for (size_t i = 0; ok && i < entries->count; i++) {
        json_t *item = json_object();
        ok = item && podsku_json_set(item, "code", json_string(podsku_verify_finding_name(entries->list[i].code))) &&
             podsku_json_set(item, "message", podsku_json_text(entries->list[i].message));
        ok &= json_array_append_new(list, item) == 0;
    }
    return podsku_json_whole(list, ok);
}

static json_t *encode_advice(const struct verify_texts *advice)
{
    json_t *list = json_array();
    bool ok = list != NULL;

    for (size_t i = 0; ok && i < advice->count; i++)
        ok = json_array_append_new(list, podsku_json_text(advice->list[i])) == 0;
    return podsku_json_whole(list, ok);
}

static json_t *number_or_null(int number, int unknown)
{
    return number == unknown ? json_null() : json_integer(number);
}

json_t *podsku_verification_encode(const struct podsku_verification *v)
{
    const struct podsku_reading *r = v->reading;
    char word[PODSKU_LINK_TEXT_SIZE];
    json_t *object = json_object();
    bool worst = r && r->worst.path != PODSKU_PATH_UNKNOWN;

    bool ok =
        object && podsku_json_set(object, "schema", json_string("podsku.verify/1")) &&
        podsku_json_set(object, "verdict", podsku_json_text(verdicts[v->verdict])) &&
        podsku_json_set(object, "gpus", number_or_null(r ? r->gpus : -1, -1)) &&
        podsku_json_set(object, "links", encode_links(v)) &&
        podsku_json_set(object, "nvlink", json_string(nvlinks[r ? r->nvlink : VERIFY_NVLINK_UNKNOWN])) &&
        podsku_json_set(object, "nvlink_groups", encode_groups(r)) &&
        podsku_json_set(object, "linked_group", encode_picked(v)) &&
        podsku_json_set(object, "worst_link", podsku_json_text(worst ? podsku_link_text(r->worst, word) : NULL)) &&
        podsku_json_set(object, "nv_min", number_or_null(r ? r->nv_min : 0, 0)) &&
        podsku_json_set(object, "nv_max", number_or_null(r ? r->nv_max : 0, 0)) &&
        podsku_json_set(object, "p2p", podsku_json_text(r ? r->p2p : NULL)) &&
        podsku_json_set(object, "numa_nodes", number_or_null(r ? r->numa_nodes : 0, 0)) &&
        podsku_json_set(object, "mig_devices", encode_mig(r)) && podsku_json_set(object, "models", encode_models(r)) &&
        podsku_json_set(object, "driver", podsku_json_text(r && r->list.driver[0] ? r->list.driver : NULL)) &&
        podsku_json_set(object, "nccl", r ? encode_nccl(&r->nccl) : json_null()) &&
        podsku_json_set(object, "problems", encode_entries(&v->problems)) &&
        podsku_json_set(object, "notes", encode_entries(&v->notes)) &&
        podsku_json_set(object, "advice", encode_advice(&v->advice));
    return podsku_json_whole(object, ok);
}
