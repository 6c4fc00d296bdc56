/* The choice agrees with a slow and plain one, and each index has exactly its probability. */
#include "checked.h"
#include "client/client.h"
#include "core/core.h"
#include "tape.h"
#include "test.h"

#include <math.h>
#include <string.h>

#define SIZE_MAX_HERE 260u
#define INDEX_MAX_HERE 390u /* with nulls */
#define DIM_MAX_HERE 40u

/* A codebook, a round of it, and room to choose in. */
typedef struct bench {
    sotto_codebook codebook;
    uint8_t stream_key[SOTTO_SPEC_ID_BYTES];
    uint8_t nonce[SOTTO_NONCE_BYTES];
    uint32_t arm;
    double codeword[SIZE_MAX_HERE][DIM_MAX_HERE]; /* as the server expands them */
    int32_t normal[8 * DIM_MAX_HERE];
    double unit[DIM_MAX_HERE];
    uint32_t key[3][SIZE_MAX_HERE / 2];
    uint8_t flipped[SIZE_MAX_HERE / 2];
} bench;

static void bench_new_round(bench *b, tape *random, uint32_t arm)
{
    b->arm = arm;
    assert_ok(random->rng.fill(&random->rng, b->stream_key, sizeof b->stream_key));
    assert_ok(random->rng.fill(&random->rng, b->nonce, sizeof b->nonce));
    for (uint32_t i = 0; i < b->codebook.size; i++) {
        int32_t z[DIM_MAX_HERE];
        assert_ok(sotto_codebook_expand(&b->codebook, b->stream_key, b->nonce, i, arm, z));
        for (uint32_t j = 0; j < b->codebook.dim; j++) {
            b->codeword[i][j] = z[j] * 0x1p-30;
        }
    }
}

/* Until the next one. */
static bench *bench_of(tape *random, sotto_codebook codebook)
{
    static bench b;
    b.codebook = codebook;
    bench_new_round(&b, random, 0);
    return &b;
}

static uint32_t choose(bench *b, const double *v, uint32_t group, const sotto__coins *coins)
{
    sotto__choice choice = {&b->codebook, b->stream_key, b->nonce, b->arm};
    sotto__choice_work work = {b->normal, b->unit, b->key[0], b->key[1], b->key[2], b->flipped};
    return sotto__choose_codeword(&choice, v, group, coins, &work);
}

static double dot(const double *x, const double *y, uint32_t dim)
{
    double sum = 0;
    for (uint32_t j = 0; j < dim; j++) {
        sum += x[j] * y[j];
    }
    return sum;
}

/* The indices of TOP for direction v (NULL: of a score that is not heard), in index order, then all
 * others, in index order. */
static void plain_lists(const bench *b, const double *v, uint32_t group, uint32_t *list)
{
    const sotto_codebook *c = &b->codebook;
    uint32_t half = c->size / 2;
    bool in_top[INDEX_MAX_HERE] = {false};
    for (uint32_t i = 0; i < c->nulls; i++) {
        in_top[c->size + i] = v == NULL;
    }
    for (uint32_t taken = 0; v != NULL && taken < c->top; taken++) {
        uint32_t best = UINT32_MAX;
        double best_size = -1;
        for (uint32_t i = group; i < half; i += c->groups) {
            double size = fabs(dot(b->codeword[i], v, c->dim));
            if (in_top[i] || in_top[i + half] || size <= best_size) continue;
            best = i;
            best_size = size;
        }
        in_top[dot(b->codeword[best], v, c->dim) < 0 ? best + half : best] = true;
    }
    uint32_t tops = 0, others = c->top;
    for (uint32_t index = 0; index < c->size + c->nulls; index++) {
        list[in_top[index] ? tops++ : others++] = index;
    }
}

