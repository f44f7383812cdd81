#include "cli/observations.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"

static const char file_name[] = "observations.jsonl";

enum { FILE_MAX = 64 << 20 };

/* Where the file would be: the folder need not exist, and reading does not make it. False without a home. */
static bool file_path(char path[PATH_MAX])
{
    const char *state = getenv("XDG_STATE_HOME");
    const char *home = getenv("HOME");
    int len;

    if (state && state[0] == '/')
        len = snprintf(path, PATH_MAX, "%s/podsku/%s", state, file_name);
    else if (home && *home)
        len = snprintf(path, PATH_MAX, "%s/.local/state/podsku/%s", home, file_name);
    else
        return false;
    return len > 0 && len < PATH_MAX;
}

static char *copy_text(const json_t *object, const char *key, bool *ok)
{
    const char *text = json_string_value(json_object_get(object, key));
    char *copy = text ? strdup(text) : NULL;

    if (text && !copy)
        *ok = false;
    return copy;
}

static void clear(struct cli_observation *observation)
{
    free(observation->gpu);
    free(observation->cloud);
    free(observation->data_center);
    free(observation->verdict);
    *observation = (struct cli_observation){0};
}

/* One line; PODSKU_OK with *readable false when it is no observation. */
static enum podsku_code read_line(const char *line, size_t len, struct cli_observation *observation, bool *readable,
                                  struct podsku_error *err)
{
    struct podsku_error line_err = {0};
    json_t *object;
    bool ok = true;

    *readable = false;
    if (podsku_json_read(line, len, file_name, PODSKU_STATE, &object, &line_err) != PODSKU_OK)
        return line_err.code == PODSKU_NO_MEMORY ? podsku_error_no_memory(err) : PODSKU_OK;
    const char *at = json_string_value(json_object_get(object, "at"));
    observation->gpu = copy_text(object, "gpu", &ok);
    observation->cloud = copy_text(object, "cloud", &ok);
    observation->data_center = copy_text(object, "data_center", &ok);
    observation->verdict = copy_text(object, "verdict", &ok);
    observation->gpus = (int)json_integer_value(json_object_get(object, "gpus"));
    if (!at || !podsku_time_parse(at, &observation->at_ms))
        observation->at_ms = 0;
    json_decref(object);
    *readable = observation->gpu && observation->verdict;
    if (!*readable || !ok)
        clear(observation);
    return ok ? PODSKU_OK : podsku_error_no_memory(err);
}

static enum podsku_code read_lines(const char *bytes, size_t len, struct cli_observations *observations,
                                   struct podsku_error *err)
{
    const char *end = bytes + len;
    size_t room = 0;

    for (const char *line = bytes; line < end;) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        const char *stop = newline ? newline : end;
        struct cli_observation observation = {0};
        bool readable;
        enum podsku_code code = read_line(line, (size_t)(stop - line), &observation, &readable, err);
        if (code != PODSKU_OK)
            return code;
        if (!readable) {
            observations->unreadable++;
        } else {
            if (observations->count == room) {
                size_t more = room ? 2 * room : 16;
                struct cli_observation *list = realloc(observations->list, more * sizeof *list);
                if (!list) {
                    clear(&observation);
                    return podsku_error_no_memory(err);
                }
                observations->list = list;
                room = more;
            }
            observations->list[observations->count++] = observation;
        }
        line = stop + 1;
    }
    return PODSKU_OK;
}

enum podsku_code cli_observations_load(struct cli *cli, struct cli_observations *observations)
{
    char path[PATH_MAX];
    struct podsku_buf bytes = {0};
    struct podsku_error err = {0};

    *observations = (struct cli_observations){0};
    if (!file_path(path) || access(path, F_OK) != 0)
        return PODSKU_OK;
    enum podsku_code code = podsku_file_read(path, FILE_MAX, &bytes, &err);
    if (code == PODSKU_OK)
        code = read_lines(podsku_buf_text(&bytes), bytes.len, observations, &cli->err);
    else
        code = podsku_error_set(&cli->err, PODSKU_STATE, "%s", err.message);
    if (code != PODSKU_OK)
        cli_observations_free(observations);
    podsku_buf_free(&bytes);
    return code;
}

void cli_observations_free(struct cli_observations *observations)
{
    if (!observations)
        return;
    for (size_t i = 0; i < observations->count; i++)
        clear(&observations->list[i]);
    free(observations->list);
    *observations = (struct cli_observations){0};
}

json_t *cli_observation_json(const struct cli_observation *observation)
{
    json_t *object = json_object();

    bool whole =
        podsku_json_set(object, "gpu", podsku_json_text(observation->gpu)) &&
        podsku_json_set(object, "cloud", podsku_json_text(observation->cloud)) &&
        podsku_json_set(object, "gpus", observation->gpus > 0 ? json_integer(observation->gpus) : json_null()) &&
        podsku_json_set(object, "data_center", podsku_json_text(observation->data_center)) &&
        podsku_json_set(object, "verdict", podsku_json_text(observation->verdict)) &&
        podsku_json_set(object, "at", podsku_json_time(observation->at_ms));
    return podsku_json_whole(object, whole);
}

static enum podsku_code append_line(const char *path, const struct podsku_buf *line, struct podsku_error *err)
{
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    ssize_t done;

    if (fd < 0)
        return podsku_error_set(err, PODSKU_STATE, "cannot open %s: %s", path, strerror(errno));
    do
        done = write(fd, line->data, line->len);
    while (done < 0 && errno == EINTR);
    int failure = done < 0 ? errno : (size_t)done < line->len ? ENOSPC : 0;
    if (close(fd) != 0 && !failure)
        failure = errno;
    return failure ? podsku_error_set(err, PODSKU_STATE, "cannot write %s: %s", path, strerror(failure)) : PODSKU_OK;
}

enum podsku_code cli_observations_add(struct cli *cli, const struct cli_observation *observation)
{
    struct cli_observation dated = *observation;
    struct podsku_buf line = {0};
    char path[PATH_MAX];
    const char *dir;
    enum podsku_code code = cli_state_dir(cli, &dir);

    if (code != PODSKU_OK)
        return code;
    if (!dated.at_ms)
        dated.at_ms = podsku_clock_wall_ms(podsku_clock_system());
    json_t *object = cli_observation_json(&dated);
    podsku_json_write(&line, object, false);
    json_decref(object);
    podsku_buf_putc(&line, '\n');
    if (podsku_buf_failed(&line))
        code = podsku_error_no_memory(&cli->err);
    else if ((size_t)snprintf(path, sizeof path, "%s/%s", dir, file_name) >= sizeof path)
        code = podsku_error_set(&cli->err, PODSKU_STATE, "the path of the state folder is too long");
    else
        code = append_line(path, &line, &cli->err);
    podsku_buf_free(&line);
    return code;
}
