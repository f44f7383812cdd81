#include "cli/command.h"

static const struct cli_verb catalog_verbs[] = {
    {"list|ls", {NULL, 0, 0}, "GPU types with prices, counts, stock and facts"},
    {"pull", {NULL, 0, 0}, "read the catalogue and write it as a recording"},
    {"diff", {"OLD NEW", 2, 2}, "what changed between two catalogues"},
    {"check", {"FILE", 1, 1}, "name every oddity of a catalogue file"},
    {"mig", {"[CARD]", 0, 1}, "MIG profiles per card, and which are sold"},
    {NULL, {NULL, 0, 0}, NULL},
};

static const struct cli_verb pods_verbs[] = {
    {"list|ls", {NULL, 0, 0}, "age, rate, cost so far, launch and state of each pod"},
    {"get", {"ID", 1, 1}, "one pod"},
    {"stop", {"ID", 1, 1}, "stop it; its disk goes on costing"},
    {"start", {"ID", 1, 1}, "start a stopped one; nothing is verified by that"},
    {"terminate|delete|rm", {"ID", 1, 1}, "end it and prove that it is gone"},
    {NULL, {NULL, 0, 0}, NULL},
};

static const struct cli_verb clusters_verbs[] = {
    {"list|ls", {NULL, 0, 0}, "the account's Instant Clusters"},
    {"get", {"ID", 1, 1}, "one cluster and its members"},
    {"stop", {"ID", 1, 1}, "stop every member; their disks go on costing"},
    {"start", {"ID", 1, 1}, "start every member"},
    {"terminate|delete|rm", {"ID", 1, 1}, "end it and prove that it is gone"},
    {NULL, {NULL, 0, 0}, NULL},
};

static const char *const catalog_examples[] = {
    "podsku catalog list --output wide",
    "podsku catalog pull -o today.json",
    "podsku catalog diff yesterday.json today.json",
    "podsku catalog mig \"RTX PRO 6000\"",
    NULL,
};
static const char *const pick_examples[] = {
    "podsku pick --gpus 8 --nvlink",
    "podsku pick --gpus 2 --nvlink possible --min-vram 90 --explain",
    "podsku pick --memory-fraction 1/4",
    "podsku pick --gpus 1,2,4,8 --min-total-vram 640 --nvlink --output json",
    NULL,
};
static const char *const deploy_examples[] = {
    "podsku deploy --gpus 8 --nvlink --max-total 27 --image IMAGE --dry-run",
    "podsku deploy --gpus 8 --nvlink --max-total 27 --image IMAGE --wait --verify",
    NULL,
};
static const char *const run_examples[] = {
    "podsku run --gpus 2 --nvlink --max-total 7 --image IMAGE --verify --ttl 1h --copy-in . -- python train.py",
    NULL,
};
static const char *const verify_examples[] = {
    "ssh POD nvidia-smi topo -m | podsku verify - --gpus 8 --nvlink",
    "podsku verify --pod ID --expect \"NVIDIA H100 80GB HBM3\"",
    "NCCL_DEBUG=INFO CMD 2>&1 | podsku verify -",
    NULL,
};
static const char *const evaluate_examples[] = {
    "podsku evaluate scenarios.jsonl --catalog today.json",
    "podsku evaluate - --catalog today.json --output junit < scenarios.json > report.xml",
    NULL,
};
static const char *const watch_examples[] = {
    "podsku watch --gpus 8 --nvlink --max-price 3 --timeout 6h && podsku deploy --gpus 8 --nvlink --max-price 3 "
    "--image IMAGE",
    NULL,
};
static const char *const pods_examples[] = {"podsku pods list --mine", "podsku pods terminate ID", NULL};
static const char *const clusters_examples[] = {"podsku clusters list", "podsku clusters terminate ID", NULL};
static const char *const reconcile_examples[] = {
    "podsku reconcile",
    "podsku reconcile --launch-id \"$CI_RUN\" --terminate",
    "podsku reconcile --expired --terminate",
    NULL,
};
static const char *const help_examples[] = {"podsku help nvlink", "podsku help deploy", NULL};
static const char *const completion_examples[] = {
    "podsku completion bash > ~/.local/share/bash-completion/completions/podsku",
    "podsku completion zsh > ~/.zfunc/_podsku",
    "podsku completion fish > ~/.config/fish/completions/podsku.fish",
    NULL,
};