static uint32_t plain_choice(const bench *b, const double *v, uint32_t group,
                             const sotto__coins *coins)
{
    const sotto_codebook *c = &b->codebook;
    uint32_t list[INDEX_MAX_HERE];
    double w[DIM_MAX_HERE], norm = sqrt(dot(v, v, c->dim));
    if (norm == 0 && c->nulls == 0) return (uint32_t)coins->uniform;
    bool flip = c->nulls == 0 && norm < 1 && ldexp((double)coins->sign, -64) < (1 - norm) / 2;
    bool heard = c->nulls == 0 || ldexp((double)(coins->sign >> 11), -53) < norm;
    for (uint32_t j = 0; j < c->dim; j++) {
        w[j] = flip ? -v[j] : v[j];
    }
    plain_lists(b, heard ? w : NULL, group, list);
    uint64_t top_weight = c->top * c->weight_top;
    if (coins->member < top_weight) return list[coins->member / c->weight_top];
    return list[c->top + (coins->member - top_weight) / c->weight_rest];
}

/* A random direction; its norm is 1, longer, or shorter (a power of two, so that a line has ties).
 */
static void random_vector(tape *random, uint32_t dim, double *v)
{
    const double norms[] = {1, 1, 4, 0.5, 0.125, 0x1p-40};
    double norm = norms[sotto__seeded_next(&random->seeded) % 6];
    for (uint32_t j = 0; j < dim; j++) {
        double pair[2];
        sotto__normal_pair(sotto__seeded_next(&random->seeded), sotto__seeded_next(&random->seeded),
                           pair);
        v[j] = pair[0];
    }
    double length = dim == 1 ? fabs(v[0]) : sqrt(dot(v, v, dim));
    for (uint32_t j = 0; j < dim; j++) {
        v[j] = v[j] / length * norm;
    }
}

static sotto_codebook codebook_of(uint32_t dim, uint32_t size, uint32_t groups, uint32_t top,
                                  double epsilon)
{
    return (sotto_codebook){.dim = dim,
                            .size = size,
                            .groups = groups,
                            .top = top,
                            .weight_top = sotto__weight_top(epsilon),
                            .weight_rest = SOTTO__WEIGHT_REST,
                            .scale = 1};
}

static const struct {
    uint32_t size, groups;
} sizes[] = {{2, 1},  {4, 1},   {64, 1},  {256, 1}, {4, 2},
             {64, 2}, {256, 2}, {258, 3}, {60, 5},  {260, 5}};
#define SIZES (sizeof sizes / sizeof sizes[0])

TEST(coins_fail_whole_when_any_of_them_fails)
{
    const sotto_codebook codebook = codebook_of(2, 64, 1, 23, 1);
    for (size_t count = 0; count < 24; count++) {
        tape t = tape_seeded(1);
        t.fails_after_bytes = count;
        sotto__coins coins;
        assert_status(sotto__draw_coins(&codebook, &t.rng, &coins), SOTTO_E_ENTROPY);
    }
}

TEST(coins_are_drawn_in_order_and_below_their_bounds)
{
    const sotto_codebook c = codebook_of(2, 258, 3, 5, 5);
    uint64_t total = c.top * c.weight_top + (c.size - c.top) * c.weight_rest;
    const uint64_t script[] = {UINT64_MAX, total - 1, 257, 0, total, 258};
    tape t = tape_of(script, sizeof script);
    sotto__coins coins;
    assert_ok(sotto__draw_coins(&c, &t.rng, &coins));
    assert_ints(t.drawn_bytes, 24, coins.sign, UINT64_MAX, coins.member, total - 1, coins.uniform,
                257);
    assert_ok(sotto__draw_coins(&c, &t.rng, &coins));
    assert_ints(t.drawn_bytes, 48, coins.sign, 0, coins.member, 0, coins.uniform, 0);
}

TEST(only_the_member_draw_rejects_against_the_total_weight)
{
    const sotto_codebook c = codebook_of(2, 64, 1, 23, 1);
    const uint64_t script[] = {5, UINT64_MAX, 7, UINT64_MAX};
    tape t = tape_of(script, sizeof script);
    sotto__coins coins;
    assert_ok(sotto__draw_coins(&c, &t.rng, &coins));
    assert_int_equal(t.drawn_bytes, 32); /* W is no power of two, M = 64 is one */
    assert_ints(coins.member, 7, coins.uniform, 63);
}

