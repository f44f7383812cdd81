/*
 * NCCL_DEBUG=INFO logs: over which transport each channel between two ranks runs.
 *   HOST:PID:TID [DEV] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM
 *   ... NCCL INFO Channel 01/0 : 15[7] -> 6[6] [send] via NET/Socket/3
 *   ... NCCL INFO Ring 00 : 35 -> 34 [receive] via NET/Socket/0          (old)
 *   ... NCCL INFO ncclCommInitRank comm 0x.. rank 0 nranks 16 cudaDev 0 nvmlDev 0 busId .. - Init COMPLETE
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/verify_parts.h"

void podsku_verify_nccl_free(struct verify_nccl *nccl)
{
    free(nccl->ranks);
    free(nccl->pairs);
    nccl->ranks = NULL;
    nccl->pairs = NULL;
}

/* The tables are large, and most texts have no line of NCCL. */
static bool set_up(struct verify_nccl *nccl)
{
    if (nccl->ranks || nccl->failed)
        return !nccl->failed;
    nccl->ranks = malloc(VERIFY_RANKS * sizeof *nccl->ranks);
    nccl->pairs = malloc(VERIFY_NCCL_PAIRS * sizeof *nccl->pairs);
    nccl->failed = !nccl->ranks || !nccl->pairs;
    if (nccl->failed)
        return false;
    for (int i = 0; i < VERIFY_RANKS; i++)
        nccl->ranks[i] = (struct verify_rank){-1, -1, 0};
    for (int i = 0; i < VERIFY_NCCL_PAIRS; i++)
        nccl->pairs[i] = (struct verify_nccl_pair){-1, -1, -1, -1, false, false};
    return true;
}

/* --- ranks and pairs, hashed; what does not fit any more is left out -------------------------- */

static struct verify_rank *rank_slot(struct verify_nccl *nccl, int rank)
{
    unsigned at = (unsigned)rank * 2654435761u % VERIFY_RANKS;

    while (nccl->ranks[at].rank != rank) {
        if (nccl->ranks[at].rank < 0) {
            if (nccl->rank_count >= VERIFY_RANKS / 2)
                return NULL;
            nccl->rank_count++;
            nccl->ranks[at].rank = rank;
            break;
        }
        at = (at + 1) % VERIFY_RANKS;
    }
    return &nccl->ranks[at];
}

static const struct verify_rank *rank_find(const struct verify_nccl *nccl, int rank)
{
    unsigned at = (unsigned)rank * 2654435761u % VERIFY_RANKS;

    while (nccl->ranks && nccl->ranks[at].rank >= 0) {
        if (nccl->ranks[at].rank == rank)
            return &nccl->ranks[at];
        at = (at + 1) % VERIFY_RANKS;
    }
    return NULL;
}

static int device_of(const struct verify_nccl *nccl, int rank)
{
    const struct verify_rank *slot = nccl->communicators ? NULL : rank_find(nccl, rank);

    return slot ? slot->device : -1;
}

void podsku_verify_nccl_gpus(const struct verify_nccl *nccl, const struct verify_nccl_pair *pair, int *a, int *b)
{
    *a = pair->gpu_a >= 0 ? pair->gpu_a : device_of(nccl, pair->a);
    *b = pair->gpu_b >= 0 ? pair->gpu_b : device_of(nccl, pair->b);
    if (nccl->communicators && *a > *b) {
        int lower = *b;
        *b = *a;
        *a = lower;
    }
}

const char *podsku_verify_nccl_pair_text(const struct verify_nccl *nccl, const struct verify_nccl_pair *pair,
                                         char text[VERIFY_PAIR_TEXT])
{
    int a;
    int b;

    podsku_verify_nccl_gpus(nccl, pair, &a, &b);
    if (nccl->communicators && a >= 0 && b >= 0)
        snprintf(text, VERIFY_PAIR_TEXT, "GPU%d and GPU%d", a, b);
    else
        snprintf(text, VERIFY_PAIR_TEXT, "ranks %d and %d", pair->a, pair->b);
    return text;
}

