/*
 * JSON of the service to structs, by tables of members. Absent and null are unknown; members that the
 * tables do not name are ignored. Private to client/.
 */
#ifndef PODSKU_CLIENT_DECODE_H
#define PODSKU_CLIENT_DECODE_H

#include <jansson.h>

#include "client/api.h"

/*
 * `where` is the URL and the JSON path of the value ("https://...: $.pods[3]"). On failure the struct
 * is empty; on success the caller clears it.
 *
 * Of pods and clusters only the id must be right (else PODSKU_ANSWER): any other member of a wrong type
 * is unknown. A list shows everybody's pods, and one odd one must not hide all others.
 */
enum podsku_code podsku_decode_pod(const json_t *value, enum podsku_api api, const char *where, struct podsku_pod *pod,
                                   struct podsku_error *err) PODSKU_CHECKED;
enum podsku_code podsku_decode_cluster(const json_t *value, const char *where, struct podsku_cluster *cluster,
                                       struct podsku_error *err) PODSKU_CHECKED;
enum podsku_code podsku_decode_data_center(const json_t *value, const char *where, struct podsku_data_center *center,
                                           struct podsku_error *err) PODSKU_CHECKED;
void podsku_data_center_clear(struct podsku_data_center *center);

#endif
