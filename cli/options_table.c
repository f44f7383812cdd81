/*
 * The options. Requirement flags come from rules/requirement_fields.h, which rules/ reads JSON by,
 * too; all others stand here. To add one: a row, and the command that asks for it.
 */
#include <string.h>

#include "cli/options.h"
#include "rules/requirement_fields.h"

#define RENT (CLI_BIT(DEPLOY) | CLI_BIT(RUN))
#define DECIDE (CLI_BIT(PICK) | RENT | CLI_BIT(WATCH))
#define ACCOUNT (CLI_BIT(PODS) | CLI_BIT(CLUSTERS))
#define FORMATS (~(CLI_BIT(RUN) | CLI_BIT(HELP) | CLI_BIT(COMPLETION)))
#define EVERYWHERE (~0U)

/* What the parser needs to know of a field by its kind. */
#define FLAGS_COUNT CLI_REQUIREMENT
#define FLAGS_COUNTS CLI_REQUIREMENT
#define FLAGS_NUMBER CLI_REQUIREMENT
#define FLAGS_MONEY CLI_REQUIREMENT
#define FLAGS_FRACTION CLI_REQUIREMENT
#define FLAGS_VERSION CLI_REQUIREMENT
#define FLAGS_CHOICE CLI_REQUIREMENT
#define FLAGS_NVLINK (CLI_REQUIREMENT | CLI_OPTIONAL)
#define FLAGS_PATTERN CLI_REQUIREMENT
#define FLAGS_PATTERNS (CLI_REQUIREMENT | CLI_REPEATABLE)
#define FLAGS_WORDS (CLI_REQUIREMENT | CLI_REPEATABLE)
#define FLAGS_SWITCH CLI_REQUIREMENT
#define METAVAR_COUNT(metavar) metavar
#define METAVAR_COUNTS(metavar) metavar
#define METAVAR_NUMBER(metavar) metavar
#define METAVAR_MONEY(metavar) metavar
#define METAVAR_FRACTION(metavar) metavar
#define METAVAR_VERSION(metavar) metavar
#define METAVAR_CHOICE(metavar) metavar
#define METAVAR_NVLINK(metavar) metavar
#define METAVAR_PATTERN(metavar) metavar
#define METAVAR_PATTERNS(metavar) metavar
#define METAVAR_WORDS(metavar) metavar
#define METAVAR_SWITCH(metavar) NULL
#define FIELD_ROW(flag, kind, metavar, choices, help) \
    {flag, 0, METAVAR_##kind(metavar), choices, help, CLI_GROUP_REQUIREMENT, FLAGS_##kind, DECIDE, NULL},

/* clang-format off */
const struct cli_option cli_options[] = {
    PODSKU_REQUIREMENT_FIELDS(FIELD_ROW)
    {"requirement", 0, "FILE", "", "read the requirement from a JSON file (- is standard input); flags override it",
     CLI_GROUP_REQUIREMENT, 0, DECIDE | CLI_BIT(VERIFY) | CLI_BIT(CATALOG), "list"},

    {"catalog", 0, "SOURCE", "", "live (with an API key the default), graphql (prices without a key), bundled, or a file (- is standard input)",
     CLI_GROUP_SOURCE, CLI_REPEATABLE, DECIDE | CLI_BIT(CATALOG) | CLI_BIT(EVALUATE), "list|pull|mig"},
    {"facts", 0, "FILE", "", "add or correct hardware facts from a JSON file",
     CLI_GROUP_SOURCE, 0, DECIDE | CLI_BIT(CATALOG) | CLI_BIT(EVALUATE) | CLI_BIT(VERIFY), NULL},

    {"name", 0, "NAME", "", "name of the pod (default podsku-LAUNCH)", CLI_GROUP_POD, 0, RENT, NULL},
    {"image", 0, "IMAGE", "", "container image; this or --template is needed", CLI_GROUP_POD, 0, RENT, NULL},
    {"template", 0, "ID", "", "template to start from", CLI_GROUP_POD, 0, RENT, NULL},
    {"disk", 0, "GB", "", "container disk", CLI_GROUP_POD, 0, RENT, NULL},
    {"volume", 0, "GB", "", "persistent volume of 10 GB or more, on the machine's own disk", CLI_GROUP_POD, 0, RENT, NULL},
    {"network-volume", 0, "ID", "", "network volume to mount; its data center becomes the only one", CLI_GROUP_POD, 0, RENT, NULL},
    {"volume-path", 0, "PATH", "", "where the volume is mounted (default /workspace)", CLI_GROUP_POD, 0, RENT, NULL},
    {"port", 0, "PORT/PROTO", "", "port to expose, such as 22/tcp or 8888/http; repeatable", CLI_GROUP_POD, CLI_REPEATABLE, RENT, NULL},
    {"env", 0, "K[=V]", "", "environment variable; without a value it is taken from podsku's own environment; repeatable",
     CLI_GROUP_POD, CLI_REPEATABLE | CLI_SECRET, RENT, NULL},
    {"env-file", 0, "FILE", "", "environment variables from a file, one K=V a line; repeatable", CLI_GROUP_POD, CLI_REPEATABLE, RENT, NULL},
    {"args", 0, "ARGS", "", "arguments for the image's entry point", CLI_GROUP_POD, CLI_EMPTY_OK | CLI_SECRET, RENT, NULL},
    {"registry", 0, "ID", "", "registry credentials for a private image", CLI_GROUP_POD, 0, RENT, NULL},
    {"ssh", 0, NULL, "", "let the account's registered ssh keys in, and expose 22/tcp", CLI_GROUP_POD, 0, RENT, NULL},
    {"jupyter", 0, NULL, "", "start Jupyter", CLI_GROUP_POD, 0, RENT, NULL},
    {"global-networking", 0, NULL, "", "join the account's private network", CLI_GROUP_POD, 0, RENT, NULL},
    {"body", 0, "FILE", "", "JSON object with any other fields of the create request", CLI_GROUP_POD, 0, RENT, NULL},
    {"cluster-type", 0, "TYPE", "training|slurm|ray|application", "kind of Instant Cluster, with --nodes (default training)",
     CLI_GROUP_POD, 0, RENT, NULL},

    {"api", 0, "VERSION", "v2|v1", "REST API to use (default v2); v1 needs PODSKU_API_V1_URL",
     CLI_GROUP_DEPLOY, 0, RENT | CLI_BIT(PODS) | CLI_BIT(RECONCILE) | CLI_BIT(VERIFY), NULL},
    {"price-window", 0, "F|none", "", "without a price cap try only candidates up to F times the first one's price (default 1.5)",
     CLI_GROUP_DEPLOY, 0, RENT, NULL},
    {"max-attempts", 0, "N", "", "most pods that may be created one after another (default 3)", CLI_GROUP_DEPLOY, 0, RENT, NULL},
    {"max-spend", 0, "USD", "", "most that the pods of this run may cost together (deploy: until one is handed over)", CLI_GROUP_DEPLOY, 0, RENT, NULL},
    {"timeout", 0, "D", "", "longest wait, e.g. 90s, 15m, 2h (deploy and run: for one attempt, default 15m; watch: default none)",
     CLI_GROUP_DEPLOY, 0, RENT | CLI_BIT(WATCH) | CLI_BIT(VERIFY), NULL},
    {"settle-timeout", 0, "D", "", "how long to look for a pod that may exist (default 30s)",
     CLI_GROUP_DEPLOY, 0, RENT | CLI_BIT(RECONCILE) | ACCOUNT, "terminate|stop|start"},
    {"wait", 0, NULL, "", "wait until the pod runs", CLI_GROUP_DEPLOY, 0, CLI_BIT(DEPLOY), NULL},
    {"wait-stock", 0, "D", "", "watch the catalogue for this long when nothing can be placed", CLI_GROUP_DEPLOY, 0, RENT, NULL},
    {"verify", 0, NULL, "", "look at the machine, and try the next candidate when it is not as asked", CLI_GROUP_DEPLOY, 0, RENT, NULL},
    {"verify-via", 0, "WAY", "ssh|logs", "how to look (default ssh); logs reads what the image's entry point prints",
     CLI_GROUP_DEPLOY, 0, RENT | CLI_BIT(VERIFY), NULL},
    {"keep", 0, NULL, "", "keep a pod that is not as asked instead of terminating it", CLI_GROUP_DEPLOY, 0, CLI_BIT(DEPLOY), NULL},
    {"ttl", 0, "D", "", "mark the pod as expired after this long, for podsku reconcile --expired", CLI_GROUP_DEPLOY, 0, RENT, NULL},
    {"launch-id", 0, "ID", "", "id that marks everything one launch creates (default random)",
     CLI_GROUP_DEPLOY, 0, RENT, NULL},
    {"launch-id", 0, "ID", "", "look at this launch alone, and take it for over: --terminate also ends what it handed over",
     CLI_GROUP_ACCOUNT, 0, CLI_BIT(RECONCILE), NULL},
    {"dry-run", 0, NULL, "", "print the plan and the requests, send none", CLI_GROUP_DEPLOY, 0, RENT, NULL},
    {"show-env", 0, NULL, "", "show the values of env with --dry-run", CLI_GROUP_DEPLOY, 0, RENT, NULL},
    {"interval", 0, "D", "", "time between two reads of the catalogue while watching (default 30s)", CLI_GROUP_DEPLOY, 0,
     RENT | CLI_BIT(WATCH), NULL},

    {"expect", 0, "ID", "", "GPU type that the machine should have", CLI_GROUP_VERIFY, 0, CLI_BIT(VERIFY), NULL},
    {"pod", 0, "ID", "", "look at this pod over ssh", CLI_GROUP_VERIFY, 0, CLI_BIT(VERIFY), NULL},
    {"cluster", 0, "ID", "", "look at every member of this cluster", CLI_GROUP_VERIFY, 0, CLI_BIT(VERIFY), NULL},
    {"local", 0, NULL, "", "look at this machine with its own nvidia-smi", CLI_GROUP_VERIFY, 0, CLI_BIT(VERIFY), NULL},
    {"strict", 0, NULL, "", "degraded links and NUMA splits are mismatches", CLI_GROUP_VERIFY, 0, CLI_BIT(VERIFY) | RENT, NULL},
    {"ssh-key", 0, "FILE", "", "private key for ssh", CLI_GROUP_VERIFY, 0, RENT | CLI_BIT(VERIFY), NULL},
    {"ssh-option", 0, "O", "", "option for ssh -o; repeatable", CLI_GROUP_VERIFY, CLI_REPEATABLE, RENT | CLI_BIT(VERIFY), NULL},

    {"copy-in", 0, "DIR", "", "copy this folder to the pod first; the command starts in it", CLI_GROUP_RUN, 0, CLI_BIT(RUN), NULL},
    {"copy-out", 0, "PATH", "", "copy this path from the pod afterwards, as the command would name it; repeatable", CLI_GROUP_RUN, CLI_REPEATABLE, CLI_BIT(RUN), NULL},
    {"report", 0, "FILE", "", "write the podsku.deploy/1 document there", CLI_GROUP_RUN, 0, CLI_BIT(RUN), NULL},

    {"mine", 0, NULL, "", "only what podsku created", CLI_GROUP_ACCOUNT, 0, ACCOUNT, "list"},
    {"yes", 0, NULL, "", "also if podsku did not create it", CLI_GROUP_ACCOUNT, 0, ACCOUNT, "terminate"},
    {"expired", 0, NULL, "", "pods whose own mark says that their time is over", CLI_GROUP_ACCOUNT, 0, CLI_BIT(RECONCILE), NULL},
    {"terminate", 0, NULL, "", "terminate what an interrupted launch left, and prove it gone", CLI_GROUP_ACCOUNT, 0, CLI_BIT(RECONCILE), NULL},

    {"explain", 0, NULL, "", "say for every other offer why it is no candidate", CLI_GROUP_SHOW, 0, CLI_BIT(PICK) | CLI_BIT(EVALUATE), NULL},
    {"by-datacenter", 0, NULL, "", "one row per data center", CLI_GROUP_SHOW, 0, CLI_BIT(CATALOG), "list"},
    {"emit", 0, "TOOL", "skypilot|dstack|terraform|runpodctl", "print the decision in the words of another tool", CLI_GROUP_SHOW, 0, CLI_BIT(PICK), NULL},
    {"serverless", 0, NULL, "", "print the serverless pools and exclusions that leave only candidates", CLI_GROUP_SHOW, 0, CLI_BIT(PICK), NULL},
    {"output", 'o', "FORMAT", "table|wide|json|csv|ids|svg|junit", "format of the data on standard output (default table)",
     CLI_GROUP_SHOW, 0, FORMATS, "list|diff|check|mig|get|stop|start|terminate"},
    {"output", 'o', "FILE", "", "write the recording there (default standard output)", CLI_GROUP_SHOW, 0, CLI_BIT(CATALOG), "pull"},
    {"quiet", 'q', NULL, "", "only data, warnings and errors", CLI_GROUP_GENERAL, 0, EVERYWHERE, NULL},
    {"verbose", 'v', NULL, "", "say each request: method, URL, status, time; never the key", CLI_GROUP_GENERAL, 0, EVERYWHERE, NULL},
    {"help", 'h', NULL, "", "explain the command", CLI_GROUP_GENERAL, 0, EVERYWHERE, NULL},
    {"version", 0, NULL, "", "print the version", CLI_GROUP_GENERAL, 0, EVERYWHERE, NULL},

    {"min-ram", 0, "GB", "", "REST v2 has no floor for system memory; ask for more GPUs of a type (--gpus), each brings its share", CLI_GROUP_UNAVAILABLE, 0, DECIDE, NULL},
    {"min-vcpu", 0, "N", "", "REST v2 has no floor for virtual CPUs; ask for more GPUs of a type (--gpus), each brings its share", CLI_GROUP_UNAVAILABLE, 0, DECIDE, NULL},
    {"spot", 0, NULL, "", "REST v2 rents no interruptible pods; --cloud community and --max-price come nearest", CLI_GROUP_UNAVAILABLE, 0, DECIDE, NULL},
    {"bid", 0, "USD", "", "REST v2 takes no bids; --max-price refuses what is dearer", CLI_GROUP_UNAVAILABLE, 0, DECIDE, NULL},
    {"public-ip", 0, NULL, "", "REST v2 has no flag for a public IP address; expose ports with --port 22/tcp (secure cloud)", CLI_GROUP_UNAVAILABLE, 0, DECIDE, NULL},
    {"mig-profile", 0, "PROFILE", "", "Runpod sells slices ready-cut under their own GPU type ids; --memory-fraction, or --gpu '*MIG 1g.24gb' with --mig allow", CLI_GROUP_UNAVAILABLE, 0, DECIDE, NULL},
};

const struct cli_option_alias cli_option_aliases[] = {
    {"max-price-per-gpu", "max-price"},
    {"max-hourly", "max-total"},
    {"gpu-count", "gpus"},
    {"gpu-id", "gpu"},
    {"min-cuda-version", "min-cuda"},
    {"cloud-type", "cloud"},
    {"container-disk-in-gb", "disk"},
    {"volume-in-gb", "volume"},
    {"volume-mount-path", "volume-path"},
    {"network-volume-id", "network-volume"},
    {"data-center-ids", "data-center"},
    {"ports", "port"},
    {"template-id", "template"},
    {"registry-auth-id", "registry"},
    {"docker-args", "args"},
    {"country-code", "country"},
};
/* clang-format on */

const size_t cli_option_count = sizeof cli_options / sizeof *cli_options;
const size_t cli_option_alias_count = sizeof cli_option_aliases / sizeof *cli_option_aliases;

/*
 * Requirement fields mean something to more commands than those that decide: as an expectation of
 * `verify`, as a filter of `catalog list`, as the query of `catalog pull`.
 */
static const struct {
    const char *name;
    bool verify, pull, evaluate, not_in_list;
} fields[] = {
    {"gpus", true, true, false, false},
    {"nodes", true, false, false, true},
    {"nvlink", true, false, false, false},
    {"parallelism", true, false, false, true},
    {"min-link-gbs", true, false, false, false},
    {"memory-fraction", true, false, false, false},
    {"compute-fraction", true, false, false, false},
    {"mig-parent", true, false, false, false},
    {"mig", true, false, false, false},
    {"cloud", false, true, false, false},
    {"gpu", true, false, false, false},
    {"exclude", true, false, false, false},
    {"min-cuda", false, true, false, false},
    {"country", false, true, false, false},
    {"inter-node-gbps", false, false, false, true},
    {"limit", false, false, true, false},
};

static bool field_fits(const char *name, enum cli_command_index command, const char *verb)
{
    bool verify = false, pull = false, evaluate = false, list = true;

    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (strcmp(fields[i].name, name) == 0) {
            verify = fields[i].verify;
            pull = fields[i].pull;
            evaluate = fields[i].evaluate;
            list = !fields[i].not_in_list;
        }
    }
    if (command == CLI_INDEX_CATALOG)
        return verb ? (list && strcmp(verb, "list") == 0) || (pull && strcmp(verb, "pull") == 0) : list || pull;
    return (command == CLI_INDEX_VERIFY && verify) || (command == CLI_INDEX_EVALUATE && evaluate);
}

bool cli_option_fits(const struct cli_option *option, enum cli_command_index command, const char *verb)
{
    if (!(option->commands & (1U << command)))
        return (option->flags & CLI_REQUIREMENT) && field_fits(option->name, command, verb);
    return !verb || !option->verbs || cli_is_choice(option->verbs, verb);
}