static void add_pair(struct verify_nccl *nccl, struct verify_nccl_pair pair)
{
    if (pair.a > pair.b)
        pair = (struct verify_nccl_pair){pair.b, pair.a, pair.gpu_b, pair.gpu_a, pair.net, false};
    unsigned key = (unsigned)pair.a * 2654435761u + (unsigned)pair.b * 40503u + pair.net;
    unsigned at = (key + (unsigned)(pair.gpu_a + 1) * 97u + (unsigned)(pair.gpu_b + 1) * 9973u) % VERIFY_NCCL_PAIRS;

    while (nccl->pairs[at].a >= 0) {
        const struct verify_nccl_pair *old = &nccl->pairs[at];
        if (old->a == pair.a && old->b == pair.b && old->gpu_a == pair.gpu_a && old->gpu_b == pair.gpu_b &&
            old->net == pair.net)
            return;
        at = (at + 1) % VERIFY_NCCL_PAIRS;
    }
    if (nccl->pair_count >= VERIFY_NCCL_PAIRS / 2)
        return;
    nccl->pair_count++;
    nccl->pairs[at] = pair;
}

/* --- one line ---------------------------------------------------------------------------------- */

/* "15[7]" or "15": the rank, and the device (-1: not there, or a bus id). */
static int read_peer(const struct verify_token *token, int *device)
{
    const char *bracket = memchr(token->text, '[', token->len);
    size_t digits = bracket ? (size_t)(bracket - token->text) : token->len;

    *device = -1;
    if (bracket) {
        size_t len = token->len - digits - 1;
        if (len > 0 && bracket[len] == ']')
            len--;
        /* Old versions print a bus id in hex there; a device is one or two digits. */
        if (len <= 2)
            *device = podsku_verify_token_number(bracket + 1, len);
    }
    return podsku_verify_token_number(token->text, digits);
}

static uint64_t read_host(const struct verify_line *line)
{
    const char *mark = memmem(line->text, line->len, " NCCL ", 6);
    uint64_t hash = 14695981039346656037u;

    if (!mark)
        return 0;
    for (size_t i = 0; i < line->token_count && line->tokens[i].text < mark; i++) {
        const char *text = line->tokens[i].text;
        size_t len = line->tokens[i].len;
        const char *colon = memchr(text, ':', len);
        /* HOST:PID:TID */
        if (!colon || !memchr(colon + 1, ':', (size_t)(text + len - colon - 1)))
            continue;
        bool digits = true;
        for (const char *p = colon + 1; p < text + len; p++)
            digits &= *p == ':' || (*p >= '0' && *p <= '9');
        if (!digits)
            continue; /* a time, a path */
        for (const char *p = text; p < colon; p++)
            hash = (hash ^ (unsigned char)*p) * 1099511628211u;
        return hash ? hash : 1;
    }
    return 0;
}

static void learn(struct verify_nccl *nccl, int rank, uint64_t host, int device)
{
    struct verify_rank *slot = rank >= 0 ? rank_slot(nccl, rank) : NULL;

    if (!slot)
        return;
    bool same_host = !host || !slot->host || slot->host == host;
    nccl->communicators |= same_host && device >= 0 && slot->device >= 0 && slot->device != device;
    if (host)
        slot->host = host;
    if (device >= 0)
        slot->device = device;
}

/*
 * "P2P/CUMEM/read" -> "P2P/CUMEM", "NET/IB/2/GDRDMA" -> "NET/IB", "P2P/direct pointer", a plugin's
 * "NET/AWS Libfabric/0".
 */
static size_t transport_length(const char *text, const char *end)
{
    static const char direct[] = "P2P/direct pointer";
    bool net = end - text > 4 && memcmp(text, "NET/", 4) == 0;
    size_t blank = 0; /* where the name would end if blanks end it */
    size_t len = 0;
    int slashes = 0;

    if ((size_t)(end - text) >= sizeof direct - 1 && memcmp(text, direct, sizeof direct - 1) == 0)
        return sizeof direct - 1;
    for (; text + len < end && text[len] != '\t'; len++) {
        slashes += text[len] == '/';
        if (slashes == 2)
            return len;
        if (text[len] == ' ' && !blank)
            blank = len;
        if (blank && (!net || text[len] == ':' || text[len] == '['))
            return blank; /* what follows is no part of a plugin's name */
    }
    return blank ? blank : len;
}

