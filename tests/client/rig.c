#include "tests/client/rig.h"

#include <stdio.h>
#include <string.h>

static int64_t rig_wall_ms(void *ctx)
{
    return podsku_clock_wall_ms(podsku_clock_system()) + ((struct rig *)ctx)->slept_ms;
}

static int64_t rig_mono_ms(void *ctx)
{
    return podsku_clock_mono_ms(podsku_clock_system()) + ((struct rig *)ctx)->slept_ms;
}

static void rig_sleep_ms(void *ctx, int64_t ms)
{
    ((struct rig *)ctx)->slept_ms += ms;
}

static void rig_trace(void *ctx, const char *line)
{
    struct rig *rig = ctx;

    podsku_buf_puts(&rig->traced, line);
    podsku_buf_putc(&rig->traced, '\n');
}

static bool rig_interrupted(void *ctx)
{
    struct rig *rig = ctx;

    return rig->interrupt || (rig->interrupt_at && https_server_requests(rig->server) >= rig->interrupt_at);
}

static bool rig_abandoned(void *ctx)
{
    return ((struct rig *)ctx)->abandon;
}

void rig_start_with(struct rig *rig, const struct https_options *options, const struct podsku_client_config *config)
{
    struct podsku_client_config all = config ? *config : (struct podsku_client_config){0};
    char connect_to[64];

    *rig = (struct rig){.clock = {rig_wall_ms, rig_mono_ms, rig_sleep_ms, NULL}};
    rig->clock.ctx = rig;
    rig->server = https_server_start(options);
    assert_non_null(rig->server);
    all.key = all.key ? all.key : RIG_KEY;
    all.clock = &rig->clock;
    all.trace = rig_trace;
    all.interrupted = rig_interrupted;
    all.abandoned = rig_abandoned;
    all.ctx = rig;
    if (!all.url[PODSKU_API_V1])
        all.url[PODSKU_API_V1] = RIG_V1_URL;
    if (!all.connect_to)
        all.connect_to = https_server_connect_to(rig->server, "api.runpod.io", connect_to, sizeof connect_to);
    if (!all.ca_pem)
        all.ca_pem = https_server_ca_pem(rig->server);
    if (podsku_client_new(&all, &rig->client, &rig->err) != PODSKU_OK)
        fail_msg("no client: %s", rig->err.message);
}

void rig_start(struct rig *rig, const struct https_options *options, const struct https_answer *answers, size_t count)
{
    rig_start_with(rig, options, NULL);
    https_server_script(rig->server, answers, count);
}

void rig_stop(struct rig *rig)
{
    podsku_client_free(rig->client);
    https_server_stop(rig->server);
    podsku_buf_free(&rig->traced);
}

void rig_expect(struct rig *rig, enum podsku_code got, enum podsku_code expected, const char *file, int line)
{
    if (got != expected || rig->err.code != expected) {
        print_error("%s:%d: got %s (err %s: %s; %s), expected %s\n", file, line, podsku_code_name(got),
                    podsku_code_name(rig->err.code), rig->err.message, rig->err.where, podsku_code_name(expected));
        _fail(file, line);
    }
    if (strstr(rig->err.message, RIG_KEY) || strstr(rig->err.hint, RIG_KEY) || strstr(rig->err.where, RIG_KEY)) {
        print_error("%s:%d: the key is in the error\n", file, line);
        _fail(file, line);
    }
    podsku_error_clear(&rig->err);
}

void rig_contains(const char *text, const char *part, const char *file, int line)
{
    if (strstr(text, part))
        return;
    print_error("%s:%d: \"%s\" does not hold \"%s\"\n", file, line, text, part);
    _fail(file, line);
}
