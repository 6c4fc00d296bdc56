/*
 * The person's side: everything here runs on the device that holds the secret.
 *
 *     begin -> decide -> finish -> bytes to send
 *
 * A handle is used by one thread at a time. A call that fails returns a status and releases nothing.
 * No fault contains a context, an arm or a reward. The head of core.h says what NULL does.
 */
#ifndef SOTTO_CLIENT_H
#define SOTTO_CLIENT_H

#include <sotto/core.h>

#if defined(SOTTO_SIDE_SERVER) || defined(SOTTO_SIDE_CORE)
#error "sotto/client.h is the person's side: server and core code may not use it"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- policy ------------------------------------------------------------------------------- */

/* The device's own limits. They never come from a server. */
typedef struct sotto_policy {
    double epsilon_per_report_max; /* above 0, at most 50; default 2 */
    /* Over all experiments; above 0, may be infinite; default 8. If delta_lifetime is above 0, more
     * rounds may fit than the sum of their epsilons allows. */
    double epsilon_lifetime;
    double delta_max; /* of one report; 0 to 0.5; default 1e-6 */
    /* Half of it for the deltas of the reports, half for composition; 0 to 0.5; default 1e-5. */
    double delta_lifetime;
    uint32_t methods_allowed; /* bit m allows method m; default: all */
    uint32_t dim_max;         /* 1 to SOTTO_DIM_MAX, the default */
    uint32_t arms_max;        /* 2 to SOTTO_ARMS_MAX, the default */
    /* The largest share of measure rounds, 0 to 0.5; 0.1 by default. Half of them play an arm that is
     * assigned at random. */
    double measure_share_max;
} sotto_policy;

SOTTO_API sotto_policy sotto_policy_default(void);
/* SOTTO_OK if the policy can be used; otherwise SOTTO_E_FAULT. */
SOTTO_API SOTTO_CHECK sotto_status sotto_policy_fault(const sotto_policy *policy,
                                                      sotto_fault *fault);
/* SOTTO_OK if the policy admits the spec; otherwise SOTTO_E_POLICY. */
SOTTO_API SOTTO_CHECK sotto_status sotto_policy_refusal(const sotto_policy *policy,
                                                        const sotto_spec *spec, sotto_fault *fault);

/* ---- ledger ------------------------------------------------------------------------------- */

/* What the person has spent, over all experiments and servers. A round is booked before there is a
 * context, if all reports together stay within epsilon_lifetime at delta_lifetime: by the sum of
 * epsilons, or by optimal composition of rounds at epsilon_per_report_max (docs/privacy.md 12.1).
 *
 * Clients of one person may share a ledger under different policies: a round must fit the policy of
 * its client, with all that was booked under any. All reports together then stay within the largest
 * epsilon_lifetime and the largest delta_lifetime of them. For that a ledger composes its rounds at
 * one epsilon_per_report_max only, that of the policy which booked its first round; for policies with
 * another one, only the sum counts (docs/privacy.md 12.1, theorem 2). */
typedef struct sotto_ledger sotto_ledger;

/* A ledger that forgets everything when the process ends. */
SOTTO_API SOTTO_CHECK sotto_status sotto_ledger_memory_new(sotto_ledger **out);

/* A ledger in a file survives crashes and can be shared by processes. When in doubt these functions
 * refuse with SOTTO_E_LEDGER: nothing is released that is not durably booked. */

/* Makes an empty ledger at `path`, readable only by its owner. SOTTO_E_EXISTS if anything is
 * there. After SOTTO_E_LEDGER errno says why. */
SOTTO_API SOTTO_CHECK sotto_status sotto_ledger_file_create(const char *path);
/* Opens a ledger and checks all of it; never makes one. `path` is copied and looked up again at
 * each use, which refuses a ledger that was deleted, replaced, renamed or rolled back while open.
 * After a fork the child must open it again.
 *
 * Sotto does not notice these roll-backs of a ledger file:
 *
 * - to an older copy while no process has the ledger open;
 * - to an older copy before an open handle is used for the first time, if the file's time of
 *   modification is set back as well;
 * - to an older copy in which another process then books;
 * - where the system cannot watch files (no inotify), to what an open handle saw last, if that time is
 *   set back.
 *
 * Behind calls, a store that keeps a `generation` notices every roll-back; without one, the same go
 * unnoticed there too. Nothing protects a ledger from a program that writes its own bytes into it. */