TEST(zero_gives_the_uniform_index_whatever_the_other_coins)
{
    tape random = tape_seeded(2);
    const double zeros[][2] = {{0, 0}, {-0.0, 0.0}, {5e-324, -5e-324}, {1e-310, 0}, {0, -1e-170}};
    bench *b = bench_of(&random, codebook_of(2, 258, 3, 5, 5));
    for (size_t z = 0; z < sizeof zeros / sizeof zeros[0]; z++) {
        for (uint32_t uniform = 0; uniform < 258; uniform++) {
            sotto__coins coins = {sotto__seeded_next(&random.seeded), uniform * 1000, uniform};
            assert_int_equal(choose(b, zeros[z], uniform % 3, &coins), uniform);
        }
    }
}

/* The threshold is public (docs/privacy.md, section 2): ||v|| < 1e-140 counts as 0. */
TEST(zero_begins_below_a_norm_of_1e_minus_140)
{
    tape random = tape_seeded(8);
    bench *b = bench_of(&random, codebook_of(2, 64, 1, 23, 1));
    const double zeros[][2] = {{0.9e-140, 0}, {0, -0.999999e-140}, {0.7e-140, 0.7e-140}};
    const double ranked[][2] = {{1.1e-140, 0}, {0, -1.000001e-140}, {0.8e-140, 0.8e-140}};
    for (size_t i = 0; i < 3; i++) {
        const double same[2] = {ranked[i][0] * 1e140, ranked[i][1] * 1e140};
        for (uint32_t uniform = 0; uniform < 64; uniform++) {
            sotto__coins coins = {UINT64_MAX, uniform * b->codebook.weight_rest, uniform};
            assert_int_equal(choose(b, zeros[i], 0, &coins), uniform);
            assert_int_equal(choose(b, ranked[i], 0, &coins), plain_choice(b, same, 0, &coins));
        }
    }
}

TEST(the_uniform_coin_is_ignored_for_every_other_input)
{
    tape random = tape_seeded(3);
    bench *b = bench_of(&random, codebook_of(2, 64, 1, 23, 1));
    const double v[][2] = {{1, 0}, {1e-130, 0}, {-1e-130, 1e-131}, {1e300, 1e300}, {0.5, -0.25}};
    for (size_t i = 0; i < sizeof v / sizeof v[0]; i++) {
        sotto__coins coins = {UINT64_MAX, 17 * b->codebook.weight_top, 0};
        uint32_t first = choose(b, v[i], 0, &coins);
        for (coins.uniform = 1; coins.uniform < 64; coins.uniform++) {
            assert_int_equal(choose(b, v[i], 0, &coins), first);
        }
    }
}

TEST(every_choice_agrees_with_the_plain_one)
{
    const uint32_t dims[] = {1, 2, 20, 40};
    tape random = tape_seeded(4);
    static bench room, *b = &room;
    const uint32_t trials = LOADS_ARE_CHECKED ? 48 : 300; /* 48: all of 16 and of 3 */
    for (size_t at = 0; at < 4 * SIZES; at++) {
        uint32_t size = sizes[at / 4].size, groups = sizes[at / 4].groups;
        for (uint32_t trial = 0; trial < trials; trial++) {
            uint32_t most = size / (2 * groups);
            uint32_t top = 1 + (uint32_t)(sotto__seeded_next(&random.seeded) % most);
            b->codebook = codebook_of(dims[at % 4], size, groups, top, 0.5 * (1 + trial % 16));
            b->codebook.nulls = trial % 2 == 0 ? 0 : top;
            bench_new_round(b, &random, trial % 3);
            for (uint32_t draw = 0; draw < 8; draw++) {
                double v[DIM_MAX_HERE];
                sotto__coins coins;
                uint32_t group = (trial + draw) % groups;
                random_vector(&random, dims[at % 4], v);
                assert_ok(sotto__draw_coins(&b->codebook, &random.rng, &coins));
                assert_int_equal(choose(b, v, group, &coins), plain_choice(b, v, group, &coins));
            }
        }
    }
}

