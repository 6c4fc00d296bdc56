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
    const sotto_player
        *player;            /* each once; two without privacy are always played too, and best-arm */
    uint32_t players_count; /* 1 to SOTTO_REPLAY_PLAYERS_MAX */
    /* Custom methods, one per player; where it is not NULL that player does not count.
     * The tables must outlive the replay. A method that claims no privacy is played once and gets
     * epsilon INFINITY. NULL: none is custom. */
    const sotto_player_table *const *custom;
    const double *epsilon;   /* each once; methods without privacy are played once */
    uint32_t epsilons_count; /* 1 to SOTTO_REPLAY_EPSILONS_MAX */
    sotto_parameters parameters;
    sotto_link link;
    double delta;          /* of methods with gaussian noise */
    bool allow_weak_delta; /* consent to delta above 1e-6 */
    uint32_t seeds_count;  /* 1, 2, ..., this */
    uint32_t passes;       /* over the file, at least 1; over a log, 1 */
    uint32_t threads;      /* that play, 1 to SOTTO_THREADS_MAX; another one reads */
    bool shuffle;          /* each seed plays a block in its own order */
    uint64_t people_max;   /* no more are played; SOTTO_REPLAY_UNSAID: all who come */
    uint64_t warm_up;      /* rounds of random arms; SOTTO_REPLAY_UNSAID: what the method wants */
    double clip;           /* of a log: a smaller propensity counts as this; 1e-6 to 1 */
    /* Checkpoints, increasing, none larger than the number of people who are played; where a run
     * ends is one in any case. NULL: 1, 2, 5, 10, ... */
    const uint64_t *at;
    uint32_t at_count; /* below SOTTO_POINTS_MAX */
} sotto_replay_request;

/* Method sotto at epsilon 1, delta 1e-6, per-arm parameters, link identity, 10 seeds, one pass, one
 * thread, shuffled, all people, the method's own warm-up, clip 0.01, the usual checkpoints. */
SOTTO_API sotto_replay_request sotto_replay_request_default(void);
/* SOTTO_E_FAULT and the first field that cannot be used with such a file, and its value. Some faults show only when the
 * file is read. */
SOTTO_API SOTTO_CHECK sotto_status sotto_replay_request_fault(const sotto_replay_request *request,
                                                              bool log, sotto_fault *fault);

#define SOTTO_REPLAY_STOPPED "the replay was stopped"

/* Called about ten times a second, on the thread that started the replay. */
typedef struct sotto_replay_listener {
    /* False ends the replay, with the sentence SOTTO_REPLAY_STOPPED. The listener is still called until
     * all threads have stopped. */
    bool (*progress)(void *state, uint64_t done);
    void *state;
} sotto_replay_listener;

/* ---- the replay --------------------------------------------------------------------------- */

/* A file that was played by many methods and seeds at once. */
typedef struct sotto_replay sotto_replay;

/* Reads the file once, so that methods know how many people will come, then plays it. A pipe is played
 * at once. The listener hears how many rounds were played, all runs
 * together; it may be NULL. The schema and what the request borrows are not needed afterwards. The
 * fault says what cannot be used, or what is wrong with the file; then *out is NULL. */
SOTTO_API SOTTO_CHECK sotto_status sotto_replay_run(const sotto_replay_request *request,
                                                    const sotto_schema *schema, const char *path,
                                                    const sotto_replay_listener *listener,
                                                    sotto_replay **out, sotto_fault *fault);
SOTTO_API void sotto_replay_free(sotto_replay *replay);

/* ---- why there is no number ---------------------------------------------------------------- */

/* Of a log: why an estimate has no value, or no interval that says anything. */
typedef enum sotto_replay_unavailable {
    SOTTO_UNAVAILABLE_NONE, /* it has both */
    SOTTO_UNAVAILABLE_NO_MATCH,
    SOTTO_UNAVAILABLE_FEW_MATCHES,
    SOTTO_UNAVAILABLE_SAME,
    SOTTO_UNAVAILABLE_HUGE,
    SOTTO_UNAVAILABLE_PIPE,
    SOTTO_UNAVAILABLE_FEW_EVENTS,
    SOTTO_UNAVAILABLE_LARGE,
    SOTTO_UNAVAILABLE_WIDE, /* the interval holds the whole range of rewards */
} sotto_replay_unavailable;
/* "cannot tell: " or "nothing is known yet: ", and why; "" for none. */
SOTTO_API const char *sotto_replay_unavailable_text(sotto_replay_unavailable unavailable);

