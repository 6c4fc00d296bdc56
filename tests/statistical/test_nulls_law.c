/*
 * The law of the choice with nulls, in exact integers and without any chance: for every score, every
 * arm's tag and every coin that says whether the score is heard, k indices own w_top and M own w_rest
 * of the W = k w_top + M w_rest numbers that are drawn from. Two ways to know it:
 *
 *   small weights   the same code with weights of two digits: all W numbers, one after the other
 *   real weights    both ends of the interval that each index must own, in terms as resolved
 *
 * A twin whose first null owns one number too many is caught by both. By sampling it is not to be had:
 * one number of 2^28 moves a chance by 4e-9 of itself, which shows after some 1e17 reports.
 */
#include "broken_nulls.h"
#include "client/client.h"
#include "core/core.h"
#include "lab/random/random.h"
#include "seeds.h"
#include "test.h"
#include "twin.h"

#define DIM_MAX_HERE 8u

/* A codebook, a nonce, a score, and who chooses. */
typedef struct scene {
    sotto_codebook codebook;
    uint8_t key[SOTTO_SPEC_ID_BYTES], nonce[SOTTO_NONCE_BYTES];
    double v[DIM_MAX_HERE];
    uint32_t group;
    uint64_t sign;
    nulls_fault fault;
    double codeword[SOTTO_CODEBOOK_SIZE_MAX / 2 * DIM_MAX_HERE];
    nulls_law law;
    int32_t normal[8 * DIM_MAX_HERE];
    double unit[DIM_MAX_HERE];
    uint32_t number[3][SOTTO_CODEBOOK_SIZE_MAX / 2];
    uint8_t flipped[SOTTO_CODEBOOK_SIZE_MAX / 2];
    uint64_t hits[NULLS_INDICES_MAX];
} scene;

static void scene_set(scene *s, const sotto_codebook *codebook, uint64_t seed)
{
    sotto__seeded random = seeded_of(seed);
    s->codebook = *codebook;
    assert_ok(random.rng.fill(&random.rng, s->key, sizeof s->key));
    assert_ok(random.rng.fill(&random.rng, s->nonce, sizeof s->nonce));
    twin_expand(codebook, s->key, s->nonce, s->codeword);
}

/* What there is to draw from, and the index for one number of it. */
static uint64_t scene_total(scene *s)
{
    const sotto_codebook *c = &s->codebook;
    nulls_law_of(c, s->codeword, s->v, s->group, s->sign, s->fault, &s->law);
    if (s->fault != NULLS_NONE) return s->law.total;
    return c->top * c->weight_top + (c->size + c->nulls - c->top) * c->weight_rest;
}

static uint32_t scene_index(scene *s, uint64_t member)
{
    if (s->fault != NULLS_NONE) return nulls_law_owner(&s->codebook, &s->law, member);
    sotto__choice choice = {&s->codebook, s->key, s->nonce, 0};
    sotto__choice_work work = {s->normal,    s->unit,      s->number[0],
                               s->number[1], s->number[2], s->flipped};
    const sotto__coins coins = {s->sign, member, 0};
    return sotto__choose_codeword(&choice, s->v, s->group, &coins, &work);
}

/* k indices with w_top, M with w_rest, and no other; all nulls are heavy, or none. */
static bool is_exact(const scene *s, const uint64_t *weight)
{
    const sotto_codebook *c = &s->codebook;
    uint32_t heavy = 0, light = 0, heavy_nulls = 0;
    for (uint32_t i = 0; i < c->size + c->nulls; i++) {
        heavy += weight[i] == c->weight_top;
        light += weight[i] == c->weight_rest;
        heavy_nulls += i >= c->size && weight[i] == c->weight_top;
    }
    return heavy == c->top && light == c->size && (heavy_nulls == 0 || heavy_nulls == c->top);
}

static bool all_numbers_are_exact(scene *s)
{
    uint64_t total = scene_total(s);
    memset(s->hits, 0, sizeof s->hits);
    for (uint64_t member = 0; member < total; member++) {
        uint32_t index = scene_index(s, member);
        if (index >= s->codebook.size + s->codebook.nulls) return false;
        s->hits[index]++;
    }
    return is_exact(s, s->hits);
}

