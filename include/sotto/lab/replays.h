/*
 * The lab: methods on people from a file, as `sotto replay` does it: the same rows and the same
 * numbers. Not for production.
 *
 *     schema, request -> run -> rows, summary
 *
 * A handle is used by one thread at a time; `threads` of the request play. The head of core.h says
 * what NULL does.
 */
#ifndef SOTTO_LAB_REPLAYS_H
#define SOTTO_LAB_REPLAYS_H

#include <sotto/lab/datasets.h>
#include <sotto/lab/runs.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what is asked for -------------------------------------------------------------------- */

#define SOTTO_REPLAY_UNSAID UINT64_MAX
#define SOTTO_REPLAY_EPSILONS_MAX 1024u
#define SOTTO_REPLAY_PLAYERS_MAX 256u

/* The request for a replay, independent of its file. Arrays are borrowed. */
typedef struct sotto_replay_request {
    /* Methods, each once. Two methods without privacy and best-arm are always played too. */
    const sotto_player *player;
    uint32_t players_count; /* 1 to SOTTO_REPLAY_PLAYERS_MAX */
    /* Custom methods, one per player. Where an entry is not NULL, it replaces that player. The tables
     * must outlive the replay. A method that claims no privacy is played once and gets epsilon
     * INFINITY. NULL: no method is custom. */
    const sotto_player_table *const *custom;
    const double *epsilon;   /* each once; methods without privacy are played once */
    uint32_t epsilons_count; /* 1 to SOTTO_REPLAY_EPSILONS_MAX */
    sotto_parameters parameters;
    sotto_link link;
    double delta;          /* of methods with gaussian noise */
    bool allow_weak_delta; /* consent to delta above 1e-6 */
    uint32_t seeds_count;  /* 1, 2, ..., this */
    uint32_t passes;       /* over the file, at least 1; over a log, 1 */
    uint32_t threads;      /* that play, 1 to SOTTO_THREADS_MAX; one more thread reads */
    bool shuffle;          /* each seed plays a block in its own order */
    uint64_t people_max;   /* at most so many are played; SOTTO_REPLAY_UNSAID: all of the file */
    uint64_t warm_up;      /* rounds of random arms; SOTTO_REPLAY_UNSAID: the method's default */
    double clip;           /* of a log: a smaller propensity counts as this; 1e-6 to 1 */
    /* Checkpoints, increasing, none larger than the number of people played. The end of a run is
     * always one. NULL: 1, 2, 5, 10, ... */
    const uint64_t *at;
    uint32_t at_count; /* below SOTTO_POINTS_MAX */
} sotto_replay_request;

/* Method sotto at epsilon 1, delta 1e-6, per-arm parameters, link identity, 10 seeds, one pass, one
 * thread, shuffled, all people, the method's own warm-up, clip 0.01, the usual checkpoints. */
SOTTO_API sotto_replay_request sotto_replay_request_default(void);
/* SOTTO_OK if the request can be used with such a file; otherwise SOTTO_E_FAULT, with the first wrong
 * field and its value. Some faults are found only while the file is read. */
SOTTO_API SOTTO_CHECK sotto_status sotto_replay_request_fault(const sotto_replay_request *request,
                                                              bool log, sotto_fault *fault);

#define SOTTO_REPLAY_STOPPED "the replay was stopped"

/* Called about ten times a second, on the thread that started the replay. */
typedef struct sotto_replay_listener {
    /* False ends the replay, with the sentence SOTTO_REPLAY_STOPPED. The listener is still called
     * until all threads have stopped. `done` counts the rounds of all runs together. */
    bool (*progress)(void *state, uint64_t done);
    void *state;
} sotto_replay_listener;

/* ---- the replay --------------------------------------------------------------------------- */

/* A file, played by many methods and seeds at once. */
typedef struct sotto_replay sotto_replay;

/* Reads the file once to count people, because methods need their number, then plays it. A pipe is
 * played without counting. `listener` may be NULL. The schema and everything that the request borrows
 * may be freed afterwards. On failure *out is NULL, and the fault says what cannot be used or what is
 * wrong with the file. */
SOTTO_API SOTTO_CHECK sotto_status sotto_replay_run(const sotto_replay_request *request,
                                                    const sotto_schema *schema, const char *path,
                                                    const sotto_replay_listener *listener,
                                                    sotto_replay **out, sotto_fault *fault);
SOTTO_API void sotto_replay_free(sotto_replay *replay);

/* ---- why there is no number ---------------------------------------------------------------- */

