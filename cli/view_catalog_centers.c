/* The catalogue by data center: which types have stock where. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/csv.h"
#include "cli/json_offer.h"
#include "cli/table.h"
#include "cli/view_catalog.h"
#include "cli/view_pick.h"

struct seat {
    const char *center;
    const struct podsku_gpu_type *type;
    enum podsku_stock stock;
};

struct seats {
    struct seat *list;
    size_t count;
};

static int by_center(const void *a, const void *b)
{
    const struct seat *left = a;
    const struct seat *right = b;
    int order = strcmp(left->center, right->center);

    if (order == 0)
        order = (int)right->stock - (int)left->stock;
    return order ? order : strcmp(left->type->id, right->type->id);
}

static const struct podsku_stock_view *view_of(const struct catalog_view *view, const struct podsku_gpu_type *type)
{
    const struct podsku_stock_view *seen = NULL;

    (void)cli_view_stock(view, type, &seen);
    return seen;
}

/* All pairs of data center and type, by data center, most stock first. False without memory. */
static bool find_seats(const struct catalog_view *view, struct seats *seats)
{
    size_t room = 1;

    for (size_t i = 0; i < view->count; i++) {
        const struct podsku_stock_view *seen = view_of(view, view->types[i]);
        room += seen ? seen->data_center_count : 0;
    }
    *seats = (struct seats){calloc(room, sizeof *seats->list), 0};
    if (!seats->list)
        return false;
    for (size_t i = 0; i < view->count; i++) {
        const struct podsku_stock_view *seen = view_of(view, view->types[i]);
        for (size_t c = 0; seen && c < seen->data_center_count; c++)
            seats->list[seats->count++] =
                (struct seat){seen->data_centers[c].id, view->types[i], seen->data_centers[c].stock};
    }
    qsort(seats->list, seats->count, sizeof *seats->list, by_center);
    return true;
}

/* The index after the last seat of the data center that seat `first` is in. */
static size_t end_of_center(const struct seats *seats, size_t first)
{
    size_t end = first;

    while (end < seats->count && strcmp(seats->list[end].center, seats->list[first].center) == 0)
        end++;
    return end;
}

static void put_csv(const struct seats *seats, struct podsku_buf *out)
{
    const char *head[] = {"data_center", "id", "name", "stock"};

    cli_csv_row(out, head, 4);
    for (size_t i = 0; i < seats->count; i++) {
        const struct seat *seat = &seats->list[i];
        const char *stock = seat->stock == PODSKU_STOCK_UNKNOWN ? NULL : podsku_stock_name(seat->stock);
        const char *cells[] = {seat->center, seat->type->id, podsku_gpu_name(seat->type), stock};
        cli_csv_row(out, cells, 4);
    }
}

static enum podsku_code put_table(const struct catalog_view *view, const struct seats *seats, struct podsku_buf *out)
{
    static const struct cli_column columns[] = {
        {"DATA CENTER", false, false, 0}, {"TYPES", true, false, 0}, {"IN STOCK", false, true, 0}};
    struct podsku_error *err = &view->cli->err;
    struct cli_table *table = NULL;
    struct podsku_buf names = {0};
    int width = view->cli->output == CLI_WIDE ? 0 : view->cli->width;
    enum podsku_code code = cli_table_new(columns, 3, width, &table, err);

    for (size_t first = 0, end; first < seats->count && code == PODSKU_OK; first = end) {
        char count[24];
        end = end_of_center(seats, first);
        podsku_buf_reset(&names);
        for (size_t i = first; i < end; i++) {
            const char *word = cli_stock_word(seats->list[i].stock);
            podsku_buf_printf(&names, "%s%s %s", i > first ? ", " : "", podsku_gpu_name(seats->list[i].type),
                              word ? word : "-");
        }
        (void)snprintf(count, sizeof count, "%zu", end - first);
        const char *cells[] = {seats->list[first].center, count, podsku_buf_text(&names)};
        code = podsku_buf_failed(&names) ? podsku_error_no_memory(err) : cli_table_row(table, cells, err);
    }
    if (code == PODSKU_OK)
        code = cli_table_print(table, out, err);
    cli_table_free(table);
    podsku_buf_free(&names);
    return code;
}

enum podsku_code cli_catalog_centers(const struct catalog_view *view, struct podsku_buf *out, bool *empty)
{
    struct seats seats;
    enum podsku_code code = PODSKU_OK;

    if (!find_seats(view, &seats))
        return podsku_error_no_memory(&view->cli->err);
    *empty = seats.count == 0;
    if (view->cli->output == CLI_CSV) {
        put_csv(&seats, out);
    } else if (view->cli->output == CLI_IDS) {
        for (size_t first = 0; first < seats.count; first = end_of_center(&seats, first))
            podsku_buf_printf(out, "%s\n", seats.list[first].center);
    } else if (!*empty) {
        code = put_table(view, &seats, out);
    }
    free(seats.list);
    return code;
}

static json_t *center_json(const struct seats *seats, size_t first, size_t end)
{
    json_t *object = json_object();
    json_t *types = json_array();
    bool ok = types && podsku_json_set(object, "id", podsku_json_text(seats->list[first].center));

    for (size_t i = first; ok && i < end; i++) {
        const struct seat *seat = &seats->list[i];
        json_t *type = json_object();
        bool whole = podsku_json_set(type, "id", podsku_json_text(seat->type->id)) &&
                     podsku_json_set(type, "name", podsku_json_text(podsku_gpu_name(seat->type))) &&
                     podsku_json_set(type, "stock", cli_stock_json(seat->stock));
        type = podsku_json_whole(type, whole);
        ok = cli_json_append(types, type);
    }
    ok = ok && json_object_set(object, "gpu_types", types) == 0;
    json_decref(types);
    return podsku_json_whole(object, ok);
}

json_t *cli_catalog_centers_json(const struct catalog_view *view)
{
    struct seats seats;
    json_t *document = json_object();
    json_t *centers = json_array();

    bool ok = find_seats(view, &seats) && centers &&
              podsku_json_set(document, "schema", json_string("podsku.catalog/1")) &&
              podsku_json_set(document, "catalog", cli_source_json(view->catalog));
    for (size_t first = 0, end; ok && first < seats.count; first = end) {
        end = end_of_center(&seats, first);
        ok = cli_json_append(centers, center_json(&seats, first, end));
    }
    ok = ok && json_object_set(document, "data_centers", centers) == 0;
    free(seats.list);
    json_decref(centers);
    return podsku_json_whole(document, ok);
}
