/*
 * The lab: the predicted cost of an epsilon, before an experiment.
 * Not for production. The head of core.h says what NULL does.
 */
#ifndef SOTTO_LAB_PLANS_H
#define SOTTO_LAB_PLANS_H

#include <sotto/lab/floors.h>
#include <sotto/lab/matches.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The predicted cost of an epsilon: regret of method sotto by a recursion (src/lab/plan/course.c)
 * instead of played. It is for contexts spread evenly over a
 * sphere, one report per person, and a true parameter as long as theta_norm_max; `learning` of the
 * match is not used, but the default. With a clock (sotto_match_set_clock) delay is included. */
typedef struct sotto_plan {
    sotto_match match;
    sotto_terms terms; /* M, k, B, w and the other constants */
    double reach;      /* mean of x . theta/D of the best arm; per-arm as for normals */
    double level;      /* the same for the sphere, never above 1: slopes are taken there */
    double near_loss;  /* over 1 - cos: what an estimate with that cosine to theta* loses, near 1 */
    double across;     /* H: what is left of the score's slope once arms are chosen well */
    double chosen_slope; /* H_1: the slope itself, of 0/1 rewards with link identity; otherwise 0 */
    double best_reward;  /* mean reward of a person who gets the best arm */
    double chance_reward; /* and of one who gets a random arm */
    /* The mean length of a score in warm-up and main phase, which determines how many reports are
     * null. */
    double score_size[SOTTO_PHASES];
    /* Reports that a person's device sends in its life under the default policy; 0: it refuses this
     * epsilon. */
    uint64_t reports_per_person;
} sotto_plan;

typedef struct sotto_plan_point {
    uint64_t people;
    double regret;            /* of all these people together */
    double regret_per_person; /* regret over people */
    double regret_next;       /* of the next person */
    double open_regret;       /* both for the same method without privacy: reports as they are */
    double open_regret_next;
    double cost;            /* regret over open_regret */
    uint64_t epoch_reports; /* of the epoch that begins here, where epochs are by the rule */
} sotto_plan_point;

/* SOTTO_OK if regret can be predicted; otherwise SOTTO_E_FAULT, the reason, and what can be. */
SOTTO_API SOTTO_CHECK sotto_status sotto_plan_fault(const sotto_match *match, sotto_fault *fault);
SOTTO_API SOTTO_CHECK sotto_status sotto_plan_make(const sotto_match *match, sotto_plan *out);

/* `point` has `people` set, growing, to at most SOTTO_HORIZON_MAX; the rest is filled. */
SOTTO_API void sotto_plan_predict(const sotto_plan *plan, sotto_plan_point *point,
                                  uint32_t points_count);

/* The number of people from which on an experiment, planned for so many or for any larger number up to
 * SOTTO_HORIZON_MAX, has a mean regret per person of at most `target`. With per-arm parameters some
 * smaller numbers may do, too, because more people begin with a longer warm-up. The search does not try all
 * numbers (head of src/lab/plan/people.c). 0: more than SOTTO_HORIZON_MAX. */
SOTTO_API uint64_t sotto_plan_people(const sotto_plan *plan, double target);

/* The number of people, to one part in 200, from which on the next person's mean reward is at most
 * `share` (0 to 1) below what the same method gives without privacy. 0: more than
 * SOTTO_HORIZON_MAX. */
SOTTO_API uint64_t sotto_plan_within(const sotto_plan *plan, double share);

/* The points of a curve: `count` of them, at least 2, from 10 people to the horizon, which is
 * larger, evenly by powers of ten. */
SOTTO_API void sotto_plan_curve(const sotto_plan *plan, sotto_plan_point *point, uint32_t count);

#define SOTTO_PLAN_MEASURE_ALPHA 0.05 /* chance that an interval of measure rounds fails */

/* What measure rounds cost, and when they show an uplift: docs/methods.md, section 15. */
typedef struct sotto_plan_measuring {
    double share; /* of rounds; half of them are control */
    /* Reward lost because control rounds get a random arm: (share/2)(policy - random). */
    double price_per_person, price; /* the mean, and for all people up to the horizon */
    double regret;                  /* of all people: fewer reports teach, and the price */
    double predicted_uplift;        /* policy - random, mean up to the horizon */
    double half_width;     /* of the interval of the uplift at the horizon; the range: no report */
    double uplift;         /* that is to be shown to differ from 0 */
    uint64_t role_reports; /* of each role, until that is so; 0: too many */
    uint64_t people;       /* 0: more than SOTTO_HORIZON_MAX */
    /* Until the opposite uplift raises the alarm harm, and until a policy that far below the best arm gets the
     * notice below-best-arm; in half of all experiments, as `people`. */
    uint64_t harm_people, below_people;
    /* Of all three, set by sotto_plan_question_answer as in sotto_plan_answer. */
    uint64_t days, harm_days, below_days;
} sotto_plan_measuring;

