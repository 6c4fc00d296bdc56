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

/* Learn reports: those that scores came in. */
SOTTO_API uint64_t sotto_tally_count(const sotto_tally *tally);
/* Those of them that are not null. */
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
    double eta0;         /* of ldp-sgd, above 0; does not follow step: 1/sqrt wants about 0.03 */
    bool project;        /* of ldp-sgd: estimates are kept within theta_norm_max */
    double shift_scale;  /* times the shift c of least squares that theory wants; 0 to 1e3 */
    double elimination_scale; /* h = this x C_B x the predicted error of warm-up; infinity: off */
    double
        prior_variance; /* of a coordinate of theta, for contexts of length 1, before any report; 1e-12
                            * to 1e12 if terms have a mean phase, else 0 */
    /* What learn rounds play once measure rounds show harm (sotto_learner_harm), until the owner ends it: 0
     * nothing else, 1 to arms: that arm + 1, or SOTTO_FALLBACK_RANDOM. Only with measure rounds. */
    uint32_t fallback;
} sotto_learning;

/* alpha 0.1, steps 5/t, projected, the shift of theory, elimination 4; epochs of one report; the
 * warm-up and the mean phase that the method wants at this horizon (0: not known); the prior variance
 * 0.5 (hi - lo)^2, which suits ten thousand people and more (0.2 of it a few thousand), and D^2/dim
 * under other links than identity. */
SOTTO_API sotto_learning sotto_learning_default(const sotto_terms *terms, uint64_t horizon);
/* The mean phase that pays at this horizon, for sotto_learning.mean_phase: its people report the
 * mere direction of their context, and all others then leave out most of what contexts have in common.
 * 0 if the horizon is short or not known (0), or the terms have no such phase. */
SOTTO_API uint64_t sotto_learning_mean_phase(const sotto_terms *terms, uint64_t horizon);
/* SOTTO_E_FAULT and the first setting at fault, its value and what is allowed. */
SOTTO_API SOTTO_CHECK sotto_status sotto_learning_fault(const sotto_terms *terms,
                                                        const sotto_learning *learning,
                                                        sotto_fault *fault);

/* What the server keeps of an experiment: the tallies of open epochs, the estimator, the model. */
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
 * over a network keeps the nonces of the open epochs (sotto_nonce_set), and drops a report whose nonce
 * was there before, whatever its other bytes are, before this is called.
 *
 * Folds a report of an open epoch: the current one, or one at most epoch_lag_max before it.
 * SOTTO_E_EPOCH for any other; otherwise refuses what sotto_tally_fold refuses. */
SOTTO_API SOTTO_CHECK sotto_status sotto_learner_take(sotto_learner *learner,
                                                      const sotto_report *report);
/* What sotto_learner_take would answer; nothing changes. For a service that must store a report before
 * it counts it: one that is SOTTO_OK is taken until the next publish, if the tally does not fill up
 * first. */
SOTTO_API SOTTO_CHECK sotto_status sotto_learner_check(const sotto_learner *learner,
                                                       const sotto_report *report);
/* Takes many reports: frames that follow each other, sotto_report_bytes each. SOTTO_E_LENGTH, with
 * nothing taken, if frames_bytes is not a multiple of that. Otherwise each frame is decoded and taken,
 * or refused, by itself: its own status goes to status[i] (NULL: not wanted), and the answer is the
 * first of them that is not SOTTO_OK. Does not recognise duplicates either: sotto_learner_take_frames_once
 * does. */
SOTTO_API SOTTO_CHECK sotto_status sotto_learner_take_frames(sotto_learner *learner,
                                                             const uint8_t *frames,
                                                             size_t frames_bytes,
                                                             sotto_status *status);
/* Adds a tally of an open epoch, as another machine kept it. */
SOTTO_API SOTTO_CHECK sotto_status sotto_learner_merge(sotto_learner *learner,
                                                       const sotto_tally *tally);

/* Reports taken since the last publish, and how many the current epoch should have. Learn reports count;
 * those of measure rounds only while a fallback is served, when no others come. Publishing earlier or a
 * little later does no harm. */
SOTTO_API uint64_t sotto_learner_taken(const sotto_learner *learner);
SOTTO_API uint64_t sotto_learner_wanted(const sotto_learner *learner);

/* How many epochs late the learn reports taken since the last publish are, on average; 0 if there are
 * none. The step of the next publish is shorter by about 1 plus this (docs/methods.md, "Delay"). */
SOTTO_API double sotto_learner_age(const sotto_learner *learner);

/* What was taken since the last publish, by role; sums are of the values of measure rounds, +1 or -1
 * each. */
typedef struct sotto_unpublished {
    uint64_t learn;
    uint64_t control, follow;
    int64_t control_sum, follow_sum;
} sotto_unpublished;
SOTTO_API sotto_unpublished sotto_learner_unpublished(const sotto_learner *learner);

/* Ends the epoch: all open tallies go into the estimate and are emptied, and the next epoch opens
 * with a new model. SOTTO_E_EPOCH when no epoch is left (2^32 of them). */
