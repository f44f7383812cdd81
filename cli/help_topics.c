#include "cli/help.h"

#include <string.h>

static const struct {
    const char *name, *summary;
} topics[] = {
    {"nvlink", "what NVLink is worth, which types have it, and why a name is a hint"},
    {"topology", "reading nvidia-smi topo -m, topo -p2p and NCCL's choice of transport"},
    {"mig", "slices of a card: profiles, limits, and what is sold"},
    {"sharing", "how far each way of sharing a card isolates"},
    {"clusters", "several machines: sizes, bandwidths, premium"},
    {"catalogue", "where prices and stock come from, and how they mislead"},
};
static const char *const names[] = {"nvlink", "topology", "mig", "sharing", "clusters", "catalogue", NULL};

const char *const *cli_topic_names(void)
{
    return names;
}

const char *cli_topic_summary(const char *topic)
{
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++) {
        if (strcmp(topics[i].name, topic) == 0)
            return topics[i].summary;
    }
    return NULL;
}

bool cli_is_topic(const char *word)
{
    return cli_topic_summary(word) != NULL;
}

bool cli_help_topic(struct podsku_buf *out, const char *topic, int width)
{
    (void)width;
    if (cli_is_topic(topic))
        podsku_buf_printf(out, "%s\n", cli_topic_summary(topic));
    return cli_is_topic(topic);
}
