/*
 * Network volumes: where one is. A pod that mounts it can only be placed there.
 */
#ifndef PODSKU_CLIENT_API_VOLUMES_H
#define PODSKU_CLIENT_API_VOLUMES_H

#include "client/api.h"

/*
 * The data center of a network volume (v2: GET /network-volumes/{id}, v1: GET /networkvolumes/{id}).
 * *data_center: free(). PODSKU_NOT_FOUND: no such volume; PODSKU_ANSWER: the answer does not say where.
 */
enum podsku_code podsku_api_volume_data_center(struct podsku_client *client, enum podsku_api api, const char *id,
                                               char **data_center, struct podsku_error *err) PODSKU_CHECKED;

#endif
