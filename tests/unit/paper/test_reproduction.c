/* The parts of what is asked for. */
#include "paper/inner.h"
#include "paper/paper.h"
#include "reproductions.h"
#include "texts.h"
#include "why.h"

OWNED(sotto__reproduction, sotto__reproduction_free)

static double nothing(const sotto__part *part, uint32_t match, uint32_t seed, uint64_t t)
{
    (void)part, (void)match, (void)seed, (void)t;
    return 0;
}

TEST(customers_that_cannot_be_read_are_a_fault)
{
    sotto__reproduction_settings settings = settings_made("loan-revenue", 2, 100);
    sotto__reproduction *r;
    settings.data = "/nowhere/loans.csv";
    assert_says(WHY(sotto__reproduction_new, &settings, &r), why_fault.sentence,
                "/nowhere/loans.csv");
    assert_null(r);
    sotto__reproduction_free(NULL);
}

TEST(only_the_loan_study_and_the_constants_need_customers)
{
    for (uint32_t i = 0; i < sotto__experiments_count; i++) {
        const sotto__experiment *e = &sotto__experiments[i];
        sotto__reproduction_settings settings = settings_made(e->name, 2, 100);
        bool needs = strncmp(e->name, "loan-", 5) == 0 || strcmp(e->name, "constants") == 0;
        assert_true(sotto__reproduction_needs_customers(&settings) == needs);
    }
    const sotto__reproduction_settings all = {.only = NULL};
    assert_true(sotto__reproduction_needs_customers(&all));
}

TEST(one_experiment_has_its_own_parts)
{
    sotto__reproduction_settings settings = settings_made("shared-d2", 3, 500);
    OWN(sotto__reproduction) r = reproduction_made(&settings, nothing);
    assert_true(sotto__reproduction_wants(&settings, experiment_named("shared-d2")));
    assert_false(sotto__reproduction_wants(&settings, experiment_named("shared-d20")));
    assert_int_equal(r->parts_count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_ptr_equal(r->part[i].stage, &settings.only->stage[i]);
        assert_ints(r->part[i].horizon, 500, r->part[i].comparison.sweep.seeds_count, 3);
    }
    uint32_t horizons;
    assert_ptr_equal(sotto__reproduction_stage(r, &settings.only->stage[1], &horizons),
                     &r->part[1]);
    assert_int_equal(horizons, 1);
    const sotto__stage *other = &experiment_named("shared-d20")->stage[0];
    assert_null(sotto__reproduction_stage(r, other, &horizons));
    assert_int_equal(horizons, 0);
}

/* Where T is what is looked at, neither the horizon nor, if they are not given, the seeds change. */
TEST(rates_keep_their_horizons)
{
    sotto__reproduction_settings settings = settings_made("rates-horizon", 0, 500);
    OWN(sotto__reproduction) r = reproduction_made(&settings, nothing);
    static const uint64_t wanted[] = {1000, 3000, 10000, 30000, 100000};
    uint32_t horizons;
    const sotto__part *part = sotto__reproduction_stage(r, &settings.only->stage[2], &horizons);
    assert_int_equal(horizons, 5);
    for (uint32_t h = 0; h < 5; h++) {
        assert_ints(part[h].horizon, wanted[h], part[h].comparison.sweep.seeds_count, 10);
        assert_ptr_equal(part[h].stage, &settings.only->stage[2]);
    }
}

TEST(all_of_it_has_every_stage_and_synthetic_customers)
{
    sotto__reproduction_settings settings = settings_made("shared-d2", 2, 50);
    settings.only = NULL;
    settings.scale = SOTTO__SCALE_FULL;
    OWN(sotto__reproduction) r = reproduction_made(&settings, nothing);
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
}

TEST(one_that_was_stopped_says_what_is_kept)
{
    OWN(sotto__reproduction) r = reproduction_of("shared-d2", 3, 500, nothing);
    for (uint64_t run = 4; run < sotto_sweep_runs(&r->part[1].comparison.sweep); run++) {
        r->part[1].results.run[run].done = false; /* the other: 5 methods at 3 epsilons, 3 seeds */
    }
    assert_says(WHY(sotto__reproduction_stopped, r), why_fault.sentence,
                "stopped: 49 of 117 runs are finished and kept in /nowhere/runs; the same command");
}