SOTTO_API SOTTO_CHECK sotto_status sotto_ledger_file_open(const char *path, sotto_ledger **out);
/* SOTTO_OK if the ledger at `path` can be opened; otherwise the status that opening it gives. */
SOTTO_API SOTTO_CHECK sotto_status sotto_ledger_file_fault(const char *path, sotto_fault *fault);

/* A ledger in storage of the caller's choice, such as a browser's storage or a phone's key store. The
 * caller only stores bytes. This library defines their meaning and all rules, and checks every byte
 * that it reads back. It stores an anchor of SOTTO_LEDGER_ANCHOR_BYTES and entries 1, 2, 3, ...,
 * which are never changed or removed. They contain no secret, but they contain private reports of
 * the person: keep them from others.
 *
 * The library makes these calls one at a time, within functions on this ledger and its rounds. A call
 * must not use those functions. It returns SOTTO_OK or any other status, which becomes SOTTO_E_LEDGER
 * with the call and its status in sotto_ledger_fault. */
#define SOTTO_LEDGER_CALLS_VERSION 2u
#define SOTTO_LEDGER_ANCHOR_BYTES 128u

typedef struct sotto_ledger_calls {
    uint32_t version; /* SOTTO_LEDGER_CALLS_VERSION: which fields and contracts these are */
    void *state;      /* handed to each call; may be NULL */
    /* Copies the anchor, if there is one, and sets *found. The anchor must be durable: ignore one that
     * another process is still storing. */
    sotto_status (*load)(void *state, uint8_t anchor[SOTTO_LEDGER_ANCHOR_BYTES], bool *found);
    /* Copies `count` bytes of entry `sequence` from byte `offset`. Fails unless all are there. Called only
     * for entries that an anchor counts. */
    sotto_status (*read)(void *state, uint64_t sequence, size_t offset, uint8_t *bytes,
                         size_t count);
    /* Compare and swap, in one step that is atomic for all processes. If the stored anchor is, byte for
     * byte, `before` (NULL: if there is none), store `after` in its place, store `entry`, of
     * entry_bytes, as entry `sequence` (sequence 0: there is no entry), and set *stored. Otherwise
     * change nothing, clear *stored and return SOTTO_OK: the library reads the other process's anchor
     * and decides again. Set *stored only when everything is durable and survives a crash and a power
     * cut. If anything fails, return another status: all or nothing may then be stored, and the library
     * does not use this handle again, because it cannot know which. */
    sotto_status (*append)(void *state, const uint8_t *before,
                           const uint8_t after[SOTTO_LEDGER_ANCHOR_BYTES], uint64_t sequence,
                           const uint8_t *entry, size_t entry_bytes, bool *stored);
    /* Optional: the largest `sequence` that `append` ever stored; 0 before the first. Keep it where
     * restoring an old copy of the store cannot change it, such as in a counter of secure hardware or in
     * an account. `append` raises it after the store is durable and before it returns; nothing lowers
     * it. An anchor with fewer entries was rolled back and is refused, whether or not a process had the
     * ledger open; so is a second sotto_ledger_calls_create. NULL: a roll-back to the anchor that a
     * handle has seen last goes unnoticed. */
    sotto_status (*generation)(void *state, uint64_t *sequence);
} sotto_ledger_calls;

/* Stores an empty ledger: once in a person's life. SOTTO_E_EXISTS if there is an anchor already;
 * SOTTO_E_LEDGER if a call fails or the generation is above 0; SOTTO_E_FAULT for another version. */
SOTTO_API SOTTO_CHECK sotto_status sotto_ledger_calls_create(const sotto_ledger_calls *calls);
/* Opens a ledger and checks all of it; never makes one. Copies the table; `state` must outlive the
 * ledger. Refuses a store that was rolled back or replaced while this ledger is open.
 * sotto_ledger_file_open lists the roll-backs that go unnoticed. */
SOTTO_API SOTTO_CHECK sotto_status sotto_ledger_calls_open(const sotto_ledger_calls *calls,
                                                           sotto_ledger **out);
/* SOTTO_OK if the ledger behind these calls can be opened; otherwise the status that opening it gives. */
SOTTO_API SOTTO_CHECK sotto_status sotto_ledger_calls_fault(const sotto_ledger_calls *calls,
                                                            sotto_fault *fault);

SOTTO_API void sotto_ledger_free(sotto_ledger *ledger);

