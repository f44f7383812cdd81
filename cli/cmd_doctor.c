/* podsku doctor: what keeps podsku from working here, and what to do about it. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/json.h"
#include "cli/child.h"
#include "cli/command.h"
#include "cli/json_offer.h"
#include "cli/signals.h"
#include "cli/ssh.h"
#include "client/api.h"
#include "client/journal.h"

#define SKEW_MS 60000 /* more than this, and marks and certificates are judged by a wrong time */
#define SSH_MS 10000

enum outcome { FINE, BAD, UNKNOWN }; /* UNKNOWN: could not be looked at; no failure of its own */

struct doctor {
    struct cli *cli;
    struct podsku_client *client;
    json_t *checks;
    struct podsku_buf text;
    size_t bad;
    bool failed;
    enum podsku_code first; /* of the first failed check: the exit status */
};

/* One check. fix: what to do; NULL when there is nothing to do. */
static void check(struct doctor *doctor, const char *name, enum outcome outcome, enum podsku_code code, const char *fix,
                  const char *fmt, ...) PODSKU_PRINTF(6, 7);
static void check(struct doctor *doctor, const char *name, enum outcome outcome, enum podsku_code code, const char *fix,
                  const char *fmt, ...)
{
    static const char *const marks[] = {[FINE] = "ok", [BAD] = "BAD", [UNKNOWN] = "-"};
    char message[768];
    json_t *row = json_object();
    va_list args;
    bool ok;

    va_start(args, fmt);
    (void)vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    ok = podsku_json_set(row, "name", json_string(name)) &&
         podsku_json_set(row, "ok", outcome == UNKNOWN ? json_null() : json_boolean(outcome == FINE)) &&
         podsku_json_set(row, "message", podsku_json_text(message)) &&
         podsku_json_set(row, "fix", podsku_json_text(fix));
    if (!ok || json_array_append(doctor->checks, row) != 0)
        doctor->failed = true;
    json_decref(row);
    podsku_buf_printf(&doctor->text, "%-4s %-10s %s\n", marks[outcome], name, message);
    if (fix)
        podsku_buf_printf(&doctor->text, "                %s\n", fix);
    if (outcome == BAD && doctor->bad++ == 0)
        doctor->first = code;
}

static void fail(struct doctor *doctor, const char *name, struct podsku_error *err)
{
    check(doctor, name, BAD, err->code, err->hint[0] ? err->hint : NULL, "%s%s%s", err->message,
          err->where[0] ? ": " : "", err->where);
    podsku_error_clear(err);
}

static void look_at_key(struct doctor *doctor)
{
    struct cli *cli = doctor->cli;

    if (cli_find_key(cli) != PODSKU_OK)
        fail(doctor, "key", &cli->err);
    else if (!cli->key)
        check(doctor, "key", BAD, PODSKU_AUTH,
              "set RUNPOD_API_KEY, or RUNPOD_API_KEY_FILE to a file that only you can read; without one these work: "
              "pick, evaluate and catalog with --catalog bundled, graphql or FILE, verify of a text, help, deploy "
              "--dry-run",
              "no API key");
    else
        check(doctor, "key", FINE, PODSKU_OK, NULL, "from %s", cli->key_source);
}

static void look_at_clock(struct doctor *doctor, const struct podsku_response *response)
{
    int64_t served_ms;
    int64_t skew_ms;

    if (!podsku_time_parse_http(response->date, &served_ms)) {
        check(doctor, "clock", UNKNOWN, PODSKU_OK, NULL, "the service does not say its time");
        return;
    }
    skew_ms = podsku_clock_wall_ms(podsku_client_clock(doctor->client)) - served_ms;
    if (skew_ms > SKEW_MS || skew_ms < -SKEW_MS)
        check(doctor, "clock", BAD, PODSKU_STATE,
              "set the clock (NTP): certificates and the expiry marks of pods are judged by it",
              "this machine's clock is %" PRId64 " s %s the service's", (skew_ms < 0 ? -skew_ms : skew_ms) / 1000,
              skew_ms > 0 ? "ahead of" : "behind");
    else
        check(doctor, "clock", FINE, PODSKU_OK, NULL, "agrees with the service's within a minute");
}