/* Parts of 30 and 42 runs: the second one begins at the shard where the first one ended. */
TEST(runs_are_dealt_out_over_all_parts)
{
    uint64_t all = 0;
    for (uint32_t index = 1; index <= 7; index++) {
        sotto__reproduction_settings settings = settings_made("shared-d2", 2, 20);
        settings.shard = (sotto__shard){index, 7, 0};
        OWN(sotto__reproduction) r = reproduction_made(&settings, nothing);
        uint64_t runs = 0;
        assert_int_equal(sotto__reproduction_parts(&settings), r->parts_count);
        assert_ints(r->part[0].shard.dealt, 0, r->part[1].shard.dealt, 30);
        for (uint32_t i = 0; i < 2; i++) {
            assert_int_equal(r->part[i].shard.index, index);
            runs += sotto__shard_count(&r->part[i].shard,
                                       sotto_sweep_runs(&r->part[i].comparison.sweep));
        }
        assert_in_range(runs, 11, 12); /* of 78 */
        all += runs;
    }
    assert_int_equal(all, 78);
}

/* The table of experiments. */

typedef void visitor(const sotto__experiment *experiment, const sotto__stage *stage);

static void visit(visitor *look)
{
    for (uint32_t e = 0; e < sotto__experiments_count; e++) {
        for (uint32_t s = 0; s < sotto__experiments[e].stages_count; s++) {
            look(&sotto__experiments[e], &sotto__experiments[e].stage[s]);
        }
    }
}

TEST(names_end)
{
    assert_null(sotto__experiment_name(sotto__experiments_count));
    assert_null(sotto__scale_name(SOTTO__SCALES));
    assert_string_equal(sotto__scale_name(SOTTO__SCALE_QUICK), "quick");
    assert_string_equal(sotto__scale_name(SOTTO__SCALE_FULL), "full");
    assert_string_equal(sotto__experiment_name(0), "shared-d2");
}

TEST(a_match_of_a_stage_that_cannot_be_is_refused)
{
    sotto__stage stage = sotto__experiments[0].stage[0];
    sotto_match match;
    stage.scene.dim = 0;
    assert_int_equal(sotto__stage_match(&stage, NULL, SOTTO_PLAYER_LDP_SGD, 1, 100, &match),
                     SOTTO_E_FAULT);
}

static void look_whole(const sotto__experiment *experiment, const sotto__stage *stage)
{
    assert_true(strlen(experiment->about) > 0 && strlen(experiment->where) > 0);
    assert_true(sotto__stage_epsilons(stage) > 0 && stage->players != 0 && stage->delta > 0);
    assert_true(sotto__stage_horizons(stage, SOTTO__SCALE_FULL) > 0);
    for (uint32_t scale = 0; scale < SOTTO__SCALES; scale++) {
        const sotto__stage_size *size = &stage->size[scale];
        for (uint32_t h = 1; h < sotto__stage_horizons(stage, (sotto__scale)scale); h++) {
            assert_true(size->horizon[h] > size->horizon[h - 1]);
        }
    }
}

/* Full has at least ten seeds, and the paper's million rounds but for those of the agreement. */
static void look_full(const sotto__experiment *experiment, const sotto__stage *stage)
{
    const sotto__stage_size *size = &stage->size[SOTTO__SCALE_FULL];
    uint32_t last = sotto__stage_horizons(stage, SOTTO__SCALE_FULL) - 1;
    assert_true(size->seeds >= 10);
    if (experiment->kind == SOTTO__EXPERIMENT_CURVES) assert_true(size->horizon[last] >= 100000);
}

static void look_playable(const sotto__experiment *experiment, const sotto__stage *stage)
{
    (void)experiment;
    /* Customers whose demand is known. */
    const double theta[18] = {1}, worth[25] = {1};
    const sotto_population people = {.rows = 1,
                                     .dim = 18,
                                     .arms = 25,
                                     .link = SOTTO_LINK_LOGIT,
                                     .theta = theta,
                                     .theta_norm_max = 40,
                                     .worth = worth};
    for (uint32_t p = 0; p < SOTTO_PLAYERS; p++) {
        for (uint32_t i = 0; i < sotto__stage_epsilons(stage); i++) {
            sotto_match match;
            if ((stage->players >> p & 1) == 0) continue;
            assert_int_equal(sotto__stage_match(stage, &people, (sotto_player)p, stage->epsilon[i],
                                                1000, &match),
                             SOTTO_OK);
            assert_ok(sotto_match_fault(&match, NULL));
            assert_near(match.spec.epsilon, stage->epsilon[i], 0);
            assert_ints(match.calibration, stage->calibration, match.learning.epoch, 1);
            assert_true((match.environment.population == &people) == sotto__stage_is_loan(stage));
            assert_true((match.worth == worth) == stage->revenue);
        }
    }
}

TEST(every_stage_is_whole_and_can_be_played)
{
    visit(look_whole);
    visit(look_full);
    visit(look_playable);
}

