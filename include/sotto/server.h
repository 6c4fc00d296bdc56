/*
 * The server's side: it sees reports, already private, sums them exactly, and learns from the sums.
 *
 * It draws nothing at random, and no secret can reach it: this header cannot be used together with
 * the person's side in one library. The head of core.h says what NULL does.
 */
#ifndef SOTTO_SERVER_H
#define SOTTO_SERVER_H

#include <sotto/core.h>

#if defined(SOTTO_SIDE_CLIENT) || defined(SOTTO_SIDE_CORE)
#error "sotto/server.h is the server's side: client and core code may not use it"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The exact sum of one epoch's reports, in integers: the same reports give the same tally in any
 * order and on any number of threads.
 *
 * No sum can overflow: a report adds at most 2^31 to a coordinate (a codeword 2^30), and a tally
 * takes at most SOTTO_REPORTS_MAX = 2^31 reports: |sum| <= 2^62 < 2^63.
 */
typedef struct sotto_tally sotto_tally;

/* An empty tally of the epoch that a model opens. Copies the terms; refuses what sotto_model_check
 * refuses. */
SOTTO_API SOTTO_CHECK sotto_status sotto_tally_new(const sotto_terms *terms,
                                                   const sotto_model *model, sotto_tally **out);
SOTTO_API void sotto_tally_free(sotto_tally *tally);

/* DOES NOT RECOGNISE DUPLICATES: a report that is folded twice counts twice. See sotto_learner_take.
 *
 * Adds a report. Refuses, and changes nothing, one of another spec or epoch, or with an index that
 * the epoch's codebook does not have, or when the tally is full. */
SOTTO_API SOTTO_CHECK sotto_status sotto_tally_fold(sotto_tally *tally, const sotto_report *report);

/* Adds all of `from`, a tally of the same spec, epoch and phase. */
SOTTO_API SOTTO_CHECK sotto_status sotto_tally_merge(sotto_tally *tally, const sotto_tally *from);

/* Learn reports: those that carry scores. */
SOTTO_API uint64_t sotto_tally_count(const sotto_tally *tally);
/* Learn reports that are not null. */
SOTTO_API uint64_t sotto_tally_heard(const sotto_tally *tally);
/* Reports of measure rounds in a role, and the sum of their values, +1 or -1 each. `arm` is the
 * assigned arm of control, and 0 for follow. */
SOTTO_API uint64_t sotto_tally_measured(const sotto_tally *tally, sotto_role role, uint32_t arm,
                                        int64_t *sum);

/* The sums: codeword coordinates in 2^-30ths, or ticks. Shared parameters: one row. Per-arm: one
 * row per arm, holding the reports assigned to or tagged with that arm, or all reports times its
 * sign. */
SOTTO_API const int64_t *sotto_tally_sums(const sotto_tally *tally, uint32_t *count);

/* Reports that count for an arm: those assigned to it in warm-up or tagged with it; otherwise all.
 */
SOTTO_API uint64_t sotto_tally_arm_count(const sotto_tally *tally, uint32_t arm);

/* The unbiased mean of the scores: vectors of the unit ball, or statistics in their own units.
 * B/2^30 (or the step of the grid) times sums over count. `out` has as many numbers as there are
 * sums; all 0 while the tally is empty. */
SOTTO_API void sotto_tally_mean(const sotto_tally *tally, double *out);

SOTTO_API size_t sotto_tally_bytes(const sotto_tally *tally);
SOTTO_API SOTTO_CHECK sotto_status sotto_tally_encode(const sotto_tally *tally, uint8_t *out,
                                                      size_t capacity_bytes);
/* A tally from its bytes; *out is NULL unless SOTTO_OK. */
SOTTO_API SOTTO_CHECK sotto_status sotto_tally_decode(const sotto_terms *terms,
                                                      const uint8_t *bytes, size_t bytes_count,
                                                      sotto_tally **out);

/* ---- learning ----------------------------------------------------------------------------- */

#define SOTTO_STEP_MAP(X) X(INVERSE, "1/t") X(SQRT, "1/sqrt")
#define SOTTO_ENUMERATOR_STEP(name, text) SOTTO_STEP_##name,
/* How the steps of ldp-sgd shrink: eta0/t or eta0/sqrt(t). */
typedef enum sotto_step { SOTTO_STEP_MAP(SOTTO_ENUMERATOR_STEP) } sotto_step;
#undef SOTTO_ENUMERATOR_STEP
SOTTO_API const char *sotto_step_name(sotto_step value);

