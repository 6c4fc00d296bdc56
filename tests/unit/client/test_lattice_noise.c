/*
 * Exact noise: randomness that fails or stands still, ticks that another hand computed, and nothing
 * left behind.
 *
 * tests/golden/ticks.txt was written by make_ticks.py beside it, from the published algorithms in
 * rational arithmetic; system_golden runs that again. The tapes whose name is not "stream" force
 * comparisons to go on for up to seven digits.
 */
#include "client/client.h"
#include "client/inner.h"
#include "core/core.h"
#include "golden.h"
#include "tape.h"
#include "test.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 64
#define TICKS_MAX 512
#define GOLDEN_BYTES_MAX 65536

static const uint32_t scales[] = {1u << 10, 1025, 61123, 1u << 24};
#define SCALES 4
#define LAWS 2

static sotto_lattice lattice_of(uint32_t dim, uint32_t scale_ticks)
{
    return (sotto_lattice){.dim = dim, .scale_ticks = scale_ticks};
}

static bool all_zero(const int64_t *noise, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (noise[i] != 0) return false;
    }
    return true;
}

/* ---- randomness that fails or stands still ------------------------------------------------- */

TEST(without_entropy_at_any_byte_there_is_no_noise)
{
    for (int law = 0; law < LAWS; law++) {
        const sotto_lattice lattice = lattice_of(40, 61123);
        int64_t noise[40];
        tape whole = tape_seeded(3);
        assert_ok(sotto__lattice_noise(&lattice, (sotto_noise_law)law, &whole.rng, noise));
        assert_true(whole.drawn_calls > 4); /* failing at the first refill and at later ones */
        for (size_t bytes = 0; bytes < whole.drawn_bytes; bytes++) {
            tape t = tape_seeded(3);
            t.fails_after_bytes = bytes;
            memset(noise, 0x55, sizeof noise);
            assert_status(sotto__lattice_noise(&lattice, (sotto_noise_law)law, &t.rng, noise),
                          SOTTO_E_ENTROPY);
            assert_true(all_zero(noise, 40));
        }
    }
}

/* Plays the same few words for ever. */
typedef struct stuck {
    sotto_rng rng; /* first, so that a pointer to it is a pointer to the whole */
    uint32_t word[8];
    uint32_t period;
    uint64_t drawn_words;
} stuck;

static sotto_status stuck_fill(sotto_rng *rng, void *out, size_t bytes)
{
    stuck *s = (stuck *)rng;
    assert_int_equal(bytes % 4, 0);
    for (size_t at = 0; at < bytes; at += 4) {
        sotto__put_u32((uint8_t *)out + at, s->word[s->drawn_words++ % s->period]);
    }
    return SOTTO_OK;
}

/* One call; whatever it says, it ends, and without noise unless it says SOTTO_OK. */
static sotto_status draw_stuck(stuck *s, sotto_noise_law law, uint32_t scale, int64_t *noise)
{
    const sotto_lattice lattice = lattice_of(2, scale);
    s->rng.fill = stuck_fill;
    s->drawn_words = 0;
    memset(noise, 0x55, 2 * sizeof noise[0]);
    sotto_status status = sotto__lattice_noise(&lattice, law, &s->rng, noise);
    assert_true(s->drawn_words <= 2 * 65536 + 128);
    if (status != SOTTO_OK) assert_true(all_zero(noise, 2));
    return status;
}

TEST(no_constant_byte_makes_gaussian_noise)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        stuck s = {.word = {byte * 0x01010101u}, .period = 1};
        int64_t noise[2];
        for (size_t i = 0; i < SCALES; i++) {
            assert_status(draw_stuck(&s, SOTTO_NOISE_GAUSSIAN, scales[i], noise), SOTTO_E_ENTROPY);
        }
    }
}

/* A sample of laplace noise may end with any word; with the word 0 none does. */
TEST(constant_bytes_end_in_laplace_noise_or_in_a_status)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        stuck s = {.word = {byte * 0x01010101u}, .period = 1};
        int64_t noise[2];
        for (size_t i = 0; i < SCALES; i++) {
            sotto_status status = draw_stuck(&s, SOTTO_NOISE_LAPLACE, scales[i], noise);
            assert_true(status == SOTTO_OK || status == SOTTO_E_ENTROPY);
            if (byte == 0) assert_int_equal(status, SOTTO_E_ENTROPY);
        }
    }
}

TEST(short_periods_always_end)
{
    tape random = tape_seeded(4);
    const uint32_t odd[] = {0, 1, UINT32_MAX, 1u << 31, (1u << 31) - 1, 1u << 30};
    uint32_t ended[2] = {0, 0};
    for (uint32_t trial = 0; trial < 4000; trial++) {
        stuck s = {.period = 1 + trial % 8};
        int64_t noise[2];
        for (uint32_t i = 0; i < s.period; i++) {
            uint64_t word = sotto__seeded_next(&random.seeded);
            s.word[i] = trial % 3 == 0 ? (uint32_t)word : odd[word % 6];
        }
        ended[draw_stuck(&s, (sotto_noise_law)(trial / 8 % 2), 1025, noise) == SOTTO_OK]++;
    }
    assert_true(ended[0] > 100 && ended[1] > 100);
}

