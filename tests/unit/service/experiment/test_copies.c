/* A gateway recognises copies of frames that it stored, and nothing else. */
#include "allocations.h"
#include "core/core.h"
#include "service/experiment/inner.h"
#include "shared_desk.h"
#include "test.h"

#include <stdlib.h>

static desk d;
static size_t each;

FIXTURE(start)
{
    d = shared_desk_with(NULL);
    each = d.experiment->engine->frame_bytes;
}

FIXTURE(end)
{
    shared_desk_free(&d);
    shared_memory_end();
}

TEST_WITH(without_memory_nothing_is_a_copy, start, end)
{
    FREED_BY(free_memory) uint8_t *frames = desk_frames(&d, d.experiment, 1);
    assert_null(d.experiment->copies);
    assert_false(copies_has(d.experiment, frames));
    assert_false(copies_has(d.experiment, frames));
    copies_forget(d.experiment, frames);
    copies_free(NULL);
}

/* Every byte matters, within the nonce and elsewhere. */
TEST_WITH(a_frame_is_a_copy_if_all_bytes_are_the_same, start, end)
{
    FREED_BY(free_memory) uint8_t *frames = desk_frames(&d, d.experiment, 2);
    copies_prepare(d.experiment, 1, 2);
    assert_false(copies_has(d.experiment, frames));
    assert_true(copies_has(d.experiment, frames));
    assert_false(copies_has(d.experiment, frames + each));
    for (size_t at = 24; at < each; at++) {
        frames[at] ^= 1;
        copies_prepare(d.experiment, 1, 1);
        assert_false(copies_has(d.experiment, frames)); /* of the same nonce from byte 40 on */
        assert_true(copies_has(d.experiment, frames));
        frames[at] ^= 1;
        assert_true(copies_has(d.experiment, frames));
    }
}

TEST_WITH(what_is_forgotten_is_no_copy, start, end)
{
    FREED_BY(free_memory) uint8_t *frames = desk_frames(&d, d.experiment, 2);
    memcpy(frames + each, frames, each);
    frames[2 * each - 1] ^= 1; /* the same nonce */
    copies_prepare(d.experiment, 1, 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_false(copies_has(d.experiment, frames));
        assert_false(copies_has(d.experiment, frames + each));
        assert_true(copies_has(d.experiment, frames + each));
        copies_forget(d.experiment, frames + each);
        assert_true(copies_has(d.experiment, frames)); /* the first frame of the nonce stays */
        copies_forget(d.experiment, frames);
    }
}

TEST_WITH(another_session_knows_nothing, start, end)
{
    FREED_BY(free_memory) uint8_t *frames = desk_frames(&d, d.experiment, 1);
    copies_prepare(d.experiment, 1, 1);
    assert_false(copies_has(d.experiment, frames));
    copies_prepare(d.experiment, 2, 1);
    assert_false(copies_has(d.experiment, frames));
    copies_prepare(d.experiment, 2, 1);
    assert_true(copies_has(d.experiment, frames));
}

/* When memory is full, old frames are forgotten. */
TEST_WITH(memory_is_bounded, start, end)
{
    const uint32_t some = 1000;
    FREED_BY(free_memory) uint8_t *frames = desk_frames(&d, d.experiment, some);
    for (uint32_t round = 0; round <= COPIES_MAX / some; round++) {
        allocations = 0;
        copies_prepare(d.experiment, 1, some);
        assert_true(allocations < 20); /* it grows in small steps, because other requests wait */
        for (uint32_t i = 0; i < some; i++) {
            uint8_t *frame = frames + i * each;
            sotto__put_u32(frame + 24, round); /* of its nonce */
            assert_false(copies_has(d.experiment, frame));
        }
    }
    assert_true(copies_has(d.experiment, frames));
    sotto__put_u32(frames + 24, 0);
    assert_false(copies_has(d.experiment, frames)); /* the oldest were forgotten */
}