#define SOTTO_HORIZON_MAX UINT64_C(1000000000000) /* 10^12 */

#define SOTTO_FALLBACK_RANDOM UINT32_MAX

/*
 * How the server learns. None of it is part of a spec: whatever the server does with reports costs
 * no privacy, and devices need not know.
 */
typedef struct sotto_learning {
    uint64_t horizon;    /* T, how many reports will come; 0: not known, T doubles as they come */
    uint64_t warm_up;    /* reports of the warm-up, all arms together; 0 for shared parameters */
    uint64_t mean_phase; /* reports of the mean phase, before warm-up; 0 if terms have none */
    uint64_t epoch;      /* reports per epoch; 0: by the rule of schedule.c */
    double alpha;        /* chance that a confidence bound fails, in (0, 1) */
    sotto_step step;     /* of ldp-sgd */
    double eta0;         /* of ldp-sgd, above 0; step 1/sqrt needs a smaller one, about 0.03 */
    bool project;        /* of ldp-sgd: estimates are kept within theta_norm_max */
    double shift_scale;  /* factor on the shift c of least squares that theory requires; 0 to 1e3 */
    double elimination_scale; /* h = this x C_B x the predicted error of warm-up; infinity: off */
    /* Of a coordinate of theta, for contexts of length 1, before any report: 1e-12 to 1e12 if terms have
     * a mean phase, else 0. */
    double prior_variance;
    /* What learn rounds play once measure rounds show harm (sotto_learner_harm), until the owner ends it.
     * 0: no change; 1 to arms: that arm + 1; or SOTTO_FALLBACK_RANDOM. Only with measure rounds. */
    uint32_t fallback;
} sotto_learning;

/* alpha 0.1, steps 5/t, projected, the shift of theory, elimination 4; epochs of one report; the
 * method's own warm-up and mean phase for this horizon (0: not known). The prior variance is
 * 0.5 (hi - lo)^2 with link identity, which suits ten thousand people or more (a few thousand need 0.2
 * of it), and D^2/dim with other links. */
SOTTO_API sotto_learning sotto_learning_default(const sotto_terms *terms, uint64_t horizon);
/* The best length of the mean phase at this horizon, for sotto_learning.mean_phase. People in that phase
 * report only the direction of their context; all others then leave out most of what contexts have in
 * common. 0 if the horizon is too short or not known (0), or if the terms have no such phase. */
SOTTO_API uint64_t sotto_learning_mean_phase(const sotto_terms *terms, uint64_t horizon);
/* SOTTO_E_FAULT and the first setting at fault, its value and what is allowed. */
SOTTO_API SOTTO_CHECK sotto_status sotto_learning_fault(const sotto_terms *terms,
                                                        const sotto_learning *learning,
                                                        sotto_fault *fault);

/* The server's state of an experiment: the tallies of open epochs, the estimator, the model. */
typedef struct sotto_learner sotto_learner;

/* SOTTO_E_FAULT if sotto_learning_fault finds one. Takes all the memory it will ever need. */
SOTTO_API SOTTO_CHECK sotto_status sotto_learner_new(const sotto_terms *terms,
                                                     const sotto_learning *learning,
                                                     sotto_learner **out);
SOTTO_API void sotto_learner_free(sotto_learner *learner);

/* The model of the current epoch; it changes with sotto_learner_publish. */
SOTTO_API const sotto_model *sotto_learner_model(const sotto_learner *learner);

/* DOES NOT RECOGNISE DUPLICATES: a report that is taken twice counts twice. Devices send a report
 * again when they are not sure that it arrived, and anybody may copy one. A server that receives reports
 * over a network must keep the nonces of the open epochs (sotto_nonce_set) and drop every report with a
 * known nonce, whatever its other bytes are, before it calls this.
 *
 * Folds a report of an open epoch: the current one, or one at most epoch_lag_max before it.
 * SOTTO_E_EPOCH for any other; otherwise refuses what sotto_tally_fold refuses. */
SOTTO_API SOTTO_CHECK sotto_status sotto_learner_take(sotto_learner *learner,
                                                      const sotto_report *report);
/* What sotto_learner_take would return; changes nothing. For a service that must store a report before it
 * counts it: after SOTTO_OK the report can be taken until the next publish, unless the tally fills up
 * first. */
SOTTO_API SOTTO_CHECK sotto_status sotto_learner_check(const sotto_learner *learner,
                                                       const sotto_report *report);