/* The cosines of two codewords differ by less and less: the larger one is TOP, whichever has the
 * lower index. */
TEST(a_codeword_that_is_nearer_by_a_hair_goes_first)
{
    tape random = tape_seeded(9);
    static bench room, *b = &room;
    b->codebook = codebook_of(2, 4, 1, 1, 1);
    for (int trial = 0; trial < 200; trial++) {
        bench_new_round(b, &random, 0);
        double z[2][2];
        for (uint32_t i = 0; i < 2; i++) {
            int32_t n[2];
            const sotto__block_at at = {b->stream_key, b->nonce, SOTTO__STREAM_CODEBOOK, i, 0};
            double squares = sotto__codeword_normals(&at, 2, n);
            z[i][0] = n[0] / sqrt(squares), z[i][1] = n[1] / sqrt(squares);
        }
        double across = z[0][0] * z[1][1] - z[0][1] * z[1][0]; /* sine of their angle */
        if (fabs(across) < 0.1) continue;
        for (int nearer = 0; nearer < 2; nearer++) {
            double hair = ldexp(1, -(22 + trial % 19)); /* 2^-22 to 2^-40 */
            double lean[2] = {1 + (nearer == 0 ? hair : 0), 1 + (nearer == 1 ? hair : 0)};
            const double v[2] = {(lean[0] * z[1][1] - lean[1] * z[0][1]) / across,
                                 (lean[1] * z[0][0] - lean[0] * z[1][0]) / across};
            const double norm = sqrt(dot(v, v, 2)), unit[2] = {v[0] / norm, v[1] / norm};
            const sotto__coins top = {UINT64_MAX, 0, 0};
            assert_int_equal(choose(b, unit, 0, &top) % 2, nearer);
        }
    }
}

/* Both ends of the interval of u that belongs to member `member` of list lead to one index. */
static uint32_t owner_of(bench *b, const double *v, uint32_t group, uint32_t member)
{
    const sotto_codebook *c = &b->codebook;
    bool in_top = member < c->top;
    uint64_t width = in_top ? c->weight_top : c->weight_rest;
    uint64_t start = in_top ? member * c->weight_top
                            : c->top * c->weight_top + (member - c->top) * c->weight_rest;
    sotto__coins first = {UINT64_MAX, start, 0}, last = {UINT64_MAX, start + width - 1, 0};
    uint32_t index = choose(b, v, group, &first);
    assert_int_equal(choose(b, v, group, &last), index);
    return index;
}

static void assert_exact_probabilities(bench *b, const double *v, uint32_t group)
{
    uint32_t list[INDEX_MAX_HERE], indices = b->codebook.size + b->codebook.nulls;
    bool seen[INDEX_MAX_HERE] = {false}, heard = b->codebook.nulls == 0 || dot(v, v, 3) >= 1;
    plain_lists(b, heard ? v : NULL, group, list);
    for (uint32_t member = 0; member < indices; member++) {
        uint32_t index = owner_of(b, v, group, member);
        assert_true(index < indices);
        assert_false(seen[index]);
        seen[index] = true;
        assert_int_equal(index, list[member]);
    }
}

/* With k members of TOP owning w_top values of u each, and the others w_rest: P is w_top/W or
 * w_rest/W, exactly. */
TEST(each_index_owns_exactly_one_interval_of_its_weight)
{
    const double epsilons[] = {0.01, 1, 5, 8};
    tape random = tape_seeded(5);
    static bench room, *b = &room;
    for (size_t at = 0; at < 4 * SIZES; at++) {
        uint32_t size = sizes[at / 4].size, groups = sizes[at / 4].groups;
        uint32_t most = size / (2 * groups);
        uint32_t best = sotto_codebook_constants(3, size, groups, epsilons[at % 4]).top;
        const uint32_t tops[] = {1, (most + 1) / 2, most, best};
        for (size_t k = 0; k < 4; k++) {
            double v[3];
            b->codebook = codebook_of(3, size, groups, tops[k], epsilons[at % 4]);
            bench_new_round(b, &random, 0);
            random_vector(&random, 3, v);
            assert_exact_probabilities(b, v, (uint32_t)k % groups);
            b->codebook.nulls = tops[k];
            assert_exact_probabilities(b, v, (uint32_t)k % groups);
        }
    }
}