/* Of a log: why an estimate has no value or no useful interval. */
typedef enum sotto_replay_unavailable {
    SOTTO_UNAVAILABLE_NONE, /* it has both */
    SOTTO_UNAVAILABLE_NO_MATCH,
    SOTTO_UNAVAILABLE_FEW_MATCHES,
    SOTTO_UNAVAILABLE_SAME,
    SOTTO_UNAVAILABLE_HUGE,
    SOTTO_UNAVAILABLE_PIPE,
    SOTTO_UNAVAILABLE_FEW_EVENTS,
    SOTTO_UNAVAILABLE_LARGE,
    SOTTO_UNAVAILABLE_WIDE, /* the interval covers the whole range of rewards */
} sotto_replay_unavailable;
/* "cannot tell: " or "nothing is known yet: " and the reason; "" for none. */
SOTTO_API const char *sotto_replay_unavailable_text(sotto_replay_unavailable unavailable);

/* ---- rows --------------------------------------------------------------------------------- */

/* A value with its 95 % interval. NAN if there are no events, or if all are the same and their spread
 * is unknown. */
typedef struct sotto_estimate {
    double value, lo, hi;
} sotto_estimate;

/* One checkpoint of one run. */
typedef struct sotto_replay_row {
    const char *method;
    double epsilon; /* INFINITY: not private */
    uint64_t seed;
    uint64_t t; /* people or events so far */
    /* Of labels: the reward of all people, and how far it is below the best arm for each. */
    double reward, regret;
    /* Of a log: events learnt from, their mean reward, and the value by inverse propensity. */
    uint64_t learnt;
    sotto_estimate replayed, weighted;
    double self_normalised, effective_size;
} sotto_replay_row;

/* Run by run, checkpoint by checkpoint. */
SOTTO_API uint64_t sotto_replay_rows(const sotto_replay *replay);
/* False if there is no such row. */
SOTTO_API bool sotto_replay_row_at(const sotto_replay *replay, uint64_t row, sotto_replay_row *out);

/* ---- summary ------------------------------------------------------------------------------ */

/* How a method compares with giving all people one arm: the best one in hindsight (the majority arm;
 * with a table of rewards or a log, the arm that earns most), and method best-arm at the same
 * epsilon. */
typedef enum sotto_replay_verdict {
    SOTTO_VERDICT_NONE, /* of a yardstick */
    /* Not judged. */
    SOTTO_VERDICT_FEW_PEOPLE,  /* of labels: fewer people than announced */
    SOTTO_VERDICT_SORTED,      /* of labels */
    SOTTO_VERDICT_FEW_SEEDS,   /* of labels */
    SOTTO_VERDICT_ONE_LOGGED,  /* the log gave one arm only */
    SOTTO_VERDICT_NOTHING_YET, /* of a log: the interval of ips covers the whole range of rewards */
    /* Judged. */
    SOTTO_VERDICT_BEST_ARM,      /* the method is best-arm itself */
    SOTTO_VERDICT_ABOVE_ONE_ARM, /* better than both */
    /* Worse than best-arm or, if best-arm did not play, than the best arm in hindsight. */
    SOTTO_VERDICT_BELOW_ONE_ARM,
    /* Worse than the best arm in hindsight, but not certainly worse than best-arm. */
    SOTTO_VERDICT_BELOW_HINDSIGHT,
    SOTTO_VERDICT_CHANCE, /* of labels: like random arms */
    /* Of a log: better than the policy that wrote it, but not certainly better than both. */
    SOTTO_VERDICT_ABOVE_LOGGING,
    SOTTO_VERDICT_LIKE_ONE_ARM, /* no certain difference */
} sotto_replay_verdict;

#define SOTTO_VERDICT_BYTES 80u
/* The sentence; "" for none. Of a log `seeds` is 0, because more seeds would not help. Returns
 * `text`. */
SOTTO_API const char *sotto_replay_verdict_text(sotto_replay_verdict verdict, uint32_t seeds,
                                                char text[SOTTO_VERDICT_BYTES]);

/* A mean over seeds, minus and plus 3 standard errors. */
typedef struct sotto_span {
    double lo, hi;
} sotto_span;

/* Whether a method achieves the possible gain, judged by spans. */
typedef enum sotto_replay_standing {
    SOTTO_STANDING_UNKNOWN, /* more seeds are needed */
    SOTTO_STANDING_WINS,
    SOTTO_STANDING_FAILS,
} sotto_replay_standing;

