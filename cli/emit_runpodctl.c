/*
 * runpodctl 2.x: one `pod create` names one GPU type. The first candidate is the command, the others
 * are comments: running the next one after a failure could rent twice when only the answer was lost.
 * Source: Runpod's documentation of runpodctl, November 2026.
 */
#include "cli/emit.h"

static void put_words(struct podsku_buf *out, const char *flag, const struct podsku_words *words)
{
    struct podsku_buf joined = {0};

    if (words->count == 0)
        return;
    for (size_t i = 0; i < words->count; i++)
        podsku_buf_printf(&joined, "%s%s", i ? "," : "", words->list[i]);
    podsku_buf_printf(out, " %s ", flag);
    cli_shell_word(out, podsku_buf_text(&joined));
    out->failed |= podsku_buf_failed(&joined);
    podsku_buf_free(&joined);
}

static void put_command(const struct pick_view *view, struct podsku_buf *out, const struct podsku_offer *offer)
{
    podsku_buf_puts(out, "runpodctl pod create --gpu-id ");
    cli_shell_word(out, offer->type->id);
    podsku_buf_printf(out, " --gpu-count %d --cloud-type %s", offer->gpus, podsku_cloud_name(offer->cloud));
    put_words(out, "--data-center-ids", &view->req->data_centers);
    if (view->req->cuda_major >= 0)
        podsku_buf_printf(out, " --min-cuda-version %d.%d", view->req->cuda_major, view->req->cuda_minor);
    if (view->req->countries.count == 1)
        put_words(out, "--country-code", &view->req->countries);
    podsku_buf_puts(out, " --image IMAGE\n");
}

void cli_emit_runpodctl(const struct pick_view *view, struct podsku_buf *out)
{
    const struct podsku_decision *decision = view->decision;
    const struct podsku_requirement *req = view->req;

    cli_emit_banner(view, out, "runpodctl");
    podsku_buf_puts(
        out, "# runpodctl cannot express: a price cap, a fallback (run the next line only when `runpodctl pod list`\n"
             "# shows that nothing was made), NVLink or a look at the machine (see `podsku verify --pod ID`).\n");
    if (req->region || req->compliance.count || req->countries.count > 1)
        podsku_buf_puts(out,
                        "# Region, compliance and several countries are not in here: name data centers instead.\n");
    for (size_t i = 0; i < decision->candidate_count; i++) {
        cli_emit_comment(out, "", i + 1, &decision->candidates[i]);
        podsku_buf_puts(out, i ? "# " : "");
        put_command(view, out, &decision->candidates[i]);
    }
}
