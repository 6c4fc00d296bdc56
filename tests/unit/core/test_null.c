/* Every public function of core.h with each of its pointers missing in turn. tests/boundary sees
 * that none is forgotten. */
#include "missing.h"

#include <math.h>
#include <string.h>

#define FRAME_BYTES 4096
#define CODEWORD_MAX 64

typedef struct fixture {
    sotto_spec spec;
    sotto_terms terms;
    sotto_report *report;
    sotto_model *model;
    uint8_t bytes[FRAME_BYTES];
    uint8_t key[SOTTO_SPEC_ID_BYTES];
    uint8_t nonce[SOTTO_NONCE_BYTES];
    int32_t codeword[CODEWORD_MAX];
    sotto_fault fault;
} fixture;

FIXTURE(set_up)
{
    static fixture f;
    memset(&f, 0, sizeof f);
    f.spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    assert_ok(sotto_spec_resolve(&f.spec, &f.terms));
    assert_ok(sotto_report_new(&f.terms, &f.report));
    assert_ok(sotto_model_new(&f.terms, &f.model));
    *state = &f;
}

FIXTURE(tear_down)
{
    fixture *f = *state;
    sotto_report_free(f->report);
    sotto_model_free(f->model);
}

TEST_WITH(a_status_says_that_a_pointer_is_missing, set_up, tear_down)
{
    fixture *f = *state;
    assert_refused(sotto_spec_resolve(NULL, &f->terms));
    assert_refused(sotto_spec_resolve(&f->spec, NULL));
    assert_refused(sotto_terms_check(NULL));
    assert_refused(sotto_terms_decode(NULL, SOTTO_TERMS_BYTES, &f->terms));
    assert_refused(sotto_terms_decode(f->bytes, SOTTO_TERMS_BYTES, NULL));
    const sotto_codebook *codebook = &f->terms.codebook[SOTTO_PHASE_MAIN];
    assert_refused(sotto_codebook_expand(NULL, f->key, f->nonce, 0, 0, f->codeword));
    assert_refused(sotto_codebook_expand(codebook, NULL, f->nonce, 0, 0, f->codeword));
    assert_refused(sotto_codebook_expand(codebook, f->key, NULL, 0, 0, f->codeword));
    assert_refused(sotto_codebook_expand(codebook, f->key, f->nonce, 0, 0, NULL));
    assert_refused(sotto_report_encode(NULL, f->report, f->bytes, FRAME_BYTES));
    assert_refused(sotto_report_encode(&f->terms, NULL, f->bytes, FRAME_BYTES));
    assert_refused(sotto_report_encode(&f->terms, f->report, NULL, FRAME_BYTES));
    assert_refused(sotto_report_decode(NULL, f->bytes, 42, f->report));
    assert_refused(sotto_report_decode(&f->terms, NULL, 42, f->report));
    assert_refused(sotto_report_decode(&f->terms, f->bytes, 42, NULL));
    assert_false(sotto_model_decides(NULL, f->model));
    assert_false(sotto_model_decides(&f->terms, NULL));
    assert_refused(sotto_model_check(NULL, f->model));
    assert_refused(sotto_model_check(&f->terms, NULL));
    assert_refused(sotto_model_copy(NULL, f->model, f->model));
    assert_refused(sotto_model_copy(&f->terms, NULL, f->model));
    assert_refused(sotto_model_copy(&f->terms, f->model, NULL));
    assert_refused(sotto_model_encode(NULL, f->model, f->bytes, FRAME_BYTES));
    assert_refused(sotto_model_encode(&f->terms, NULL, f->bytes, FRAME_BYTES));
    assert_refused(sotto_model_encode(&f->terms, f->model, NULL, FRAME_BYTES));
    assert_refused(sotto_model_decode(NULL, f->bytes, FRAME_BYTES, f->model));
    assert_refused(sotto_model_decode(&f->terms, NULL, FRAME_BYTES, f->model));
    assert_refused(sotto_model_decode(&f->terms, f->bytes, FRAME_BYTES, NULL));
}

