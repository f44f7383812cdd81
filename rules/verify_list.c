/*
 * Lists: `nvidia-smi -L` (with MIG devices), `nvlink -s`, query CSV, and the driver's own words.
 * Lists may be there several times; each is a block that begins where the index starts again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/verify_parts.h"

/* --- blocks ------------------------------------------------------------------------------------ */

static void clear_list(struct verify_list *list)
{
    memset(list, 0, sizeof *list);
    memset(list->mig_mode, -1, sizeof list->mig_mode);
}

enum podsku_code podsku_verify_list_init(struct verify_list_reader *reader, struct podsku_error *err)
{
    reader->all = malloc(sizeof *reader->all);
    reader->now = malloc(sizeof *reader->now);
    if (!reader->all || !reader->now)
        return podsku_error_no_memory(err);
    clear_list(reader->all);
    clear_list(reader->now);
    reader->last = -1;
    return PODSKU_OK;
}

void podsku_verify_list_free(struct verify_list_reader *reader)
{
    free(reader->all);
    free(reader->now);
    reader->all = reader->now = NULL;
}

static void merge_mig(struct verify_list *all, const struct verify_list *now, bool *conflict)
{
    if (all->mig_count && now->mig_count) {
        *conflict |= all->mig_count != now->mig_count;
        for (int i = 0; i < all->mig_count && i < now->mig_count; i++)
            *conflict |= all->mig[i].gpu != now->mig[i].gpu || strcmp(all->mig[i].profile, now->mig[i].profile) != 0;
    } else if (now->mig_count) {
        memcpy(all->mig, now->mig, sizeof all->mig);
        all->mig_count = now->mig_count;
    }
}

/* Both are UUIDs as nvidia-smi prints them, whole or both shortened to the same length, and not of one GPU. */
static bool uuids_differ(const char *a, const char *b)
{
    static const char digits[] = "0123456789abcdefABCDEF-";

    if (strncmp(a, "GPU-", 4) != 0 || strncmp(b, "GPU-", 4) != 0 || a[4 + strspn(a + 4, digits)] ||
        b[4 + strspn(b + 4, digits)] || strlen(a) != strlen(b))
        return false; /* blacked out or shortened, in one of them */
    return strcmp(a, b) != 0;
}

/* Every block of one machine names the same GPUs; a later one may be shorter or know more. */
static void end_block(struct verify_list_reader *reader)
{
    struct verify_list *all = reader->all;
    const struct verify_list *now = reader->now;

    for (int i = 0; i < now->count; i++) {
        reader->machines |= uuids_differ(now->uuid[i], all->uuid[i]);
        if (now->name[i][0] && all->name[i][0])
            reader->conflict |= strcmp(now->name[i], all->name[i]) != 0;
        if (!all->name[i][0])
            memcpy(all->name[i], now->name[i], VERIFY_NAME);
        if (!all->uuid[i][0])
            memcpy(all->uuid[i], now->uuid[i], sizeof all->uuid[i]);
        if (all->mig_mode[i] < 0)
            all->mig_mode[i] = now->mig_mode[i];
        if (now->links_up[i] || now->links_down[i]) {
            all->links_up[i] = now->links_up[i];
            all->links_down[i] = now->links_down[i];
        }
    }
    merge_mig(all, now, &reader->conflict);
    reader->conflict |= reader->machines;
    if (now->uuid[0][0] && !now->table && !now->status && now->count > all->whole)
        all->whole = now->count;
    if (now->count > all->count)
        all->count = now->count;
    if (reader->last >= 0)
        clear_list(reader->now);
    reader->last = -1;
}

/* The entry for GPU `index`, in the block that it belongs to; false beyond the maximum. */
static bool enter(struct verify_list_reader *reader, int index)
{
    if (index < 0 || index >= VERIFY_GPUS)
        return false;
    if (index <= reader->last)
        end_block(reader);
    reader->last = index;
    if (index >= reader->now->count)
        reader->now->count = index + 1;
    return true;
}

static void copy_text(char *out, size_t size, const char *text, size_t len)
{
    while (len > 0 && text[len - 1] == ' ')
        len--;
    if (len >= size)
        len = size - 1;
    memcpy(out, text, len);
    out[len] = '\0';
}

