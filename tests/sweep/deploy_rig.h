/*
 * A deploy against the stand-in: service, client, journal in a folder of its own, hooks that note what
 * they were told. Nothing here asserts.
 */
#ifndef TESTS_SWEEP_DEPLOY_RIG_H
#define TESTS_SWEEP_DEPLOY_RIG_H

#include "base/buf.h"
#include "client/deploy.h"
#include "client/reconcile.h"
#include "tests/sweep/fake_runpod.h"

struct deploy_rig {
    struct fake *fake;
    struct fake_time *time;
    struct podsku_clock clock;
    struct podsku_client *client;
    struct podsku_journal *journal;
    char folder[64];
    struct podsku_error err;
    struct podsku_deploy_options options;
    struct podsku_deploy_hooks hooks;
    struct podsku_deploy_result result;
    /* What the hooks saw and what they answer. */
    struct podsku_buf said;     /* a line per event */
    struct podsku_buf output;   /* pod ids that hand_over wrote, a line each */
    struct podsku_buf warnings; /* the events that must be said even with --quiet */
    int signals, acknowledged;
    int signal_at_event;        /* a signal arrives with the n-th event of signal_kind; 0: never */
    int second_signal_at_event; /* and another one */
    enum podsku_event_kind signal_kind;
    int events[PODSKU_EVENT_OPEN + 1];
    enum podsku_verify_answer verify_answers[8];
    int verify_count;
    int64_t verify_takes_ms;
    enum podsku_code hand_over_code, use_code;
    int hand_over_count, use_count, more_count;
    const struct podsku_plan_entry *more_plan;
    size_t more_plan_count;
};

/* Three plain candidates: A 2.00, B 3.00, C 4.00 USD/h for two GPUs each. */
extern const struct podsku_plan_entry rig_plan[3];
#define RIG_A "NVIDIA A100-SXM4-80GB"
#define RIG_B "NVIDIA H100 80GB HBM3"
#define RIG_C "NVIDIA H200"

/* False when something could not be started (said on stderr). The rig starts its own service. */
bool deploy_rig_start(struct deploy_rig *rig);
/* The same against a service (on this port of loopback) and a folder that exist, as another process does. */
bool deploy_rig_attach(struct deploy_rig *rig, struct fake_time *time, int port, const char *folder);
/* The client and the journal only; the service stays. */
void deploy_rig_detach(struct deploy_rig *rig);
void deploy_rig_stop(struct deploy_rig *rig);

/* Runs with rig->options and the first `count` of rig_plan; the result and err are replaced. */
enum podsku_code deploy_rig_run(struct deploy_rig *rig, size_t count);
enum podsku_code deploy_rig_run_plan(struct deploy_rig *rig, const struct podsku_plan_entry *plan, size_t count);
/* Reconciles; *result is replaced and must be freed. */
enum podsku_code deploy_rig_reconcile(struct deploy_rig *rig, const struct podsku_reconcile_options *options,
                                      struct podsku_reconcile_result *result);
/* The journal's state of the n-th intent of it (from 0); PODSKU_ENTRY_OPEN when there is none. */
enum podsku_entry_state deploy_rig_state(struct deploy_rig *rig, size_t index);
/* Removes a flat folder with everything in it. */
void deploy_rig_remove(const char *folder);

#endif
