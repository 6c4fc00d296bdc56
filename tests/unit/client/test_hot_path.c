/* begin, decide, finish, encode, decode, fold and publish allocate nothing, and neither does any
 * other round of the lab. The linker sends every call of
 * malloc, calloc and realloc in our code through the counters below. */
#include "allocations.h"
#include "lab/environment/environment.h"
#include "lab/player/player.h"
#include "lab/run/inner.h"
#include "scenes.h"
#include "server/server.h"
#include "test.h"

#include <sotto/client.h>
#include <sotto/server.h>

#include <stdlib.h>

OWNED(sotto__player, sotto__player_free)
OWNED(sotto__world, sotto__world_free)

typedef struct world {
    sotto_terms terms;
    sotto_model *model;
    sotto_ledger *ledger;
    sotto_client *client;
    sotto_round *round;
    sotto_report *report;
    sotto_tally *tally;
} world;

static void build(world *w, const sotto_spec *spec, sotto_phase phase)
{
    sotto_policy policy = sotto_policy_default();
    policy.epsilon_per_report_max = 8, policy.epsilon_lifetime = 1e9, policy.delta_lifetime = 0.5;
    assert_ok(sotto_spec_resolve(spec, &w->terms));
    assert_ok(sotto_model_new(&w->terms, &w->model));
    w->model->phase = phase;
    assert_ok(sotto_ledger_memory_new(&w->ledger));
    assert_ok(sotto_client_new(&policy, w->ledger, &w->client));
    assert_ok(sotto_round_new(w->client, &w->terms, &w->round));
    assert_ok(sotto_report_new(&w->terms, &w->report));
    assert_ok(sotto__tally_new(&w->terms, 0, phase, false, &w->tally));
}

static void tear_down(world *w)
{
    sotto_tally_free(w->tally);
    sotto_report_free(w->report);
    sotto_round_free(w->round);
    sotto_client_free(w->client);
    sotto_ledger_free(w->ledger);
    sotto_model_free(w->model);
}

static void play(world *w, const double *context)
{
    uint8_t frame[1024];
    const sotto_spec *spec = &w->terms.spec;
    bool shared = spec->parameters == SOTTO_PARAMETERS_SHARED;
    static const double worth[4] = {1, 2, 0, 0.5};
    uint32_t arm, count = shared ? spec->dim * spec->arms : spec->dim;
    assert_ok(sotto_round_begin(w->round, w->model));
    assert_ok(sotto_round_decide_worth(w->round, context, count, worth, &arm));
    assert_ok(sotto_round_finish(w->round, 0.5, frame, sizeof frame));
    assert_ok(sotto_round_begin(w->round, w->model));
    assert_ok(sotto_round_decide(w->round, context, count, &arm));
    assert_ok(sotto_round_finish(w->round, 0.5, frame, sizeof frame));
    assert_ok(sotto_report_decode(&w->terms, frame, sotto_report_bytes(&w->terms), w->report));
    assert_ok(sotto_tally_fold(w->tally, w->report));
}

TEST(the_counter_counts)
{
    uint64_t before = allocations;
    sotto_ledger *ledger;
    assert_ok(sotto_ledger_memory_new(&ledger));
    sotto_ledger_free(ledger);
    assert_int_equal(allocations, before + 1);
}

/* Kinds 8 to 13: each lattice method, shared and per-arm, two of them with laplace noise. Kind 14:
 * the lifted moments. */
static void moments_of(int kind, sotto_spec *spec)
{
    const sotto_method methods[] = {SOTTO_METHOD_LDP_OLS, SOTTO_METHOD_LDP_UCB,
                                    SOTTO_METHOD_LDP_GLOC, SOTTO_METHOD_SOTTO_OLS};
    spec->method = methods[(kind - 8) / 2];
    bool pair = spec->method == SOTTO_METHOD_LDP_GLOC, lifted = kind == 14;
    spec->score = pair ? SOTTO_SCORE_GLOC_PAIR : SOTTO_SCORE_MOMENTS;
    spec->noise_law = kind == 9 || kind == 12 ? SOTTO_NOISE_LAPLACE : SOTTO_NOISE_GAUSSIAN;
    spec->delta = lifted || spec->noise_law == SOTTO_NOISE_LAPLACE ? 0 : 1e-6;
}

TEST(no_kind_of_round_allocates)
{
    static const double context[64] = {0.3, -0.2, 0.7, 0.1, 0.9, -0.4};
    for (int kind = 0; kind < 15; kind++) {
        sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
        spec.dim = 8, spec.arms = 4;
        bool shared = kind < 2 || (kind >= 8 && kind % 2 == 0);
        spec.parameters = shared ? SOTTO_PARAMETERS_SHARED : SOTTO_PARAMETERS_PER_ARM;
        if (kind == 1 || kind == 6 || kind == 7) {
            spec.method = SOTTO_METHOD_LDP_SGD, spec.score = SOTTO_SCORE_GRADIENT;
        }
        if (kind >= 8) moments_of(kind, &spec);
        if (kind == 3) spec.epsilon = 5; /* tags */
        if (kind == 4) spec.score = SOTTO_SCORE_SELF;
        if (kind == 5) spec.score = SOTTO_SCORE_HUBER;
        if (kind == 7) spec.split = SOTTO_SPLIT_PER_ARM;
        for (int phase = shared ? 1 : 0; phase < SOTTO_PHASE_MEAN; phase++) {
            world w;
            build(&w, &spec, (sotto_phase)phase);
            uint64_t before = allocations;
            for (int i = 0; i < 100; i++) {
                play(&w, context);
            }
            assert_ints(allocations, before, sotto_tally_count(w.tally), 100);
            tear_down(&w);
        }
    }
}

/* Every method, calibration and kind of parameters, publishing included. */
TEST(no_round_of_the_lab_allocates)
{
    for (uint32_t at = 0; at < SOTTO_PLAYERS * 6; at++) {
        sotto_scene scene = {.dim = 3,
                             .arms = 4,
                             .parameters = (sotto_parameters)(at % 2),
                             .environment = SOTTO_ENVIRONMENT_DRIFT,
                             .horizon = 200};
        sotto_match match = sotto_match_default((sotto_player)(at / 6),
                                                (sotto_calibration)(at / 2 % 3), &scene, 1, 1e-6);
        if (sotto_match_set_learning(&match) != SOTTO_OK) continue;
        match.learning.warm_up = scene.parameters == SOTTO_PARAMETERS_PER_ARM ? 50 : 0;
        if (sotto_match_fault(&match, NULL) != SOTTO_OK) continue;
        OWN(sotto__world) lab = NULL;
        OWN(sotto__player) player = NULL;
        double regret;
        assert_ok(sotto__world_new(&match, at, &lab));
        assert_ok(sotto__player_new(&match, at, lab, &player));
        uint64_t before = allocations;
        for (int t = 0; t < 200; t++) {
            assert_ok(sotto__play(lab, player, &regret));
        }
        assert_int_equal(allocations, before);
    }
}
