/* podsku catalog mig: the MIG profiles of each card, and which of them are sold. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/json.h"
#include "base/money.h"
#include "base/text.h"
#include "cli/grid.h"
#include "cli/json_offer.h"
#include "cli/view_catalog.h"
#include "cli/view_pick.h"

struct mig {
    struct cli *cli;
    struct podsku_requirement req;
    const struct podsku_facts_set *facts;
    struct podsku_client *client;
    struct podsku_catalog *catalog;
    const struct podsku_mig_profile **rows; /* owned array, ends with NULL */
    size_t count;
};

/* The slice of this profile that the catalogue sells; NULL: none. */
static const struct podsku_gpu_type *sold_slice(const struct mig *mig, const struct podsku_mig_profile *profile)
{
    const char *const *ids = podsku_mig_parent_ids(profile);

    for (size_t i = 0; i < mig->catalog->type_count; i++) {
        const struct podsku_slice *slice = mig->catalog->types[i].slice;
        if (!slice || strcmp(slice->profile, profile->profile) != 0)
            continue;
        for (size_t p = 0; ids && ids[p]; p++)
            if (strcmp(ids[p], slice->parent) == 0)
                return &mig->catalog->types[i];
    }
    return NULL;
}

static int64_t slice_price(const struct podsku_gpu_type *type)
{
    for (int cloud = 0; type && cloud < PODSKU_CLOUD_COUNT; cloud++)
        if (type->offered[cloud] != PODSKU_NO && type->max_gpus[cloud] != 0 && type->price_uusd[cloud] > 0)
            return type->price_uusd[cloud];
    return 0;
}

static void put_card(struct podsku_buf *out, const void *ctx, const void *row)
{
    (void)ctx;
    podsku_buf_puts(out, ((const struct podsku_mig_profile *)row)->card);
}

static void put_profile(struct podsku_buf *out, const void *ctx, const void *row)
{
    (void)ctx;
    podsku_buf_puts(out, ((const struct podsku_mig_profile *)row)->profile);
}

static void put_memory(struct podsku_buf *out, const void *ctx, const void *row)
{
    const struct podsku_mig_profile *profile = row;

    (void)ctx;
    podsku_buf_printf(out, "%d", profile->memory_gb);
}

static void put_memory_share(struct podsku_buf *out, const void *ctx, const void *row)
{
    const struct podsku_mig_profile *profile = row;

    (void)ctx;
    podsku_buf_printf(out, "%d/%d", profile->memory_slices, profile->memory_total);
}

static void put_compute_share(struct podsku_buf *out, const void *ctx, const void *row)
{
    const struct podsku_mig_profile *profile = row;

    (void)ctx;
    podsku_buf_printf(out, "%d/%d", profile->compute_slices, profile->compute_total);
}

static void put_most(struct podsku_buf *out, const void *ctx, const void *row)
{
    const struct podsku_mig_profile *profile = row;

    (void)ctx;
    podsku_buf_printf(out, "%d", profile->max_instances);
}

static void put_graphics(struct podsku_buf *out, const void *ctx, const void *row)
{
    (void)ctx;
    podsku_buf_puts(out, ((const struct podsku_mig_profile *)row)->graphics ? "yes" : "no");
}

static void put_sold(struct podsku_buf *out, const void *ctx, const void *row)
{
    const struct podsku_gpu_type *type = sold_slice(ctx, row);

    podsku_buf_puts(out, type ? podsku_gpu_name(type) : "no");
}

static void put_price(struct podsku_buf *out, const void *ctx, const void *row)
{
    int64_t price = slice_price(sold_slice(ctx, row));
    char text[PODSKU_MONEY_TEXT_SIZE];

    if (price > 0)
        podsku_buf_puts(out, podsku_money_text(price, text));
}

static void put_confidence(struct podsku_buf *out, const void *ctx, const void *row)
{
    const struct podsku_mig_profile *profile = row;

    (void)ctx;
    if (profile->confidence != PODSKU_CONFIDENCE_UNKNOWN)
        podsku_buf_puts(out, podsku_confidence_name(profile->confidence));
}

static void put_note(struct podsku_buf *out, const void *ctx, const void *row)
{
    const struct podsku_mig_profile *profile = row;

    (void)ctx;
    if (profile->note)
        podsku_buf_puts(out, profile->note);
}

#define ALL (CLI_GRID_TABLE | CLI_GRID_WIDE | CLI_GRID_CSV)
#define NOT_TABLE (CLI_GRID_WIDE | CLI_GRID_CSV)

