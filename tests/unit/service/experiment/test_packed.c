/* Models as gzip. */
#include "desk.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static desk d;
static uint32_t packs;

int __real_deflate(z_streamp stream, int flush);
int __wrap_deflate(z_streamp stream, int flush);
int __wrap_deflate(z_streamp stream, int flush)
{
    packs++;
    return __real_deflate(stream, flush);
}

FIXTURE(start)
{
    experiment_request request = desk_request();
    request.spec.dim = 40; /* long enough that gzip shortens it */
    d = desk_with(1, &request);
    packs = 0;
}

FIXTURE(end)
{
    desk_free(&d);
}

/* The packed bytes unpack to the model. */
static void assert_packed(void)
{
    size_t plain = 0, bytes = 0;
    const uint8_t *model = experiment_model_bytes(d.experiment, &plain);
    const uint8_t *packed = experiment_model_gzip(d.experiment, &bytes);
    assert_non_null(packed);
    assert_true(bytes > 0 && bytes < plain);
    FREED_BY(free_memory) uint8_t *out = malloc(plain + 1);
    assert_non_null(out);
    z_stream stream = {.next_in = (uint8_t *)(uintptr_t)packed, .avail_in = (uInt)bytes};
    stream.next_out = out;
    stream.avail_out = (uInt)plain + 1;
    assert_ints(inflateInit2(&stream, 15 + 16), Z_OK, inflate(&stream, Z_FINISH), Z_STREAM_END);
    assert_int_equal(stream.total_out, plain);
    assert_memory_equal(out, model, plain);
    inflateEnd(&stream);
}

TEST_WITH(it_is_packed_once_per_publish, start, end)
{
    size_t before = experiment_memory_bytes(d.experiment);
    assert_packed();
    assert_packed();
    assert_int_equal(packs, 1);
    assert_true(experiment_memory_bytes(d.experiment) > before);
    uint32_t epoch = experiment_epoch(d.experiment);
    desk_take(&d, 40);
    assert_int_equal(desk_turned(&d, 2000), epoch + 1);
    assert_packed();
    assert_packed();
    assert_int_equal(packs, 2);
}

/* All requests would wait while it is packed. */
TEST_WITH(a_long_model_is_not_packed, start, end)
{
    experiment_request request = desk_request();
    size_t plain, bytes = 1;
    request.spec.method = SOTTO_METHOD_LDP_UCB; /* with a matrix of dim x dim */
    request.spec.dim = 600;
    request.spec.score = SOTTO_SCORE_MOMENTS;
    request.spec.delta = 1e-6;
    sottod_experiment *longer = desk_create(&d, &request);
    assert_non_null(experiment_model_bytes(longer, &plain));
    assert_true(plain > 1u << 20);
    assert_null(experiment_model_gzip(longer, &bytes));
    assert_ints(bytes, 0, packs, 0);
}

TEST_WITH(a_deleted_experiment_has_none, start, end)
{
    size_t bytes = 1;
    sottod_refusal why;
    assert_packed();
    assert_true(experiment_set_state(d.all, d.experiment, JOURNAL_DELETED, &why));
    assert_null(experiment_model_gzip(d.experiment, &bytes));
    assert_int_equal(bytes, 0);
}
