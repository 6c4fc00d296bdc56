/* Sizes and limits: what a function says is what the library does, not only what a macro says. */
#include "test.h"

#include <string.h>

static void sizes_are_those_of_the_macros(void **state)
{
    (void)state;
    assert_int_equal(sotto_terms_bytes(), SOTTO_TERMS_BYTES);
    assert_int_equal(sotto_spec_id_bytes(), SOTTO_SPEC_ID_BYTES);
    assert_int_equal(sotto_nonce_bytes(), SOTTO_NONCE_BYTES);
    assert_int_equal(sotto_fault_bytes(), SOTTO_FAULT_BYTES);
}

static void terms_fill_their_size_and_no_more(void **state)
{
    (void)state;
    uint8_t bytes[512], other[512];
    sotto_terms terms;
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.version = 2;
    assert_ok(sotto_spec_resolve(&spec, &terms));
    memset(bytes, 0xab, sizeof bytes);
    memset(other, 0xcd, sizeof other);
    size_t size = sotto_terms_bytes();
    assert_int_equal(sotto_terms_encode(&terms, bytes), size);
    assert_int_equal(sotto_terms_encode(&terms, other), size);
    assert_memory_equal(bytes, other, size);
    assert_int_equal(bytes[size], 0xab);
    assert_int_equal(sizeof terms.id, sotto_spec_id_bytes());
}

/* A spec may have each limit, and not one more. */
static void a_spec_reaches_its_limits(void **state)
{
    (void)state;
    char text[SOTTO_FAULT_BYTES];
    sotto_limits limits = sotto_limits_get();
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.arms = limits.cells_max / limits.dim_max;
    spec.dim = limits.dim_max;
    assert_null(sotto_spec_fault(&spec, text));
    spec.arms++;
    assert_non_null(sotto_spec_fault(&spec, text));
    spec.arms = 2;
    spec.dim++;
    assert_non_null(sotto_spec_fault(&spec, text));
    spec.dim = 1;
    spec.arms = limits.arms_max;
    spec.epoch_reports_max = limits.reports_max;
    assert_null(sotto_spec_fault(&spec, text));
    spec.epoch_reports_max++;
    assert_non_null(sotto_spec_fault(&spec, text));
    spec.epoch_reports_max--;
    spec.arms++;
    assert_non_null(sotto_spec_fault(&spec, text));
    assert_int_equal(limits.ticks_max, SOTTO_TICKS_MAX);
    assert_int_equal(limits.codebook_size_max, SOTTO_CODEBOOK_SIZE_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_those_of_the_macros),
        cmocka_unit_test(terms_fill_their_size_and_no_more),
        cmocka_unit_test(a_spec_reaches_its_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