static const struct cli_grid_field fields[] = {
    {"card", "CARD", ALL, false, true, 0, put_card},
    {"profile", "PROFILE", ALL, false, false, 0, put_profile},
    {"memory_gb", "GB", ALL, true, false, 0, put_memory},
    {"memory_share", "MEMORY", ALL, false, false, 0, put_memory_share},
    {"compute_share", "COMPUTE", ALL, false, false, 0, put_compute_share},
    {"max_instances", "MOST", ALL, true, false, 2, put_most},
    {"graphics", "GRAPHICS", NOT_TABLE, false, false, 0, put_graphics},
    {"sold_as", "SOLD AS", ALL, false, false, 0, put_sold},
    {"price", "USD/h", ALL, true, false, 0, put_price},
    {"confidence", "CONFIDENCE", ALL, false, false, 1, put_confidence},
    {"note", "NOTE", NOT_TABLE, false, false, 0, put_note},
};

static const void *row_at(const void *ctx, size_t index)
{
    const struct mig *mig = ctx;

    return mig->rows[index];
}

/* Does CARD mean this row: its card, one of its ids, or the display name of one? */
static bool is_card(const struct mig *mig, const struct podsku_mig_profile *profile, const char *pattern)
{
    const char *const *ids = podsku_mig_parent_ids(profile);

    if (podsku_text_match(pattern, profile->card))
        return true;
    for (; ids && *ids; ids++) {
        const struct podsku_gpu_type *type = podsku_catalog_find(mig->catalog, *ids);
        if (podsku_text_match(pattern, *ids) || (type && podsku_text_match(pattern, podsku_gpu_name(type))))
            return true;
    }
    return false;
}

/* "A100" for "A100 40GB" and "A100 80GB": the card's first words. */
static bool has_words(const char *card, const char *words)
{
    size_t len = strlen(words);

    return len > 0 && strncasecmp(card, words, len) == 0 && card[len] == ' ';
}

/* A type of the catalogue that is no card with profiles: an answer, not a mistake. */
static const struct podsku_gpu_type *find_type(const struct mig *mig, const char *pattern)
{
    for (size_t i = 0; i < mig->catalog->type_count; i++) {
        const struct podsku_gpu_type *type = &mig->catalog->types[i];
        if (podsku_text_match(pattern, type->id) || podsku_text_match(pattern, podsku_gpu_name(type)))
            return type;
    }
    return NULL;
}

static enum podsku_code unknown_card(struct mig *mig, const char *card)
{
    struct podsku_error *err = &mig->cli->err;
    size_t count;
    const struct podsku_mig_profile *profiles = podsku_mig_profiles(&count);
    const char **cards = calloc(count + mig->catalog->type_count + 1, sizeof *cards);

    if (!cards)
        return podsku_error_no_memory(err);
    for (size_t i = 0; i < count; i++)
        cards[i] = profiles[i].card;
    for (size_t i = 0; i < mig->catalog->type_count; i++)
        cards[count + i] = podsku_gpu_name(&mig->catalog->types[i]);
    const char *near = podsku_text_nearest(card, cards);
    if (near)
        podsku_error_hint(err, "did you mean \"%s\"?", near);
    free(cards);
    return podsku_error_set(err, PODSKU_USAGE, "no card is called \"%s\"", card);
}

static enum podsku_code choose_rows(struct mig *mig, const char *card)
{
    size_t count;
    const struct podsku_mig_profile *profiles = podsku_mig_profiles(&count);

    mig->rows = calloc(count + 1, sizeof(const struct podsku_mig_profile *));
    if (!mig->rows)
        return podsku_error_no_memory(&mig->cli->err);
    for (size_t i = 0; i < count; i++)
        if (!card || is_card(mig, &profiles[i], card))
            mig->rows[mig->count++] = &profiles[i];
    if (mig->count > 0 || !card || find_type(mig, card))
        return PODSKU_OK;
    for (size_t i = 0; i < count; i++)
        if (has_words(profiles[i].card, card))
            mig->rows[mig->count++] = &profiles[i];
    return mig->count > 0 ? PODSKU_OK : unknown_card(mig, card);
}

static json_t *share_json(int part, int whole)
{
    return whole > 0 ? json_real((double)part / whole) : json_null();
}