/* A tie of eight digits: in the first comparison of algorithm H, in algorithm B, in rounding. */
TEST(numbers_that_agree_in_all_digits_are_no_numbers)
{
    const uint32_t low = 0x12345678, high = 0xfedcba98;
    uint8_t bytes[512];
    for (int where = 0; where < 3; where++) {
        uint32_t words[128] = {0};
        uint32_t at = 0;
        if (where > 0) words[at++] = low, words[at++] = high; /* k = 0 */
        if (where == 2) words[at++] = high;                   /* z, above x */
        uint64_t rest = 2 * 341 + 1;                          /* the digits of 683/2050 */
        for (int i = 0; i < (where == 2 ? 8 : 16); i++) {
            words[at] = where == 2 ? (uint32_t)((rest << 32) / 2050) : low;
            rest = (rest << 32) % 2050;
            at++;
        }
        for (uint32_t i = 0; i < 128; i++) {
            sotto__put_u32(bytes + 4 * (size_t)i, i < at ? words[i] : high + i);
        }
        tape t = tape_of(bytes, sizeof bytes);
        const sotto_lattice lattice = lattice_of(1, 1025);
        int64_t noise = 5;
        assert_status(sotto__lattice_noise(&lattice, SOTTO_NOISE_GAUSSIAN, &t.rng, &noise),
                      SOTTO_E_ENTROPY);
        assert_true(noise == 0);
    }
}

/* The bound on words is one for each sample, not for the call. */
/* k = 6 and k = 9, which no test of the law ever sees: H true k times and false once, true k(k-1)
 * times more, B true k + 1 times, x = 1/2. */
TEST(far_tails_are_there)
{
    for (uint32_t k = 6; k <= 9; k += 3) {
        uint32_t word[256] = {0}, n = 0;
        for (uint32_t i = 0; i < k; i++) {
            word[n++] = 0xffffffff;
        }
        word[n++] = 0x10000000, word[n++] = 0x20000000;
        for (uint32_t i = 0; i < k * (k - 1); i++) {
            word[n++] = 0xffffffff;
        }
        word[n++] = 0xffffffff, word[n++] = 0x80000000; /* z, x */
        for (uint32_t i = 0; i < k; i++) {
            word[n++] = 0xffffffff;
        }
        for (uint32_t sign = 0; sign < 2; sign++) {
            word[n] = sign << 31;
            tape t = tape_of(word, sizeof word);
            sotto_lattice lattice = {.dim = 1, .scale_ticks = 1024};
            int64_t noise;
            assert_ok(sotto__lattice_noise(&lattice, SOTTO_NOISE_GAUSSIAN, &t.rng, &noise));
            assert_int_equal(noise, (sign == 0 ? 1 : -1) * (int64_t)(1024 * k + 512));
        }
    }
}

TEST(long_reports_get_their_noise)
{
    FREED_BY(free_memory) int64_t *noise = malloc(SOTTO_TICKS_MAX / 8 * sizeof *noise);
    assert_non_null(noise);
    for (int law = 0; law < LAWS; law++) {
        const sotto_lattice lattice = lattice_of(SOTTO_TICKS_MAX / 8, 1u << 24);
        tape t = tape_seeded(5);
        assert_ok(sotto__lattice_noise(&lattice, (sotto_noise_law)law, &t.rng, noise));
        assert_true(t.drawn_bytes > 4 * 10 * 65536);
    }
}

/* ---- known answers ------------------------------------------------------------------------- */

/* The words of make_ticks.py: given ones, then SHA-256("LABEL BLOCK"), 8 words per block. */
typedef struct golden_words {
    sotto_rng rng; /* first, so that a pointer to it is a pointer to the whole */
    char label[64];
    uint32_t given[WORDS_MAX];
    uint32_t given_count;
    uint32_t at;
    uint8_t digest[SOTTO__DIGEST_BYTES];
} golden_words;

static uint32_t next_golden_word(golden_words *w)
{
    uint32_t at = w->at++;
    if (at < w->given_count) return w->given[at];
    at -= w->given_count;
    if (at % 8 == 0) {
        char text[96];
        sotto__digest digest;
        int length = snprintf(text, sizeof text, "%s %u", w->label, at / 8);
        sotto__digest_begin(&digest);
        sotto__digest_add(&digest, text, (size_t)length);
        sotto__digest_end(&digest, w->digest);
    }
    return sotto__get_u32(w->digest + 4 * (at % 8));
}

static sotto_status golden_fill(sotto_rng *rng, void *out, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += 4) {
        sotto__put_u32((uint8_t *)out + at, next_golden_word((golden_words *)rng));
    }
    return SOTTO_OK;
}

