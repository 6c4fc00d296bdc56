/*
 * What a round does with a secret: bounds it, and forgets it.
 *
 * The linker sends malloc, calloc and free of our code here: blocks come from one arena and never
 * go back, so that a search of the arena sees all memory that a handle had or has. It also sends
 * sotto__wipe here, which tells what was wiped outside the arena: secrets on the stack.
 */
#include "client/client.h"
#include "client/inner.h"
#include "core/core.h"
#include "directory.h"
#include "tape.h"
#include "test.h"

#include <inttypes.h>
#include <math.h>
#include <stdalign.h>
#include <string.h>

#define DIM 5
#define ARMS 4
#define CELLS 20
#define FRAME_BYTES_MAX 360 /* 4 arms x 20 ticks */
#define STATISTIC_MAX 21
#define TICKS_MAX 80
#define ARENA_BYTES 65536
#define WIPED_BYTES_MAX 1024
#define WIPES_MAX 256

/* ---- memory under watch ------------------------------------------------------------------- */

static alignas(16) uint8_t arena[ARENA_BYTES];
static size_t arena_used;

/* What stood outside the arena just before it was wiped. */
static struct {
    uint8_t bytes[WIPED_BYTES_MAX];
    size_t count;
} wiped[WIPES_MAX];
static size_t wipes;

void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void __wrap_free(void *block);
void __real_free(void *block);
void __wrap_sotto__wipe(void *secret, size_t bytes);
void __real_sotto__wipe(void *secret, size_t bytes);

static bool in_arena(const void *p)
{
    return (uintptr_t)p >= (uintptr_t)arena && (uintptr_t)p < (uintptr_t)(arena + ARENA_BYTES);
}

void *__wrap_malloc(size_t bytes)
{
    if (bytes > ARENA_BYTES - arena_used) return NULL;
    void *block = arena + arena_used;
    arena_used += (bytes + 15) / 16 * 16;
    return block;
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    void *block = __wrap_malloc(count * bytes);
    if (block != NULL) memset(block, 0, count * bytes);
    return block;
}

void __wrap_free(void *block)
{
    if (!in_arena(block)) __real_free(block);
}

void __wrap_sotto__wipe(void *secret, size_t bytes)
{
    if (!in_arena(secret)) {
        assert_true(bytes <= WIPED_BYTES_MAX);
        assert_true(wipes < WIPES_MAX);
        memcpy(wiped[wipes].bytes, secret, bytes);
        wiped[wipes++].count = bytes;
    }
    __real_sotto__wipe(secret, bytes);
}

static bool contains(const uint8_t *bytes, size_t count, const void *part, size_t part_bytes)
{
    for (size_t at = 0; at + part_bytes <= count; at++) {
        if (memcmp(bytes + at, part, part_bytes) == 0) return true;
    }
    return false;
}

/* How many stretches of this size were wiped outside the arena. */
static size_t wipes_of(size_t bytes)
{
    size_t found = 0;
    for (size_t i = 0; i < wipes; i++) {
        found += wiped[i].count == bytes;
    }
    return found;
}

/* Whether a stretch wiped outside the arena held this word. */
static bool wiped_word(const void *word)
{
    for (size_t i = 0; i < wipes; i++) {
        if (contains(wiped[i].bytes, wiped[i].count, word, 8)) return true;
    }
    return false;
}

/* ---- secrets ------------------------------------------------------------------------------ */

/* Numbers that nothing else is. Their squares add up to 1 without any rounding: a vector of them
 * has its own digits after every scaling to a length that is a power of two. */
static const double marker[DIM] = {37986277 * 0x1p-26, 17310953 * 0x1p-26, 17877653 * 0x1p-26,
                                   25183150 * 0x1p-26, 42510843 * 0x1p-26};
static const double reward_marker = 0.41421356237309503;