/* Each index owns one interval: both of its ends are its own, and no two intervals have one owner. */
static bool all_intervals_are_exact(scene *s)
{
    const sotto_codebook *c = &s->codebook;
    uint32_t indices = c->size + c->nulls;
    if (scene_total(s) != c->top * c->weight_top + c->size * c->weight_rest) return false;
    memset(s->hits, 0, sizeof s->hits);
    for (uint32_t place = 0; place < indices; place++) {
        bool top = place < c->top;
        uint64_t width = top ? c->weight_top : c->weight_rest;
        uint64_t start = top ? place * c->weight_top
                             : c->top * c->weight_top + (place - c->top) * c->weight_rest;
        uint32_t index = scene_index(s, start);
        if (index >= indices || scene_index(s, start + width - 1) != index) return false;
        s->hits[index] += width;
    }
    return is_exact(s, s->hits);
}

static bool nulls_are_heavy(const scene *s)
{
    return s->hits[s->codebook.size] == s->codebook.weight_top;
}

/* Sizes of scores. From 1e-140 on one is heard with its chance; below it counts as 0. */
static const double sizes[] = {0, 5e-324, 1e-200, 9.999e-141, 1e-140, 1e-17, 1e-3, 0.3, 0.999, 1};
#define SIZES (sizeof sizes / sizeof sizes[0])

/* The coins next to where a score of this size begins not to be heard, and the outermost. */
static uint32_t coins_of(double size, uint64_t coin[4])
{
    uint64_t edge = (uint64_t)ceil(size * 0x1p53) << 11;
    coin[0] = 0;
    coin[1] = UINT64_MAX;
    coin[2] = edge - 1;
    coin[3] = edge;
    return size >= 1e-140 && size < 1 ? 4 : 2;
}

static bool should_be_heard(double size, uint64_t coin)
{
    return size >= 1e-140 && (double)(coin >> 11) < size * 0x1p53;
}

/* A score along an axis, on either side, whose length is computed without rounding. */
static void set_score(scene *s, double size, uint32_t turn)
{
    memset(s->v, 0, sizeof s->v);
    s->v[turn / 2 % s->codebook.dim] = turn % 2 ? -size : size;
}

typedef bool check(scene *s);

/* Counts scores (every `stride`-th) and coins whose weights are not exact, or that are not heard as
 * they should be. */
static uint32_t count_wrong(scene *s, check *exact, nulls_fault fault, uint32_t stride)
{
    uint32_t wrong = 0;
    s->fault = fault;
    for (uint32_t turn = 0; turn < SIZES * 2; turn += stride) {
        double size = sizes[turn / 2];
        uint64_t coin[4];
        uint32_t coins = coins_of(size, coin);
        set_score(s, size, turn);
        s->group = turn % s->codebook.groups;
        for (uint32_t i = 0; i < coins; i++) {
            s->sign = coin[i];
            bool good = exact(s);
            wrong += !good || nulls_are_heavy(s) == should_be_heard(size, coin[i]);
        }
    }
    return wrong;
}

static const struct {
    uint32_t dim, size, groups, top;
    uint64_t weight_top, weight_rest;
} small[] = {
    {1, 2, 1, 1, 19, 7},  {1, 16, 2, 3, 12, 5},  {2, 16, 1, 3, 19, 7},
    {3, 16, 1, 8, 11, 3}, {3, 24, 3, 2, 40, 11}, {5, 12, 6, 1, 97, 1},
};
#define SMALL (sizeof small / sizeof small[0])

static sotto_codebook small_codebook(size_t i)
{
    return (sotto_codebook){.dim = small[i].dim,
                            .size = small[i].size,
                            .groups = small[i].groups,
                            .top = small[i].top,
                            .nulls = small[i].top,
                            .weight_top = small[i].weight_top,
                            .weight_rest = small[i].weight_rest,
                            .scale = 1};
}

TEST(every_number_of_small_weights_has_its_owner)
{
    FREED_BY(free_memory) scene *s = calloc(1, sizeof *s);
    for (size_t i = 0; i < SMALL; i++) {
        const sotto_codebook codebook = small_codebook(i);
        for (uint64_t seed = 0; seed < 3; seed++) {
            scene_set(s, &codebook, 10 * i + seed);
            assert_int_equal(count_wrong(s, all_numbers_are_exact, NULLS_NONE, 1), 0);
            assert_int_equal(count_wrong(s, all_numbers_are_exact, NULLS_FAITHFUL, 1), 0);
        }
    }
}