/* --- -L and nvlink -s -------------------------------------------------------------------------- */

/*
 * Is the whole text the name of a card? A maker's word first, then words that begin with a capital or a
 * digit: "GPU 0: NVIDIA driver not loaded" in a log is none.
 */
static bool names_a_gpu(const char *text, size_t len)
{
    static const char *const makers[] = {"NVIDIA", "Tesla", "GeForce", "Quadro", "TITAN", "GRID",
                                         "AMD",    "A100",  "A30",     "A40",    "H100",  "RTX"};
    bool maker = false;

    if (len >= VERIFY_NAME)
        return false;
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
        size_t word = strlen(makers[i]);
        maker |= len >= word && memcmp(text, makers[i], word) == 0;
    }
    for (size_t i = 0; maker && i < len; i++) {
        char c = text[i];
        bool capital = (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        bool inside = (c >= 'a' && c <= 'z') || (c && strchr("-/()+.", c));
        if (c != ' ' && !capital && !(inside && i > 0 && text[i - 1] != ' '))
            return false;
    }
    return maker;
}

/* The colon of the line's "GPU 0: ", perhaps behind "GPU models and configuration: "; NULL: it has none. */
static const char *find_gpu_colon(const struct verify_line *line, const char **digits)
{
    const char *end = line->text + line->len;
    const char *at = line->text;

    for (int tries = 0; tries < 4; tries++) {
        at = memmem(at, (size_t)(end - at), "GPU ", 4);
        if (!at || (at > line->text && ((at[-1] >= 'A' && at[-1] <= 'Z') || (at[-1] >= 'a' && at[-1] <= 'z'))))
            return NULL;
        at += 4;
        *digits = at;
        while (at < end && *at >= '0' && *at <= '9')
            at++;
        if (at > *digits && end - at >= 2 && at[0] == ':' && at[1] == ' ')
            return at;
    }
    return NULL;
}

/* "GPU 0: NVIDIA A40 (UUID: GPU-...)": the name ends before the UUID, if there is one. */
static bool read_gpu(struct verify_list_reader *reader, const struct verify_line *line)
{
    const char *end = line->text + line->len;
    const char *digits = NULL;
    const char *colon = find_gpu_colon(line, &digits);

    if (!colon)
        return false;
    const char *name = colon + 2;
    const char *uuid = memmem(name, (size_t)(end - name), " (UUID:", 7);
    const char *name_end = uuid ? uuid : end;
    if (!uuid && !names_a_gpu(name, (size_t)(end - name)))
        return false;
    int index = podsku_verify_token_number(digits, (size_t)(colon - digits));
    /* Where the text ends, or only here without a UUID, the name may be cut. */
    bool with_uuids = reader->last >= 0 && index > reader->last && reader->now->uuid[reader->last][0];
    if (!uuid && (line->last || with_uuids)) {
        reader->cut = true;
        return false;
    }
    if (!enter(reader, index))
        return true;
    reader->listed = true;
    copy_text(reader->now->name[index], VERIFY_NAME, name, (size_t)(name_end - name));
    if (uuid) {
        const char *id = memmem(uuid, (size_t)(end - uuid), "GPU-", 4);
        size_t len = 0;
        while (id && id + len < end && id[len] != ')' && id[len] != ' ')
            len++;
        reader->open = !memchr(uuid, ')', (size_t)(end - uuid));
        reader->closed |= !reader->open;
        if (id && !reader->open)
            copy_text(reader->now->uuid[index], sizeof reader->now->uuid[index], id, len);
    }
    return true;
}

size_t podsku_verify_profile_length(const char *text, size_t len)
{
    size_t i = 0;
    size_t digits;

    /* An optional compute instance, then slices and memory: "1c.3g.20gb", "1g.24gb+gfx". */
    for (int part = 0; part < 3; part++) {
        for (digits = 0; i < len && text[i] >= '0' && text[i] <= '9'; digits++)
            i++;
        if (digits == 0 || digits > 4 || i >= len)
            return 0;
        if (part < 2 && i + 1 < len && (text[i] == 'g' || (part == 0 && text[i] == 'c')) && text[i + 1] == '.') {
            part = text[i] == 'g' ? 1 : 0; /* after "g." comes the memory */
            if (i > 8)
                return 0;
            i += 2;
            continue;
        }
        break;
    }
    if (len - i < 2 || text[i] != 'g' || text[i + 1] != 'b' || !memchr(text, 'g', i))
        return 0;
    i += 2;
    if (i < len && (text[i] == '+' || text[i] == '-' || text[i] == '.')) {
        size_t suffix = i + 1;
        while (suffix < len && ((text[suffix] >= 'a' && text[suffix] <= 'z') || text[suffix] == '.'))
            suffix++;
        if (suffix > i + 1)
            i = suffix;
    }
    return i;
}

