/*
 * JSON of the service to structs, by tables of members. Absent and null are unknown; members that the
 * tables do not name are ignored. Private to client/.
 */
#ifndef PODSKU_CLIENT_DECODE_H
#define PODSKU_CLIENT_DECODE_H

#include <jansson.h>

#include "client/api.h"

enum podsku_decoding {
    PODSKU_STRICT,  /* a member of a wrong type is PODSKU_ANSWER with its JSON path */
    PODSKU_LENIENT, /* it is unknown; only the id must be right: an answer to a create means a pod exists */
};

/*
 * `where` is the URL and the JSON path of the value ("https://...: $.pods[3]"). On failure the struct
 * is empty; on success the caller clears it.
 */
enum podsku_code podsku_decode_pod(const json_t *value, enum podsku_api api, enum podsku_decoding decoding,
                                   const char *where, struct podsku_pod *pod, struct podsku_error *err) PODSKU_CHECKED;
enum podsku_code podsku_decode_cluster(const json_t *value, enum podsku_decoding decoding, const char *where,
                                       struct podsku_cluster *cluster, struct podsku_error *err) PODSKU_CHECKED;
enum podsku_code podsku_decode_data_center(const json_t *value, const char *where, struct podsku_data_center *center,
                                           struct podsku_error *err) PODSKU_CHECKED;
void podsku_data_center_clear(struct podsku_data_center *center);

#endif