static uint64_t digits_of(const void *number)
{
    uint64_t word;
    memcpy(&word, number, sizeof word);
    return word & ((UINT64_C(1) << 52) - 1);
}

/* Whether these bytes hold a marker, of any sign and any power of two. */
static bool tells(const uint8_t *bytes, size_t count)
{
    for (size_t at = 0; at + 8 <= count; at++) {
        uint64_t digits = digits_of(bytes + at);
        if (digits == digits_of(&reward_marker)) return true;
        for (int i = 0; i < DIM; i++) {
            if (digits == digits_of(&marker[i])) return true;
        }
    }
    return false;
}

static bool arena_tells(void)
{
    return tells(arena, arena_used);
}

typedef struct secret {
    double context[CELLS];
    double reward;
} secret;

/* Each row has the norm `length`; rows differ, and so do secrets of different `shift`. */
static secret secret_of(uint32_t shift, double length, double reward)
{
    secret s = {.reward = reward};
    for (uint32_t i = 0; i < CELLS; i++) {
        s.context[i] = marker[(i + i / DIM + shift) % DIM] * length;
    }
    return s;
}

/* ---- a person in the arena ---------------------------------------------------------------- */

typedef struct person {
    sotto_ledger *ledger;
    sotto_client *client;
    tape t;
    sotto_terms terms;
    sotto_round *round;
    sotto_model *model;
    uint32_t arm;
    uint8_t frame[FRAME_BYTES_MAX];
} person;

static sotto_spec spec_of(sotto_parameters parameters, sotto_score score)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = DIM, spec.arms = ARMS, spec.parameters = parameters, spec.score = score;
    if (score == SOTTO_SCORE_GRADIENT) spec.method = SOTTO_METHOD_LDP_SGD;
    if (score == SOTTO_SCORE_REWARD) spec.method = SOTTO_METHOD_BEST_ARM;
    if (score == SOTTO_SCORE_MOMENTS) spec.method = SOTTO_METHOD_LDP_OLS, spec.delta = 1e-6;
    if (score == SOTTO_SCORE_GLOC_PAIR) spec.method = SOTTO_METHOD_LDP_GLOC, spec.delta = 1e-6;
    spec.reward_default = 0.25;
    return spec;
}

static void person_begin(person *p, const sotto_spec *spec)
{
    arena_used = 0;
    sotto_policy policy = sotto_policy_default();
    policy.epsilon_per_report_max = 8, policy.epsilon_lifetime = INFINITY;
    policy.delta_lifetime = 0.5;
    assert_ok(sotto_ledger_memory_new(&p->ledger));
    assert_ok(sotto_client_new(&policy, p->ledger, &p->client));
    p->client->rng = &p->t.rng;
    assert_ok(sotto_spec_resolve(spec, &p->terms));
    assert_ok(sotto_round_new(p->client, &p->terms, &p->round));
    assert_ok(sotto_model_new(&p->terms, &p->model));
    p->model->phase = SOTTO_PHASE_MAIN;
    memset(p->frame, 0, sizeof p->frame);
}

static void person_end(person *p)
{
    sotto_model_free(p->model);
    sotto_round_free(p->round);
    sotto_client_free(p->client);
    sotto_ledger_free(p->ledger);
}

static void decide(person *p, const secret *s, uint64_t seed)
{
    bool shared = p->terms.spec.parameters == SOTTO_PARAMETERS_SHARED;
    p->t = tape_seeded(seed);
    assert_ok(sotto_round_begin(p->round, p->model));
    assert_ok(sotto_round_decide(p->round, s->context, shared ? CELLS : DIM, &p->arm));
    wipes = 0;
}

static sotto_status finish(person *p, const secret *s)
{
    return sotto_round_finish(p->round, s->reward, p->frame, sizeof p->frame);
}

/* ---- forgetting --------------------------------------------------------------------------- */