/* Terms with nulls, as they are resolved: shared, per-arm with signs, per-arm with tags. */
static sotto_terms terms_of(uint32_t arms, double epsilon, double rate)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_BINARY);
    sotto_terms terms;
    spec.dim = 6;
    spec.arms = arms;
    spec.epsilon = epsilon;
    spec.reward_rate = rate;
    spec.parameters = rate > 0 ? SOTTO_PARAMETERS_SHARED : SOTTO_PARAMETERS_PER_ARM;
    assert_ok(sotto_spec_resolve(&spec, &terms));
    return terms;
}

static const struct {
    uint32_t arms;
    double epsilon, rate;
    uint32_t groups;
} real[] = {{3, 8, 0.01, 1}, {26, 2, 0, 1}, {5, 4, 0, 5}, {26, 8, 0, 26}};
#define REAL (sizeof real / sizeof real[0])

static sotto_codebook real_codebook(size_t i)
{
    sotto_terms terms = terms_of(real[i].arms, real[i].epsilon, real[i].rate);
    const sotto_codebook *codebook = &terms.codebook[SOTTO_PHASE_MAIN];
    assert_true(codebook->nulls > 0 && codebook->nulls == codebook->top);
    assert_int_equal(codebook->groups, real[i].groups);
    return *codebook;
}

/* Few codewords, real weights. */
static sotto_codebook few_codewords(uint32_t groups, double epsilon)
{
    sotto_codebook codebook = sotto_codebook_constants(4, 12 * groups, groups, epsilon);
    codebook.nulls = codebook.top;
    return codebook;
}

TEST(every_interval_of_real_weights_has_its_owner)
{
    FREED_BY(free_memory) scene *s = calloc(1, sizeof *s);
    const double epsilon[] = {0.01, 0.5, 1, 5, 8};
    for (uint32_t i = 0; i < 10; i++) {
        const sotto_codebook codebook = few_codewords(i < 5 ? 1 : 4, epsilon[i % 5]);
        scene_set(s, &codebook, 200 + i);
        assert_int_equal(count_wrong(s, all_intervals_are_exact, NULLS_NONE, 1), 0);
        assert_int_equal(count_wrong(s, all_intervals_are_exact, NULLS_FAITHFUL, 1), 0);
    }
    for (size_t i = 0; i < REAL; i++) {
        const sotto_codebook codebook = real_codebook(i);
        scene_set(s, &codebook, 100 + i);
        assert_int_equal(count_wrong(s, all_intervals_are_exact, NULLS_NONE, 7), 0);
    }
}

/* With the same coins, the shipping code and the slow one choose the same index. */
TEST(the_faithful_twin_is_the_shipping_code)
{
    FREED_BY(free_memory) scene *s = calloc(1, sizeof *s);
    sotto__seeded random = seeded_of(77);
    for (size_t i = 0; i < REAL; i++) {
        const sotto_codebook codebook = real_codebook(i);
        for (int n = 0; n < 40; n++) {
            sotto__coins coins;
            scene_set(s, &codebook, sotto__seeded_next(&random));
            assert_ok(sotto__draw_coins(&codebook, &random.rng, &coins));
            for (uint32_t j = 0; j < codebook.dim; j++) {
                s->v[j] = cos(1 + 2.4 * j + n) * (n % 4 == 0 ? 0.4 : 0.1);
            }
            s->group = (uint32_t)n % codebook.groups;
            s->sign = coins.sign;
            s->fault = NULLS_FAITHFUL;
            (void)scene_total(s);
            uint32_t slow = scene_index(s, coins.member);
            s->fault = NULLS_NONE;
            assert_int_equal(scene_index(s, coins.member), slow);
        }
    }
}

TEST(every_twin_is_caught_one_unit_of_weight_included)
{
    FREED_BY(free_memory) scene *s = calloc(1, sizeof *s);
    const sotto_codebook few = small_codebook(2), many = few_codewords(4, 1);
    for (int fault = NULLS_FAITHFUL + 1; fault < NULLS_FAULTS; fault++) {
        scene_set(s, &few, 5);
        if (count_wrong(s, all_numbers_are_exact, (nulls_fault)fault, 1) == 0) {
            fail_msg("twin %d was not caught with small weights", fault);
        }
        scene_set(s, &many, 6);
        if (count_wrong(s, all_intervals_are_exact, (nulls_fault)fault, 1) == 0) {
            fail_msg("twin %d was not caught with real weights", fault);
        }
    }
}