/* "  MIG 1g.10gb     Device  0: (UUID: MIG-...)" under its GPU. */
static bool read_mig(struct verify_list_reader *reader, const struct verify_line *line)
{
    struct verify_list *now = reader->now;

    for (size_t i = 0; i + 2 < line->token_count; i++) {
        const struct verify_token *profile = &line->tokens[i + 1];
        if (!podsku_verify_token_is(&line->tokens[i], "MIG") ||
            !podsku_verify_token_is(&line->tokens[i + 2], "Device") ||
            podsku_verify_profile_length(profile->text, profile->len) != profile->len ||
            profile->len >= sizeof now->mig[0].profile)
            continue;
        if (reader->last >= 0 && now->mig_count < VERIFY_MIG_MAX) {
            struct verify_mig *mig = &now->mig[now->mig_count++];
            mig->gpu = reader->last;
            copy_text(mig->profile, sizeof mig->profile, profile->text, profile->len);
        }
        return true;
    }
    return false;
}

/* "         Link 0: 25 GB/s" or "Link 3: <inactive>" under its GPU. */
static bool read_link(struct verify_list_reader *reader, const struct verify_line *line)
{
    if (line->token_count < 3 || !podsku_verify_token_is(&line->tokens[0], "Link"))
        return false;
    bool up = podsku_verify_line_has(line, "GB/s");
    bool down = podsku_verify_line_has(line, "<inactive>");
    if (!up && !down)
        return false;
    reader->nvlink_status = true;
    if (reader->last >= 0) {
        reader->now->status = true;
        reader->now->links_up[reader->last] += up;
        reader->now->links_down[reader->last] += down;
    }
    return true;
}

/* --- CSV --------------------------------------------------------------------------------------- */

#define CSV_FIELDS 64

static size_t split_csv(const struct verify_line *line, struct verify_token fields[CSV_FIELDS])
{
    size_t count = 0;
    const char *at = line->text;
    const char *end = line->text + line->len;

    while (at <= end && count < CSV_FIELDS) {
        const char *comma = at < end ? memchr(at, ',', (size_t)(end - at)) : NULL;
        const char *stop = comma ? comma : end;
        const char *from = at;
        while (from < stop && (*from == ' ' || *from == '\t' || *from == '"'))
            from++;
        size_t len = (size_t)(stop - from);
        while (len > 0 && (from[len - 1] == ' ' || from[len - 1] == '\t' || from[len - 1] == '"'))
            len--;
        fields[count++] = (struct verify_token){from, len};
        if (!comma)
            break;
        at = comma + 1;
    }
    return count;
}

/* A query field's name, perhaps with its unit: "memory.total [MiB]". */
static bool is_field_name(const struct verify_token *field)
{
    size_t i = 0;

    while (i < field->len &&
           ((field->text[i] >= 'a' && field->text[i] <= 'z') || strchr("._0123456789", field->text[i])))
        i++;
    return i > 0 && (i == field->len || field->text[i] == ' ' || field->text[i] == '[');
}

static bool read_csv_header(struct verify_csv *csv, const struct verify_token *fields, size_t count)
{
    struct verify_csv table = {.columns = (int)count, .index = -1, .name = -1, .uuid = -1, .driver = -1, .mig = -1};

    for (size_t i = 0; i < count; i++) {
        if (!is_field_name(&fields[i]))
            return false;
        if (podsku_verify_token_is(&fields[i], "index"))
            table.index = (int)i;
        else if (podsku_verify_token_is(&fields[i], "name") || podsku_verify_token_is(&fields[i], "gpu_name"))
            table.name = (int)i;
        else if (podsku_verify_token_is(&fields[i], "uuid") || podsku_verify_token_is(&fields[i], "gpu_uuid"))
            table.uuid = (int)i;
        else if (podsku_verify_token_is(&fields[i], "driver_version"))
            table.driver = (int)i;
        else if (podsku_verify_token_is(&fields[i], "mig.mode.current"))
            table.mig = (int)i;
    }
    if (table.name < 0 && table.uuid < 0)
        return false; /* nothing that tells one GPU from another */
    *csv = table;
    return true;
}

