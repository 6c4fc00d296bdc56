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

/* The predicted cost of an epsilon: the regret of method sotto, computed by a recursion
 * (src/lab/plan/course.c) instead of played. It assumes contexts spread evenly over a sphere, one
 * report per person, and a true parameter of length theta_norm_max. It uses default learning, not the
 * match's. With a clock (sotto_match_set_clock) it includes delay. */
typedef struct sotto_plan {
    sotto_match match;
    sotto_terms terms; /* M, k, B, w and the other constants */
    double reach;      /* mean of x . theta/D of the best arm; per-arm as for normals */
    double level;      /* the same for the sphere, at most 1: slopes are taken there */
    /* The regret of an estimate with cosine c to theta* is about near_loss (1 - c) for c near 1. */
    double near_loss;
    double across;        /* H: what is left of the score's slope once arms are chosen well */
    double chosen_slope;  /* H_1: that slope itself, for 0/1 rewards with link identity; else 0 */
    double best_reward;   /* mean reward of a person who gets the best arm */
    double chance_reward; /* mean reward of a person who gets a random arm */
    /* The mean length of a score in warm-up and main phase. It determines how many reports are null. */
    double score_size[SOTTO_PHASES];
    /* Reports that a device can send in its life under the default policy; 0: it refuses this
     * epsilon. */
    uint64_t reports_per_person;
} sotto_plan;

typedef struct sotto_plan_point {
    uint64_t people;
    double regret;            /* of all these people together */
    double regret_per_person; /* regret/people */
    double regret_next;       /* of the next person */
    double open_regret;       /* the same method without privacy */
    double open_regret_next;
    double cost;            /* regret/open_regret */
    uint64_t epoch_reports; /* of the epoch that begins here, if epochs follow the rule */
} sotto_plan_point;

/* SOTTO_OK if regret can be predicted; otherwise SOTTO_E_FAULT with the reason and what is allowed. */
SOTTO_API SOTTO_CHECK sotto_status sotto_plan_fault(const sotto_match *match, sotto_fault *fault);
SOTTO_API SOTTO_CHECK sotto_status sotto_plan_make(const sotto_match *match, sotto_plan *out);

/* Set `people` of each point, increasing, at most SOTTO_HORIZON_MAX. This fills the rest. */
SOTTO_API void sotto_plan_predict(const sotto_plan *plan, sotto_plan_point *point,
                                  uint32_t points_count);

/* The number of people from which the mean regret per person is at most `target`, in an experiment
 * planned for that number or any larger one up to SOTTO_HORIZON_MAX. With per-arm parameters some
 * smaller numbers may suffice too, because a larger experiment has a longer warm-up. The search does
 * not try all numbers (head of src/lab/plan/people.c). 0: more than SOTTO_HORIZON_MAX. */
SOTTO_API uint64_t sotto_plan_people(const sotto_plan *plan, double target);

/* The number of people, to within 0.5 %, from which the next person's mean reward is at most `share`
 * (0 to 1) below that of the same method without privacy. 0: more than SOTTO_HORIZON_MAX. */
SOTTO_API uint64_t sotto_plan_within(const sotto_plan *plan, double share);

/* Fills `count` points of a curve, at least 2, evenly on a logarithmic scale from 10 people to the
 * horizon, which must be larger. */
SOTTO_API void sotto_plan_curve(const sotto_plan *plan, sotto_plan_point *point, uint32_t count);

#define SOTTO_PLAN_MEASURE_ALPHA 0.05 /* chance that an interval of measure rounds fails */

