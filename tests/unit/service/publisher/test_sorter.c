/* Frames are sorted into new, late, duplicate and conflicting ones. */
#include "core/core.h"
#include "publisher_scene.h"
#include "service/publisher/inner.h"

static publisher_scene s;
static publisher_known *known;
static publisher_sorter sorter;

/* Epoch 3 is open, with a lag of 2. */
FIXTURE(start)
{
    s = publisher_scene_new(false);
    for (uint32_t i = 0; i < 3; i++) {
        publisher_scene_epoch(&s, 10, 10);
    }
    known = s.pass.known[0];
    sorter = (publisher_sorter){.known = known};
}

FIXTURE(end)
{
    publisher_sorter_free(&sorter);
    publisher_scene_free(&s);
}

static epoch_outcome take(const uint8_t *frames, size_t bytes)
{
    const journal_row row = {.seq = 8, .experiment = 1, .frames = {frames, bytes}};
    return publisher_sorter_take(&sorter, &row);
}

static journal_counts counted(void)
{
    const journal_counts *now = &known->engine->counts, *then = &known->engine->published;
    return (journal_counts){now->folded - then->folded, now->late - then->late,
                            now->duplicate - then->duplicate, now->conflicting - then->conflicting};
}

static void assert_counts(uint64_t folded, uint64_t late, uint64_t duplicate, uint64_t conflicting)
{
    assert_ints(counted().folded, folded, counted().late, late, counted().duplicate, duplicate);
    assert_int_equal(counted().conflicting, conflicting);
}

TEST_WITH(a_row_that_no_gateway_wrote_is_at_fault, start, end)
{
    FREED_BY(free_memory) uint8_t *frames = desk_frames_of(&s.one, s.one.experiment, 3, 2);
    assert_int_equal(take(frames, known->engine->frame_bytes + 1), EPOCH_BROKEN);
    assert_non_null(strstr(known->fault.sentence, "are not a whole number of frames"));
    sotto__put_u32(frames + known->engine->frame_bytes + 20, 4);
    assert_int_equal(take(frames, 2 * known->engine->frame_bytes), EPOCH_BROKEN);
    assert_non_null(
        strstr(known->fault.sentence, "row 8: frame 1 is of an epoch that has not begun"));
}

TEST_WITH(each_frame_is_one_of_four_kinds, start, end)
{
    const size_t each = known->engine->frame_bytes;
    FREED_BY(free_memory) uint8_t *frames = desk_frames_of(&s.one, s.one.experiment, 3, 6);
    assert_int_equal(take(frames, 4 * each), EPOCH_DONE);
    assert_counts(4, 0, 0, 0);
    assert_int_equal(sorter.frames_bytes, 4 * each);
    assert_memory_equal(sorter.frames, frames, 4 * each);
    frames[each + 20 + 4 + SOTTO_NONCE_BYTES] ^= 1; /* other values under the same nonce */
    sotto__put_u32(frames + 4 * each + 20, 0);      /* its epoch is closed */
    assert_int_equal(take(frames, 6 * each), EPOCH_DONE);
    assert_counts(5, 1, 3, 1);
    assert_memory_equal(sorter.frames + 4 * each, frames + 5 * each, each);
}

/* The sorter repeats a gateway's counts; which of two frames with one nonce counts may depend on
 * their order. */
TEST_WITH(counts_of_a_row_count_and_order_is_noticed, start, end)
{
    const size_t each = known->engine->frame_bytes;
    FREED_BY(free_memory) uint8_t *frames = desk_frames_of(&s.one, s.one.experiment, 3, 2);
    const journal_row empty = {
        .seq = 8, .experiment = 1, .late = 5, .duplicate = 6, .conflicting = 7};
    assert_int_equal(publisher_sorter_take(&sorter, &empty), EPOCH_DONE);
    assert_counts(0, 5, 6, 7);
    assert_int_equal(take(frames, each), EPOCH_DONE);
    frames[each - 2] ^= 1;
    assert_int_equal(take(frames, each), EPOCH_DONE);
    assert_false(sorter.contested); /* one after the other, in counting order */
    sorter.frames_bytes = 0;
    publisher_sorter_rest(&sorter);
    assert_int_equal(take(frames + each, each), EPOCH_DONE);
    assert_false(sorter.contested);
    assert_int_equal(take(frames, each), EPOCH_DONE);
    assert_true(sorter.contested);
    assert_counts(2, 5, 6, 9);
    publisher_sorter_forget(&sorter);
    assert_false(sorter.contested);
}

TEST_WITH(what_was_folded_before_is_a_duplicate, start, end)
{
    uint64_t frames = 0;
    for (uint32_t i = 0; i < shared.rows; i++) {
        const journal_row *row = &shared.row[i].row;
        assert_int_equal(publisher_sorter_take(&sorter, row), EPOCH_DONE);
        frames += row->frames.bytes / known->engine->frame_bytes;
    }
    assert_int_equal(counted().folded, 0);
    assert_true(counted().duplicate > 20 && counted().late > 0);
    assert_int_equal(counted().duplicate + counted().late, frames);
}

TEST_WITH(what_is_forgotten_is_new_again, start, end)
{
    const size_t each = known->engine->frame_bytes;
    uint64_t nonces = sotto_nonce_set_count(known->engine->nonces);
    FREED_BY(free_memory) uint8_t *frames = desk_frames(&s.one, s.one.experiment, 50);
    assert_int_equal(take(frames, 50 * each), EPOCH_DONE);
    assert_int_equal(sotto_nonce_set_count(known->engine->nonces), nonces + 50);
    publisher_sorter_forget(&sorter);
    assert_int_equal(sotto_nonce_set_count(known->engine->nonces), nonces);
    assert_counts(0, 0, 0, 0);
    assert_int_equal(take(frames, 50 * each), EPOCH_DONE);
    assert_counts(50, 0, 0, 0);
    assert_int_equal(sorter.frames_bytes, 50 * each);
}