/* Booked rounds as of the last use of this handle, including begun and abandoned ones. */
SOTTO_API uint64_t sotto_ledger_rounds(const sotto_ledger *ledger);
/* Rounds that ended in a report. */
SOTTO_API uint64_t sotto_ledger_reports(const sotto_ledger *ledger);
/* The sums over all rounds: basic composition. */
SOTTO_API double sotto_ledger_epsilon(const sotto_ledger *ledger);
SOTTO_API double sotto_ledger_delta(const sotto_ledger *ledger);
/* The smaller of the sum of epsilons and the optimal composition, at delta_total, of as many rounds at
 * the largest booked epsilon and delta. Infinite if delta_total is too small for either. */
SOTTO_API double sotto_ledger_epsilon_optimal(const sotto_ledger *ledger, double delta_total);
/* SOTTO_OK if the last use of this handle was not refused; otherwise SOTTO_E_BUDGET or SOTTO_E_LEDGER
 * with the reason. */
SOTTO_API SOTTO_CHECK sotto_status sotto_ledger_fault(const sotto_ledger *ledger,
                                                      sotto_fault *fault);

/* A report that must still be sent: it is kept and not acknowledged, perhaps by a process that has
 * ended. A ledger in memory keeps only those of held rounds (sotto_round_hold). */
typedef struct sotto_unsent {
    uint64_t entry; /* the ledger's number of the round; 0: there are no more */
    uint8_t spec_id[SOTTO_SPEC_ID_BYTES];
    uint8_t nonce[SOTTO_NONCE_BYTES];
    size_t frame_bytes;
    bool held;   /* the report of the default reward, which a running round may still replace */
    bool sealed; /* it may have left already */
    /* Of rounds held by sotto_round_hold_at, otherwise 0. Milliseconds since 1970. */
    uint64_t begun_ms;
    uint64_t send_at_ms;
} sotto_unsent;

/* The first unsent report with a number above `after`. Begin with 0, continue with out->entry. */
SOTTO_API SOTTO_CHECK sotto_status sotto_ledger_unsent(sotto_ledger *ledger, uint64_t after,
                                                       sotto_unsent *out);
/* Durably marks the report as the one that leaves, then gives its bytes. After this nothing replaces
 * it, in this process or another; another call gives the same bytes, for a retry. SOTTO_E_LENGTH, with
 * nothing marked, if they do not fit. SOTTO_E_LEDGER if no unsent report has this number or if the mark
 * may not be on disk: then send nothing. */
SOTTO_API SOTTO_CHECK sotto_status sotto_ledger_seal(sotto_ledger *ledger, uint64_t entry,
                                                     uint8_t *frame, size_t capacity_bytes);
/* The server has the report, which is then not sent again. SOTTO_E_LEDGER if it is not sealed or
 * already acknowledged. */
SOTTO_API SOTTO_CHECK sotto_status sotto_ledger_acknowledge(sotto_ledger *ledger, uint64_t entry);
/* Durably gives up an unsent report: it is not sent, or not sent again. Its round stays spent.
 * SOTTO_E_LEDGER if no unsent report has this number. Choose reports to drop by their age and number,
 * never by the context, arm or reward. If the round is still running, its finish fails with
 * SOTTO_E_LEDGER, releases nothing, wipes the secret and ends the round. If it is finished, its handle
 * still has the bytes (sotto_round_resend), which must not leave any more. */
SOTTO_API SOTTO_CHECK sotto_status sotto_ledger_drop(sotto_ledger *ledger, uint64_t entry);
/* Dropped reports over the ledger's life. */
SOTTO_API uint64_t sotto_ledger_dropped(const sotto_ledger *ledger);

/* ---- client ------------------------------------------------------------------------------- */

/* A person: a policy, a ledger, and the system's randomness. */
typedef struct sotto_client sotto_client;

/* Copies the policy; borrows the ledger, which must outlive the client. SOTTO_E_FAULT if
 * sotto_policy_fault finds one. */
SOTTO_API SOTTO_CHECK sotto_status sotto_client_new(const sotto_policy *policy,
                                                    sotto_ledger *ledger, sotto_client **out);
SOTTO_API void sotto_client_free(sotto_client *client);

/* ---- round -------------------------------------------------------------------------------- */

/* One person in one experiment, one round at a time. */
typedef struct sotto_round sotto_round;

/* Joins an experiment. If the ledger kept the report of the last round of this spec, for example before
 * a restart, sotto_round_resend gives it again. Refuses a spec outside the policy (SOTTO_E_POLICY),
 * with constants weaker than this device computes (SOTTO_E_WEAK), or malformed (SOTTO_E_FAULT,
 * SOTTO_E_SPEC). Copies the terms; borrows the client, which must outlive the round. */