/* `share` is 0.001 to 0.5; otherwise all results are 0. An `uplift` of 0 means the predicted one. */
SOTTO_API void sotto_plan_measure(const sotto_plan *plan, double share, double uplift,
                                  sotto_plan_measuring *out);

#define SOTTO_PLAN_SHUFFLE_DELTA 1e-6
#define SOTTO_PLAN_EPSILONS_MAX 8u
#define SOTTO_PLAN_POINTS_MAX 16u

/* A question before an experiment. */
typedef struct sotto_plan_question {
    sotto_match match; /* epsilon and learning are set by the answer */
    uint32_t epsilons_count;
    double epsilon[SOTTO_PLAN_EPSILONS_MAX];
    double target;         /* regret per person that is to be reached; 1e-9 to 1e6 */
    bool target_is_share;  /* `target` is a part of the best reward */
    double within_percent; /* how near a reward is to come to that without privacy; 0.01 to 99 */
    uint64_t per_day;      /* people per day, to 1e12; 0: not known */
    double measure_share;  /* of measure rounds, 0.001 to 0.5; 0: none */
    double uplift;         /* to be shown to differ from 0; 1e-9 to 1e6; 0: the predicted one */
    uint64_t
        shuffle_reports; /* that a shuffler mixes, to SOTTO_SHUFFLE_REPORTS_MAX; 0: not asked */
} sotto_plan_question;

/* What one epsilon costs. People are 0 where more than SOTTO_HORIZON_MAX would be needed, days where
 * people are or people per day are not known. */
typedef struct sotto_plan_answer {
    sotto_plan plan;
    uint32_t points_count;
    sotto_plan_point point[SOTTO_PLAN_POINTS_MAX]; /* at 10, 100, ... people and at the horizon */
    sotto_plan_point end;                          /* at the horizon */
    /* As parts of the best reward: */
    double share;        /* of regret per person, at the end */
    double chance_share; /* of what a random arm loses */
    double target_share;
    double target; /* regret per person */
    uint64_t target_people, target_days;
    uint64_t within_people, within_days;
    /* What is chosen, beside plan.terms: */
    bool averaged; /* by the averaged estimator, not the tracked one */
    size_t report_bytes;
    uint64_t warm_up;
    /* Of a match with a clock, at the end: people whose report is not in the model yet when the next one
     * decides, and the regret that delay adds; otherwise 0. */
    uint64_t delay_people;
    double delay_regret;
    /* Within a grid on which predictions were compared with played runs: dim, arms and epsilon between those
     * of the grid; horizon, noise, link, rewards and their range, length of the parameter the same. */
    bool checked;
    /* What the epsilon buys without context: method best-arm gives about nine of ten of the last people the best
     * arm if its mean reward leads those of all others by so much. */
    double best_arm_lead;
    sotto_plan_measuring measuring; /* all 0 where measure_share is */
    /* Of a whole epsilon; all NAN of a half: */
    double shuffle_epsilon; /* epsilon_c at SOTTO_PLAN_SHUFFLE_DELTA; NAN where it was not asked */
    sotto_floor floor;      /* what epsilon costs any method */
    /* Regret at the end over floor.start: of the best that epsilon allows. Both are NAN where that is above the regret, and so
     * no floor. */
    double floor_times;
} sotto_plan_answer;

/* Half of an epsilon, beside the whole. */
typedef struct sotto_plan_half {
    bool there; /* it is not, where half would be too small an epsilon */
    sotto_plan_answer answer;
    double regret_ratio; /* to that of the whole */
    double people_ratio; /* of target_people; NaN where either does not exist */
} sotto_plan_half;

typedef struct sotto_plan_answers {
    uint32_t count;
    sotto_plan_answer of[SOTTO_PLAN_EPSILONS_MAX];
    sotto_plan_half half[SOTTO_PLAN_EPSILONS_MAX];
    double epsilon_per_report_max, epsilon_lifetime; /* that a device's default policy allows */
} sotto_plan_answers;

/* Epsilon 1, a target of 5 % of the best reward, within 5 %, people per day not known. */
SOTTO_API sotto_plan_question sotto_plan_question_default(const sotto_match *match);
/* SOTTO_E_FAULT, what cannot be answered, and what can be. */
SOTTO_API SOTTO_CHECK sotto_status sotto_plan_question_fault(const sotto_plan_question *question,
                                                             sotto_fault *fault);
/* What `out` holds after a failure means nothing. */
SOTTO_API SOTTO_CHECK sotto_status sotto_plan_question_answer(const sotto_plan_question *question,
                                                              sotto_plan_answers *out);

#ifdef __cplusplus
}
#endif
#endif