/* Takes many reports: consecutive frames of sotto_report_bytes each. SOTTO_E_LENGTH, with nothing taken,
 * if frames_bytes is not a multiple of that. Otherwise each frame is decoded and taken or refused by
 * itself. Its status goes to status[i] (NULL: not wanted); the result is the first one that is not
 * SOTTO_OK. This does not recognise duplicates either; sotto_learner_take_frames_once does. */
SOTTO_API SOTTO_CHECK sotto_status sotto_learner_take_frames(sotto_learner *learner,
                                                             const uint8_t *frames,
                                                             size_t frames_bytes,
                                                             sotto_status *status);
/* Adds a tally of an open epoch from another machine. */
SOTTO_API SOTTO_CHECK sotto_status sotto_learner_merge(sotto_learner *learner,
                                                       const sotto_tally *tally);

/* Reports taken since the last publish, and how many the current epoch should have. These count learn
 * reports; while a fallback is served, when no others come, they count measure rounds. Publishing earlier
 * or a little later does no harm. */
SOTTO_API uint64_t sotto_learner_taken(const sotto_learner *learner);
SOTTO_API uint64_t sotto_learner_wanted(const sotto_learner *learner);

/* The mean number of epochs by which learn reports taken since the last publish are late; 0 if there are
 * none. The next publish divides its step by about 1 plus this (docs/methods.md, "Delay"). */
SOTTO_API double sotto_learner_age(const sotto_learner *learner);

/* Reports taken since the last publish, by role. Sums are over the values of measure rounds, +1 or -1
 * each. */
typedef struct sotto_unpublished {
    uint64_t learn;
    uint64_t control, follow;
    int64_t control_sum, follow_sum;
} sotto_unpublished;
SOTTO_API sotto_unpublished sotto_learner_unpublished(const sotto_learner *learner);

/* Ends the epoch: all open tallies go into the estimate and are emptied, and the next epoch opens
 * with a new model. SOTTO_E_EPOCH after 2^32 epochs. */
SOTTO_API SOTTO_CHECK sotto_status sotto_learner_publish(sotto_learner *learner);

/* Ends the epoch without its reports, for example because they cannot be trusted: all open tallies are
 * emptied, and the next epoch opens with the same model under the next number. Nothing is learnt or
 * counted. SOTTO_E_EPOCH as above. */
SOTTO_API SOTTO_CHECK sotto_status sotto_learner_discard(sotto_learner *learner);

/* How often a shift was doubled because a noisy matrix was not positive definite. */
SOTTO_API uint64_t sotto_learner_repairs(const sotto_learner *learner);

/* A learner as bytes: its settings, the model, the estimator, the tallies of open epochs, and the sums of
 * measure rounds. A learner decoded from them continues bit by bit as if it had never stopped. They do
 * not contain the nonces of open epochs: the caller must keep those (sotto_nonce_set) through a restart
 * too. The number of bytes changes with the number of open epochs. */
SOTTO_API size_t sotto_learner_bytes(const sotto_learner *learner);
/* SOTTO_E_FAULT for numbers that the decoder would refuse. */
SOTTO_API SOTTO_CHECK sotto_status sotto_learner_encode(const sotto_learner *learner, uint8_t *out,
                                                        size_t capacity_bytes);
/* A learner from its bytes; *out is NULL unless SOTTO_OK. SOTTO_E_SPEC for a learner of other terms,
 * SOTTO_E_FRAME for anything but a whole learner of these; otherwise refuses terms that
 * sotto_terms_check refuses. */
SOTTO_API SOTTO_CHECK sotto_status sotto_learner_decode(const sotto_terms *terms,
                                                        const uint8_t *bytes, size_t bytes_count,
                                                        sotto_learner **out);
/* SOTTO_OK if sotto_learner_decode accepts the bytes; otherwise its status and the reason. */
SOTTO_API SOTTO_CHECK sotto_status sotto_learner_bytes_fault(const sotto_terms *terms,
                                                             const uint8_t *bytes,
                                                             size_t bytes_count,
                                                             sotto_fault *fault);

/* ---- measure rounds ----------------------------------------------------------------------- */

/* A number with an interval that holds it. */
typedef struct sotto_interval {
    double value; /* NAN: no report yet; the interval is then the whole range */
    double lo, hi;
} sotto_interval;

/* The value of the policy: mean rewards of people who follow it and of people whose arm is assigned at
 * random, over epochs whose model decides. The intervals of follow, control and uplift hold together, at
 * all times, with chance 1 - alpha. So does the interval of the recent uplift by itself, and so do those
 * of all arms together (sotto_arm_measurement). measure.c has the formulas. */
