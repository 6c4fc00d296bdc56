/* A round that decides by worths: refused worths, and reports that do not tell of them. */
#include "client/client.h"
#include "person.h"
#include "test.h"

#include <math.h>

#define DIM 3
#define ARMS 4
#define CELLS 12
#define FRAME_BYTES 42

static const double context[CELLS] = {.1, .2, .3, .3, .6, .1, .2, .1, .7, -.5, .2, .5};

static void person_begin(person *p, uint64_t seed)
{
    sotto_policy policy = sotto_policy_default();
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = DIM, spec.arms = ARMS;
    person_join(p, &spec, &policy, seed);
    p->model->theta[0] = 0.5;
    p->model->tbar[1] = 0.5;
}

static sotto_status decide(person *p)
{
    return sotto_round_decide(p->round, context, CELLS, &p->arm);
}

static sotto_status finish(person *p)
{
    return sotto_round_finish(p->round, 0.5, p->frame, FRAME_BYTES);
}

static const double worths[ARMS] = {1, 2, 3, 4};

TEST(bad_worths_are_refused_and_decide_nothing)
{
    person someone, *p = &someone;
    person_begin(p, 1);
    const double bad[] = {-1e-9, NAN, INFINITY, -INFINITY};
    assert_status(sotto_round_decide_worth(NULL, context, CELLS, worths, &p->arm),
                  SOTTO_E_ARGUMENT);
    assert_status(sotto_round_decide_worth(p->round, NULL, CELLS, worths, &p->arm),
                  SOTTO_E_ARGUMENT);
    assert_status(sotto_round_decide_worth(p->round, context, CELLS, NULL, &p->arm),
                  SOTTO_E_ARGUMENT);
    assert_status(sotto_round_decide_worth(p->round, context, CELLS, worths, NULL),
                  SOTTO_E_ARGUMENT);
    assert_status(sotto_round_decide_worth(p->round, context, CELLS, worths, &p->arm),
                  SOTTO_E_ORDER);
    assert_ok(sotto_round_begin(p->round, p->model));
    for (uint32_t i = 0; i < 4 * ARMS; i++) {
        double worth[ARMS] = {1, 1, 1, 1};
        worth[i % ARMS] = bad[i / ARMS];
        assert_status(sotto_round_decide_worth(p->round, context, CELLS, worth, &p->arm),
                      SOTTO_E_FAULT);
    }
    assert_status(sotto_round_decide_worth(p->round, context, CELLS - 1, worths, &p->arm),
                  SOTTO_E_LENGTH);
    assert_status(finish(p), SOTTO_E_ORDER); /* nothing is decided */
    assert_ok(sotto_round_decide_worth(p->round, context, CELLS, worths, &p->arm));
    assert_status(sotto_round_decide_worth(p->round, context, CELLS, worths, &p->arm),
                  SOTTO_E_ORDER);
    assert_status(decide(p), SOTTO_E_ORDER);
    assert_ok(finish(p));
}

/* Where worths and means choose the same arm, the same tape gives the same report: worths do
 * nothing but choose. x . tbar is 0.1, 0.3, 0.05, 0.1. */
TEST(a_report_does_not_tell_how_its_arm_was_chosen)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        person plain, weighed;
        person_begin(&plain, seed);
        person_begin(&weighed, seed);
        assert_ok(sotto_round_begin(plain.round, plain.model));
        assert_ok(sotto_round_begin(weighed.round, weighed.model));
        assert_ok(decide(&plain));
        assert_ok(sotto_round_decide_worth(weighed.round, context, CELLS,
                                           (double[]){1, 1.2, 0.5, 1}, &weighed.arm));
        assert_ints(plain.arm, 1, weighed.arm, 1);
        assert_ok(finish(&plain));
        assert_ok(finish(&weighed));
        assert_memory_equal(plain.frame, weighed.frame, FRAME_BYTES);
        assert_ok(sotto_round_begin(weighed.round, weighed.model));
        assert_ok(sotto_round_decide_worth(weighed.round, context, CELLS, worths, &weighed.arm));
        assert_int_equal(weighed.arm, 1); /* 0.1, 0.6, 0.15, 0.4 */
    }
}
