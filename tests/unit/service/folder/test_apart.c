/* Frames are told apart: new, late, duplicate, conflicting. */
#include "core/bytes.h"
#include "folder_scene.h"
#include "service/folder/apart.h"

static folder_scene s;
static folder_known *known;
static folder_apart apart;

/* Epoch 3 is open, with a lag of 2. */
static int start(void **state)
{
    (void)state;
    s = folder_scene_new(false);
    for (uint32_t i = 0; i < 3; i++) {
        folder_scene_epoch(&s, 10, 10);
    }
    known = s.round.known[0];
    apart = (folder_apart){.known = known};
    return 0;
}

static int end(void **state)
{
    (void)state;
    folder_apart_free(&apart);
    folder_scene_free(&s);
    return 0;
}

static folder_outcome take(const uint8_t *frames, size_t bytes)
{
    const journal_row row = {.seq = 8, .experiment = 1, .frames = {frames, bytes}};
    return folder_apart_take(&apart, &row);
}

static void assert_counts(uint64_t folded, uint64_t late, uint64_t duplicate, uint64_t conflicting)
{
    assert_int_equal(apart.counts.folded, folded);
    assert_int_equal(apart.counts.late, late);
    assert_int_equal(apart.counts.duplicate, duplicate);
    assert_int_equal(apart.counts.conflicting, conflicting);
}

static void a_row_that_no_gateway_wrote_is_at_fault(void **state)
{
    (void)state;
    uint8_t *frames = desk_frames_of(&s.one, s.one.experiment, 3, 2);
    assert_int_equal(take(frames, known->frame_bytes + 1), FOLDER_BROKEN);
    assert_non_null(strstr(known->fault, "no whole frames"));
    sotto__put_u32(frames + known->frame_bytes + 20, 4);
    assert_int_equal(take(frames, 2 * known->frame_bytes), FOLDER_BROKEN);
    assert_non_null(strstr(known->fault, "row 8: frame 1 is of an epoch that has not begun"));
    free(frames);
}

static void each_frame_is_one_of_four_kinds(void **state)
{
    (void)state;
    const size_t each = known->frame_bytes;
    uint8_t *frames = desk_frames_of(&s.one, s.one.experiment, 3, 6);
    assert_int_equal(take(frames, 4 * each), FOLDER_DONE);
    assert_counts(4, 0, 0, 0);
    assert_int_equal(apart.frames_bytes, 4 * each);
    assert_memory_equal(apart.frames, frames, 4 * each);
    frames[each + 20 + 4 + SOTTO_NONCE_BYTES] ^= 1; /* other values under the same nonce */
    sotto__put_u32(frames + 4 * each + 20, 0);      /* its epoch is over */
    assert_int_equal(take(frames, 6 * each), FOLDER_DONE);
    assert_counts(5, 1, 3, 1);
    assert_memory_equal(apart.frames + 4 * each, frames + 5 * each, each);
    free(frames);
}

static void what_was_folded_before_is_a_duplicate(void **state)
{
    (void)state;
    uint64_t frames = 0;
    for (uint32_t i = 0; i < shared.rows; i++) {
        const journal_row *row = &shared.row[i].row;
        assert_int_equal(folder_apart_take(&apart, row), FOLDER_DONE);
        frames += row->frames.bytes / known->frame_bytes;
    }
    assert_int_equal(apart.counts.folded, 0);
    assert_true(apart.counts.duplicate > 20 && apart.counts.late > 0);
    assert_int_equal(apart.counts.duplicate + apart.counts.late, frames);
}

static void what_is_forgotten_is_new_again(void **state)
{
    (void)state;
    const size_t each = known->frame_bytes;
    uint64_t nonces = sotto_nonce_set_count(known->nonces);
    uint8_t *frames = desk_frames(&s.one, s.one.experiment, 50);
    assert_int_equal(take(frames, 50 * each), FOLDER_DONE);
    assert_int_equal(sotto_nonce_set_count(known->nonces), nonces + 50);
    folder_apart_forget(&apart);
    assert_int_equal(sotto_nonce_set_count(known->nonces), nonces);
    assert_counts(0, 0, 0, 0);
    assert_int_equal(take(frames, 50 * each), FOLDER_DONE);
    assert_counts(50, 0, 0, 0);
    assert_int_equal(apart.frames_bytes, 50 * each);
    free(frames);
}

int main(void)
{
#define EACH(test) cmocka_unit_test_setup_teardown(test, start, end)
    const struct CMUnitTest tests[] = {
        EACH(a_row_that_no_gateway_wrote_is_at_fault),
        EACH(each_frame_is_one_of_four_kinds),
        EACH(what_was_folded_before_is_a_duplicate),
        EACH(what_is_forgotten_is_new_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