/* Rows without `run` are commands whose file is not part of this build: unknown to the parser. */
const struct cli_command cli_commands[CLI_COMMAND_COUNT] = {
    [CLI_INDEX_CATALOG] = {.name = "catalog",
                           .verbs = catalog_verbs,
                           .default_verb = "list",
                           .synopsis = "[REQUIREMENT...]",
                           .summary = "GPU types with prices and hardware facts; recordings of the catalogue",
                           .about =
                               "Shows the catalogue with what podsku knows of each type's hardware: link, evidence, "
                               "bandwidth, MIG, and where each fact comes from. Requirement flags filter the list. "
                               "A recording keeps the body as received with when, from where and for which query.",
                           .examples = catalog_examples,
                           .run = cli_run_catalog},
    [CLI_INDEX_PICK] = {.name = "pick",
                        .synopsis = "REQUIREMENT...",
                        .summary = "the ranked GPU types that satisfy a requirement",
                        .about =
                            "Prints the offers that pass every rule, cheapest first, and says how many others fail by "
                            "which rule, the nearest miss and the smallest change that would gain a candidate. With "
                            "--explain it gives all reasons for every other offer. Nothing is rented.",
                        .examples = pick_examples,
                        .run = cli_run_pick},
    [CLI_INDEX_DEPLOY] = {.name = "deploy",
                          .synopsis = "REQUIREMENT... POD...",
                          .summary = "rent the first candidate that places, and nothing else",
                          .about =
                              "Walks the plan, which is the explicit ordered list of candidates, with one create per "
                              "candidate. Every create is journaled before it is sent; a reply that leaves it open "
                              "whether a pod exists is settled before anything else happens. With --verify the "
                              "machine itself is looked at, and a pod that is not as asked is terminated.",
                          .examples = deploy_examples,
                          .run = cli_run_deploy},
    [CLI_INDEX_RUN] = {.name = "run",
                       .synopsis = "REQUIREMENT... POD...",
                       .summary = "deploy, run a command over ssh, terminate",
                       .about = "Rents a pod as deploy does, runs the command there with its output and standard input "
                                "passed through, and terminates the pod whatever happens. The exit status is the "
                                "command's, or 125 when podsku itself failed.",
                       .examples = run_examples,
                       .takes_rest = true,
                       .run = cli_run_run},
    [CLI_INDEX_VERIFY] = {.name = "verify",
                          .operands = {"[FILE|-]", 0, 1},
                          .synopsis = "[REQUIREMENT...]",
                          .summary = "judge what nvidia-smi and NCCL say of a machine",
                          .about =
                              "Reads nvidia-smi topo -m, topo -p2p n, -L, --query-gpu CSV, nvlink -s and "
                              "NCCL_DEBUG=INFO logs, alone or inside a report, and compares them with what was asked "
                              "for. It refuses to answer rather than guess.",
                          .examples = verify_examples,
                          .run = cli_run_verify},
    [CLI_INDEX_EVALUATE] = {.name = "evaluate",
                            .operands = {"SCENARIOS", 1, 1},
                            .synopsis = "--catalog FILE...",
                            .summary = "decide many recorded cases offline, and compare with what is expected",
                            .about =
                                "Scenarios are a JSON array or JSON Lines; see podsku-scenarios(5). Cases without an "
                                "expectation print their decision, one line each, so this is also a batch picker.",
                            .examples = evaluate_examples,
                            .run = cli_run_evaluate},
    [CLI_INDEX_WATCH] = {.name = "watch",
                         .synopsis = "REQUIREMENT...",
                         .summary = "wait until a candidate is in stock",
                         .about =
                             "Reads the live catalogue again and again, prints what changes, and ends with 0 when a "
                             "candidate is in stock, 12 on the timeout.",
                         .examples = watch_examples,
                         .run = cli_run_watch},
    [CLI_INDEX_PODS] =
        {.name = "pods",
         .alias = "pod",
         .verbs = pods_verbs,
         .default_verb = "list",
         .summary = "list, stop, start and terminate pods",
         .about = "Each effect is confirmed by a later read. Terminating a pod without podsku's mark asks for "
                  "--yes.",
         .examples = pods_examples,
         .run = cli_run_pods},
    [CLI_INDEX_CLUSTERS] = {.name = "clusters",
                            .alias = "cluster",
                            .verbs = clusters_verbs,
                            .default_verb = "list",
                            .summary = "the same for Instant Clusters",
                            .about = "The verbs of pods, for clusters: each effect is confirmed by a later read.",
                            .examples = clusters_examples,
                            .run = cli_run_clusters},
    [CLI_INDEX_RECONCILE] = {.name = "reconcile",
                             .summary = "find and settle what an interrupted deploy may have left",
                             .about =
                                 "Compares the account's pods and clusters with the journal and with podsku's marks. "
                                 "Without --terminate it reports, and closes entries that are proven gone. Pods "
                                 "without podsku's marks are never touched.",
                             .examples = reconcile_examples,
                             .run = cli_run_reconcile},
    [CLI_INDEX_OBSERVATIONS] = {.name = "observations",
                                .summary = "what past verifications found",
                                .about =
                                    "Every verification of a pod that podsku made is remembered: type, cloud, data "
                                    "center, what was found, when. Observations inform; they never change a decision.",
                                .run = cli_run_observations},
    [CLI_INDEX_DOCTOR] = {.name = "doctor",
                          .summary = "check key, network, TLS, clock, ssh and versions",
                          .about = "Says for each failed check what to do, and what works without a key.",
                          .run = cli_run_doctor},
    [CLI_INDEX_HELP] = {.name = "help",
                        .operands = {"[COMMAND|TOPIC]", 0, 1},
                        .summary = "explain a command or a topic: nvlink topology mig sharing clusters catalogue",
                        .about =
                            "The topics are made from the tables that the rules use; each fact says whether it was "
                            "verified, stated by a vendor, inferred, or not verified.",
                        .examples = help_examples,
                        .run = cli_run_help},
    [CLI_INDEX_COMPLETION] = {.name = "completion",
                              .operands = {"bash|zsh|fish", 1, 1},
                              .summary = "print the completion script of a shell",
                              .about = "The script is made from the tables of commands and options.",
                              .examples = completion_examples,
                              .run = cli_run_completion},
};