static json_t *profile_json(const struct mig *mig, const struct podsku_mig_profile *profile)
{
    const struct podsku_gpu_type *sold = sold_slice(mig, profile);
    const char *confidence = profile->confidence ? podsku_confidence_name(profile->confidence) : NULL;
    json_t *object = json_object();

    bool whole =
        podsku_json_set(object, "card", podsku_json_text(profile->card)) &&
        podsku_json_set(object, "profile", podsku_json_text(profile->profile)) &&
        podsku_json_set(object, "memory_gb", json_integer(profile->memory_gb)) &&
        podsku_json_set(object, "memory_fraction", share_json(profile->memory_slices, profile->memory_total)) &&
        podsku_json_set(object, "compute_fraction", share_json(profile->compute_slices, profile->compute_total)) &&
        podsku_json_set(object, "max_instances", json_integer(profile->max_instances)) &&
        podsku_json_set(object, "graphics", json_boolean(profile->graphics)) &&
        podsku_json_set(object, "sold_as", podsku_json_text(sold ? sold->id : NULL)) &&
        podsku_json_set(object, "price_per_hour", podsku_json_money(slice_price(sold))) &&
        podsku_json_set(object, "confidence", podsku_json_text(confidence)) &&
        podsku_json_set(object, "note", podsku_json_text(profile->note));
    return podsku_json_whole(object, whole);
}

static json_t *document(const struct mig *mig)
{
    json_t *object = json_object();
    json_t *profiles = json_array();
    bool ok = profiles && podsku_json_set(object, "schema", json_string("podsku.mig/1")) &&
              podsku_json_set(object, "catalog", cli_source_json(mig->catalog));

    for (size_t i = 0; ok && mig->rows[i]; i++)
        ok = cli_json_append(profiles, profile_json(mig, mig->rows[i]));
    ok = ok && json_object_set(object, "profiles", profiles) == 0;
    json_decref(profiles);
    return podsku_json_whole(object, ok);
}

static enum podsku_code show(struct mig *mig, struct podsku_buf *out)
{
    struct cli *cli = mig->cli;
    const struct cli_grid grid = {fields, sizeof fields / sizeof *fields, mig, row_at, mig->count};
    enum podsku_code code = PODSKU_OK;

    if (cli->output == CLI_JSON)
        return cli_write_json(cli, document(mig));
    if (cli->output == CLI_CSV)
        cli_grid_csv(&grid, out);
    else if (mig->count > 0 && cli->output == CLI_WIDE)
        code = cli_grid_table(&grid, CLI_GRID_WIDE, 0, out, &cli->err);
    else if (mig->count > 0)
        code = cli_grid_table(&grid, CLI_GRID_TABLE, cli->width, out, &cli->err);
    if (code == PODSKU_OK && podsku_buf_failed(out))
        code = podsku_error_no_memory(&cli->err);
    return code == PODSKU_OK && out->len > 0 ? cli_write(cli, out->data, out->len) : code;
}

static void talk(const struct mig *mig, const char *card)
{
    struct cli *cli = mig->cli;

    if (cli->output != CLI_TABLE && cli->output != CLI_WIDE)
        return;
    if (mig->count == 0) {
        cli_say(cli, "%s has no MIG", podsku_gpu_name(find_type(mig, card)));
        return;
    }
    cli_say(cli, "slices are sold ready-cut under their own type ids; a tenant cannot cut a card (podsku help mig)");
    cli_say(cli, "next: podsku pick --memory-fraction 1/4");
}

static enum podsku_code load(struct mig *mig, const char *card)
{
    struct cli *cli = mig->cli;
    enum podsku_code code = cli_facts(cli, &mig->facts);

    if (code == PODSKU_OK)
        code = cli_catalog(cli, &mig->req, mig->facts, &mig->client, &mig->catalog);
    if (code == PODSKU_OK && cli->output == CLI_JSON)
        code = podsku_catalog_hash(mig->catalog, &cli->err);
    if (code == PODSKU_OK)
        code = choose_rows(mig, card);
    return code;
}

int cli_catalog_mig(struct cli *cli)
{
    struct mig mig = {.cli = cli};
    struct podsku_buf out = {0};
    size_t count;
    const char *const *operands = cli_operands(cli, &count);
    const char *card = count > 0 ? operands[0] : NULL;

    podsku_requirement_init(&mig.req);
    enum podsku_code code = load(&mig, card);
    if (code == PODSKU_OK)
        code = show(&mig, &out);
    if (code == PODSKU_OK)
        talk(&mig, card);
    free(mig.rows);
    podsku_catalog_free(mig.catalog);
    podsku_client_free(mig.client);
    podsku_facts_free(mig.facts);
    podsku_requirement_free(&mig.req);
    podsku_buf_free(&out);
    return code == PODSKU_OK ? 0 : cli_fail(cli);
}