typedef struct sotto_measurement {
    uint64_t follow_count, control_count; /* reports */
    sotto_interval follow, control;       /* mean rewards */
    sotto_interval uplift;                /* follow - control; both means at alpha/2 */
    /* Only reports since their number last passed a power of two, with separate intervals. */
    uint64_t recent_follow_count, recent_control_count;
    sotto_interval recent_uplift;
} sotto_measurement;

/* The policy compared with giving all people one arm; all arms together at alpha. */
typedef struct sotto_arm_measurement {
    uint64_t count;
    sotto_interval mean;
    sotto_interval uplift;
} sotto_arm_measurement;

/* As of the last publish. SOTTO_E_FAULT for an alpha that is not between 0 and 1, SOTTO_E_SPEC for
 * terms without measure rounds, SOTTO_E_INDEX for an arm that does not exist. */
SOTTO_API SOTTO_CHECK sotto_status sotto_learner_measure(const sotto_learner *learner, double alpha,
                                                         sotto_measurement *out);
SOTTO_API SOTTO_CHECK sotto_status sotto_learner_measure_arm(const sotto_learner *learner,
                                                             double alpha, uint32_t arm,
                                                             sotto_arm_measurement *out);

#define SOTTO_HARM_MAP(X) X(UNKNOWN, "unknown") X(NO, "no") X(YES, "yes")
#define SOTTO_ENUMERATOR_HARM(name, text) SOTTO_HARM_##name,
/* "no" means that harm is not certain, not that there is none. Without measure rounds it is "unknown". */
typedef enum sotto_harm_verdict { SOTTO_HARM_MAP(SOTTO_ENUMERATOR_HARM) } sotto_harm_verdict;
#undef SOTTO_ENUMERATOR_HARM
SOTTO_API const char *sotto_harm_verdict_name(sotto_harm_verdict value);

/* Whether people who follow the policy get less than people with random arms. At most one experiment in
 * 1,000 has a false "yes", however often one looks. harm.c has the formulas. */
typedef struct sotto_harm {
    sotto_harm_verdict verdict;
    uint32_t since_epoch; /* the epoch opened by the publish that showed harm; 0: not "yes" */
    /* Upper bounds on the uplift. The verdict is "yes" once either is below 0 at a publish. */
    double uplift_hi, recent_uplift_hi;
    /* A notice: an arm that, given to all people, is certainly better than the policy (alpha 0.05); of
     * several, the clearest one. UINT32_MAX: none. */
    uint32_t better_arm;
    uint32_t served_epoch; /* the first epoch of the present fallback; 0: none is served */
    uint32_t restarts;     /* fallbacks that the owner has ended */
    bool ends;             /* the present fallback ends at the next publish */
} sotto_harm;

/* As of the last publish. */
SOTTO_API SOTTO_CHECK sotto_status sotto_learner_harm(const sotto_learner *learner,
                                                      sotto_harm *out);
/* The owner ends the fallback. At the next publish or discard devices learn and follow again, and the
 * verdict is reset to "no". SOTTO_E_ORDER if no fallback is served. */
SOTTO_API SOTTO_CHECK sotto_status sotto_learner_end_fallback(sotto_learner *learner);

/* ---- duplicates --------------------------------------------------------------------------- */

/* The nonces of reports of open epochs, so that each report is counted once. A set holds at most
 * `capacity` nonces. It allocates only when it is made or grown (sotto_nonce_set_bytes). */
typedef struct sotto_nonce_set sotto_nonce_set;

#define SOTTO_NONCES_MAX (UINT32_C(1) << 30)
#define SOTTO_NONCE_KEY_BYTES 16u

#define SOTTO_SEEN_MAP(X) X(NEW, "new") X(SAME, "same") X(OTHER, "other")
#define SOTTO_ENUMERATOR_SEEN(name, text) SOTTO_SEEN_##name,
/* What a set knows of a report's nonce. New: nothing. Same: it came with the same frame, as in a retry.
 * Other: it came with another frame. The last two are duplicates, and only the first report counts. */
typedef enum sotto_seen { SOTTO_SEEN_MAP(SOTTO_ENUMERATOR_SEEN) } sotto_seen;
#undef SOTTO_ENUMERATOR_SEEN
SOTTO_API const char *sotto_seen_name(sotto_seen value);

/* The bytes of memory of a set; 0 for a capacity that is not 1 to SOTTO_NONCES_MAX. */
SOTTO_API size_t sotto_nonce_set_bytes(uint32_t capacity);
/* An empty set at epoch 0. The caller draws the key at random and keeps it secret, so that nobody can
 * choose nonces that are slow to look up. SOTTO_E_FAULT for a capacity out of range. */
