/* The state of one experiment. */
#include "desk.h"
#include "service/experiment/inner.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

TEST(without_randomness_there_is_no_experiment)
{
    HELD(desk) d = desk_of(1);
    experiment_request request = desk_request();
    sottod_refusal why;
    sottod_experiment *experiment;
    will_return(__wrap_entropy_draw, false);
    assert_false(experiments_create(d.all, &request, 0, &experiment, &why));
    assert_int_equal(why.status, 503);
    will_return(__wrap_entropy_draw, true);
    desk_create(&d, &request);
    assert_int_equal(experiment_number(d.experiment), 1);
    will_return_always(__wrap_entropy_draw, true);
    desk_restart(&d);
}

bool __wrap_entropy_draw(void *out, size_t bytes);
bool __wrap_entropy_draw(void *out, size_t bytes)
{
    memset(out, 7, bytes);
    return (bool)mock();
}

TEST(an_id_is_32_digits)
{
    HELD(desk) d = desk_of(1);
    will_return_always(__wrap_entropy_draw, true);
    desk_create(&d, NULL);
    const char *text = experiment_id_text(d.experiment);
    assert_int_equal(strlen(text), 32);
    for (uint32_t i = 0; i < SOTTO_SPEC_ID_BYTES; i++) {
        const char digits[] = {text[2 * i], text[2 * i + 1], '\0'};
        assert_int_equal(strtoul(digits, NULL, 16), experiment_id(d.experiment)[i]);
    }
}

TEST(memory_grows_with_the_nonces)
{
    HELD(desk) d = desk_of(1);
    will_return_always(__wrap_entropy_draw, true);
    desk_create(&d, NULL);
    size_t before = experiment_memory_bytes(d.experiment);
    assert_true(before > 30000 && before < 50000);
    assert_true(engine_reserve(d.experiment->engine, 5000, 10000));
    assert_int_equal(sotto_nonce_set_capacity(d.experiment->engine->nonces),
                     5120); /* no doubling */
    assert_true(experiment_memory_bytes(d.experiment) > before + 5000 * 28);
    assert_true(engine_reserve(d.experiment->engine, 9000, 10000));
    assert_int_equal(sotto_nonce_set_capacity(d.experiment->engine->nonces), 9216);
    assert_true(engine_reserve(d.experiment->engine, 90000, 10000)); /* as far as allowed */
    assert_int_equal(sotto_nonce_set_capacity(d.experiment->engine->nonces), 10000);
}

TEST(the_oldest_open_epoch_follows_the_lag)
{
    HELD(desk) d = desk_of(1);
    will_return_always(__wrap_entropy_draw, true);
    desk_create(&d, NULL);
    for (uint32_t epoch = 0; epoch < 6; epoch++) {
        assert_int_equal(engine_oldest(d.experiment->engine), epoch < 2 ? 0 : epoch - 2);
        desk_epoch(&d, 10);
    }
}