/* The two panels of a figure make the same claim. */
TEST(panels_have_the_same_claims)
{
    for (uint32_t e = 0; e < sotto__experiments_count; e++) {
        const sotto__experiment *experiment = &sotto__experiments[e];
        if (experiment->kind != SOTTO__EXPERIMENT_CURVES) continue;
        const sotto__stage *one = &experiment->stage[0];
        const sotto__stage *other = &experiment->stage[experiment->stages_count - 1];
        assert_memory_equal(one->epsilon, other->epsilon, sizeof one->epsilon);
        assert_near(one->delta, other->delta, 0);
        assert_memory_equal(one->size, other->size, sizeof one->size);
        assert_ints(one->scene.dim, other->scene.dim, one->players & other->players, one->players);
    }
}

TEST(names_are_unique)
{
    for (uint32_t i = 0; i < sotto__experiments_count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            assert_string_not_equal(sotto__experiments[i].name, sotto__experiments[j].name);
        }
    }
}

/* A part: the matches of a stage as one comparison. */

#define TWO (1u << SOTTO_PLAYER_SOTTO | 1u << SOTTO_PLAYER_RANDOM)

static const sotto__part_runs runs = {.first_seed = 7, .seeds_count = 3, .threads = 2};

/* Two methods at two epsilons, on the sphere. */
static sotto__stage two_by_two(void)
{
    sotto__stage stage = experiment_named("shared-d2")->stage[1];
    stage.players = TWO;
    stage.epsilon[1] = 5;
    stage.epsilon[2] = 0;
    return stage;
}

TEST(a_match_that_cannot_be_played_is_a_fault)
{
    sotto__stage stage = two_by_two();
    const sotto__experiment e = {.name = "broken", .kind = SOTTO__EXPERIMENT_CURVES};
    HELD(sotto__part) part = {.experiment = &e, .stage = &stage, .horizon = 100};
    stage.scene.dim = 0;
    assert_says(WHY(sotto__part_fill, &part, &runs), why_fault.sentence,
                "broken, exact: a match of the table cannot be played");
    assert_true(part.comparison.match == NULL && part.results.run == NULL);
}

TEST(customers_that_are_missing_are_a_fault)
{
    const sotto__experiment *e = experiment_named("loan-revenue");
    sotto__part part = {.experiment = e, .stage = &e->stage[0], .horizon = 100};
    assert_says(WHY(sotto__part_fill, &part, &runs), why_fault.sentence,
                "loan-revenue, exact: a match");
}

TEST(matches_are_all_methods_at_all_epsilons)
{
    const sotto__stage stage = two_by_two();
    const sotto__experiment e = {.name = "small", .kind = SOTTO__EXPERIMENT_HORIZONS};
    sotto__part part = {.experiment = &e, .stage = &stage, .horizon = 100};
    assert_silent(WHY(sotto__part_fill, &part, &runs));
    static const sotto_player player[] = {SOTTO_PLAYER_SOTTO, SOTTO_PLAYER_SOTTO,
                                          SOTTO_PLAYER_RANDOM, SOTTO_PLAYER_RANDOM};
    static const double epsilon[] = {0.5, 5, 0.5, 5};
    const sotto_sweep *sweep = &part.comparison.sweep;
    assert_int_equal(sweep->matches_count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(sweep->match[i].player, player[i]);
        assert_near(part.comparison.epsilon[i], epsilon[i], 0);
        assert_int_equal(sweep->match[i].environment.kind, SOTTO_ENVIRONMENT_SPHERE);
    }
    assert_ints(sweep->first_seed, 7, sweep->seeds_count, 3, sweep->threads, 2);
    assert_int_equal(part.results.done_count, 0);
    sotto__part_free(&part);
    assert_null(part.comparison.match);
}

TEST(only_curves_have_all_usual_points)
{
    static const uint64_t at[] = {1, 2, 5, 10, 20, 50, 100};
    const sotto__stage stage = two_by_two();
    const sotto__experiment along = {.name = "along", .kind = SOTTO__EXPERIMENT_CURVES},
                            end = {.name = "end", .kind = SOTTO__EXPERIMENT_BOUND};
    sotto__part part = {.experiment = &along, .stage = &stage, .horizon = 100};
    assert_silent(WHY(sotto__part_fill, &part, &runs));
    assert_int_equal(part.comparison.sweep.at_count, 7);
    assert_memory_equal(part.comparison.sweep.at, at, sizeof at);
    sotto__part_free(&part);
    part.experiment = &end;
    assert_silent(WHY(sotto__part_fill, &part, &runs));
    assert_ints(part.comparison.sweep.at_count, 1, part.comparison.sweep.at[0], 100);
    sotto__part_free(&part);
}

/* The customers of the auto-loan study. */

TEST(files_that_cannot_be_used_are_named)
{
    HELD(directory) f = directory_new();
    FREED_BY(sotto__customers_close) sotto__customers customers;
    assert_says(WHY(sotto__customers_open, f.other, &customers), why_fault.sentence, "/other");
    assert_null(customers.population);
    assert_says(WHY(sotto__customers_open, text_file(&f, "a,b\n1,2\n"), &customers),
                why_fault.sentence, "/ledger");
    assert_null(customers.loan);
}

