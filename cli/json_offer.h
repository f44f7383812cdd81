/*
 * Offers, topologies and catalogues as JSON: the shapes that pick, deploy's plan, evaluate and the
 * catalogue commands share. Every function returns a new reference, NULL without memory; unknown
 * values become null.
 */
#ifndef PODSKU_CLI_JSON_OFFER_H
#define PODSKU_CLI_JSON_OFFER_H

#include <jansson.h>
#include <stddef.h>

#include "base/buf.h"
#include "catalog/catalog.h"
#include "rules/rules.h"

/* A candidate of `podsku.pick/1`; rank from 1. */
json_t *cli_offer_json(const struct podsku_offer *offer, size_t rank);
/* An array of them, ranked 1, 2, ... */
json_t *cli_offers_json(const struct podsku_offer *offers, size_t count);
/* {"id","cloud","gpus","price_per_hour"}: what a suggestion gains, a line of a batch. */
json_t *cli_offer_short_json(const struct podsku_offer *offer);
/* An array of {"id","name","cloud","gpus","reasons":[{"rule","message"}]}. */
json_t *cli_rejected_json(const struct podsku_offer *offers, size_t count);

/* {"link","evidence","link_gbs","nvlink_generation","nvlink_domain"} */
json_t *cli_topology_json(const struct podsku_topology *topology);
/* {"parent","profile","memory_fraction","compute_fraction"}; JSON null for a whole card. */
json_t *cli_mig_json(const struct podsku_gpu_type *type);
/* [{"id","stock"}] of a view; JSON null for NULL. */
json_t *cli_data_centers_json(const struct podsku_stock_view *view);
/* "HIGH", or JSON null when unknown. */
json_t *cli_stock_json(enum podsku_stock stock);
/* "code: message" texts. */
json_t *cli_notes_json(const struct podsku_note *notes, size_t count);
/* {"source","path","recorded_at","sha256","gpu_types"} */
json_t *cli_source_json(const struct podsku_catalog *catalog);

/* Appends a value that was made by one of these to an array; steals it. False without memory. */
bool cli_json_append(json_t *array, json_t *value) PODSKU_CHECKED;
/* An integer when the number is one (900, not 900.0), null when it is negative (unknown). */
json_t *cli_json_number(double number);

#endif
