/*
 * The laboratory: what an epsilon will cost, before anybody is asked.
 * Not for production. What NULL does is said at the head of core.h.
 */
#ifndef SOTTO_LAB_PLANS_H
#define SOTTO_LAB_PLANS_H

#include <sotto/lab/floors.h>
#include <sotto/lab/matches.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What an epsilon will cost, before anybody is asked: regret of method sotto predicted by a
 * recursion (docs/methods.md, section 13) instead of played. It is for contexts spread evenly over a
 * sphere, one report per person, and a true parameter as long as theta_norm_max; `learning` of the
 * match is not used: it is the default one. */
typedef struct sotto_plan {
    sotto_match match;
    sotto_terms terms; /* M, k, B, w and the rest of what is chosen */
    double reach;      /* x . theta/D of the best arm, in the mean; per-arm as normals have it */
    double level;      /* the same as the sphere has it, never above 1: slopes are taken there */
    double near_loss;  /* over 1 - cos: what an estimate with that cosine to theta* loses, near 1 */
    double across;     /* H: what is left of the score's slope once arms are chosen well */
    double chosen_slope; /* H_1: the slope itself, of 0/1 rewards with link identity; otherwise 0 */
    double best_reward;  /* mean reward of a person who gets the best arm */
    double chance_reward; /* and of one who gets a random arm */
    /* The mean length of a score in warm-up and main phase, on which it depends how many reports are
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

/* NULL if regret can be predicted; otherwise `text`: the reason, and what can be. */
SOTTO_API const char *sotto_plan_fault(const sotto_match *match, char text[SOTTO_FAULT_BYTES]);
SOTTO_API SOTTO_CHECK sotto_status sotto_plan_make(const sotto_match *match, sotto_plan *out);

/* `point` has `people` set, growing, to at most SOTTO_HORIZON_MAX; the rest is filled. */
SOTTO_API void sotto_plan_predict(const sotto_plan *plan, sotto_plan_point *point,
                                  uint32_t points_count);

/* The number of people from which on an experiment, planned for so many or for any larger number up to
 * SOTTO_HORIZON_MAX, costs each of them at most `target` of regret in the mean. With per-arm parameters
 * some smaller number may do, too: more people begin with a longer warm-up. Numbers in between are looked
 * at as the head of src/lab/plan/people.c says, not all of them. 0: more than SOTTO_HORIZON_MAX. */
SOTTO_API uint64_t sotto_plan_people(const sotto_plan *plan, double target);

/* The number of people, to one part in 200, from which on the next person's mean reward is at most
 * `share` (0 to 1) below what the same method gives without privacy. 0: more than
 * SOTTO_HORIZON_MAX. */
SOTTO_API uint64_t sotto_plan_within(const sotto_plan *plan, double share);

/* The points of a curve: `count` of them, at least 2, from 10 people to the horizon, which is
 * larger, evenly by powers of ten. */
SOTTO_API void sotto_plan_curve(const sotto_plan *plan, sotto_plan_point *point, uint32_t count);

#define SOTTO_PLAN_MEASURE_ALPHA 0.05 /* chance that an interval of measure rounds fails */

/* What measure rounds cost, and when they tell something: docs/methods.md, section 15. */
typedef struct sotto_plan_measuring {
    double share; /* of rounds; half of them are control */
    /* Reward that is lost because control rounds get a random arm: (share/2)(policy - random). */
    double price_per_person, price; /* the mean, and for all people up to the horizon */
    double regret;                  /* of all people: fewer reports teach, and the price */
    double predicted_uplift;        /* policy - random, in the mean up to the horizon */
    double half_width;     /* of the interval of the uplift at the horizon; the range: no report */
    double uplift;         /* that is to be told from 0 */
    uint64_t role_reports; /* of each role, until that is so; 0: too many */
    uint64_t people;       /* 0: more than SOTTO_HORIZON_MAX */
    uint64_t days;         /* set by sotto_plan_question_answer, as in sotto_plan_answer */
} sotto_plan_measuring;

/* `share` is 0.001 to 0.5, for anything else all is 0. An `uplift` of 0 stands for the predicted one. */
SOTTO_API void sotto_plan_measure(const sotto_plan *plan, double share, double uplift,
                                  sotto_plan_measuring *out);

#define SOTTO_PLAN_EPSILONS_MAX 8u
#define SOTTO_PLAN_POINTS_MAX 16u

/* What is asked before an experiment. */
typedef struct sotto_plan_question {
    sotto_match match; /* epsilon and learning are set by the answer */
    uint32_t epsilons_count;
    double epsilon[SOTTO_PLAN_EPSILONS_MAX];
    double target;         /* regret per person that is to be reached; 1e-9 to 1e6 */
    bool target_is_share;  /* `target` is a part of the best reward */
    double within_percent; /* how near a reward is to come to that without privacy; 0.01 to 99 */
    uint64_t per_day;      /* people per day, to 1e12; 0: not known */
    double measure_share;  /* of measure rounds, 0.001 to 0.5; 0: none */
    double uplift;         /* that is to be told from 0, 1e-9 to 1e6; 0: the predicted one */
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
    /* Within a grid on which predictions were compared with played runs: dim, arms and epsilon between those
     * of the grid; horizon, noise, link, rewards and their range, length of the parameter the same. */
    bool checked;
    /* What the epsilon buys without context: method best-arm gives about nine of ten of the last people the best
     * arm if its mean reward leads those of all others by so much. */
    double best_arm_lead;
    sotto_plan_measuring measuring; /* all 0 where measure_share is */
    /* Of a whole epsilon; all NAN of a half: */
    sotto_floor floor; /* what epsilon costs any method */
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
/* NULL, or `text` naming what cannot be answered, and what can be. */
SOTTO_API const char *sotto_plan_question_fault(const sotto_plan_question *question,
                                                char text[SOTTO_FAULT_BYTES]);
/* What `out` holds after a failure means nothing. */
SOTTO_API SOTTO_CHECK sotto_status sotto_plan_question_answer(const sotto_plan_question *question,
                                                              sotto_plan_answers *out);

#ifdef __cplusplus
}
#endif
#endif