/* Whether the key is accepted, and which ssh keys may log in to pods. */
static void look_at_account(struct doctor *doctor)
{
    struct podsku_error err = {0};
    size_t count;
    enum podsku_code code = podsku_api_ssh_keys(doctor->client, &count, &err);

    if (code == PODSKU_AUTH || code == PODSKU_RETIRED || code == PODSKU_EDGE || code == PODSKU_BALANCE) {
        fail(doctor, "account", &err);
        return;
    }
    if (code == PODSKU_NO_MEMORY) {
        fail(doctor, "ssh-keys", &err);
        return;
    }
    if (code) {
        check(doctor, "ssh-keys", UNKNOWN, PODSKU_OK, NULL, "the registered ssh keys cannot be read: %s", err.message);
        return;
    }
    check(doctor, "account", FINE, PODSKU_OK, NULL, "the key is accepted");
    if (count == 0)
        check(doctor, "ssh-keys", BAD, PODSKU_REQUEST,
              "register a public key in the console (Settings, SSH Public Keys): run and --verify log in with it",
              "no ssh key is registered with the account");
    else
        check(doctor, "ssh-keys", FINE, PODSKU_OK, NULL, "%zu registered with the account", count);
}

/* One read tells of network, TLS and clock, whatever its status is. */
static void look_at_service(struct doctor *doctor)
{
    struct podsku_request get = {.api = PODSKU_API_V2, .method = "GET", .path = "/account/ssh-keys"};
    struct podsku_response response = {0};
    struct podsku_error err = {0};
    const char *url = podsku_client_url(doctor->client, PODSKU_API_V2);
    bool https = strncmp(url, "https", 5) == 0;
    enum podsku_code code = podsku_client_send(doctor->client, &get, &response, &err);

    if (code) {
        fail(doctor, code == PODSKU_TLS ? "tls" : "network", &err);
    } else {
        check(doctor, "network", FINE, PODSKU_OK, NULL, "%s answers (HTTP %d)", url, response.status);
        check(doctor, "tls", https ? FINE : UNKNOWN, PODSKU_OK, NULL,
              https ? "certificate and host name are right" : "not used: a loopback address");
        look_at_clock(doctor, &response);
        look_at_account(doctor);
    }
    podsku_response_free(&response);
}

/* Without a key the public catalogue still tells whether there is a way to the service. */
static void look_at_public(struct doctor *doctor)
{
    struct podsku_error err = {0};
    struct podsku_buf body = {0};
    char url[512] = "";

    if (podsku_api_graphql_catalog(doctor->client, 1, &body, url, sizeof url, &err) != PODSKU_OK)
        fail(doctor, err.code == PODSKU_TLS ? "tls" : "network", &err);
    else
        check(doctor, "network", FINE, PODSKU_OK, NULL, "%s answers", url);
    podsku_buf_free(&body);
}

static void look_at_network(struct doctor *doctor)
{
    struct cli *cli = doctor->cli;

    if (cli_client(cli, false, &doctor->client) != PODSKU_OK)
        fail(doctor, "settings", &cli->err);
    else if (cli->key)
        look_at_service(doctor);
    else
        look_at_public(doctor);
}

/* "OpenSSH_9.2p1 ..." is what `ssh -V` says on standard error. */
static void look_at_ssh(struct doctor *doctor)
{
    static const char *const argv[] = {"ssh", "-V", NULL};
    struct cli_child_request request = {.argv = argv, .max_output = 4096};
    struct cli_child_result child;
    struct podsku_error err = {0};
    char version[128];

    request.deadline_mono_ms = podsku_clock_mono_ms(podsku_clock_system()) + SSH_MS;
    if (cli_child_run(&request, &child, &err) != PODSKU_OK) {
        fail(doctor, "ssh", &err);
        return;
    }
    cli_ssh_complaint(&child.errors, version, sizeof version);
    if (child.end == CLI_CHILD_EXITED && child.status == 0)
        check(doctor, "ssh", FINE, PODSKU_OK, NULL, "%s", version[0] ? version : "there");
    else
        check(doctor, "ssh", BAD, PODSKU_INTERNAL, "install OpenSSH's client (Debian: openssh-client)",
              "no ssh that works: run and --verify need it");
    cli_child_free(&child);
    if (cli_child_has("rsync") || cli_child_has("scp"))
        check(doctor, "copy", FINE, PODSKU_OK, NULL, "%s%s%s", cli_child_has("rsync") ? "rsync" : "",
              cli_child_has("rsync") && cli_child_has("scp") ? ", " : "", cli_child_has("scp") ? "scp" : "");
    else
        check(doctor, "copy", BAD, PODSKU_INTERNAL, "install rsync or scp",
              "run --copy-in and --copy-out need rsync or "
              "scp");
}