TEST(a_stand_in_is_never_written_over_a_file)
{
    HELD(directory) f = directory_new();
    char path[DIRECTORY_PATH_BYTES + 100], there[10];
    uint32_t rows;
    text_file(&f, "mine");
    assert_says(WHY(sotto__customers_write, f.file, 1, &rows), why_fault.sentence, "File exists");
    assert_int_equal(file_read(f.file, (uint8_t *)there, sizeof there), 4);
    assert_memory_equal(there, "mine", 4);
    snprintf(path, sizeof path, "%s/no/such.csv", f.path);
    assert_says(WHY(sotto__customers_write, path, 1, &rows), why_fault.sentence, "No such file");
}

TEST(where_nobody_is_there_is_no_notice)
{
    HELD(sotto__pool) pool = {0};
    const sotto__customers none = {0};
    assert_null(sotto__customers_notice(&none, NULL, &pool));
    assert_null(sotto__customers_notice(&none, "file.csv", &pool));
}

TEST(the_stand_in_is_called_synthetic_from_a_file_too)
{
    HELD(directory) f = directory_new();
    HELD(sotto__pool) pool = {0};
    sotto__customers built_in, file;
    uint32_t rows;
    assert_silent(WHY(sotto__customers_open, NULL, &built_in));
    assert_silent(WHY(sotto__customers_write, f.file, 1, &rows));
    assert_silent(WHY(sotto__customers_open, f.file, &file));
    assert_true(built_in.synthetic && file.synthetic);
    assert_ints(rows, 50000, built_in.rows, rows, file.rows, rows, built_in.population->rows, rows);
    const char *notice = sotto__customers_notice(&built_in, NULL, &pool);
    assert_non_null(strstr(
        notice, "SYNTHETIC customers (known by their column SYNTHETIC). The 50,000 rows of the "
                "stand-in that comes with sotto are not the data of the study, and "
                "nothing below about auto loans is a result on that data."));
    notice = sotto__customers_notice(&file, "loans.csv", &pool);
    assert_non_null(
        strstr(notice, "SYNTHETIC customers (known by their column SYNTHETIC). The 50,000 rows of "
                       "loans.csv are not the data"));
    file.synthetic = false;
    notice = sotto__customers_notice(&file, "loans.csv", &pool);
    assert_null(strstr(notice, "SYNTHETIC"));
    assert_non_null(strstr(notice, "50,000 customers of loans.csv. A file cannot prove"));
    sotto__customers_close(&built_in);
    sotto__customers_close(&file);
    assert_null(file.population);
}

/* A part as a command: what is not a default is said. */

/* Of a stage of the table, 4 seeds from 9. */
static void is_said(const char *experiment, uint32_t stage, const char *wanted)
{
    HELD(sotto__pool) pool = {0};
    const sotto__experiment *e = experiment_named(experiment);
    const sotto__part part = {
        .experiment = e,
        .stage = &e->stage[stage],
        .horizon = 123,
        .comparison = {.sweep = {.seeds_count = 4, .first_seed = 9}},
    };
    assert_string_equal(sotto__simulate_command(&part, &pool), wanted);
}

TEST(the_authors_code_names_its_calibration_and_step)
{
    is_said("shared-d20", 0,
            "sotto simulate --method ldp-sgd,ldp-ols,ldp-ucb,ldp-gloc,random --parameters shared "
            "--link identity --dim 20 --arms 20 --horizon 123 --epsilon 0.5,1,5 --delta 0.01 "
            "--allow-weak-delta --seeds 4 --first-seed 9 --calibration published --step 1/sqrt");
}

TEST(rewards_that_are_cut_have_a_range)
{
    is_said("poisson", 1,
            "sotto simulate --method sotto,ldp-sgd,ldp-gloc,best-arm,glm-ucb,random --parameters "
            "shared "
            "--link log --dim 2 --arms 10 --horizon 123 --epsilon 0.5,1,5 --delta 0.01 "
            "--allow-weak-delta --seeds 4 --first-seed 9 --reward-range 0,5");
}

TEST(other_environments_have_their_options)
{
    is_said("rates-horizon", 2,
            "sotto simulate --method sotto,ldp-sgd,ols --parameters shared --link identity --dim 2 "
            "--arms 2 --horizon 123 --epsilon 5 --delta 1e-06 --seeds 4 --first-seed 9 "
            "--environment margin --margin 0.5");
    is_said("loan-revenue", 0,
            "sotto simulate --method sotto,ldp-sgd,ldp-gloc,glm,glm-ucb,random --parameters shared "
            "--link logit --dim 18 --arms 25 --horizon 123 --epsilon 1,4,8 --delta 0.01 "
            "--allow-weak-delta --seeds 4 --first-seed 9 --environment loan --revenue");
}