/* people_needed is the number of people for this share of the gain. */
#define SOTTO_REPLAY_SHARE 0.25
/* If linucb cannot lead one arm for all by REPLAY_LEAD times the range of rewards, nothing can be learnt,
 * unless a method certainly leads by REPLAY_LEAD_PART times what the right arm for each person would gain.
 * With a table of rewards or a log, the smaller of the two numbers is used for both, because the whole
 * range may be out of reach. */
#define SOTTO_REPLAY_LEAD 0.02
#define SOTTO_REPLAY_LEAD_PART 0.1

/* The share of the gain that a method achieves, minus and plus 3 standard errors. NAN of a log, or if
 * no method without privacy gains anything. */
typedef struct sotto_replay_share {
    double value, lo, hi;
} sotto_replay_share;

/* What the best private method of an epsilon achieved, and why. */
typedef enum sotto_replay_reason {
    SOTTO_REASON_UNKNOWN,   /* not certain */
    SOTTO_REASON_LEARNT,    /* it beats the best arm in hindsight and best-arm */
    SOTTO_REASON_NO_SIGNAL, /* there is nothing to learn, with or without privacy */
    /* Methods that explore learn it. Greedy ones do not, even without privacy. */
    SOTTO_REASON_EXPLORATION,
    SOTTO_REASON_PRIVACY, /* a greedy method learns it without privacy */
    SOTTO_REASON_ONE_ARM, /* it is worse than best-arm */
} sotto_replay_reason;

/* "unknown", "learnt", "no-signal", "exploration", "privacy", "one-arm"; NULL: no such reason. */
SOTTO_API const char *sotto_replay_reason_name(sotto_replay_reason reason);

/* The result of an epsilon. */
typedef struct sotto_replay_finding {
    double epsilon;
    bool refused; /* by devices under the default policy */
    /* The line of the private method with the largest lead, except best-arm. */
    uint32_t best;
    sotto_replay_standing standing; /* of that method */
    sotto_replay_reason reason;
    /* The predicted number of people from which method sotto achieves SOTTO_REPLAY_SHARE of the gain,
     * corrected by its gain here at this epsilon. 0: no gain, no prediction, or a prediction below the
     * number played here, which did not suffice. */
    uint64_t people_needed;
    bool people_compared; /* the prediction uses the gain of sotto here, not only the plan */
} sotto_replay_finding;

/* The recommended action. */
typedef enum sotto_replay_advice {
    SOTTO_ADVICE_NONE, /* nothing was judged, or no private method uses contexts */
    /* Run the method of a finding at its epsilon, the smallest at which it learns. If devices refuse
     * that epsilon but not another one, the sentence recommends one arm for all instead. */
    SOTTO_ADVICE_RUN,
    /* Give all people one arm: there is something to learn, but no method learns it at any epsilon. */
    SOTTO_ADVICE_ONE_ARM,
    SOTTO_ADVICE_NOTHING, /* there is nothing to learn */
} sotto_replay_advice;

/* The gain is the lead of the method that explores over the best arm in hindsight; if it has none, that
 * of the greedy method. Gain and leads are in units of reward. */
typedef struct sotto_replay_findings {
    uint32_t explorer, greedy; /* the lines of the two methods without privacy */
    sotto_replay_standing explorer_standing, greedy_standing;
    bool gains;      /* one of them leads */
    double gain;     /* NAN: neither leads */
    double lead;     /* a method that cannot lead by this much has nothing to learn */
    double lead_min; /* a method that certainly leads by this much has something to learn */
    sotto_replay_advice advice;
    uint32_t advised; /* with SOTTO_ADVICE_RUN: the finding */
    bool certain;     /* with SOTTO_ADVICE_ONE_ARM: certainly no epsilon has a sufficient lead */
    /* One finding per epsilon of private methods, in the order in which epsilons first appear. */
    uint32_t findings_count;
    sotto_replay_finding *finding;
} sotto_replay_findings;

/* A method at an epsilon, or a yardstick. Numbers that it does not have are NAN. */
typedef struct sotto_replay_line {
    const char *name;
    bool yardstick;
    sotto_player player; /* of a method; SOTTO_PLAYER_RANDOM if it is custom */
    double epsilon;      /* INFINITY: not private */
    uint64_t people;     /* or events behind these numbers */
    /* Of labels, over seeds: reward of all people, and of the last people of the first pass. */
    double reward_mean, reward_se, last_mean, last_se;
    sotto_replay_share share; /* of the gain; NAN: not judged */
    /* The lead over the best arm in hindsight, and over best-arm at the same epsilon: of the last
     * people, or over a whole log. NAN: not judged, or there is no such line. Of a log these are 95 %
     * intervals, corrected for as many comparisons as there are arms. */
    sotto_span ahead, ahead_best_arm;
    /* Devices under the default policy refuse it: epsilon of a report or of all passes is too large. */
    bool refused;
    /* Of a log: events learnt from, their mean reward, and the value by inverse propensity. */
    double learnt;
    sotto_estimate replayed, weighted;
    double self_normalised, effective_size;
    sotto_replay_verdict verdict;
} sotto_replay_line;