/* ---- rows --------------------------------------------------------------------------------- */

/* A value with its 95 % interval. NAN: there are no events, or all of them are the same, which
 * shows nothing about their spread. */
typedef struct sotto_estimate {
    double value, lo, hi;
} sotto_estimate;

/* One checkpoint of one run. */
typedef struct sotto_replay_row {
    const char *method;
    double epsilon; /* INFINITY: not private */
    uint64_t seed;
    uint64_t t; /* people or events so far */
    /* With labels: what all people earned, and how much less that is than the best arm for each. */
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

/* How a method compares with one arm for all: the best one in hindsight (the majority arm, or by a table or in
 * a log the fixed arm that earns most), and method best-arm at the same epsilon. */
typedef enum sotto_replay_verdict {
    SOTTO_VERDICT_NONE, /* of a yardstick */
    /* Not judged. */
    SOTTO_VERDICT_FEW_PEOPLE,  /* of labels: fewer came than was said */
    SOTTO_VERDICT_SORTED,      /* of labels */
    SOTTO_VERDICT_FEW_SEEDS,   /* of labels */
    SOTTO_VERDICT_ONE_LOGGED,  /* the log gave one arm only */
    SOTTO_VERDICT_NOTHING_YET, /* of a log: the interval of ips holds the whole range of rewards */
    /* Judged. */
    SOTTO_VERDICT_BEST_ARM,      /* the method is best-arm itself */
    SOTTO_VERDICT_ABOVE_ONE_ARM, /* better than both */
    SOTTO_VERDICT_BELOW_ONE_ARM, /* worse than best-arm; where that did not play, than the one in hindsight */
    SOTTO_VERDICT_BELOW_HINDSIGHT, /* worse than the one in hindsight, and not known to be worse than best-arm */
    SOTTO_VERDICT_CHANCE,        /* of labels */
    SOTTO_VERDICT_ABOVE_LOGGING, /* of a log, and not known to be better than both */
    SOTTO_VERDICT_LIKE_ONE_ARM,  /* they cannot be told apart */
} sotto_replay_verdict;

#define SOTTO_VERDICT_BYTES 80u
/* The sentence; "" for none. Of a log, `seeds` is 0: more of them say no more. Returns `text`. */
SOTTO_API const char *sotto_replay_verdict_text(sotto_replay_verdict verdict, uint32_t seeds,
                                                char text[SOTTO_VERDICT_BYTES]);

/* The mean of one number per seed, and 3 standard errors to both sides. */
typedef struct sotto_span {
    double lo, hi;
} sotto_span;

/* Whether a method wins what there is to win, by spans. */
typedef enum sotto_replay_standing {
    SOTTO_STANDING_UNKNOWN, /* more seeds are needed */
    SOTTO_STANDING_WINS,
    SOTTO_STANDING_FAILS,
} sotto_replay_standing;

#define SOTTO_REPLAY_SHARE 0.25 /* of the gain: the people needed are for it */
/* Where linucb cannot be ahead of one arm for all by this part of the range of rewards, there is nothing to learn;
 * unless a method is certainly ahead by this part of what the right arm for everybody would win. With a table of
 * rewards, and with a log, the smaller of the two counts for both, because the whole range may never be won. */
#define SOTTO_REPLAY_LEAD 0.02
#define SOTTO_REPLAY_LEAD_PART 0.1

/* The part of the gain that a method wins, with 3 standard errors to both sides. NAN: no method without
 * privacy gains anything, or it is a log. */
typedef struct sotto_replay_share {
    double value, lo, hi;
} sotto_replay_share;

/* What the best private method of an epsilon achieved, and why. */
typedef enum sotto_replay_reason {
    SOTTO_REASON_UNKNOWN,   /* not certain */
    SOTTO_REASON_LEARNT,    /* it beats one arm for all, in hindsight and by best-arm */
    SOTTO_REASON_NO_SIGNAL, /* there is nothing to learn, with or without privacy */
    SOTTO_REASON_EXPLORATION, /* exploring methods learn it; greedy ones do not, even without privacy */
    SOTTO_REASON_PRIVACY,     /* a greedy method learns it without privacy */
    SOTTO_REASON_ONE_ARM,     /* it is worse than best-arm */
} sotto_replay_reason;

/* "unknown", "learnt", "no-signal", "exploration", "privacy", "one-arm"; NULL: no such reason. */
SOTTO_API const char *sotto_replay_reason_name(sotto_replay_reason reason);

/* The result of an epsilon. */
typedef struct sotto_replay_finding {
    double epsilon;
    bool refused; /* by devices, unless their policy is changed */
    uint32_t
        best; /* the line of the private method with the largest lead; best-arm does not count */
    sotto_replay_standing standing; /* its own */
    sotto_replay_reason reason;
    /* From how many people on method sotto is predicted to win SOTTO_REPLAY_SHARE of the gain, by what it won at this
     * epsilon. 0: there is no gain, the plan has no prediction, or it predicts fewer people than these, who did not. */
    uint64_t people_needed;
    bool people_compared; /* not only by the plan, but also by what sotto won here */
} sotto_replay_finding;

/* The recommended action. */
typedef enum sotto_replay_advice {
    SOTTO_ADVICE_NONE, /* nothing was judged, or no private method has a context */
    /* The method and the epsilon of a finding, the smallest that is learnt. If that finding is `refused` and
     * another one is not, the sentence recommends one arm for all. */
    SOTTO_ADVICE_RUN,
    SOTTO_ADVICE_ONE_ARM, /* one arm for all: there is something to learn, and no epsilon learns it */
    SOTTO_ADVICE_NOTHING, /* there is nothing to learn */
} sotto_replay_advice;

/* The gain is the lead of the method that explores over one arm for all, in hindsight; where that one is not
 * ahead, that of the greedy one. */
typedef struct sotto_replay_findings {
    uint32_t explorer, greedy; /* the lines of the two methods without privacy */
    sotto_replay_standing explorer_standing, greedy_standing;
    bool gains;      /* one of them is ahead */
    double gain;     /* as rewards are; NAN: none is */
    double lead;     /* as rewards are: who cannot be ahead by it has nothing to learn */
    double lead_min; /* as rewards are: who is certainly ahead by it has something to learn */
    sotto_replay_advice advice;
    uint32_t advised; /* to run: the finding */
    bool certain;     /* of one arm for all: at no epsilon can a method be ahead by what counts */
    uint32_t
        findings_count; /* one per epsilon of private methods, in the order of their first one */
    sotto_replay_finding *finding;
} sotto_replay_findings;

/* A method at an epsilon, or a yardstick. NAN: a number that it does not have. */
typedef struct sotto_replay_line {
    const char *name;
    bool yardstick;
    sotto_player player; /* of a method; SOTTO_PLAYER_RANDOM if it is custom */
    double epsilon;      /* INFINITY: not private */
    uint64_t people;     /* or events that its numbers are of */
    /* Of labels, over seeds: reward of all people, and of the last ones of the first pass. */
    double reward_mean, reward_se, last_mean, last_se;
    sotto_replay_share share; /* of the gain; NAN: not judged */
    /* How far the last people, or a log, are above one arm for all in hindsight, and above best-arm at the same
     * epsilon. NAN: not judged, or there is no such line. With a log: 95 % intervals, corrected for as many
     * comparisons as there are arms. */
    sotto_span ahead, ahead_best_arm;
    bool
        refused; /* by devices, unless their policy is changed: epsilon is too large, of a report or of all passes */
    /* Of a log: events learnt from, their mean reward, and the value by inverse propensity. */
    double learnt;
    sotto_estimate replayed, weighted;
    double self_normalised, effective_size;
    sotto_replay_verdict verdict;
} sotto_replay_line;

/* What methods knew beforehand of how many people would come. */
typedef enum sotto_replay_known {
    SOTTO_KNOWN_NOTHING,
    SOTTO_KNOWN_LIMIT, /* no more than somebody said */
    SOTTO_KNOWN_ROWS,  /* what a look at the file found, and the limit */
} sotto_replay_known;

typedef struct sotto_replay_summary {
    bool log;
    bool sorted;   /* labels of the last people are other ones, so nothing is judged */
    bool judged;   /* lines have verdicts that compare */
    bool by_table; /* of labels: a table has the rewards */
    bool same;     /* of a log: all rewards are the same */
    sotto_replay_known known;
    uint32_t seeds, passes;
    uint64_t people;      /* whom each run played, each counted once */
    uint32_t lines_count; /* of methods, each at every epsilon, then two yardsticks */
    sotto_replay_line *line;
    sotto_replay_findings findings; /* if they were judged */
    /* The file. */
    uint64_t
        rows; /* that were read; more than `people` where each seed plays its own part of them */
    uint32_t arms;
    uint32_t best_arm; /* in hindsight: the majority arm, or of a log that of the largest value */
    double clip, clipped_share, propensity_min; /* of a log: events below the clip */
    /* With a log: the mean number of arms to choose from, by the propensities, with its interval. Above `arms`,
     * propensities are wrong. NAN: fewer than 1,000 events. */
    sotto_span choices;
} sotto_replay_summary;

SOTTO_API SOTTO_CHECK sotto_status sotto_replay_summarise(const sotto_replay *replay,
                                                          sotto_replay_summary **out);
SOTTO_API void sotto_replay_summary_free(sotto_replay_summary *summary);

#define SOTTO_SENTENCE_BYTES 1024u
/* For people who decide: first what to do, then the result of each epsilon, in the order of the findings. Returns
 * `text`; NULL: there is no such sentence. */
SOTTO_API const char *sotto_replay_sentence(const sotto_replay_summary *summary, uint32_t sentence,
                                            char text[SOTTO_SENTENCE_BYTES]);

/* ---- estimates of a log -------------------------------------------------------------------- */

/* All are of the same policy: the method as it learns along the log, so of the arms that its runs
 * chose, event by event; not of the policy that it has at the end. */
typedef enum sotto_replay_estimator {
    SOTTO_REPLAY_BY_REPLAY,
    SOTTO_REPLAY_BY_WEIGHTS, /* clipped inverse propensity */
    SOTTO_REPLAY_SELF_NORMALISED,
    SOTTO_REPLAY_DIRECT, /* a model of rewards; no interval covers the bias of a wrong model */
    SOTTO_REPLAY_DOUBLY_ROBUST,
} sotto_replay_estimator;
#define SOTTO_REPLAY_ESTIMATORS 5u

/* "replay", "ips", "self_normalised", "direct", "doubly_robust"; NULL above. */
SOTTO_API const char *sotto_replay_estimator_name(uint32_t estimator);

/* 95 % intervals: by the standard error, and by the bootstrap. NAN: see `unavailable`. */
typedef struct sotto_replay_estimate {
    double value, lo, hi;
    double bootstrap_lo, bootstrap_hi;
    sotto_replay_unavailable unavailable;
} sotto_replay_estimate;

typedef struct sotto_replay_estimates {
    sotto_replay_estimate by[SOTTO_REPLAY_ESTIMATORS];
    /* Of events whose chosen arm the log never gave. Replay and weights count nothing for them, the model
     * takes the mean reward of the log: no estimate knows what these arms earn. */
    double unseen_share;
} sotto_replay_estimates;

/* The estimates of a method of a log, over all seeds; `summary` is of this replay. SOTTO_E_FAULT: the
 * replay is not of a log, or the line is not that of a method. */
SOTTO_API SOTTO_CHECK sotto_status sotto_replay_estimate_line(const sotto_replay *replay,
                                                              const sotto_replay_summary *summary,
                                                              uint32_t line,
                                                              sotto_replay_estimates *out);

#ifdef __cplusplus
}
#endif
#endif