SOTTO_API SOTTO_CHECK sotto_status sotto_round_new(sotto_client *client, const sotto_terms *terms,
                                                   sotto_round **out);
/* Wipes and frees. A begun round is abandoned: it stays spent. */
SOTTO_API void sotto_round_free(sotto_round *round);

/* Starts a round under a model before any context is known: draws the nonce and the noise, and books
 * epsilon in the ledger (SOTTO_E_BUDGET, SOTTO_E_LEDGER). On failure no round begins, and nothing is
 * booked unless the ledger failed while writing. An earlier unfinished round is abandoned and stays
 * booked. Never abandon a round because of its context, arm or reward: the silence would reveal
 * something about them that no epsilon covers. */
SOTTO_API SOTTO_CHECK sotto_status sotto_round_begin(sotto_round *round, const sotto_model *model);

/* Whether the round that was begun ends in a report. False for a learn round under a model that serves
 * a fallback (sotto_model.served): it books nothing, `decide` gives the served arm, hold and finish
 * return SOTTO_E_SERVED, and nothing is sent. This depends only on the nonce and the model. */
SOTTO_API bool sotto_round_reports(const sotto_round *round);

/* Chooses an arm. `context` has arms x dim numbers (one row per arm) for shared parameters, dim for
 * per-arm. NaN and infinities count as 0; vectors longer than the spec's bound are scaled down. Method
 * best-arm does not read it: it may also be NULL, with a count of 0. */
SOTTO_API SOTTO_CHECK sotto_status sotto_round_decide(sotto_round *round, const double *context,
                                                      uint32_t context_count, uint32_t *arm);

/* As sotto_round_decide, but maximises worth[a] mu(x_a . theta) over arms a, for example price times the
 * chance of a sale. `worth` has one number per arm: what a unit of reward is worth under that arm, finite
 * and at least 0. Worths are public and the same for all people. Learning still uses the reward. In
 * warm-up, and while nothing is learnt, the nonce assigns the arm as usual. Privacy is not affected: the
 * distribution of the report depends only on (context, arm, reward), however the arm was chosen, and the
 * claim holds for any two of these.
 *
 * SOTTO_E_FAULT for other numbers, under terms with measure rounds (they measure the mean reward, which
 * worths do not maximise), and under method best-arm, which has no worths. Nothing is decided then, and
 * sotto_round_decide still works. */
SOTTO_API SOTTO_CHECK sotto_status sotto_round_decide_worth(sotto_round *round,
                                                            const double *context,
                                                            uint32_t context_count,
                                                            const double *worth, uint32_t *arm);

/* Ends the round: scores, privatises, and writes the report frame, always sotto_report_bytes long. Pass
 * NAN for a reward that never came, which stands for the spec's default. Rewards outside the range are
 * clamped. All secrets are wiped before this returns. */
SOTTO_API SOTTO_CHECK sotto_status sotto_round_finish(sotto_round *round, double reward,
                                                      uint8_t *frame, size_t capacity_bytes);

/* The same bytes as from the last finish, for a retry. Nothing is drawn again. */
SOTTO_API SOTTO_CHECK sotto_status sotto_round_resend(const sotto_round *round, uint8_t *frame,
                                                      size_t capacity_bytes);

/* A round whose reward may come late, or after the process has ended:
 *
 *     begin -> hold -> decide -> [finish] -> seal -> bytes to send -> acknowledge
 *
 * `decide` then also keeps the report of the default reward in the ledger; if it cannot, there is no arm
 * (SOTTO_E_LEDGER, SOTTO_E_ENTROPY), and the round is spent. Until the report is sealed, `finish` can
 * replace it once by the report of the actual reward. If the send time comes first, `seal` gives the
 * report of the default reward and wipes the secret. If the process ends or the round is abandoned, the
 * kept report can be sent from the ledger (sotto_ledger_unsent). So every round ends in exactly one
 * report. Choose the send time independently of the context, the arm, the reward, and whether a reward
 * came. A reader of the ledger itself may find both reports: epsilon covers each of them. */

/* Call it after begin and before decide: this round is held. Draws separate noise for the second
 * report. */
SOTTO_API SOTTO_CHECK sotto_status sotto_round_hold(sotto_round *round);
/* As sotto_round_hold, and chooses the send time before anything secret is known:
 *
 *     send_at = now + reward_window_s + U,    U uniform over 0 to send_spread_s, in milliseconds
 *
 * U comes from the system's randomness. Both times are durably booked in the ledger, so that a restarted
 * process knows them (sotto_unsent). now_ms is the time of day in milliseconds since 1970, from 1 to 2^62
 * (SOTTO_E_FAULT). After any failure except SOTTO_E_ARGUMENT and SOTTO_E_ORDER the round is abandoned and
 * spent, and cannot be decided. */
