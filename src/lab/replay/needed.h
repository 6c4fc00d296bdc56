/* How many people a private method would need, by the plan. */
#ifndef SOTTO_LAB_REPLAY_NEEDED_H
#define SOTTO_LAB_REPLAY_NEEDED_H

#include <sotto/lab/plans.h>

/* A set as the plan sees it. */
typedef struct sotto__need {
    uint32_t dim, arms; /* of the method's vectors */
    sotto_parameters parameters;
    double epsilon;
    double gain;  /* that there is to win, above 0 */
    double share; /* of it that is to be won, 0 to 1 */
} sotto__need;

/* The people from whom on method sotto wins that share. The plan's world has contexts spread evenly,
 * and a parameter just long enough for this gain over a random arm. 0: the plan cannot say, or it
 * takes more than SOTTO_HORIZON_MAX. */
uint64_t sotto__people_needed(const sotto__need *need);

/* How many people of a file count as one of the plan's: so many of them won that share. NAN: the share is too small to
 * tell, or the plan cannot say. A large share counts as a half: curves of files end lower than the plan's. */
double sotto__people_per_planned(const sotto__need *won, uint64_t people);

#endif