SOTTO_API SOTTO_CHECK sotto_status sotto_learner_publish(sotto_learner *learner);

/* Ends the epoch without its reports, for example because they cannot be trusted: all open tallies are
 * emptied, and the next epoch opens with the model as it is, but for its number. Nothing is learnt and
 * nothing is counted. SOTTO_E_EPOCH as above. */
SOTTO_API SOTTO_CHECK sotto_status sotto_learner_discard(sotto_learner *learner);

/* How often a shift was doubled because a noisy matrix was not positive definite. */
SOTTO_API uint64_t sotto_learner_repairs(const sotto_learner *learner);

/* A learner as bytes: its settings, the model, the estimator, the tallies of open epochs, and what
 * measure rounds add up to. One that is read from them continues as if it had never stopped, to the
 * bit. The nonces of open epochs are not in it: the caller keeps them (sotto_nonce_set), and keeps them
 * through a restart, too. How many bytes changes with the epochs that are open. */
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
/* SOTTO_OK if sotto_learner_decode accepts the bytes; otherwise its status, and why not. */
SOTTO_API SOTTO_CHECK sotto_status sotto_learner_bytes_fault(const sotto_terms *terms,
                                                             const uint8_t *bytes,
                                                             size_t bytes_count,
                                                             sotto_fault *fault);

/* ---- measure rounds ----------------------------------------------------------------------- */

/* A number with an interval that holds it. */
typedef struct sotto_interval {
    double value; /* NAN: no report yet, and the interval is all that is possible */
    double lo, hi;
} sotto_interval;

/* What the policy is worth: mean rewards of people who follow it and of people whose arm is assigned
 * at random, over epochs whose model decides. The intervals of follow, control and uplift hold together,
 * at all times that one may look, with chance 1 - alpha; so does that of the recent uplift by itself, and
 * so do those of all arms together (sotto_arm_measurement). measure.c has the formulas. */
typedef struct sotto_measurement {
    uint64_t follow_count, control_count; /* reports */
    sotto_interval follow, control;       /* mean rewards */
    sotto_interval uplift;                /* follow - control; both means at alpha/2 */
    /* The same since the number of reports last passed a power of two; intervals of its own. */
    uint64_t recent_follow_count, recent_control_count;
    sotto_interval recent_uplift;
} sotto_measurement;

/* The policy beside giving everybody one arm; all arms together at alpha. */
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
/* Unknown without measure rounds: never "no". "no" means that harm is not certain, not that there is none. */
typedef enum sotto_harm_verdict { SOTTO_HARM_MAP(SOTTO_ENUMERATOR_HARM) } sotto_harm_verdict;
#undef SOTTO_ENUMERATOR_HARM
SOTTO_API const char *sotto_harm_verdict_name(sotto_harm_verdict value);

/* Whether people who follow the policy get less than people with random arms. At most one experiment in
 * 1,000 has a false "yes", however often one looks. harm.c has the formulas. */
typedef struct sotto_harm {
    sotto_harm_verdict verdict;
    uint32_t since_epoch;               /* opened by the publish that showed it; 0: not yes */
    double uplift_hi, recent_uplift_hi; /* at most so much; either below 0 at a publish fires */
    /* A notice: the arm that is certainly better for everybody than the policy (alpha 0.05; below 0 for
     * several: the clearest one); UINT32_MAX: none is. */
    uint32_t better_arm;
    uint32_t served_epoch; /* the first epoch with the fallback that is served; 0: none is */
    uint32_t restarts;     /* fallbacks that the owner has ended */
    bool ends;             /* this one does, at the next publish */
} sotto_harm;

/* As of the last publish. */
SOTTO_API SOTTO_CHECK sotto_status sotto_learner_harm(const sotto_learner *learner,
                                                      sotto_harm *out);
/* The owner ends the fallback: at the next publish or discard, devices learn and follow again, and the
 * verdict is "no" again and begins anew. SOTTO_E_ORDER if none is served. */
SOTTO_API SOTTO_CHECK sotto_status sotto_learner_end_fallback(sotto_learner *learner);

/* ---- duplicates --------------------------------------------------------------------------- */

/* The nonces of the reports of open epochs, so that a report is counted once. It holds no more than
 * `capacity` of them, in memory that is taken when it is made or grown (sotto_nonce_set_bytes). */
typedef struct sotto_nonce_set sotto_nonce_set;

#define SOTTO_NONCES_MAX (UINT32_C(1) << 30)
#define SOTTO_NONCE_KEY_BYTES 16u

#define SOTTO_SEEN_MAP(X) X(NEW, "new") X(SAME, "same") X(OTHER, "other")
#define SOTTO_ENUMERATOR_SEEN(name, text) SOTTO_SEEN_##name,
/* What a set knew of a report's nonce: nothing; the same frame, as when a device sends again; another
 * frame. Both are duplicates: the first one counts. */
typedef enum sotto_seen { SOTTO_SEEN_MAP(SOTTO_ENUMERATOR_SEEN) } sotto_seen;
#undef SOTTO_ENUMERATOR_SEEN
SOTTO_API const char *sotto_seen_name(sotto_seen value);

