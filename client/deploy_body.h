/* Pieces of create bodies that v2 and v1 share; not for others. All return false when out of memory. */
#ifndef PODSKU_CLIENT_DEPLOY_BODY_H
#define PODSKU_CLIENT_DEPLOY_BODY_H

#include "client/deploy.h"

/* Deep copies every member of source (may be NULL) but env into target. */
bool podsku_body_copy(json_t *target, const json_t *source);
/* Sets env: the user's of fields, then of extra, then our marks, which nothing can replace. */
bool podsku_body_env(json_t *body, const struct podsku_create_spec *spec, const struct podsku_create_marks *marks,
                     bool cluster);
/* "podsku-LAUNCH" unless there is a name; a cluster's must hold the launch id. */
bool podsku_body_name(json_t *body, const char *launch_id, bool must_hold_launch);
bool podsku_body_data_centers(json_t *body, const struct podsku_create_spec *spec);
/* REST v1's PodCreateInput into an empty object. False with err set when v1 lacks a field. */
bool podsku_v1_body(json_t *body, const struct podsku_create_spec *spec, const struct podsku_plan_entry *entries,
                    size_t entry_count, const struct podsku_create_marks *marks, struct podsku_error *err);

#endif