/* A transport's name: "P2P/IPC", "SHM", "NET/AWS Libfabric". Two writers in one line leave others. */
static bool is_transport(const char *text, size_t len)
{
    size_t top = 0;

    while (top < len && ((text[top] >= 'A' && text[top] <= 'Z') || (text[top] >= '0' && text[top] <= '9')))
        top++;
    if (top < 2 || (top < len && text[top] != '/'))
        return false;
    for (size_t i = top; i < len; i++) {
        if (text[i] < ' ' || text[i] > '~' || strchr(":[]()<>=,", text[i]))
            return false;
    }
    return true;
}

static void count_transport(struct verify_nccl *nccl, const char *text, size_t len, int channels)
{
    int i = 0;

    if (len >= sizeof nccl->transports[0].name || !is_transport(text, len))
        return; /* the line is damaged */
    while (i < nccl->transport_count &&
           (strlen(nccl->transports[i].name) != len || memcmp(nccl->transports[i].name, text, len) != 0))
        i++;
    if (i == VERIFY_TRANSPORTS)
        return;
    if (i == nccl->transport_count) {
        memcpy(nccl->transports[i].name, text, len);
        nccl->transport_count++;
    }
    nccl->transports[i].channels += channels;
}

/* The words "A -> B [send] via TRANSPORT" of a line that has " via ". */
static void read_channel(struct verify_nccl *nccl, const struct verify_line *line, size_t arrow)
{
    static const char shared[] = "direct shared memory";
    const char *end = line->text + line->len;
    size_t via = arrow + 2;
    int from_device;
    int to_device = -1;

    while (via < line->token_count && !podsku_verify_token_is(&line->tokens[via], "via"))
        via++;
    if (via + 1 >= line->token_count || (line->unfinished && via + 2 == line->token_count))
        return;
    const char *transport = line->tokens[via + 1].text;
    size_t len = transport_length(transport, end);
    /* Before 2.12 shared memory was spelled out. */
    if ((size_t)(end - transport) >= sizeof shared - 1 && memcmp(transport, shared, sizeof shared - 1) == 0) {
        transport = "SHM";
        len = 3;
    }
    int from = read_peer(&line->tokens[arrow - 1], &from_device);
    int to = read_peer(&line->tokens[arrow + 1], &to_device);
    bool receive = false;
    for (size_t i = arrow + 2; i < via; i++)
        receive |= podsku_verify_token_is(&line->tokens[i], "receive");
    if (from < 0)
        return;
    nccl->seen = true;
    /* Each network channel is printed by its sender and by its receiver: count it once. */
    if (!receive)
        count_transport(nccl, transport, len, 1);
    uint64_t host = read_host(line);
    learn(nccl, from, receive ? 0 : host, from_device);
    if (to < 0)
        return;
    learn(nccl, to, receive ? host : 0, to_device);
    bool net = len >= 3 && memcmp(transport, "NET", 3) == 0;
    if (net || (len >= 3 && memcmp(transport, "SHM", 3) == 0))
        add_pair(nccl, (struct verify_nccl_pair){from, to, from_device, to_device, net, false});
}

/* "16 nvls channels": how many; 0: the line does not say. */
static int read_nvls(const struct verify_line *line)
{
    for (size_t i = 1; i + 1 < line->token_count; i++) {
        if (podsku_verify_token_is(&line->tokens[i], "nvls") &&
            memcmp(line->tokens[i + 1].text, "channels", line->tokens[i + 1].len < 8 ? line->tokens[i + 1].len : 8) ==
                0) {
            int number = podsku_verify_token_number(line->tokens[i - 1].text, line->tokens[i - 1].len);
            return number > 0 ? number : 0;
        }
    }
    return 0;
}