SOTTO_API SOTTO_CHECK sotto_status sotto_nonce_set_new(const sotto_terms *terms,
                                                       const uint8_t key[SOTTO_NONCE_KEY_BYTES],
                                                       uint32_t capacity, sotto_nonce_set **out);
SOTTO_API void sotto_nonce_set_free(sotto_nonce_set *set);
SOTTO_API uint64_t sotto_nonce_set_count(const sotto_nonce_set *set);
SOTTO_API uint32_t sotto_nonce_set_capacity(const sotto_nonce_set *set);
/* Raises the capacity and keeps all nonces. SOTTO_E_FAULT for a capacity above SOTTO_NONCES_MAX or below
 * the present one. A failure changes nothing. */
SOTTO_API SOTTO_CHECK sotto_status sotto_nonce_set_grow(sotto_nonce_set *set, uint32_t capacity);

/* Looks up a report's nonce and stores it if it is new. `frame` is the report as received.
 * SOTTO_E_EPOCH for an epoch that is not open, SOTTO_E_FULL for a new nonce without room: then nothing
 * is stored, and the report must not be counted. */
SOTTO_API SOTTO_CHECK sotto_status sotto_nonce_set_see(sotto_nonce_set *set,
                                                       const sotto_report *report,
                                                       const uint8_t *frame, size_t frame_bytes,
                                                       sotto_seen *seen);
/* Takes many reports, each once: as sotto_learner_take_frames, but leaves out reports whose nonce is in
 * the set, which must be at the epoch of the learner. A nonce is stored only if its report is taken, so
 * that a refused frame does not block another one. What the set knew goes to seen[i] (NULL: not wanted).
 * A duplicate has status[i] SOTTO_OK; a refused frame has seen[i] SOTTO_SEEN_NEW. SOTTO_E_FULL also for a
 * new nonce without room in the set. */
SOTTO_API SOTTO_CHECK sotto_status
sotto_learner_take_frames_once(sotto_learner *learner, sotto_nonce_set *set, const uint8_t *frames,
                               size_t frames_bytes, sotto_status *status, sotto_seen *seen);
/* Removes a nonce, for example that of a report that could not be stored. */
SOTTO_API void sotto_nonce_set_remove(sotto_nonce_set *set, const sotto_report *report);
/* Makes `current` the current epoch and forgets epochs more than epoch_lag_max before it. SOTTO_E_EPOCH,
 * with nothing changed, for an epoch before the current one. */
SOTTO_API SOTTO_CHECK sotto_status sotto_nonce_set_advance(sotto_nonce_set *set, uint32_t current);

/* ---- shuffling ---------------------------------------------------------------------------- */

/*
 * What a server learns about one person from the shuffled reports of one epoch: (epsilon_c, delta)
 * with epsilon_c far below epsilon. sotto_shuffle_text has the conditions; show it beside every such
 * number. Policies and ledgers never use it, because a device cannot know whether reports are shuffled.
 */
#define SOTTO_SHUFFLE_REPORTS_MAX UINT64_C(10000000)
#define SOTTO_SHUFFLE_DELTA_MIN 1e-15

/* True for reports of one codeword index. Lattice reports and the several indices of split per-arm
 * are not covered. */
SOTTO_API bool sotto_shuffle_applies(const sotto_terms *terms);
/* The conditions under which the number holds; for other terms, that it does not apply. */
SOTTO_API const char *sotto_shuffle_text(const sotto_terms *terms);
/* delta at epsilon_c, which is 0 to the spec's epsilon: the largest of all phases. It is never below the
 * exact sum, and above it by at most 1e-9 of it, except for an epsilon_c within a millionth of epsilon and
 * for a delta below 1e-230. SOTTO_E_SPEC if it does not apply, SOTTO_E_FAULT for numbers out of range. The
 * time grows with `reports`: a second or less for 1,000,000. */
SOTTO_API SOTTO_CHECK sotto_status sotto_shuffle_delta(const sotto_terms *terms, uint64_t reports,
                                                       double epsilon, double *out);
/* The smallest epsilon_c with at most this delta (SOTTO_SHUFFLE_DELTA_MIN to below 1), rounded up by at
 * most 1e-7 of itself. It is the spec's epsilon if so few reports add no privacy. */
SOTTO_API SOTTO_CHECK sotto_status sotto_shuffle_epsilon(const sotto_terms *terms, uint64_t reports,
                                                         double delta, double *out);

#ifdef __cplusplus
}
#endif
#endif