static const char *token(char **text)
{
    const char *found = strtok_r(NULL, " \n", text);
    assert_non_null(found);
    return found;
}

/* One case of the file: draws its ticks and compares. */
static void replay(const char *name, char **text)
{
    const char *law_name = token(text), *scale = token(text);
    golden_words w = {.rng = {golden_fill}};
    snprintf(w.label, sizeof w.label, "%s %s %s", name, law_name, scale);
    sotto_noise_law law =
        strcmp(law_name, "laplace") == 0 ? SOTTO_NOISE_LAPLACE : SOTTO_NOISE_GAUSSIAN;
    assert_string_equal(sotto_noise_law_name(law), law_name);
    w.given_count = (uint32_t)strtoul(token(text), NULL, 10);
    uint32_t ticks = (uint32_t)strtoul(token(text), NULL, 10);
    assert_true(w.given_count <= WORDS_MAX && ticks <= TICKS_MAX);
    for (uint32_t i = 0; i < w.given_count; i++) {
        w.given[i] = (uint32_t)strtoul(token(text), NULL, 16);
    }
    int64_t noise[TICKS_MAX];
    const sotto_lattice lattice = lattice_of(ticks, (uint32_t)strtoul(scale, NULL, 10));
    assert_ok(sotto__lattice_noise(&lattice, law, &w.rng, noise));
    for (uint32_t i = 0; i < ticks; i++) {
        long wanted = strtol(token(text), NULL, 10);
        if (noise[i] != wanted) {
            fail_msg("%s, tick %u: %ld, wanted %ld", w.label, i, (long)noise[i], wanted);
        }
    }
}

TEST(ticks_are_those_of_exact_rational_arithmetic)
{
    static char file[GOLDEN_BYTES_MAX + 1];
    file[golden_read("ticks.txt", (uint8_t *)file, GOLDEN_BYTES_MAX)] = '\0';
    char *rest = NULL;
    int cases = 0;
    for (char *name = strtok_r(file, " \n", &rest); name != NULL;
         name = strtok_r(NULL, " \n", &rest)) {
        replay(name, &rest);
        cases++;
    }
    assert_int_equal(cases, LAWS * SCALES + 3 * 36 + 12 + 7);
}

/* ---- what stays behind --------------------------------------------------------------------- */

void __wrap_sotto__wipe(void *secret, size_t bytes);
void __real_sotto__wipe(void *secret, size_t bytes);

/* What was wiped last and was larger than noise for one tick. */
static uint8_t wiped[2048];
static size_t wiped_bytes;

void __wrap_sotto__wipe(void *secret, size_t bytes)
{
    if (bytes > sizeof(int64_t) && bytes <= sizeof wiped) {
        memcpy(wiped, secret, bytes);
        wiped_bytes = bytes;
    }
    __real_sotto__wipe(secret, bytes);
}

static bool contains(const uint8_t *bytes, size_t count, uint32_t word)
{
    uint8_t wanted[4];
    sotto__put_u32(wanted, word);
    for (size_t at = 0; at + 4 <= count; at++) {
        if (memcmp(bytes + at, wanted, 4) == 0) return true;
    }
    return false;
}

/* The first digit of x, of which a gaussian tick is made, and the words around it. */
#define DIGIT 0xa1b2c3d4u
#define STACK_BYTES 4194304 /* sanitizers ask for much */
static alignas(4096) uint8_t stack[STACK_BYTES];

typedef struct errand {
    tape t;
    int64_t noise;
    sotto_status status;
} errand;

static void *draw_one(void *argument)
{
    errand *e = argument;
    const sotto_lattice lattice = lattice_of(1, 1u << 24);
    e->status = sotto__lattice_noise(&lattice, SOTTO_NOISE_GAUSSIAN, &e->t.rng, &e->noise);
    return NULL;
}

/* On a stack of our own, which we search afterwards. */
TEST(no_digit_of_the_noise_stays_on_the_stack)
{
    static uint8_t bytes[512];
    const uint32_t words[] = {0x12345678, 0xfedcba98, 0xfedcba98, DIGIT, 0x23456789, 0};
    for (uint32_t i = 0; i < 128; i++) {
        sotto__put_u32(bytes + 4 * (size_t)i, i < 6 ? words[i] : i);
    }
    static errand e;
    e.t = tape_of(bytes, sizeof bytes);
    wiped_bytes = 0;
    pthread_attr_t attributes;
    pthread_t thread;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstack(&attributes, stack, sizeof stack), 0);
    assert_int_equal(pthread_create(&thread, &attributes, draw_one, &e), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);

    assert_ok(e.status);
    assert_true(e.noise == (int64_t)((UINT64_C(0xa1b2c3d4) + 128) >> 8));
    assert_true(contains(wiped, wiped_bytes, DIGIT)); /* the words that it was made of */
    assert_false(contains(stack, sizeof stack, DIGIT));
}