/* A driver's version: "580.95.05". */
static bool is_version(const struct verify_token *field)
{
    size_t dots = 0;

    for (size_t i = 0; i < field->len; i++) {
        if (field->text[i] == '.')
            dots++;
        else if (field->text[i] < '0' || field->text[i] > '9')
            return false;
    }
    return dots >= 1 && dots <= 2 && field->len >= 5 && field->text[3] == '.';
}

/* Without a header (noheader), fields go by what they are. False if this is no row of GPUs. */
static bool guess_csv(struct verify_csv *csv, const struct verify_token *fields, size_t count)
{
    struct verify_csv table = {.columns = (int)count, .index = -1, .name = -1, .uuid = -1, .driver = -1, .mig = -1};
    bool memory = false;

    for (size_t i = 0; i < count; i++) {
        const struct verify_token *field = &fields[i];
        if (table.name < 0 && names_a_gpu(field->text, field->len))
            table.name = (int)i;
        else if (table.uuid < 0 && field->len == 40 && memcmp(field->text, "GPU-", 4) == 0)
            table.uuid = (int)i;
        else if (table.driver < 0 && is_version(field))
            table.driver = (int)i;
        else if (i == 0 && podsku_verify_token_number(field->text, field->len) >= 0)
            table.index = 0;
        memory |= field->len > 4 && memcmp(field->text + field->len - 4, " MiB", 4) == 0;
    }
    /* A name and a version alone may be prose: "NVIDIA A100, 550.54". */
    if (table.name < 0 || (table.uuid < 0 && table.index < 0 && !memory))
        return false;
    *csv = table;
    return true;
}

static bool is_sampled(const struct verify_list *list, const struct verify_token *uuid)
{
    for (int i = 0; i < list->count; i++) {
        if (uuid->len > 0 && podsku_verify_token_is(uuid, list->uuid[i]))
            return true;
    }
    return false;
}

static bool read_csv_row(struct verify_list_reader *reader, const struct verify_token *fields)
{
    struct verify_csv *csv = &reader->csv;
    int index = csv->row;

    if (csv->index >= 0)
        index = podsku_verify_token_number(fields[csv->index].text, fields[csv->index].len);
    if (csv->name >= 0 && !names_a_gpu(fields[csv->name].text, fields[csv->name].len))
        return false;
    /* Without an index, a GPU that was there already begins the next sample. */
    if (csv->index < 0 && csv->uuid >= 0 && is_sampled(reader->now, &fields[csv->uuid]))
        index = csv->row = 0;
    if (!enter(reader, index))
        return false;
    csv->row++;
    reader->listed = true;
    reader->now->table = true;
    if (csv->name >= 0)
        copy_text(reader->now->name[index], VERIFY_NAME, fields[csv->name].text, fields[csv->name].len);
    if (csv->uuid >= 0)
        copy_text(reader->now->uuid[index], sizeof reader->now->uuid[index], fields[csv->uuid].text,
                  fields[csv->uuid].len);
    if (csv->driver >= 0 && is_version(&fields[csv->driver]))
        copy_text(reader->driver, sizeof reader->driver, fields[csv->driver].text, fields[csv->driver].len);
    if (csv->mig >= 0)
        reader->now->mig_mode[index] = podsku_verify_token_is(&fields[csv->mig], "Enabled")    ? 1
                                       : podsku_verify_token_is(&fields[csv->mig], "Disabled") ? 0
                                                                                               : -1;
    return true;
}

