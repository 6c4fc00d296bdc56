/*
 * The law of the codebook randomiser, for a fixed input and fresh nonces: TOP is hit with chance
 * exactly k w_top/W, and within TOP and within the rest every place is equally likely. Three tests
 * share a false-alarm rate of 1e-6. The shipping code passes; every twin with a fault is caught.
 */
#include "client/client.h"
#include "core/core.h"
#include "lab/math/math.h"
#include "lab/random/random.h"
#include "seeds.h"
#include "test.h"
#include "twin.h"

#define FALSE_ALARM 1e-6

typedef struct setting {
    uint32_t dim, size;
    double epsilon;
    double norm; /* of the input */
    uint64_t draws;
} setting;

static uint64_t soaked(uint64_t draws)
{
    return getenv("SOTTO_SOAK") != NULL ? 20 * draws : draws;
}

static void resolve(const setting *s, sotto_terms *terms)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = s->dim;
    spec.arms = 2;
    spec.epsilon = s->epsilon;
    assert_ok(sotto__spec_resolve_sized(&spec, s->size, terms));
}

/* A direction that is neither an axis nor a diagonal. */
static void input(const setting *s, double *v)
{
    double squares = 0;
    for (uint32_t j = 0; j < s->dim; j++) {
        v[j] = cos(1 + 2.4 * j);
        squares += v[j] * v[j];
    }
    for (uint32_t j = 0; j < s->dim; j++) {
        v[j] *= s->norm / sqrt(squares);
    }
}

/* The smallest p-value of the three tests; TWIN_NONE draws from the shipping code. */
static double law_p(const setting *s, twin_fault fault, uint64_t seed)
{
    sotto_terms terms;
    resolve(s, &terms);
    const sotto_codebook *codebook = &terms.codebook[SOTTO_PHASE_MAIN];
    sotto__seeded random = seeded_of(seed);
    sotto__door door = {.terms = &terms, .phase = SOTTO_PHASE_MAIN};
    sotto__door_work work;
    sotto_report *report;
    assert_ok(sotto__door_work_new(&terms, &work));
    assert_ok(sotto_report_new(&terms, &report));
    double *codeword = malloc(s->size / 2 * s->dim * sizeof *codeword);
    uint32_t *order = malloc(s->size * sizeof *order);
    uint64_t *hits = calloc(s->size, sizeof *hits); /* by place in the order */
    double v[64];
    input(s, v);

    uint64_t draws = soaked(s->draws);
    for (uint64_t n = 0; n < draws; n++) {
        assert_ok(random.rng.fill(&random.rng, door.nonce, sizeof door.nonce));
        twin_expand(codebook, terms.stream_key, door.nonce, codeword);
        uint32_t index;
        if (fault == TWIN_NONE) {
            assert_ok(sotto__privatise(&door, v, 0, &random.rng, &work, report));
            index = (uint32_t)report->value[0];
        } else {
            sotto__coins coins;
            assert_ok(sotto__draw_coins(codebook, &random.rng, &coins));
            index = twin_choose(codebook, codeword, v, &coins, fault);
        }
        assert_true(index < s->size);
        if (s->norm == 0) {
            hits[index]++;
            continue;
        }
        twin_order(codebook, codeword, v, false, order);
        for (uint32_t place = 0; place < s->size; place++) {
            hits[place] += order[place] == index;
        }
    }

    double smallest;
    if (s->norm == 0) {
        smallest = sotto__uniform_p(hits, s->size);
    } else {
        uint64_t top_hits = 0;
        for (uint32_t place = 0; place < codebook->top; place++) {
            top_hits += hits[place];
        }
        double top = (double)codebook->top * (double)codebook->weight_top;
        double p = top / (top + (double)(s->size - codebook->top) * (double)codebook->weight_rest);
        double deviation = (double)top_hits - p * (double)draws;
        double z = deviation / sqrt(p * (1 - p) * (double)draws);
        smallest = erfc(fabs(z) / sqrt(2));
        smallest = fmin(smallest, sotto__uniform_p(hits, codebook->top));
        smallest = fmin(smallest, sotto__uniform_p(hits + codebook->top, s->size - codebook->top));
    }
    free(hits);
    free(order);
    free(codeword);
    sotto_report_free(report);
    sotto__door_work_free(&work);
    return smallest;
}

static const setting grid[] = {
    {2, 2, 1, 1, 300000},    {1, 64, 1, 1, 40000},  {2, 64, 1, 1, 40000},
    {20, 64, 0.5, 1, 20000}, {5, 16, 2, 1, 60000},  {3, 256, 5, 1, 8000},
    {20, 2, 8, 1, 200000},   {8, 64, 1, 0, 100000}, {4, 6, 0.01, 1, 100000},
};

TEST(the_shipping_code_follows_the_law)
{
    for (size_t i = 0; i < sizeof grid / sizeof grid[0]; i++) {
        double p = law_p(&grid[i], TWIN_NONE, 1000 + i);
        if (!(p > FALSE_ALARM / 3)) fail_msg("setting %zu: p = %g", i, p);
    }
}

TEST(the_faithful_twin_is_the_shipping_code)
{
    static const setting s[] = {{2, 2, 1, 0.7, 0}, {20, 64, 1, 0.4, 0}, {5, 30, 3, 0, 0}};
    for (size_t i = 0; i < 3; i++) {
        sotto_terms terms;
        resolve(&s[i], &terms);
        const sotto_codebook *codebook = &terms.codebook[SOTTO_PHASE_MAIN];
        sotto__seeded random, same;
        sotto__seeded_begin(&random, 5 + i);
        sotto__door door = {.terms = &terms, .phase = SOTTO_PHASE_MAIN};
        HELD(sotto__door_work) work;
        sotto_report *report;
        double v[64], codeword[64 * 64];
        input(&s[i], v);
        assert_ok(sotto__door_work_new(&terms, &work));
        assert_ok(sotto_report_new(&terms, &report));
        for (int n = 0; n < 2000; n++) {
            assert_ok(random.rng.fill(&random.rng, door.nonce, sizeof door.nonce));
            same = random;
            assert_ok(sotto__privatise(&door, v, 0, &random.rng, &work, report));
            sotto__coins coins;
            assert_ok(sotto__draw_coins(codebook, &same.rng, &coins));
            twin_expand(codebook, terms.stream_key, door.nonce, codeword);
            assert_int_equal(report->value[0],
                             twin_choose(codebook, codeword, v, &coins, TWIN_FAITHFUL));
        }
        sotto_report_free(report);
    }
}

TEST(every_twin_that_breaks_the_law_is_caught)
{
    static const struct {
        twin_fault fault;
        setting s;
    } broken[] = {
        {TWIN_HEAVY_TOP, {2, 2, 1, 1, 1000000}},   {TWIN_HEAVY_TOP, {2, 2, 2, 1, 1000000}},
        {TWIN_SIGNED_RANK, {8, 64, 1, 1, 20000}},  {TWIN_ONE_TOP_LESS, {8, 16, 1, 1, 40000}},
        {TWIN_BIASED_INDEX, {8, 16, 1, 1, 20000}}, {TWIN_REST_OVERLAPS, {8, 64, 1, 1, 20000}},
        {TWIN_ZERO_RANKED, {8, 64, 1, 0, 100000}}, {TWIN_WORST_SIGN, {8, 64, 1, 1, 20000}},
    };
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        double p = law_p(&broken[i].s, broken[i].fault, 2000 + i);
        if (p > FALSE_ALARM / 3) fail_msg("twin %zu was not caught: p = %g", i, p);
    }
}
