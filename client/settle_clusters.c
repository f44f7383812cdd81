/*
 * Clusters of this launch whose members no list of pods shows: the list of clusters has their names, and
 * each its own list of members.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/deploy_private.h"

static bool names_entry(const struct podsku_pending *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].cluster && list[i].name && strcmp(list[i].name, name) == 0)
            return true;
    return false;
}

/* "NAME-LAUNCH", or as an entry of the journal was sent. A cluster's name always holds its launch. */
static bool may_be_ours(const struct podsku_session *s, const char *name)
{
    size_t len = strlen(name), launch_len = strlen(s->options.launch_id);

    return (len > launch_len && name[len - launch_len - 1] == '-' &&
            strcmp(name + len - launch_len, s->options.launch_id) == 0) ||
           names_entry(s->pending, s->pending_count, name) || names_entry(s->kept, s->kept_count, name);
}

static bool has_pod(const struct podsku_pods *pods, const char *id)
{
    for (size_t i = 0; i < pods->count; i++)
        if (pods->list[i].id && strcmp(pods->list[i].id, id) == 0)
            return true;
    return false;
}

/* Whether the list shows a member whose marks can be read. */
static bool is_shown(const struct podsku_pods *pods, const char *cluster_id)
{
    for (size_t i = 0; i < pods->count; i++) {
        const struct podsku_pod *pod = &pods->list[i];
        if (pod->cluster_id && strcmp(pod->cluster_id, cluster_id) == 0 && pod->marks_known && pod->marks.launch_id)
            return true;
    }
    return false;
}

/* Moves what the list lacks into it. False: out of memory. */
static bool join(struct podsku_pods *pods, struct podsku_pods *members, const char *cluster_id)
{
    struct podsku_pod *list = realloc(pods->list, (pods->count + members->count + 1) * sizeof *list);

    if (!list)
        return false;
    pods->list = list;
    for (size_t i = 0; i < members->count; i++) {
        struct podsku_pod *member = &members->list[i];
        if (!member->cluster_id && !(member->cluster_id = strdup(cluster_id)))
            return false;
        if (has_pod(pods, member->id))
            continue;
        list[pods->count++] = *member;
        *member = (struct podsku_pod){0};
    }
    return true;
}

static enum podsku_code add_members(struct podsku_session *s, struct podsku_pods *pods,
                                    const struct podsku_cluster *cluster, struct podsku_error *err)
{
    struct podsku_pods members = {0};
    enum podsku_code code = podsku_api_cluster_pods(s->client, cluster->id, &members, err);

    if (code == PODSKU_NOT_FOUND) { /* as new as that */
        podsku_error_clear(err);
        return PODSKU_OK;
    }
    if (code == PODSKU_OK && !join(pods, &members, cluster->id))
        code = podsku_error_no_memory(err);
    podsku_pods_free(&members);
    return code;
}

enum podsku_code podsku_session_add_members(struct podsku_session *s, struct podsku_pods *pods, bool *hidden,
                                            struct podsku_error *err)
{
    struct podsku_clusters clusters = {0};
    enum podsku_code code = podsku_api_list_clusters(s->client, &clusters, err);

    *hidden = false;
    for (size_t i = 0; code == PODSKU_OK && i < clusters.count; i++) {
        const struct podsku_cluster *cluster = &clusters.list[i];
        if (!cluster->name || !may_be_ours(s, cluster->name) || is_shown(pods, cluster->id))
            continue;
        code = add_members(s, pods, cluster, err);
        if (code != PODSKU_OK || is_shown(pods, cluster->id) || podsku_session_knows(s, cluster->id))
            continue;
        *hidden = true;
        (void)snprintf(s->hidden, sizeof s->hidden, "%s", cluster->id);
    }
    podsku_clusters_free(&clusters);
    return code;
}
