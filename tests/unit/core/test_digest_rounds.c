/* The rounds of SHA-256 are the same by the processor's instructions and in plain C. */
#include "core/digest_rounds.h"
#include "tape.h"
#include "test.h"

#include <string.h>

#define BLOCKS 9

/* digest_rounds_x86_64.c on instructions that tests/support/emulated has in plain C. */
bool emulated_digest_rounds(uint32_t state[8], const uint8_t *blocks, size_t count);
bool without_digest_rounds(uint32_t state[8], const uint8_t *blocks, size_t count);
unsigned emulated_questions;

typedef bool rounds_function(uint32_t state[8], const uint8_t *blocks, size_t count);

static void assert_same_rounds(rounds_function *rounds)
{
    tape random = tape_seeded(3);
    for (size_t trial = 0; trial < 200; trial++) {
        uint8_t blocks[64 * BLOCKS + 1];
        uint32_t wanted[8], got[8];
        size_t count = trial % (BLOCKS + 1), off = trial % 2; /* at odd addresses, too */
        assert_ok(random.rng.fill(&random.rng, wanted, sizeof wanted));
        assert_ok(random.rng.fill(&random.rng, blocks, sizeof blocks));
        memcpy(got, wanted, sizeof got);
        sotto__digest_rounds(wanted, blocks + off, count);
        assert_true(rounds(got, blocks + off, count));
        assert_memory_equal(got, wanted, sizeof got);
    }
}

/* FIPS 180-4's own example: the one block of "abc". */
static void the_block_of_the_standard_has_its_state(void **state)
{
    (void)state;
    uint32_t digest[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                          0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    const uint32_t wanted[8] = {0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223,
                                0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad};
    uint8_t block[64] = {'a', 'b', 'c', 0x80};
    block[63] = 24;
    sotto__digest_rounds(digest, block, 1);
    assert_memory_equal(digest, wanted, sizeof wanted);
}

static void this_processor_s_rounds_are_those_in_plain_c(void **state)
{
    (void)state;
    uint32_t untouched[8] = {1, 2, 3};
    if (!sotto__digest_rounds_by_cpu(untouched, NULL, 0)) {
        const uint8_t block[64] = {0};
        assert_false(sotto__digest_rounds_by_cpu(untouched, block, 1));
        assert_int_equal(untouched[1], 2);
        print_message("this processor has no instructions for SHA-256\n");
        skip();
    }
    assert_same_rounds(sotto__digest_rounds_by_cpu);
}

static void the_rounds_of_x86_64_are_those_in_plain_c(void **state)
{
    (void)state;
    assert_same_rounds(emulated_digest_rounds);
    assert_int_equal(emulated_questions, 1); /* each may take as long as a hundred blocks */
}

/* Asked for the first time, and when the answer is known. */
static void a_processor_without_instructions_computes_nothing(void **state)
{
    (void)state;
    const uint8_t block[64] = {0};
    uint32_t untouched[8] = {1, 2, 3};
    for (int i = 0; i < 2; i++) {
        assert_false(without_digest_rounds(untouched, block, 1));
        assert_int_equal(untouched[1], 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_block_of_the_standard_has_its_state),
        cmocka_unit_test(this_processor_s_rounds_are_those_in_plain_c),
        cmocka_unit_test(the_rounds_of_x86_64_are_those_in_plain_c),
        cmocka_unit_test(a_processor_without_instructions_computes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