/* The bytes of memory of a set; 0 for a capacity that is not 1 to SOTTO_NONCES_MAX. */
SOTTO_API size_t sotto_nonce_set_bytes(uint32_t capacity);
/* An empty set at epoch 0. The key is secret and random, drawn by the server's operator, so that
 * nobody can choose nonces that are slow to look up; this library draws nothing. SOTTO_E_FAULT for a
 * capacity out of range. */
SOTTO_API SOTTO_CHECK sotto_status sotto_nonce_set_new(const sotto_terms *terms,
                                                       const uint8_t key[SOTTO_NONCE_KEY_BYTES],
                                                       uint32_t capacity, sotto_nonce_set **out);
SOTTO_API void sotto_nonce_set_free(sotto_nonce_set *set);
SOTTO_API uint64_t sotto_nonce_set_count(const sotto_nonce_set *set);
SOTTO_API uint32_t sotto_nonce_set_capacity(const sotto_nonce_set *set);
/* Makes room for so many, and keeps all that is known. SOTTO_E_FAULT for a capacity above
 * SOTTO_NONCES_MAX or below the present one; with SOTTO_E_MEMORY nothing is changed either. */
SOTTO_API SOTTO_CHECK sotto_status sotto_nonce_set_grow(sotto_nonce_set *set, uint32_t capacity);

/* Looks up a report's nonce, and stores it if it is new. `frame` is the report as it came.
 * SOTTO_E_EPOCH for an epoch that is not open, SOTTO_E_FULL for a new nonce when there is no room:
 * then nothing is stored, and the report must not be counted. */
SOTTO_API SOTTO_CHECK sotto_status sotto_nonce_set_see(sotto_nonce_set *set,
                                                       const sotto_report *report,
                                                       const uint8_t *frame, size_t frame_bytes,
                                                       sotto_seen *seen);
/* Takes many reports, each once: as sotto_learner_take_frames, but a report whose nonce is known in the set is
 * left out. The set is at the epoch of the learner. A nonce is kept if its report is taken, and only then:
 * a frame that is refused does not block another one. What was known goes to seen[i] (NULL: not
 * wanted); a duplicate has status[i] SOTTO_OK, and what is refused SOTTO_SEEN_NEW. SOTTO_E_FULL also for a new nonce when there is no
 * room in the set. */
SOTTO_API SOTTO_CHECK sotto_status
sotto_learner_take_frames_once(sotto_learner *learner, sotto_nonce_set *set, const uint8_t *frames,
                               size_t frames_bytes, sotto_status *status, sotto_seen *seen);
/* Removes a nonce, for example that of a report that could not be stored. */
SOTTO_API void sotto_nonce_set_remove(sotto_nonce_set *set, const sotto_report *report);
/* The current epoch is now this one: opens it, and forgets epochs more than epoch_lag_max before it.
 * SOTTO_E_EPOCH, with nothing changed, for one before the current. */
SOTTO_API SOTTO_CHECK sotto_status sotto_nonce_set_advance(sotto_nonce_set *set, uint32_t current);

/* ---- shuffling ---------------------------------------------------------------------------- */

/*
 * What a server learns about one person from the shuffled reports of one epoch: (epsilon_c, delta)
 * with epsilon_c far below epsilon. sotto_shuffle_text has the conditions; show it beside every such
 * number. Policies and ledgers never use it: a device cannot know who shuffles.
 */
#define SOTTO_SHUFFLE_REPORTS_MAX UINT64_C(10000000)
#define SOTTO_SHUFFLE_DELTA_MIN 1e-15

/* True for reports of one codeword index. Lattice reports and the several indices of split per-arm
 * are not covered. */
SOTTO_API bool sotto_shuffle_applies(const sotto_terms *terms);
/* The conditions under which the number holds; of other terms, that it does not apply. */
SOTTO_API const char *sotto_shuffle_text(const sotto_terms *terms);
/* delta at epsilon_c, from 0 to the spec's epsilon: never below the exact sum, and at most 1e-9 of
 * it above, but for an epsilon_c within a millionth of epsilon and a delta below 1e-230. It is the largest of all
 * phases. SOTTO_E_SPEC if it does not apply; SOTTO_E_FAULT for
 * numbers out of range. The time grows with `reports`: a second or less for 1,000,000. */
SOTTO_API SOTTO_CHECK sotto_status sotto_shuffle_delta(const sotto_terms *terms, uint64_t reports,
                                                       double epsilon, double *out);
/* The smallest epsilon_c with at most this delta (SOTTO_SHUFFLE_DELTA_MIN to below 1), rounded up
 * by at most 1e-7 of itself; the spec's epsilon where a crowd of this size adds nothing. */
SOTTO_API SOTTO_CHECK sotto_status sotto_shuffle_epsilon(const sotto_terms *terms, uint64_t reports,
                                                         double delta, double *out);

#ifdef __cplusplus
}
#endif
#endif