SOTTO_API SOTTO_CHECK sotto_status sotto_round_hold_at(sotto_round *round, uint64_t now_ms,
                                                       uint64_t *send_at_ms);
/* The ledger's number of the last round begun on this handle; 0: none. */
SOTTO_API uint64_t sotto_round_entry(const sotto_round *round);
/* Seals the report of this round and gives its bytes, as sotto_ledger_seal. Call it after finish, or
 * after decide if the round is held. On failure the round is unchanged. */
SOTTO_API SOTTO_CHECK sotto_status sotto_round_seal(sotto_round *round, uint8_t *frame,
                                                    size_t capacity_bytes);
/* As sotto_ledger_acknowledge, for the report of this round. Both return SOTTO_E_ORDER for a report made
 * before this handle: use the functions of the ledger for it. */
SOTTO_API SOTTO_CHECK sotto_status sotto_round_acknowledge(sotto_round *round);

/* ---- many people at once ------------------------------------------------------------------ */

/* The same three calls for the rounds of `count` people, one after another, for callers whose calls are
 * expensive, such as bindings of other languages. Each round has its own status in status[i] (NULL: not
 * wanted); a failure does not stop the others. The result is the first status that is not SOTTO_OK. */

SOTTO_API SOTTO_CHECK sotto_status sotto_rounds_begin(sotto_round *const *round, size_t count,
                                                      const sotto_model *model,
                                                      sotto_status *status);
/* `context` has context_count numbers per person, `arm` one per person: UINT32_MAX where deciding
 * failed. */
SOTTO_API SOTTO_CHECK sotto_status sotto_rounds_decide(sotto_round *const *round, size_t count,
                                                       const double *context,
                                                       uint32_t context_count, uint32_t *arm,
                                                       sotto_status *status);
/* `reward` has one number per person, `frames` frame_bytes per person: zeros where finishing
 * failed. */
SOTTO_API SOTTO_CHECK sotto_status sotto_rounds_finish(sotto_round *const *round, size_t count,
                                                       const double *reward, uint8_t *frames,
                                                       size_t frame_bytes, sotto_status *status);

/* ---- card --------------------------------------------------------------------------------- */

/* The largest number of rounds that a card counts. */
#define SOTTO_CARD_ROUNDS_MAX 100000u

/* What a person should know before taking part, in numbers. They come from terms that this device
 * checked, its own policy and its own ledger; the server influences only the terms. */
typedef struct sotto_card {
    /* What leaves: one report per round, and nothing else. */
    uint64_t report_bytes;
    uint32_t reward_window_s; /* a report leaves this long after its round began, */
    uint32_t send_spread_s;   /* plus a random part of this */
    /* How much a report can reveal. */
    double epsilon;
    double delta;
    double odds_factor;   /* e^epsilon: the odds of any two secrets change at most by this factor */
    double measure_share; /* of the rounds; half of these play an arm that is assigned at random */
    /* What rounds of all experiments in the ledger have spent. */
    uint64_t rounds_before;
    uint64_t dropped_before;       /* reports that were given up; their rounds stay spent */
    double epsilon_before;         /* sum */
    double delta_before;           /* sum */
    double epsilon_before_optimal; /* the smallest that holds at the policy's delta_lifetime */
    /* What is left. */
    bool refused;            /* the policy does not admit these terms: see sotto_policy_refusal */
    double epsilon_lifetime; /* of the policy */
    double delta_lifetime;
    /* Rounds of this experiment that the policy still allows if no other experiment uses any: 0 if it
     * refuses these terms, at most SOTTO_CARD_ROUNDS_MAX. */
    uint32_t rounds_left;
} sotto_card;

/* SOTTO_E_FAULT, SOTTO_E_WEAK or SOTTO_E_SPEC for terms that sotto_terms_check refuses, SOTTO_E_FAULT for
 * a policy that cannot be used. Reads the ledger as of the last use of its handle. */
SOTTO_API SOTTO_CHECK sotto_status sotto_card_make(const sotto_terms *terms,
                                                   const sotto_policy *policy,
                                                   const sotto_ledger *ledger, sotto_card *out);

#ifdef __cplusplus
}
#endif
#endif
