/* One deploy while it runs, and what its parts offer each other; not for others. */
#ifndef PODSKU_CLIENT_DEPLOY_PRIVATE_H
#define PODSKU_CLIENT_DEPLOY_PRIVATE_H

#include "client/deploy.h"
#include "client/patience.h"

/* An intent that may have a pod: its reply was lost, or an earlier run of this launch left it. */
struct podsku_pending {
    char *intent;
    int attempt;
    size_t index; /* of its attempt in the result; SIZE_MAX: an earlier run's, not yet listed there */
    bool cluster;
    bool foreign; /* made with another URL, API or key: no list of ours says anything about it */
    char *pod_id; /* an earlier run knew it; NULL: no pod was seen */
    char *name;   /* as sent; NULL: unknown */
    int64_t sent_mono_ms;
    int64_t at_wall_ms;                      /* of the intent; 0: unknown */
    const struct podsku_plan_entry *entries; /* the candidates that it was sent for; NULL: not of this plan */
    size_t entry_count;
};

/* A pod's time on the bill. */
struct podsku_rental {
    size_t index;             /* of its attempt */
    int64_t start_ms, end_ms; /* monotonic; end 0: still running */
    int64_t price_uusd;
};

struct podsku_session {
    struct podsku_client *client;
    struct podsku_journal *journal;
    struct podsku_deploy_options options; /* with the defaults filled in */
    const struct podsku_deploy_hooks *hooks;
    const struct podsku_clock *clock;
    struct podsku_deploy_result *result;
    struct podsku_error *err; /* why it stopped */

    const struct podsku_plan_entry *plan;
    size_t plan_count, at;
    char salt[33], key_hmac[65];
    int next_attempt, made; /* made: pods that were actually created */

    struct podsku_pending *pending;
    size_t pending_count;
    /* What this journal handed over or kept for this launch, and does not know to be gone. With pod_id. */
    struct podsku_pending *kept;
    size_t kept_count;
    struct podsku_rental *rentals;
    size_t rental_count;
    char **closed; /* pods that the journal closed: never adopted */
    size_t closed_count;

    /* How it ends. */
    bool stopped;
    enum podsku_code stop_code;
    enum podsku_deploy_end stop_end;
    bool unreadable;                      /* the last list that open entries needed could not be read */
    bool stopped_blind;                   /* that is what stopped it */
    bool not_gone;                        /* a pod could not be proven gone */
    bool hands_off;                       /* which pod is whose cannot be told: nothing more is touched */
    char hidden[256];                     /* a pod without readable marks that may be an open entry's; "": none */
    char hidden_said[256];                /* the last one of them that was named */
    bool handed_over;                     /* or used, or kept, or left untouched: placed is in the result */
    size_t tried;                         /* candidates of the present plan that had their turn */
    size_t refused, denied, unrecognised; /* candidates, by what the service said */
    bool details_differ;
    char detail[512]; /* the unrecognised one */
};

/* What became of a candidate, or of a pod. */
enum podsku_step { PODSKU_STEP_NEXT, PODSKU_STEP_SAME, PODSKU_STEP_STOP, PODSKU_STEP_DONE };

/* ---- deploy_session.c: bookkeeping */
#define PODSKU_NO_ATTEMPT SIZE_MAX
void podsku_session_event(struct podsku_session *s, enum podsku_event_kind kind, size_t index,
                          const struct podsku_placed *placed, const char *fmt, ...) PODSKU_PRINTF(5, 6);
/* Progress: state may be NULL. */
void podsku_session_progress(struct podsku_session *s, enum podsku_event_kind kind, size_t index,
                             const struct podsku_placed *placed, const char *state, int64_t elapsed_ms,
                             int64_t wait_ms);
/* Stops the run, first reason wins. Always PODSKU_STEP_STOP. */
enum podsku_step podsku_session_stop(struct podsku_session *s, enum podsku_code code, enum podsku_deploy_end end,
                                     const char *fmt, ...) PODSKU_PRINTF(4, 5);
enum podsku_step podsku_session_no_memory(struct podsku_session *s);
bool podsku_session_signalled(struct podsku_session *s); /* at least one signal so far */
bool podsku_session_hurried(struct podsku_session *s);   /* a second one */
/* Sleeps up to ms; ends early on a first (or, if only_second, a second) signal. */
void podsku_session_sleep(struct podsku_session *s, int64_t ms, bool only_second);
int64_t podsku_session_now(const struct podsku_session *s);
/* New attempt in the result; PODSKU_NO_ATTEMPT: out of memory. */
size_t podsku_session_attempt(struct podsku_session *s, int number, const char *intent,
                              const struct podsku_plan_entry *entry);
void podsku_session_detail(struct podsku_session *s, size_t index, const char *fmt, ...) PODSKU_PRINTF(3, 4);
/* Journals an outcome of this attempt. A failure is said, and is the caller's business only where it matters. */
enum podsku_code podsku_session_journal(struct podsku_session *s, size_t index, enum podsku_entry_state state,
                                        bool settled, const char *why);
