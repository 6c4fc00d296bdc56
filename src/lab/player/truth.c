/* The true rewards of people in measure rounds. */
#include "inner.h"
#include "server/server.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rewards of people whose arms were chosen in the same way. */
typedef struct gains {
    uint64_t count;
    double sum;
} gains;

struct sotto__truth {
    uint32_t arms, lag, doublings;
    gains follow, control, recent_follow, recent_control;
    gains *control_arm; /* arms */
    gains *waiting;     /* lag + 1 rows: follow, then control of each arm */
};

sotto_status sotto__truth_new(uint32_t arms, uint32_t lag, sotto__truth **out)
{
    size_t numbers = arms + (size_t)(lag + 1) * (arms + 1);
    *out = calloc(1, sizeof **out + numbers * sizeof(gains));
    if (*out == NULL) return SOTTO_E_MEMORY;
    (*out)->arms = arms;
    (*out)->lag = lag;
    (*out)->control_arm = (gains *)(*out + 1);
    (*out)->waiting = (*out)->control_arm + arms;
    return SOTTO_OK;
}

void sotto__truth_free(sotto__truth *truth)
{
    free(truth);
}

static gains *row_of(const sotto__truth *truth, uint32_t epoch)
{
    return truth->waiting + (size_t)(epoch % (truth->lag + 1)) * (truth->arms + 1);
}

void sotto__truth_add(sotto__truth *truth, uint32_t epoch, sotto_role role, uint32_t arm,
                      double reward)
{
    gains *to = row_of(truth, epoch) + (role == SOTTO_ROLE_FOLLOW ? 0 : 1 + arm);
    to->count++;
    to->sum += reward;
}

static void add(gains *to, gains from)
{
    to->count += from.count;
    to->sum += from.sum;
}

/* Follows sotto__measures_add. */
void sotto__truth_arrive(sotto__truth *truth, uint32_t epoch)
{
    gains *row = row_of(truth, epoch), control = {0};
    for (uint32_t a = 0; a < truth->arms; a++) {
        add(&truth->control_arm[a], row[1 + a]);
        add(&control, row[1 + a]);
    }
    add(&truth->follow, row[0]);
    add(&truth->control, control);
    uint32_t doublings = sotto__measures_doublings(&(sotto__measures){
        .follow.count = truth->follow.count,
        .control.count = truth->control.count,
    });
    if (doublings > truth->doublings) {
        truth->doublings = doublings;
        truth->recent_follow = truth->recent_control = (gains){0};
    } else {
        add(&truth->recent_follow, row[0]);
        add(&truth->recent_control, control);
    }
    memset(row, 0, (truth->arms + 1) * sizeof *row);
}

static double mean(gains of)
{
    return of.count == 0 ? NAN : of.sum / (double)of.count;
}

sotto_status sotto__truth_measure(const sotto__truth *truth, const sotto_learner *learner,
                                  sotto_run_measurement *out)
{
    *out = (sotto_run_measurement){
        .there = true,
        .follow = mean(truth->follow),
        .control = mean(truth->control),
        .uplift = mean(truth->follow) - mean(truth->control),
        .recent_uplift = mean(truth->recent_follow) - mean(truth->recent_control),
        .arms_count = truth->arms < SOTTO_RUN_ARMS_MAX ? truth->arms : SOTTO_RUN_ARMS_MAX,
    };
    sotto_status status = sotto_learner_measure(learner, SOTTO_RUN_MEASURE_ALPHA, &out->seen);
    for (uint32_t a = 0; a < out->arms_count && status == SOTTO_OK; a++) {
        sotto_run_arm *arm = &out->arm[a];
        arm->mean = mean(truth->control_arm[a]);
        arm->uplift = mean(truth->follow) - arm->mean;
        status = sotto_learner_measure_arm(learner, SOTTO_RUN_MEASURE_ALPHA, a, &arm->seen);
    }
    return status;
}
