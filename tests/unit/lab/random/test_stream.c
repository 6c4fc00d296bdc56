/* Streams by purpose: known states, and no two alike. */
#include "lab/random/stream.h"
#include "test.h"

#define PURPOSES (SOTTO__PURPOSE_LIARS + 1)

/* SHA-256("sotto lab stream" | seed | purpose), computed in another language. */
static void states_are_the_hash_of_seed_and_purpose(void **state)
{
    (void)state;
    const struct {
        uint64_t seed;
        sotto__purpose purpose;
        uint64_t state[4];
    } rows[] = {
        {0,
         SOTTO__PURPOSE_PARAMETERS,
         {0xc9b1505aecdf0d0a, 0x2f4c20f74a1ac2a7, 0x404ac71e8b002ba7, 0xdb60628605cb1207}},
        {1,
         SOTTO__PURPOSE_CONTEXTS,
         {0x4fb2e664c305afcd, 0xcbf51a235d80da93, 0x462b13671df2d744, 0x3f65ae623ddb2036}},
        {UINT64_MAX,
         SOTTO__PURPOSE_INITIAL,
         {0x63777a1be4b034f8, 0xe8d35fcb03c3d13a, 0x3982cc356d94e87c, 0xf274e78548cb2d62}},
        {7,
         SOTTO__PURPOSE_LIARS,
         {0x900e12556e211628, 0xfef7845df403976a, 0xe7827e33f69bc8e2, 0x58a2407d4797696b}},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        sotto__seeded stream;
        sotto__stream_begin(&stream, rows[r].seed, rows[r].purpose);
        assert_memory_equal(stream.state, rows[r].state, sizeof stream.state);
    }
}

static void a_stream_fills_bytes_like_any_seeded_one(void **state)
{
    (void)state;
    sotto__seeded stream, words;
    sotto__stream_begin(&stream, 5, SOTTO__PURPOSE_PRIVACY);
    sotto__stream_begin(&words, 5, SOTTO__PURPOSE_PRIVACY);
    uint8_t byte[8];
    assert_ok(stream.rng.fill(&stream.rng, byte, sizeof byte));
    uint64_t word = sotto__seeded_next(&words);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(byte[i], word >> (8 * i) & 255);
    }
}

static void no_two_seeds_or_purposes_share_a_stream(void **state)
{
    (void)state;
    const uint64_t seeds[] = {0, 1, 2, UINT64_C(1) << 32, UINT64_C(1) << 63, UINT64_MAX};
    enum { SEEDS = sizeof seeds / sizeof seeds[0], ALL = SEEDS * PURPOSES };
    sotto__seeded stream[ALL];
    for (size_t i = 0; i < ALL; i++) {
        sotto__stream_begin(&stream[i], seeds[i / PURPOSES], (sotto__purpose)(i % PURPOSES));
        for (size_t j = 0; j < i; j++) {
            for (int k = 0; k < 4; k++) {
                assert_true(stream[i].state[k] != stream[j].state[k]);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_are_the_hash_of_seed_and_purpose),
        cmocka_unit_test(a_stream_fills_bytes_like_any_seeded_one),
        cmocka_unit_test(no_two_seeds_or_purposes_share_a_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
