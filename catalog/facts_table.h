/*
 * The built-in facts rows, sorted by the bytes of their ids. Private to catalog/: others go through
 * catalog/facts.h.
 */
#ifndef PODSKU_CATALOG_FACTS_TABLE_H
#define PODSKU_CATALOG_FACTS_TABLE_H

#include "catalog/facts.h"

/* What `nvidia-smi topo -m` shows of MIG devices, in words. */
#define PODSKU_SLICE_TOPO "none: NVLink and cross-GPU P2P are not available to MIG devices"

extern const struct podsku_facts *const podsku_facts_rows;
extern const size_t podsku_facts_row_count;

#endif