/* What measure rounds cost, and when they show an uplift: docs/methods.md, section 15. */
typedef struct sotto_plan_measuring {
    double share; /* of rounds; half of them are control */
    /* Reward lost because control rounds get a random arm, (share/2)(policy - random): the mean per
     * person, and of all people up to the horizon. */
    double price_per_person, price;
    double regret;           /* of all people: the price included, and that fewer reports teach */
    double predicted_uplift; /* policy - random, mean up to the horizon */
    /* Of the interval of the uplift at the horizon; without a report, the range of rewards. */
    double half_width;
    double uplift;         /* to be shown to differ from 0 */
    uint64_t role_reports; /* per role, until half of all experiments show it; 0: too many */
    uint64_t people;       /* until then; 0: more than SOTTO_HORIZON_MAX */
    /* People until half of all experiments raise the alarm harm, if the uplift is -uplift, or give the
     * notice below-best-arm, if the policy is so far below the best arm. */
    uint64_t harm_people, below_people;
    /* The same in days, set only by sotto_plan_question_answer. */
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
    double target;         /* regret per person to reach; 1e-9 to 1e6 */
    bool target_is_share;  /* `target` is a share of the best reward */
    double within_percent; /* the allowed loss of reward against no privacy; 0.01 to 99 */
    uint64_t per_day;      /* people per day, to 1e12; 0: not known */
    double measure_share;  /* of measure rounds, 0.001 to 0.5; 0: none */
    double uplift;         /* to be shown to differ from 0; 1e-9 to 1e6; 0: the predicted one */
    /* Reports that a shuffler mixes, to SOTTO_SHUFFLE_REPORTS_MAX; 0: not asked. */
    uint64_t shuffle_reports;
} sotto_plan_question;

/* What one epsilon costs. People are 0 if more than SOTTO_HORIZON_MAX would be needed. Days are 0 if
 * people are 0 or if per_day is. */
typedef struct sotto_plan_answer {
    sotto_plan plan;
    uint32_t points_count;
    sotto_plan_point point[SOTTO_PLAN_POINTS_MAX]; /* at 10, 100, ... people and at the horizon */
    sotto_plan_point end;                          /* at the horizon */
    /* As shares of the best reward: */
    double share;        /* regret per person at the end */
    double chance_share; /* loss of a random arm */
    double target_share;
    double target; /* regret per person */
    uint64_t target_people, target_days;
    uint64_t within_people, within_days;
    /* What follows, beside plan.terms: */
    bool averaged; /* the estimator is the averaged one, not the tracked one */
    size_t report_bytes;
    uint64_t warm_up;
    /* With a clock, at the end: people whose reports are not yet in the model when the next person
     * decides, and the regret that delay adds. Otherwise 0. */
    uint64_t delay_people;
    double delay_regret;
    /* Predictions were compared with played runs on a grid that covers this case: dim, arms and epsilon
     * are within the grid; horizon, noise, link, rewards, their range and the length of the parameter
     * are the same. */
    bool checked;
    /* What the epsilon buys without context: method best-arm gives about 90 % of the last people the
     * best arm if its mean reward leads all others by this much. */
    double best_arm_lead;
    sotto_plan_measuring measuring; /* all 0 if measure_share is 0 */
    /* Of a whole epsilon; all NAN of a half: */
    double shuffle_epsilon; /* epsilon_c at SOTTO_PLAN_SHUFFLE_DELTA; NAN if not asked */
    sotto_floor floor;      /* what epsilon costs any method */
    /* Regret at the end divided by floor.start. Both are NAN if floor.start exceeds the regret, because
     * it is then no floor. */
    double floor_times;
} sotto_plan_answer;

/* Half of an epsilon, beside the whole. */
typedef struct sotto_plan_half {
    bool there; /* false if half of the epsilon is below the minimum */
    sotto_plan_answer answer;
    double regret_ratio; /* to that of the whole epsilon */
    double people_ratio; /* of target_people; NAN if either is 0 */
} sotto_plan_half;

typedef struct sotto_plan_answers {
    uint32_t count;
    sotto_plan_answer of[SOTTO_PLAN_EPSILONS_MAX];
    sotto_plan_half half[SOTTO_PLAN_EPSILONS_MAX];
    double epsilon_per_report_max, epsilon_lifetime; /* of a device's default policy */
} sotto_plan_answers;

/* Epsilon 1, a target of 5 % of the best reward, within 5 % of no privacy, people per day not known. */
SOTTO_API sotto_plan_question sotto_plan_question_default(const sotto_match *match);
/* SOTTO_OK if the question can be answered; otherwise SOTTO_E_FAULT with the reason and what is
 * allowed. */
SOTTO_API SOTTO_CHECK sotto_status sotto_plan_question_fault(const sotto_plan_question *question,
                                                             sotto_fault *fault);
/* After a failure the contents of `out` are undefined. */
SOTTO_API SOTTO_CHECK sotto_status sotto_plan_question_answer(const sotto_plan_question *question,
                                                              sotto_plan_answers *out);

#ifdef __cplusplus
}
#endif
#endif