/* On a line all codewords are equally good: the lower index goes first, and P stays exact. */
TEST(ties_go_to_the_lower_index)
{
    tape random = tape_seeded(6);
    bench *b = bench_of(&random, codebook_of(1, 64, 2, 5, 1));
    const double v[] = {-1};
    assert_exact_probabilities(b, v, 1);
    for (uint32_t member = 0; member < 5; member++) {
        uint32_t i = owner_of(b, v, 1, member) % 32;
        assert_true(i < 10 && i % 2 == 1);
    }
}

TEST(short_inputs_flip_with_half_of_what_they_lack)
{
    tape random = tape_seeded(7);
    bench *b = bench_of(&random, codebook_of(2, 2, 1, 1, 3));
    const double v[] = {0.25, 0}; /* flips below (1 - 1/4)/2 = 3/8 of 2^64 */
    uint64_t edge = UINT64_C(3) << 61;
    uint32_t better = b->codeword[0][0] > 0 ? 0 : 1;
    sotto__coins below = {edge - 1, 0, 0}, at = {edge, 0, 0};
    assert_ints(choose(b, v, 0, &below), 1 - better, choose(b, v, 0, &at), better);
    const double whole[] = {1, 0}, longer[] = {1e100, 0};
    sotto__coins lowest = {0, 0, 0};
    assert_ints(choose(b, whole, 0, &lowest), better, choose(b, longer, 0, &lowest), better);
}

/* A score of length n is heard below n of 2^53, as if it were 1 long; 0 never is. */
TEST(short_inputs_are_heard_as_often_as_they_are_long)
{
    tape random = tape_seeded(8);
    bench *b = bench_of(&random, codebook_of(2, 2, 1, 1, 3));
    b->codebook.nulls = 1;
    const double v[] = {-0.25, 0}, whole[] = {-1, 0}, none[] = {0, 0}, tiny[] = {9e-141, 0};
    uint64_t edge = UINT64_C(1) << 62;
    uint32_t better = b->codeword[0][0] < 0 ? 0 : 1;
    sotto__coins below = {edge - 1, 0, 0}, at = {edge, 0, 0}, lowest = {0},
                 highest = {UINT64_MAX, 0, 0};
    assert_ints(choose(b, v, 0, &below), better, choose(b, v, 0, &at), 2,
                choose(b, whole, 0, &highest), better, choose(b, none, 0, &lowest), 2,
                choose(b, tiny, 0, &lowest), 2);
}

/* The drawn total is k w_top + M w_rest. */
TEST(coins_of_nulls_have_their_weight)
{
    sotto_codebook codebook = codebook_of(2, 4, 1, 2, 1);
    codebook.nulls = 2;
    uint64_t total = 2 * codebook.weight_top + 4 * codebook.weight_rest;
    uint64_t words[] = {0, total - 1, 0};
    tape last = tape_of(words, sizeof words);
    sotto__coins coins;
    assert_ok(sotto__draw_coins(&codebook, &last.rng, &coins));
    assert_true(coins.member == total - 1);
    words[1] = total;
    tape past = tape_of(words, sizeof words);
    assert_ok(sotto__draw_coins(&codebook, &past.rng, &coins));
    assert_true(coins.member == 0);
}

/* A score that is not a number is no door to other groups: TOP are the first of its own. */
TEST(what_is_not_a_number_stays_in_its_group)
{
    const double v[3] = {NAN, NAN, NAN};
    tape random = tape_seeded(12);
    bench *b = bench_of(&random, codebook_of(3, 16, 2, 3, 5));
    for (uint32_t group = 0; group < 2; group++) {
        for (uint32_t member = 0; member < 3; member++) {
            const sotto__coins coins = {.member = member * b->codebook.weight_top};
            assert_int_equal(choose(b, v, group, &coins), group + 2 * member);
        }
    }
}
