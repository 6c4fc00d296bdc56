/* The parts of what is asked for. */
#include "lab/paper/reproduction.h"
#include "reproductions.h"
#include "texts.h"

static double nothing(const sotto__part *part, uint32_t match, uint32_t seed, uint64_t t)
{
    (void)part, (void)match, (void)seed, (void)t;
    return 0;
}

static void customers_that_cannot_be_read_are_a_fault(void **state)
{
    (void)state;
    char fault[SOTTO_FAULT_BYTES];
    sotto__reproduction_settings settings = settings_made("loan-revenue", 2, 100);
    sotto__reproduction *r;
    settings.data = "/nowhere/loans.csv";
    assert_says(sotto__reproduction_new(&settings, &r, fault), fault, "/nowhere/loans.csv");
    assert_null(r);
    sotto__reproduction_free(NULL);
}

static void only_the_loan_study_and_the_constants_need_customers(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < sotto__experiments_count; i++) {
        const sotto__experiment *e = &sotto__experiments[i];
        sotto__reproduction_settings settings = settings_made(e->name, 2, 100);
        bool needs = strncmp(e->name, "loan-", 5) == 0 || strcmp(e->name, "constants") == 0;
        assert_true(sotto__reproduction_needs_customers(&settings) == needs);
    }
    const sotto__reproduction_settings all = {.only = NULL};
    assert_true(sotto__reproduction_needs_customers(&all));
}

static void one_experiment_has_its_own_parts(void **state)
{
    (void)state;
    sotto__reproduction_settings settings = settings_made("shared-d2", 3, 500);
    sotto__reproduction *r = reproduction_made(&settings, nothing);
    assert_true(sotto__reproduction_wants(&settings, experiment_named("shared-d2")));
    assert_false(sotto__reproduction_wants(&settings, experiment_named("shared-d20")));
    assert_int_equal(r->parts_count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_ptr_equal(r->part[i].stage, &settings.only->stage[i]);
        assert_int_equal(r->part[i].horizon, 500);
        assert_int_equal(r->part[i].comparison.sweep.seeds_count, 3);
    }
    uint32_t horizons;
    assert_ptr_equal(sotto__reproduction_stage(r, &settings.only->stage[1], &horizons),
                     &r->part[1]);
    assert_int_equal(horizons, 1);
    const sotto__stage *other = &experiment_named("shared-d20")->stage[0];
    assert_null(sotto__reproduction_stage(r, other, &horizons));
    assert_int_equal(horizons, 0);
    sotto__reproduction_free(r);
}

/* Where T is what is looked at, neither the horizon nor, if they are not given, the seeds change. */
static void rates_keep_their_horizons(void **state)
{
    (void)state;
    sotto__reproduction_settings settings = settings_made("rates-horizon", 0, 500);
    sotto__reproduction *r = reproduction_made(&settings, nothing);
    static const uint64_t wanted[] = {1000, 3000, 10000, 30000, 100000};
    uint32_t horizons;
    const sotto__part *part = sotto__reproduction_stage(r, &settings.only->stage[2], &horizons);
    assert_int_equal(horizons, 5);
    for (uint32_t h = 0; h < 5; h++) {
        assert_int_equal(part[h].horizon, wanted[h]);
        assert_int_equal(part[h].comparison.sweep.seeds_count, 10);
        assert_ptr_equal(part[h].stage, &settings.only->stage[2]);
    }
    sotto__reproduction_free(r);
}

static void all_of_it_has_every_stage_and_synthetic_customers(void **state)
{
    (void)state;
    sotto__reproduction_settings settings = settings_made("shared-d2", 2, 50);
    settings.only = NULL;
    settings.scale = SOTTO__SCALE_FULL;
    sotto__reproduction *r = reproduction_made(&settings, nothing);
    for (uint32_t e = 0; e < sotto__experiments_count; e++) {
        const sotto__experiment *experiment = &sotto__experiments[e];
        for (uint32_t s = 0; s < experiment->stages_count; s++) {
            uint32_t horizons;
            assert_non_null(sotto__reproduction_stage(r, &experiment->stage[s], &horizons));
            assert_int_equal(horizons,
                             sotto__stage_horizons(&experiment->stage[s], SOTTO__SCALE_FULL));
        }
        bool loan = strncmp(experiment->name, "loan-", 5) == 0;
        assert_true(sotto__reproduction_is_synthetic(r, experiment) == loan);
    }
    r->customers.synthetic = false;
    assert_false(sotto__reproduction_is_synthetic(r, experiment_named("loan-revenue")));
    sotto__reproduction_free(r);
}

static void one_that_was_stopped_says_what_is_kept(void **state)
{
    (void)state;
    char fault[SOTTO_FAULT_BYTES];
    sotto__reproduction_settings settings = settings_made("shared-d2", 3, 500);
    sotto__reproduction *r = reproduction_made(&settings, nothing);
    for (uint64_t run = 4; run < sotto_sweep_runs(&r->part[1].comparison.sweep); run++) {
        r->part[1].results.run[run].done = false; /* the other: 5 methods at 3 epsilons, 3 seeds */
    }
    assert_says(sotto__reproduction_stopped(r, fault), fault,
                "stopped: 49 of 117 runs are finished and kept in /nowhere/runs; the same command");
    sotto__reproduction_free(r);
}

/* Parts of 30 and 42 runs: the second one begins at the shard where the first one ended. */
static void runs_are_dealt_out_over_all_parts(void **state)
{
    (void)state;
    uint64_t all = 0;
    for (uint32_t index = 1; index <= 7; index++) {
        sotto__reproduction_settings settings = settings_made("shared-d2", 2, 20);
        settings.shard = (sotto__shard){index, 7, 0};
        sotto__reproduction *r = reproduction_made(&settings, nothing);
        uint64_t runs = 0;
        assert_int_equal(sotto__reproduction_parts(&settings), r->parts_count);
        assert_int_equal(r->part[0].shard.dealt, 0);
        assert_int_equal(r->part[1].shard.dealt, 30);
        for (uint32_t i = 0; i < 2; i++) {
            assert_int_equal(r->part[i].shard.index, index);
            runs += sotto__shard_count(&r->part[i].shard,
                                       sotto_sweep_runs(&r->part[i].comparison.sweep));
        }
        assert_in_range(runs, 11, 12); /* of 78 */
        all += runs;
        sotto__reproduction_free(r);
    }
    assert_int_equal(all, 78);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(customers_that_cannot_be_read_are_a_fault),
        cmocka_unit_test(only_the_loan_study_and_the_constants_need_customers),
        cmocka_unit_test(one_experiment_has_its_own_parts),
        cmocka_unit_test(rates_keep_their_horizons),
        cmocka_unit_test(all_of_it_has_every_stage_and_synthetic_customers),
        cmocka_unit_test(one_that_was_stopped_says_what_is_kept),
        cmocka_unit_test(runs_are_dealt_out_over_all_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