/* All that can happen to a round that has decided. */
typedef enum ending {
    FINISH,
    FINISH_WITHOUT_COINS,
    BEGIN_AGAIN,
    BEGIN_WITHOUT_ENTROPY,
    BEGIN_WITH_ANOTHER_SPEC,
    BEGIN_WITHOUT_BUDGET,
    FREE,
    ENDINGS,
} ending;

/* Lattice rounds have drawn all they need when they begin. */
static bool draws_at_finish(const person *p)
{
    return sotto_terms_reports_indices(&p->terms);
}

static void end_round(person *p, const secret *s, ending how)
{
    switch (how) {
    case FINISH: assert_ok(finish(p, s)); return;
    case FINISH_WITHOUT_COINS:
        p->t.fails_after_bytes = p->t.drawn_bytes + 8;
        assert_status(finish(p, s), draws_at_finish(p) ? SOTTO_E_ENTROPY : SOTTO_OK);
        return;
    case BEGIN_AGAIN: assert_ok(sotto_round_begin(p->round, p->model)); return;
    case BEGIN_WITHOUT_ENTROPY:
        p->t.fails_after_bytes = p->t.drawn_bytes;
        assert_status(sotto_round_begin(p->round, p->model), SOTTO_E_ENTROPY);
        return;
    case BEGIN_WITH_ANOTHER_SPEC:
        p->model->spec_id[0] ^= 1;
        assert_status(sotto_round_begin(p->round, p->model), SOTTO_E_SPEC);
        p->model->spec_id[0] ^= 1;
        return;
    case BEGIN_WITHOUT_BUDGET:
        p->client->policy.epsilon_lifetime = sotto_ledger_epsilon(p->ledger);
        assert_status(sotto_round_begin(p->round, p->model), SOTTO_E_BUDGET);
        p->client->policy.epsilon_lifetime = INFINITY;
        p->client->policy.delta_lifetime = 0.5;
        return;
    case FREE: sotto_round_free(p->round); return;
    case ENDINGS: break;
    }
    fail();
}

#define KINDS 10

/* Every way a report is made after warm-up (privatise.c), and of every score; the last keeps no context. */
static sotto_spec spec_of_kind(int kind)
{
    const sotto_score scores[KINDS + 1] = {
        SOTTO_SCORE_SIGN,     SOTTO_SCORE_SELF,      SOTTO_SCORE_SIGN,    SOTTO_SCORE_SIGN,
        SOTTO_SCORE_GRADIENT, SOTTO_SCORE_GRADIENT,  SOTTO_SCORE_MOMENTS, SOTTO_SCORE_MOMENTS,
        SOTTO_SCORE_MOMENTS,  SOTTO_SCORE_GLOC_PAIR, SOTTO_SCORE_REWARD};
    bool shared = kind < 2 || kind == 6 || kind == 7 || kind == KINDS;
    sotto_spec spec =
        spec_of(shared ? SOTTO_PARAMETERS_SHARED : SOTTO_PARAMETERS_PER_ARM, scores[kind]);
    if (kind == 3) spec.epsilon = 5; /* tags */
    if (kind == 5) spec.split = SOTTO_SPLIT_PER_ARM;
    if (kind == 6) spec.method = SOTTO_METHOD_SOTTO_OLS;
    if (kind == 8) spec.noise_law = SOTTO_NOISE_LAPLACE;
    if (kind == 6 || kind == 8) spec.delta = 0;
    return spec;
}

TEST(no_number_of_the_secret_outlives_its_round)
{
    person p;
    const secret s = secret_of(0, 1, reward_marker);
    for (int kind = 0; kind < KINDS; kind++) {
        const sotto_spec spec = spec_of_kind(kind);
        for (uint64_t seed = 0; seed < 8; seed++) {
            person_begin(&p, &spec);
            for (int how = 0; how < ENDINGS; how++) {
                assert_false(arena_tells());
                decide(&p, &s, seed);
                assert_true(arena_tells()); /* the search finds what is there */
                end_round(&p, &s, (ending)how);
                assert_false(arena_tells());
            }
            p.round = NULL; /* freed by the last ending */
            person_end(&p);
        }
    }
}