/* The same for a pod that was made: with the type that it says it has. */
void podsku_session_journal_made(struct podsku_session *s, size_t index, const struct podsku_placed *placed,
                                 const char *why);
/* Which candidate of a run it is, as soon as the pod says so: in *placed and in the attempt. */
void podsku_session_identify(struct podsku_session *s, size_t index, const struct podsku_plan_entry *entries,
                             size_t entry_count, struct podsku_placed *placed);
bool podsku_session_rent(struct podsku_session *s, size_t index, const struct podsku_placed *placed);
void podsku_session_reprice(struct podsku_session *s, size_t index, const struct podsku_placed *placed);
void podsku_session_unrent(struct podsku_session *s, size_t index);
int64_t podsku_session_spent(const struct podsku_session *s);
/* Milliseconds until --max-spend is reached at the present rate; INT64_MAX: never. */
int64_t podsku_session_spend_left_ms(const struct podsku_session *s);
bool podsku_session_is_closed(const struct podsku_session *s, const char *pod_id);
bool podsku_session_close(struct podsku_session *s, const char *pod_id);
/* Pods that outlived their cluster: of this attempt no more. */
void podsku_attempt_forget_left(struct podsku_attempt *attempt);
/* The id of what was placed; NULL: nothing. */
const char *podsku_placed_id(const struct podsku_placed *placed);
void podsku_placed_clear(struct podsku_placed *placed);

/* ---- settle.c: intents whose reply left it open */
enum podsku_found {
    PODSKU_FOUND_ONE,
    PODSKU_FOUND_NONE,      /* through a whole settle timeout, and the last list was whole */
    PODSKU_FOUND_AMBIGUOUS, /* two pods for one intent */
    PODSKU_FOUND_HIDDEN,    /* one may be it, and its marks cannot be read: said, and in s->hidden */
    PODSKU_FOUND_UNREADABLE,
    PODSKU_FOUND_HURRIED, /* a second signal */
};
/* Keeps an intent as open. False: out of memory. */
bool podsku_session_pend(struct podsku_session *s, const struct podsku_pending *pending);
void podsku_session_unpend(struct podsku_session *s, const char *intent);
/* Keeps what was handed over once. False: out of memory. */
bool podsku_session_keep(struct podsku_session *s, const struct podsku_pending *kept);
void podsku_pending_free(struct podsku_session *s);
/* A pod, or the cluster that it belongs to. */
const char *podsku_thing_of_pod(const struct podsku_pod *pod);
/*
 * Whether nobody can say if this pod is of this launch: it is live, named as this launch names its pods (name:
 * as sent; NULL: "podsku-LAUNCH" only), and its marks cannot be read. Not one that this run or the journal knows.
 */
bool podsku_session_is_hidden(const struct podsku_session *s, const struct podsku_pod *pod, const char *name);
/* Whose this pod or cluster is, is known by its id: of an attempt of this run, or by the journal. */
bool podsku_session_knows(const struct podsku_session *s, const char *id);
/* Some entry, pending or kept, is a cluster's. */
bool podsku_session_any_cluster(const struct podsku_session *s);
/*
 * Members of this launch's clusters, told by their names, into a list of pods that lacks them. *hidden: one of
 * these clusters has no member that says whose it is; its id is in s->hidden then. An error: nobody can tell.
 */
enum podsku_code podsku_session_add_members(struct podsku_session *s, struct podsku_pods *pods, bool *hidden,
                                            struct podsku_error *err) PODSKU_CHECKED;
/* Names s->hidden, once. */
void podsku_session_say_hidden(struct podsku_session *s);
/* Stops for the sake of what a look found; NEXT for ONE and NONE. `what`: for which entry it was looked. */
enum podsku_step podsku_session_stop_found(struct podsku_session *s, enum podsku_found found, const char *what);
/*
 * Waits for the pod of the pending intent until a settle timeout after `since`. FOUND_ONE: *placed is
 * what was found (price, times and entry filled in).
 */
enum podsku_found podsku_settle(struct podsku_session *s, const char *intent, int64_t since_ms,
                                struct podsku_placed *placed);
/* One more list for all pending intents: FOUND_ONE gives the first late pod, and its intent. */
enum podsku_found podsku_settle_again(struct podsku_session *s, const char **intent, struct podsku_placed *placed);

/* ---- deploy_judge.c: what was placed against what was asked; pure */
enum podsku_fit { PODSKU_FIT, PODSKU_FIT_UNKNOWN, PODSKU_FIT_WRONG };
/* why: of WRONG, or which values are unknown. entries: the candidates it was sent for. */
enum podsku_fit podsku_judge(const struct podsku_deploy_options *options, const struct podsku_plan_entry *entries,
                             size_t entry_count, const struct podsku_placed *placed, char *why, size_t why_size);