/* How methods knew the number of people beforehand. */
typedef enum sotto_replay_known {
    SOTTO_KNOWN_NOTHING,
    SOTTO_KNOWN_LIMIT, /* only people_max */
    SOTTO_KNOWN_ROWS,  /* the rows of the file were counted, up to people_max */
} sotto_replay_known;

typedef struct sotto_replay_summary {
    bool log;
    bool sorted;   /* the last people have other labels than the first, so nothing is judged */
    bool judged;   /* lines have verdicts that compare */
    bool by_table; /* of labels: a table has the rewards */
    bool same;     /* of a log: all rewards are the same */
    sotto_replay_known known;
    uint32_t seeds, passes;
    uint64_t people;      /* played by each run, each counted once */
    uint32_t lines_count; /* of methods, each at every epsilon, then two yardsticks */
    sotto_replay_line *line;
    sotto_replay_findings findings; /* if `judged` */
    /* Rows read from the file: more than `people` if each seed plays a different part of them. */
    uint64_t rows;
    uint32_t arms;
    uint32_t best_arm; /* in hindsight: the majority arm; of a log, the arm of the largest value */
    /* Of a log: the clip, the share of events with a propensity below it, the smallest propensity. */
    double clip, clipped_share, propensity_min;
    /* Of a log: the mean number of arms that could have been chosen, by the propensities, with its
     * interval. If it is above `arms`, propensities are wrong. NAN: fewer than 1,000 events. */
    sotto_span choices;
} sotto_replay_summary;

SOTTO_API SOTTO_CHECK sotto_status sotto_replay_summarise(const sotto_replay *replay,
                                                          sotto_replay_summary **out);
SOTTO_API void sotto_replay_summary_free(sotto_replay_summary *summary);

#define SOTTO_SENTENCE_BYTES 1024u
/* Sentences for people who decide: number 0 recommends what to do, the following ones give the result
 * of each epsilon in the order of the findings. Returns `text`; NULL if there is no such sentence. */
SOTTO_API const char *sotto_replay_sentence(const sotto_replay_summary *summary, uint32_t sentence,
                                            char text[SOTTO_SENTENCE_BYTES]);

/* ---- estimates of a log -------------------------------------------------------------------- */

/* All estimates are for the method as it learns along the log: the arms that its runs chose, event by
 * event, not the policy that it has at the end. */
typedef enum sotto_replay_estimator {
    SOTTO_REPLAY_BY_REPLAY,
    SOTTO_REPLAY_BY_WEIGHTS, /* clipped inverse propensity */
    SOTTO_REPLAY_SELF_NORMALISED,
    SOTTO_REPLAY_DIRECT, /* a model of rewards; its interval excludes the bias of a wrong model */
    SOTTO_REPLAY_DOUBLY_ROBUST,
} sotto_replay_estimator;
#define SOTTO_REPLAY_ESTIMATORS 5u

/* "replay", "ips", "self_normalised", "direct", "doubly_robust"; NULL for a larger number. */
SOTTO_API const char *sotto_replay_estimator_name(uint32_t estimator);

/* 95 % intervals: by the standard error, and by the bootstrap. NAN: see `unavailable`. */
typedef struct sotto_replay_estimate {
    double value, lo, hi;
    double bootstrap_lo, bootstrap_hi;
    sotto_replay_unavailable unavailable;
} sotto_replay_estimate;

typedef struct sotto_replay_estimates {
    sotto_replay_estimate by[SOTTO_REPLAY_ESTIMATORS];
    /* The share of events whose chosen arm is nowhere in the log. No estimate knows what such an arm
     * earns: replay and weights count nothing for it, the model uses the mean reward of the log. */
    double unseen_share;
} sotto_replay_estimates;

/* The estimates of the method of a line, over all seeds. `summary` must be of this replay.
 * SOTTO_E_FAULT if the replay is not of a log or the line is not of a method. */
SOTTO_API SOTTO_CHECK sotto_status sotto_replay_estimate_line(const sotto_replay *replay,
                                                              const sotto_replay_summary *summary,
                                                              uint32_t line,
                                                              sotto_replay_estimates *out);

#ifdef __cplusplus
}
#endif
#endif