static bool read_csv(struct verify_list_reader *reader, const struct verify_line *line)
{
    struct verify_token fields[CSV_FIELDS];
    struct verify_csv guess;

    if (reader->csv.columns == 0 && !memchr(line->text, ',', line->len) && line->token_count != 1)
        return false;
    size_t count = split_csv(line, fields);
    if (read_csv_header(&reader->csv, fields, count)) {
        end_block(reader);
        return true;
    }
    if (line->unfinished) { /* a cut row: its name may be cut, too */
        if (reader->csv.columns && count > 0)
            reader->cut |= count > 1 || names_a_gpu(fields[0].text, fields[0].len) ||
                           podsku_verify_token_number(fields[0].text, fields[0].len) >= 0;
        return false;
    }
    if (reader->csv.columns == (int)count && read_csv_row(reader, fields))
        return true;
    reader->csv.columns = 0;
    if (count < 2 || !guess_csv(&guess, fields, count))
        return false;
    end_block(reader);
    reader->csv = guess;
    return read_csv_row(reader, fields);
}

/* --- the driver -------------------------------------------------------------------------------- */

static void read_driver(struct verify_list_reader *reader, const struct verify_line *line)
{
    static const char *const failures[] = {
        "NVIDIA-SMI has failed because",
        "Failed to initialize NVML",
        "couldn't communicate with the NVIDIA driver",
        "Unable to determine the device handle for",
        "GPU is lost",
        "Driver/library version mismatch",
        "NVIDIA-SMI couldn't find libnvidia-ml",
    };
    /* bash, sh, docker; zsh; cmd and PowerShell */
    static const char *const missing[] = {
        "nvidia-smi: command not found", "nvidia-smi: not found",         "exec: \"nvidia-smi\"",
        "command not found: nvidia-smi", "nvidia-smi' is not recognized", "nvidia-smi is not recognized",
    };
    static const char *const labels[] = {"Driver Version: ", "driver version: "};

    /* Every text above has one of these: the many rows of a matrix have none. */
    if (!podsku_verify_line_has(line, "NV") && !podsku_verify_line_has(line, "nvidia") &&
        !podsku_verify_line_has(line, "evices") && !podsku_verify_line_has(line, "river ") &&
        !podsku_verify_line_has(line, "Unable") && !podsku_verify_line_has(line, "GPU is"))
        return;
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
        reader->driver_failed |= podsku_verify_line_has(line, failures[i]);
    reader->no_devices |= podsku_verify_line_has(line, "No devices were found");
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        reader->no_smi |= podsku_verify_line_has(line, missing[i]);
    for (size_t i = 0; i < 2; i++) {
        const char *at = memmem(line->text, line->len, labels[i], strlen(labels[i]));
        if (!at)
            continue;
        at += strlen(labels[i]);
        size_t len = 0;
        while (at + len < line->text + line->len && (at[len] == '.' || (at[len] >= '0' && at[len] <= '9')))
            len++;
        struct verify_token version = {at, len};
        if (is_version(&version) && !(line->unfinished && at + len == line->text + line->len))
            copy_text(reader->driver, sizeof reader->driver, at, len);
    }
}

/*
 * Does a list end in the middle of an entry? The line before has no end, and neither has this one its
 * rest; or the text ends where the next entry has begun: "GPU 3: NVI".
 */
static void note_cut(struct verify_list_reader *reader, const struct verify_line *line)
{
    static const char *const starts[] = {"GPU", "MIG"};
    const struct verify_token *first = &line->tokens[0];

    reader->cut |= reader->open && reader->closed && !memchr(line->text, ')', line->len);
    for (size_t i = 0; reader->entered && line->last && i < 2; i++) {
        bool start = first->len > 0 && first->len <= 3 && memcmp(first->text, starts[i], first->len) == 0;
        reader->cut |= start && line->text[line->len - 1] != ')';
    }
    reader->open = false;
}

void podsku_verify_list_line(struct verify_list_reader *reader, const struct verify_line *line)
{
    if (line->token_count == 0) {
        reader->csv.columns = 0;
        return;
    }
    note_cut(reader, line);
    read_driver(reader, line);
    reader->entered = read_gpu(reader, line) || read_mig(reader, line);
    if (reader->entered || read_link(reader, line)) {
        reader->csv.columns = 0;
        return;
    }
    (void)read_csv(reader, line);
}

void podsku_verify_list_end(struct verify_list_reader *reader)
{
    end_block(reader);
    reader->cut |= reader->open;
    reader->all->complete = reader->all->count > 0;
    for (int i = 0; i < reader->all->count; i++)
        reader->all->complete &= reader->all->name[i][0] || reader->all->uuid[i][0];
}