/* True when it costs more than listed; then text says by how much. */
bool podsku_judge_dearer(const struct podsku_placed *placed, char *text, size_t size);
/* The entry of these whose id and cloud the pod has; the first when that cannot be told. */
const struct podsku_plan_entry *podsku_judge_entry(const struct podsku_plan_entry *entries, size_t entry_count,
                                                   const struct podsku_placed *placed);
/* Sets price_uusd from the pod, or from the members once all are known. */
void podsku_placed_price(struct podsku_placed *placed);

/* ---- deploy_wait.c: a placed pod until it is ready, or is not */
enum podsku_ready {
    PODSKU_READY,
    PODSKU_READY_WRONG,  /* not as asked */
    PODSKU_READY_FAILED, /* ERROR, EXITED, TERMINATED, vanished */
    PODSKU_READY_TIMEOUT,
    PODSKU_READY_UNVERIFIED,
    PODSKU_READY_SPENT, /* --max-spend */
    PODSKU_READY_SIGNAL,
    PODSKU_READY_REFUSED, /* reads are refused for good: err of the session holds why */
};
/* since: when the pod was created or adopted. why: filled unless READY. absent_ms: since when it is missing, or 0. */
enum podsku_ready podsku_wait_ready(struct podsku_session *s, size_t index, const struct podsku_plan_entry *entries,
                                    size_t entry_count, struct podsku_placed *placed, int64_t *absent_ms, char *why,
                                    size_t why_size);
/* A live pod of this launch that no journal here knows of becomes an entry of this one. */
enum podsku_code podsku_session_journal_adopted(struct podsku_session *s, size_t index,
                                                const struct podsku_placed *placed);
/* Warns of a pod that was there before, and whose time is over sooner than --ttl asks for, or not at all. */
void podsku_session_warn_of_expiry(struct podsku_session *s, const struct podsku_placed *placed);
/* Reads it again; PODSKU_NOT_FOUND when neither GET nor a list shows it. */
enum podsku_code podsku_session_read(struct podsku_session *s, struct podsku_placed *placed, struct podsku_error *err);

/* ---- deploy_placed.c: a placed pod until it is handed over or gone */
struct podsku_placement {
    size_t index;
    const struct podsku_plan_entry *entries;
    size_t entry_count;
    bool untouchable; /* adopted by its launch id, and not ours to end */
    bool journaled;   /* adopted, and an unfinished entry of our journal */
};
/* Takes over *placed. DONE: handed over (or kept, used, untouched); NEXT: it is gone, try the next; STOP. */
enum podsku_step podsku_session_place(struct podsku_session *s, const struct podsku_placement *placement,
                                      struct podsku_placed *placed);
/* Terminates and proves; false: not proven (said, and noted in the session). */
bool podsku_session_end(struct podsku_session *s, size_t index, const struct podsku_placed *placed, int64_t absent_ms,
                        const char *why);
/* A pod that settling found: into the attempts, the journal and the bill. PODSKU_NO_ATTEMPT: out of memory. */
size_t podsku_session_adopt(struct podsku_session *s, const char *intent, struct podsku_placed *placed);
/* The last look at open entries. True: a late pod is in *placed to be adopted (*intent says whose). */
bool podsku_session_last_look(struct podsku_session *s, bool may_adopt, const char **intent,
                              struct podsku_placed *placed);

/* ---- deploy_send.c: one candidate (or, with v1, one run of them) */
enum podsku_step podsku_session_try(struct podsku_session *s, const struct podsku_plan_entry *entries,
                                    size_t entry_count);

/* ---- deploy.c */
/*
 * Code, end, open entries and spending into the result. An unreadable list or a pod that is not proven
 * gone makes it UNSETTLED, whatever is placed. False: out of memory, said in err.
 */
bool podsku_session_conclude(struct podsku_session *s, enum podsku_code code, enum podsku_deploy_end end);

/* ---- deploy_start.c: what earlier runs of this launch left */
/* DONE: a live pod was adopted (or stands in the way); NEXT: go on and rent; STOP. */
enum podsku_step podsku_session_start(struct podsku_session *s);
/* Adopts *placed, a live pod of this launch. One that is not as asked, or that is no open entry's, is never ended. */
enum podsku_step podsku_session_adopt_live(struct podsku_session *s, struct podsku_placed *placed, const char *intent,
                                           int attempt);
/* Monotonic time of a wall clock time that is past; at least 1, since 0 means unknown. */
int64_t podsku_session_mono_of(const struct podsku_session *s, int64_t wall_ms);

/* ---- deploy_live.c: what of this launch lives */
/*
 * Looks for live pods of this launch, in the list and by the ids that the journal knows. DONE: one was
 * adopted (or stands in the way); NEXT: there is none; STOP.
 */
enum podsku_step podsku_session_take_live(struct podsku_session *s);

#endif