TEST_WITH(nothing_is_made, set_up, tear_down)
{
    fixture *f = *state;
    sotto_report *report;
    sotto_model *model;
    assert_not_made(sotto_report_new(NULL, &report), report);
    assert_refused(sotto_report_new(&f->terms, NULL));
    assert_not_made(sotto_model_new(NULL, &model), model);
    assert_refused(sotto_model_new(&f->terms, NULL));
}

static const char *spell(void *state, const char *field)
{
    (void)state;
    return field;
}

TEST_WITH(nothing_is_written, set_up, tear_down)
{
    fixture *f = *state;
    uint8_t untouched[FRAME_BYTES];
    memset(untouched, 0xab, sizeof untouched);
    memset(f->bytes, 0xab, sizeof f->bytes);
    assert_ints(sotto_terms_encode(NULL, f->bytes), 0, sotto_terms_encode(&f->terms, NULL), 0);
    sotto_stream_key_derive(NULL, f->bytes);
    sotto_stream_key_derive(f->key, NULL);
    assert_refused(sotto_report_encode(&f->terms, NULL, f->bytes, FRAME_BYTES));
    assert_refused(sotto_model_encode(&f->terms, NULL, f->bytes, FRAME_BYTES));
    assert_memory_equal(f->bytes, untouched, sizeof untouched);
    sotto_fault_spell(NULL, spell, f);
    sotto_fault fault = {.field = "delta"};
    sotto_fault_spell(&fault, spell, NULL);
    assert_string_equal(fault.field, "delta");
    sotto_report_free(NULL);
    sotto_model_free(NULL);
}

TEST_WITH(a_fault_function_never_finds_a_missing_pointer_good, set_up, tear_down)
{
    fixture *f = *state;
    assert_ok(sotto_spec_fault(&f->spec, &f->fault));
    assert_ok(sotto_terms_fault(&f->terms, &f->fault));
    size_t count = sotto_terms_encode(&f->terms, f->bytes);
    assert_ok(sotto_terms_bytes_fault(f->bytes, count, &f->fault));
    assert_ok(sotto_spec_fault(&f->spec, NULL));
    assert_ok(sotto_terms_fault(&f->terms, NULL));
    assert_ok(sotto_terms_bytes_fault(f->bytes, count, NULL));
    assert_refused(sotto_spec_fault(NULL, &f->fault));
    assert_refused(sotto_terms_fault(NULL, &f->fault));
    assert_refused(sotto_terms_bytes_fault(NULL, SOTTO_TERMS_BYTES, &f->fault));
}

TEST(counts_and_sizes_are_zero)
{
    assert_false(sotto_terms_reports_indices(NULL));
    assert_ints(sotto_report_count(NULL), 0, sotto_report_bytes(NULL), 0, sotto_model_bytes(NULL),
                0);
}

TEST_WITH(a_report_without_values_is_refused, set_up, tear_down)
{
    fixture *f = *state;
    sotto_report empty = *f->report;
    empty.value = NULL;
    size_t bytes = sotto_report_bytes(&f->terms);
    assert_ok(sotto_report_encode(&f->terms, f->report, f->bytes, bytes));
    assert_refused(sotto_report_encode(&f->terms, &empty, f->bytes, bytes));
    assert_refused(sotto_report_decode(&f->terms, f->bytes, bytes, &empty));
}

/* Each array that the spec asks for; one that it does not ask for may be missing. */
TEST_WITH(a_model_without_an_array_is_refused, set_up, tear_down)
{
    fixture *f = *state;
    size_t bytes = sotto_model_bytes(&f->terms);
    assert_ok(sotto_model_encode(&f->terms, f->model, f->bytes, bytes));
    assert_null(f->model->theta_h);
    for (int missing = 0; missing < 2; missing++) {
        sotto_model partial = *f->model;
        *(missing == 0 ? &partial.theta : &partial.tbar) = NULL;
        assert_refused(sotto_model_check(&f->terms, &partial));
        assert_refused(sotto_model_copy(&f->terms, &partial, f->model));
        assert_refused(sotto_model_copy(&f->terms, f->model, &partial));
        assert_refused(sotto_model_encode(&f->terms, &partial, f->bytes, bytes));
        assert_refused(sotto_model_decode(&f->terms, f->bytes, bytes, &partial));
    }
}