TEST(a_ledger_file_holds_the_frames_and_no_number_of_a_secret)
{
    static uint8_t bytes[65536];
    person p;
    const secret s = secret_of(0, 1, reward_marker);
    HELD(directory) f = directory_new();
    sotto_ledger *file;
    assert_ok(sotto_ledger_file_create(f.file));
    for (int kind = 0; kind < KINDS; kind++) {
        const sotto_spec spec = spec_of_kind(kind);
        person_begin(&p, &spec);
        assert_ok(sotto_ledger_file_open(f.file, &file));
        p.client->ledger = file;
        decide(&p, &s, (uint64_t)kind);
        assert_ok(finish(&p, &s));
        decide(&p, &s, (uint64_t)kind + 100); /* abandoned */
        sotto_ledger_free(file);
        person_end(&p);
        size_t count = file_read(f.file, bytes, sizeof bytes);
        assert_true(contains(bytes, count, p.frame, sotto_report_bytes(&p.terms)));
        assert_false(tells(bytes, count));
    }
}

/* Greedy models whose arm depends on the context: shared, the row with the largest first number;
 * per-arm, the place of the largest number. */
static void make_greedy(sotto_model *model, sotto_parameters parameters)
{
    model->theta[0] = 0.5;
    if (model->tbar != NULL) model->tbar[0] = 0.5;
    for (uint32_t a = 1; a < ARMS && parameters == SOTTO_PARAMETERS_PER_ARM; a++) {
        model->theta[a * DIM + a] = 0.5;
    }
}

/* Two secrets of different arms that sent the same frame, or none, leave the same memory. Returns
 * false if they did not meet in one frame. */
static bool twins_leave_the_same(person *p, uint64_t seed, ending how)
{
    static uint8_t start[ARENA_BYTES], left[ARENA_BYTES];
    const secret s[2] = {secret_of(0, 1, 0.75), secret_of(2, 1, -0.5)};
    uint8_t frame[FRAME_BYTES_MAX];
    memcpy(start, arena, arena_used);
    decide(p, &s[0], seed);
    uint32_t arm = p->arm;
    end_round(p, &s[0], how);
    memcpy(frame, p->frame, sizeof frame);
    memcpy(left, arena, arena_used);

    memcpy(arena, start, arena_used);
    decide(p, &s[1], seed);
    assert_int_not_equal(p->arm, arm);
    end_round(p, &s[1], how);
    bool met = memcmp(frame, p->frame, sizeof frame) == 0;
    if (met) assert_memory_equal(left, arena, arena_used);
    memcpy(arena, start, arena_used);
    return met;
}

TEST(what_a_round_leaves_in_memory_tells_no_more_than_its_frame)
{
    person p;
    for (int kind = 0; kind < KINDS; kind++) {
        const sotto_spec spec = spec_of_kind(kind);
        person_begin(&p, &spec);
        make_greedy(p.model, spec.parameters);
        /* Two statistics under one noise never meet in one frame of ticks. */
        for (int how = draws_at_finish(&p) ? FINISH : BEGIN_AGAIN; how < ENDINGS; how++) {
            uint64_t seed = 0;
            while (!twins_leave_the_same(&p, seed, (ending)how)) {
                assert_true(++seed < 100000);
            }
        }
        person_end(&p);
    }
}