static int number_after(const struct verify_line *line, const char *word)
{
    for (size_t i = 0; i + 1 < line->token_count; i++) {
        if (podsku_verify_token_is(&line->tokens[i], word))
            return podsku_verify_token_number(line->tokens[i + 1].text, line->tokens[i + 1].len);
    }
    return -1;
}

void podsku_verify_nccl_line(struct verify_nccl *nccl, const struct verify_line *line)
{
    bool info = podsku_verify_line_has(line, "NCCL INFO");
    bool via = podsku_verify_line_has(line, " via ");

    if ((!info && !via) || !set_up(nccl))
        return;
    for (size_t i = 1; via && i + 1 < line->token_count; i++) {
        /* "Channel 00/0 : 0[0] -> 1[1]"; the '>' of the arrow is punctuation to the word splitter. */
        if ((podsku_verify_token_is(&line->tokens[i], "-") || podsku_verify_token_is(&line->tokens[i], "->")) &&
            (podsku_verify_line_has(line, "Channel ") || podsku_verify_line_has(line, "Ring "))) {
            read_channel(nccl, line, i);
            return;
        }
    }
    if (!info)
        return;
    int rank = number_after(line, "rank");
    int device = number_after(line, "nvmlDev");
    int nodes = number_after(line, "nNodes");
    if (rank >= 0 && podsku_verify_line_has(line, " comm "))
        learn(nccl, rank, read_host(line), device);
    if (nodes > nccl->nodes)
        nccl->nodes = nodes;
    int nvls = read_nvls(line);
    if (nvls > nccl->nvls_channels)
        nccl->nvls_channels = nvls;
}

/* --- the end ----------------------------------------------------------------------------------- */

/* Are both on one machine? UNKNOWN without host names. */
static enum podsku_tri same_machine(const struct verify_nccl *nccl, int a, int b)
{
    const struct verify_rank *x = rank_find(nccl, a);
    const struct verify_rank *y = rank_find(nccl, b);

    if (nccl->nodes == 1)
        return PODSKU_YES;
    if (!x || !y || !x->host || !y->host)
        return PODSKU_UNKNOWN;
    return x->host == y->host ? PODSKU_YES : PODSKU_NO;
}

static int compare_pairs(const void *left, const void *right)
{
    const struct verify_nccl_pair *x = left;
    const struct verify_nccl_pair *y = right;

    if (x->slow != y->slow)
        return x->slow ? -1 : 1;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    if (x->b != y->b)
        return x->b < y->b ? -1 : 1;
    if (x->gpu_a != y->gpu_a)
        return x->gpu_a < y->gpu_a ? -1 : 1;
    if (x->gpu_b != y->gpu_b)
        return x->gpu_b < y->gpu_b ? -1 : 1;
    return (int)x->net - (int)y->net;
}

void podsku_verify_nccl_end(struct verify_nccl *nccl)
{
    int count = 0;
    bool socket = false;

    if (nccl->failed)
        return;

    if (nccl->seen && nccl->nvls_channels)
        count_transport(nccl, "NVLS", 4, nccl->nvls_channels);
    for (int i = 0; i < nccl->transport_count; i++)
        socket |= strcmp(nccl->transports[i].name, "NET/Socket") == 0;
    for (int i = 0; nccl->pairs && i < VERIFY_NCCL_PAIRS; i++) {
        struct verify_nccl_pair pair = nccl->pairs[i];
        if (pair.a < 0)
            continue;
        enum podsku_tri same = same_machine(nccl, pair.a, pair.b);
        /* Shared memory is within a machine by its nature. */
        pair.slow = !pair.net || same == PODSKU_YES;
        nccl->socket_between |= pair.net && same != PODSKU_YES && socket;
        nccl->pairs[count++] = pair;
    }
    nccl->pair_count = count;
    if (!count)
        return;
    qsort(nccl->pairs, (size_t)count, sizeof nccl->pairs[0], compare_pairs);
    while (nccl->slow_count < count && nccl->pairs[nccl->slow_count].slow)
        nccl->slow_count++;
}