static void judge_journal(struct doctor *doctor, const char *folder, const struct podsku_entries *entries)
{
    size_t open = 0;

    for (size_t i = 0; i < entries->count; i++)
        open += podsku_entry_unfinished(&entries->list[i]) ? 1 : 0;
    if (open)
        check(doctor, "journal", BAD, PODSKU_UNSETTLED, "podsku reconcile --terminate",
              "%zu create%s may have left a pod that nobody knows of", open, open == 1 ? "" : "s");
    else if (entries->cut || entries->ignored)
        check(doctor, "journal", FINE, PODSKU_OK, NULL,
              "%s: %zu entries, nothing open (%zu lines are of no kind that "
              "this version knows%s)",
              folder, entries->count, entries->ignored, entries->cut ? "; the last one was cut" : "");
    else
        check(doctor, "journal", FINE, PODSKU_OK, NULL, "%s: %zu entries, nothing open", folder, entries->count);
}

static void look_at_journal(struct doctor *doctor)
{
    struct cli *cli = doctor->cli;
    struct podsku_journal *journal = NULL;
    struct podsku_entries entries = {0};
    struct stat info;
    const char *folder;

    if (cli_state_dir(cli, &folder) != PODSKU_OK) {
        fail(doctor, "state", &cli->err);
        return;
    }
    if (access(folder, W_OK | X_OK) != 0)
        check(doctor, "state", BAD, PODSKU_STATE, "make it writable, or set XDG_STATE_HOME",
              "%s cannot be written to: nothing can be rented", folder);
    else if (stat(folder, &info) == 0 && (info.st_mode & 0077))
        check(doctor, "state", BAD, PODSKU_STATE, "chmod 700 it", "others can read %s", folder);
    else
        check(doctor, "state", FINE, PODSKU_OK, NULL, "%s", folder);
    if (podsku_journal_open(folder, podsku_clock_system(), &journal, &cli->err) != PODSKU_OK ||
        podsku_journal_read(journal, &entries, &cli->err) != PODSKU_OK)
        fail(doctor, "journal", &cli->err);
    else
        judge_journal(doctor, folder, &entries);
    podsku_entries_free(&entries);
    podsku_journal_free(journal);
}

static void look_at_libraries(struct doctor *doctor)
{
    struct podsku_error err = {0};
    char digest[PODSKU_SHA256_TEXT_SIZE];
    const char *curl = podsku_curl_version(&err);

    check(doctor, "podsku", FINE, PODSKU_OK, NULL, PODSKU_VERSION);
    if (curl)
        check(doctor, "libcurl", FINE, PODSKU_OK, NULL, "%s", curl);
    else
        fail(doctor, "libcurl", &err);
    check(doctor, "jansson", FINE, PODSKU_OK, NULL, "%s", jansson_version_str());
    if (podsku_hmac_sha256("", 0, "", 0, digest, &err) == PODSKU_OK)
        check(doctor, "libcrypto", FINE, PODSKU_OK, NULL, "there");
    else
        fail(doctor, "libcrypto", &err);
}

static enum podsku_code show(struct doctor *doctor)
{
    struct cli *cli = doctor->cli;
    json_t *doc;

    if (doctor->failed || podsku_buf_failed(&doctor->text))
        return podsku_error_no_memory(&cli->err);
    if (cli->output != CLI_JSON)
        return cli_write(cli, podsku_buf_text(&doctor->text), doctor->text.len);
    doc = json_object();
    if (!podsku_json_set(doc, "schema", json_string("podsku.doctor/1")) ||
        json_object_set(doc, "checks", doctor->checks) != 0) {
        json_decref(doc);
        return podsku_error_no_memory(&cli->err);
    }
    return cli_write_json(cli, doc);
}

int cli_run_doctor(struct cli *cli)
{
    struct doctor doctor = {.cli = cli, .checks = json_array()};
    int status = 0;

    cli_signals_catch();
    if (!doctor.checks) {
        (void)podsku_error_no_memory(&cli->err);
        return cli_fail(cli);
    }
    look_at_key(&doctor);
    look_at_network(&doctor);
    look_at_ssh(&doctor);
    look_at_journal(&doctor);
    look_at_libraries(&doctor);
    if (show(&doctor) != PODSKU_OK) {
        status = cli_fail(cli);
    } else if (doctor.bad) {
        cli_say(cli, "%zu check%s failed", doctor.bad, doctor.bad == 1 ? "" : "s");
        status = podsku_code_exit_status(doctor.first);
    }
    podsku_buf_free(&doctor.text);
    json_decref(doctor.checks);
    podsku_client_free(doctor.client);
    return status;
}