TEST(the_stack_forgets_the_scored_round_and_the_coins)
{
    person p;
    const secret s = secret_of(0, 1, reward_marker);
    for (int kind = 0; kind <= KINDS; kind++) {
        const sotto_spec spec = spec_of_kind(kind);
        person_begin(&p, &spec);
        for (int how = FINISH; how <= FINISH_WITHOUT_COINS; how++) {
            uint64_t sign;
            decide(&p, &s, 1);
            tape next = p.t;
            assert_ok(sotto__draw_u64(&next.seeded.rng, &sign));
            assert_false(wiped_word(&reward_marker) || wiped_word(&sign));
            end_round(&p, &s, (ending)how);
            assert_true(wiped_word(&reward_marker));
            assert_ints(wiped_word(&sign), draws_at_finish(&p), wipes_of(sizeof(sotto__scored)), 1);
            uint32_t choices = how == FINISH ? sotto_report_count(&p.terms) : 1;
            assert_int_equal(wipes_of(sizeof(sotto__coins)), draws_at_finish(&p) ? choices : 0);
        }
        person_end(&p);
    }
}

/* The numbers of the secret's statistic that no other number of the round could be. */
static uint32_t statistic_of(const person *p, const secret *s, double *v)
{
    const sotto_spec *spec = &p->terms.spec;
    bool shared = spec->parameters == SOTTO_PARAMETERS_SHARED;
    const sotto__scored scored = {.spec = spec,
                                  .along_weight = p->terms.along_weight,
                                  .x = shared ? s->context + p->arm * DIM : s->context,
                                  .reward = s->reward,
                                  .online = p->model->theta_h};
    sotto__score_of(spec)(&scored, v);
    return sotto__statistic_dim(spec);
}

/* A statistic in ticks, before noise, is as telling as it was in doubles. */
static void assert_ticks_wiped(const sotto_lattice *lattice, const double *v, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        int64_t tick = (int64_t)rint(ldexp(v[i], -lattice->grid_log2));
        assert_true(tick != 0 && imaxabs(tick) <= lattice->clip_ticks);
        assert_true(wiped_word(&tick));
    }
}

/* Neither the moments nor the noise: each gives the other away, with the ticks. */
TEST(neither_statistic_nor_noise_outlives_its_round)
{
    const secret s = secret_of(0, 1, reward_marker);
    for (int kind = 6; kind < KINDS; kind++) {
        person p;
        const sotto_spec spec = spec_of_kind(kind);
        person_begin(&p, &spec);
        decide(&p, &s, 3);
        double v[STATISTIC_MAX];
        uint32_t count = statistic_of(&p, &s, v);
        int64_t noise[TICKS_MAX] = {0};
        uint32_t ticks = p.terms.lattice.dim;
        tape same = tape_seeded(3);
        uint8_t nonce[SOTTO_NONCE_BYTES];
        assert_ok(same.rng.fill(&same.rng, nonce, sizeof nonce));
        assert_ok(sotto__lattice_noise(&p.terms.lattice, spec.noise_law, &same.rng, noise));
        for (uint32_t i = 0; i < ticks; i++) { /* the search finds what is there */
            assert_true(contains(arena, arena_used, &noise[i], sizeof noise[i]));
        }
        end_round(&p, &s, FINISH);
        bool shared = spec.parameters == SOTTO_PARAMETERS_SHARED;
        for (uint32_t i = 0; i < ticks; i++) { /* the other blocks' noise is what they report */
            if (!shared && i / count != p.arm) continue;
            assert_false(contains(arena, arena_used, &noise[i], sizeof noise[i]));
        }
        for (uint32_t i = 0; i < count; i++) {
            assert_false(contains(arena, arena_used, &v[i], sizeof v[i]));
        }
        if (ticks > 0) assert_ticks_wiped(&p.terms.lattice, v, count);
        person_end(&p);
    }
}

/* privatise wipes its working memory too; this is for work that never came to its end. */
TEST(freed_working_memory_is_wiped)
{
    const sotto_spec spec = spec_of_kind(0);
    sotto__door_work work;
    arena_used = 0;
    sotto_terms terms = resolved(&spec);
    assert_ok(sotto__door_work_new(&terms, &work));
    memcpy(work.input, marker, sizeof marker);
    memcpy(work.choice.unit, marker, sizeof marker);
    assert_true(arena_tells());
    sotto__door_work_free(&work);
    assert_false(arena_tells());
}

