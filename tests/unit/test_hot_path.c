/* begin, decide, finish, encode, decode and fold allocate nothing. The linker sends every call of
 * malloc, calloc and realloc in our code through the counters below. */
#include "test.h"

#include <sotto/client.h>
#include <sotto/server.h>

#include <stdlib.h>

static uint64_t allocations;

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);

void *__wrap_malloc(size_t bytes)
{
    allocations++;
    return __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    allocations++;
    return __real_calloc(count, bytes);
}

void *__wrap_realloc(void *old, size_t bytes)
{
    allocations++;
    return __real_realloc(old, bytes);
}

typedef struct world {
    sotto_resolved resolved;
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
    policy.epsilon_per_report_max = 8;
    policy.epsilon_lifetime = 1e9;
    assert_ok(sotto_spec_resolve(spec, &w->resolved));
    assert_ok(sotto_model_new(&w->resolved, &w->model));
    w->model->phase = phase;
    assert_ok(sotto_ledger_memory_new(&w->ledger));
    assert_ok(sotto_client_new(&policy, w->ledger, &w->client));
    assert_ok(sotto_round_new(w->client, &w->resolved, &w->round));
    assert_ok(sotto_report_new(&w->resolved, &w->report));
    assert_ok(sotto_tally_new(&w->resolved, 0, phase, &w->tally));
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
    uint8_t frame[256];
    const sotto_spec *spec = &w->resolved.spec;
    bool shared = spec->parameters == SOTTO_PARAMETERS_SHARED;
    uint32_t arm, count = shared ? spec->dim * spec->arms : spec->dim;
    assert_ok(sotto_round_begin(w->round, w->model));
    assert_ok(sotto_round_decide(w->round, context, count, &arm));
    assert_ok(sotto_round_finish(w->round, 0.5, frame, sizeof frame));
    assert_ok(
        sotto_report_decode(&w->resolved, frame, sotto_report_bytes(&w->resolved), w->report));
    assert_ok(sotto_fold(w->tally, w->report));
}

static void the_counter_counts(void **state)
{
    (void)state;
    uint64_t before = allocations;
    sotto_ledger *ledger;
    assert_ok(sotto_ledger_memory_new(&ledger));
    sotto_ledger_free(ledger);
    assert_int_equal(allocations, before + 1);
}

static void no_kind_of_round_allocates(void **state)
{
    (void)state;
    static const double context[64] = {0.3, -0.2, 0.7, 0.1, 0.9, -0.4};
    for (int kind = 0; kind < 8; kind++) {
        sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
        spec.dim = 8;
        spec.arms = 4;
        spec.parameters = kind < 2 ? SOTTO_PARAMETERS_SHARED : SOTTO_PARAMETERS_PER_ARM;
        if (kind == 1 || kind >= 6) {
            spec.method = SOTTO_METHOD_LDP_SGD;
            spec.score = SOTTO_SCORE_GRADIENT;
        }
        if (kind == 3) spec.epsilon = 5; /* tags */
        if (kind == 4) spec.score = SOTTO_SCORE_SELF;
        if (kind == 5) spec.score = SOTTO_SCORE_HUBER;
        if (kind == 7) spec.split = SOTTO_SPLIT_PER_ARM;
        for (int phase = kind < 2 ? 1 : 0; phase < SOTTO_PHASES; phase++) {
            world w;
            build(&w, &spec, (sotto_phase)phase);
            uint64_t before = allocations;
            for (int i = 0; i < 100; i++) {
                play(&w, context);
            }
            assert_int_equal(allocations, before);
            assert_int_equal(sotto_tally_count(w.tally), 100);
            tear_down(&w);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_counter_counts),
        cmocka_unit_test(no_kind_of_round_allocates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
