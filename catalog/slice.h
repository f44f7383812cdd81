/*
 * MIG slices, told by their ids. Private to catalog/.
 */
#ifndef PODSKU_CATALOG_SLICE_H
#define PODSKU_CATALOG_SLICE_H

#include "catalog/store.h"

/*
 * True for "PARENT MIG <N>g.<M>gb" with an optional suffix ("+gfx", "-me"): *parent_len is the
 * length of PARENT, *profile points to "<N>g...." within id.
 */
bool podsku_slice_parse(const char *id, size_t *parent_len, const char **profile);

/*
 * Sets type->slice when the id is a slice's, and facts that follow from being a slice of that parent
 * when no table has the slice. False: no memory.
 */
bool podsku_slice_fill(struct podsku_catalog *catalog, struct podsku_gpu_type *type);

#endif