/* ---- bounding ----------------------------------------------------------------------------- */

#define NONCES 100

/* Whether two secrets send the same bytes, nonce for nonce. */
static bool same_frames(person *p, const secret *s, const secret *other)
{
    for (uint64_t seed = 0; seed < NONCES; seed++) {
        uint8_t frame[FRAME_BYTES_MAX];
        decide(p, s, seed);
        assert_ok(finish(p, s));
        memcpy(frame, p->frame, sizeof frame);
        decide(p, other, seed);
        assert_ok(finish(p, other));
        if (memcmp(frame, p->frame, sizeof frame) != 0) return false;
    }
    return true;
}

static const sotto_score bounded_scores[] = {SOTTO_SCORE_GRADIENT, SOTTO_SCORE_SELF,
                                             SOTTO_SCORE_SIGN, SOTTO_SCORE_MOMENTS};
static const double norms_max[] = {1, 0.25};
#define EXPERIMENTS 16

/* Experiments 0 .. 15: parameters x score x bound. The prediction x . theta of the chosen arm is
 * 0.28 to 0.32 for a context at the bound. Returns the bound. */
static double bounded_person(person *p, int experiment)
{
    sotto_parameters parameters =
        experiment % 2 == 0 ? SOTTO_PARAMETERS_SHARED : SOTTO_PARAMETERS_PER_ARM;
    sotto_spec spec = spec_of(parameters, bounded_scores[experiment / 2 % 4]);
    spec.context_norm_max = norms_max[experiment / 8];
    person_begin(p, &spec);
    make_greedy(p->model, parameters);
    for (uint32_t i = 0; i < (parameters == SOTTO_PARAMETERS_SHARED ? DIM : CELLS); i++) {
        p->model->theta[i] /= spec.context_norm_max;
    }
    return spec.context_norm_max;
}

/* 0.4 is between the predictions for a context at the bound and for twice that. */
TEST(contexts_beyond_the_bound_report_like_those_on_it)
{
    person p;
    for (int experiment = 0; experiment < EXPERIMENTS; experiment++) {
        double bound = bounded_person(&p, experiment);
        const secret at = secret_of(0, bound, 0.4), twice = secret_of(0, 2 * bound, 0.4);
        const secret endless = secret_of(0, 1e300 * bound, 0.4);
        assert_true(same_frames(&p, &at, &twice));
        assert_true(same_frames(&p, &at, &endless));

        const secret another = secret_of(2, bound, 0.4);
        assert_false(same_frames(&p, &at, &another)); /* frames do depend on the context, */
        secret half = secret_of(0, bound / 2, 0.2), whole = secret_of(0, bound, 0.2);
        assert_false(same_frames(&p, &half, &whole)); /* and on its length below the bound */
        person_end(&p);
    }
}

TEST(rewards_beyond_the_range_report_like_its_ends)
{
    person p;
    const double rewards[][2] = {{1.5, 1},    {3, 1},           {1e308, 1},
                                 {-1.5, -1},  {-3, -1},         {-1e308, -1},
                                 {NAN, 0.25}, {INFINITY, 0.25}, {-INFINITY, 0.25}};
    for (int experiment = 0; experiment < EXPERIMENTS; experiment++) {
        double bound = bounded_person(&p, experiment);
        for (size_t i = 0; i < sizeof rewards / sizeof rewards[0]; i++) {
            const secret given = secret_of(0, bound, rewards[i][0]);
            const secret taken = secret_of(0, bound, rewards[i][1]);
            assert_true(same_frames(&p, &given, &taken));
        }
        const secret best = secret_of(0, bound, 1), worst = secret_of(0, bound, -1);
        assert_false(same_frames(&p, &best, &worst)); /* frames do depend on the reward */
        person_end(&p);
    }
}
