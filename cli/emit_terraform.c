/*
 * Terraform: Runpod's own provider, 2.x, whose runpod_pod takes one gpu_type_id. The candidates stand
 * in order in a local list, and a variable says which one to apply. Source: Runpod's documentation of
 * the provider, November 2026.
 */
#include "base/money.h"
#include "cli/emit.h"

static void put_list(const struct pick_view *view, struct podsku_buf *out, const char *name,
                     void (*put)(struct podsku_buf *out, const struct podsku_offer *offer))
{
    podsku_buf_printf(out, "  %s = [\n", name);
    for (size_t i = 0; i < view->decision->candidate_count; i++) {
        podsku_buf_puts(out, "    ");
        put(out, &view->decision->candidates[i]);
        podsku_buf_puts(out, ", # ");
        podsku_buf_printf(out, "%zu ", i + 1);
        cli_offer_label(out, &view->decision->candidates[i]);
        podsku_buf_puts(out, " USD/h\n");
    }
    podsku_buf_puts(out, "  ]\n");
}

static void put_id(struct podsku_buf *out, const struct podsku_offer *offer)
{
    cli_emit_quoted(out, offer->type->id);
}

static void put_count(struct podsku_buf *out, const struct podsku_offer *offer)
{
    podsku_buf_printf(out, "%d", offer->gpus);
}

static void put_cloud(struct podsku_buf *out, const struct podsku_offer *offer)
{
    podsku_buf_printf(out, "\"%s\"", podsku_cloud_name(offer->cloud));
}

static void put_limits(const struct pick_view *view, struct podsku_buf *out)
{
    const struct podsku_requirement *req = view->req;

    podsku_buf_puts(
        out, "# Terraform cannot express: a fallback to the next candidate (apply again with -var candidate=1),\n"
             "# a price cap, NVLink or a look at the machine (see `podsku verify --pod ID`).\n");
    if (req->countries.count || req->region || req->compliance.count)
        podsku_buf_puts(out, "# Country, region and compliance are not in here: only data_center_ids are.\n");
}

void cli_emit_terraform(const struct pick_view *view, struct podsku_buf *out)
{
    const struct podsku_requirement *req = view->req;

    cli_emit_banner(view, out, "Terraform (provider runpod/runpod ~> 2.0)");
    put_limits(view, out);
    podsku_buf_puts(out, "variable \"candidate\" {\n  type    = number\n  default = 0\n}\n\n"
                         "variable \"image\" {\n  type = string\n}\n\nlocals {\n");
    put_list(view, out, "gpu_type_ids", put_id);
    put_list(view, out, "gpu_counts", put_count);
    put_list(view, out, "clouds", put_cloud);
    podsku_buf_puts(out, "}\n\nresource \"runpod_pod\" \"podsku\" {\n"
                         "  name        = \"podsku\"\n"
                         "  image       = var.image\n"
                         "  gpu_type_id = local.gpu_type_ids[var.candidate]\n"
                         "  gpu_count   = local.gpu_counts[var.candidate]\n"
                         "  cloud       = local.clouds[var.candidate]\n");
    if (req->data_centers.count > 0) {
        podsku_buf_puts(out, "  data_center_ids = [");
        for (size_t i = 0; i < req->data_centers.count; i++) {
            podsku_buf_puts(out, i ? ", " : "");
            cli_emit_quoted(out, req->data_centers.list[i]);
        }
        podsku_buf_puts(out, "]\n");
    }
    if (req->cuda_major >= 0)
        podsku_buf_printf(out, "  min_cuda_version = \"%d.%d\"\n", req->cuda_major, req->cuda_minor);
    podsku_buf_puts(out, "}\n");
}
