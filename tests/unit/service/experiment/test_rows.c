/* Which rows may be removed: the same as a list of all rows says. */
#include "service/experiment/parts.h"
#include "tape.h"
#include "test.h"

#define ROWS_MAX 400

typedef struct plain {
    uint64_t seq[ROWS_MAX];
    uint32_t epoch[ROWS_MAX];
    bool has_frames[ROWS_MAX];
    uint32_t count, removed;
} plain;

static uint64_t plain_removable(const plain *p, uint64_t snapshot, uint32_t oldest_open)
{
    uint64_t to = 0;
    for (uint32_t i = p->removed; i < p->count; i++) {
        bool open = p->has_frames[i] && p->epoch[i] >= oldest_open;
        if (open || p->seq[i] > snapshot) break;
        to = p->seq[i];
    }
    return to;
}

static void nothing_is_removed_before_there_is_a_snapshot(void **state)
{
    (void)state;
    experiment_rows rows = {0};
    assert_int_equal(experiment_rows_removable(&rows, 0, 0), 0);
    assert_int_equal(experiment_rows_removable(&rows, 100, 7), 0); /* there is none */
    experiment_rows_add(&rows, 3, 0, 42, 3);
    assert_int_equal(experiment_rows_removable(&rows, 0, 7), 0);
    assert_int_equal(experiment_rows_removable(&rows, 3, 0), 0);
    assert_int_equal(experiment_rows_removable(&rows, 3, 1), 3);
}

static void random_rows_are_those_of_a_plain_list(void **state)
{
    (void)state;
    tape random = tape_seeded(3);
    uint32_t removals = 0;
    for (uint32_t lag = 0; lag <= 16; lag += 4) {
        experiment_rows rows = {0};
        plain p = {0};
        uint32_t current = 0;
        uint64_t seq = 0;
        for (int step = 0; step < ROWS_MAX; step++) {
            uint8_t byte[4];
            assert_ok(random.rng.fill(&random.rng, byte, sizeof byte));
            uint32_t back = byte[1] % (lag + 1), epoch = back <= current ? current - back : 0;
            bool has_frames = byte[0] % 4 != 0;
            seq += 1 + byte[2] % 3; /* others are between */
            if (byte[0] < 60) {
                epoch = ++current;
                has_frames = false;
            }
            experiment_rows_add(&rows, seq, epoch, has_frames ? 42 : 0, lag + 1);
            p.seq[p.count] = seq;
            p.epoch[p.count] = epoch;
            p.has_frames[p.count++] = has_frames;
            uint32_t oldest_open = current < lag ? 0 : current - lag;
            if (byte[3] % 8 == 0) experiment_rows_saved(&rows);
            uint64_t wanted = plain_removable(&p, rows.snapshot, oldest_open);
            uint64_t to = experiment_rows_removable(&rows, rows.snapshot, oldest_open);
            assert_true(to == 0 ? wanted == 0 : wanted > 0 && wanted <= to);
            if (to == 0 || byte[3] % 2 == 0) continue;
            while (p.removed < p.count && p.seq[p.removed] <= to) {
                assert_true(p.seq[p.removed++] <= wanted); /* no other row is below `to` */
                removals++;
            }
            experiment_rows_removed(&rows, to);
        }
    }
    assert_true(removals > 200);
}

static void bytes_that_no_snapshot_has_are_counted(void **state)
{
    (void)state;
    experiment_rows rows = {.snapshot = 5};
    experiment_rows_add(&rows, 4, 0, 420, 3);
    experiment_rows_add(&rows, 5, 0, 420, 3);
    assert_int_equal(rows.unsaved_bytes, 0);
    experiment_rows_add(&rows, 6, 0, 42, 3);
    experiment_rows_add(&rows, 9, 0, 84, 3);
    assert_int_equal(rows.unsaved_bytes, 126);
    assert_int_equal(rows.oldest, 4);
    assert_int_equal(rows.last, 9);
    experiment_rows_removed(&rows, 5);
    assert_int_equal(rows.oldest, 6);
    experiment_rows_saved(&rows);
    assert_int_equal(rows.unsaved_bytes, 0);
    experiment_rows_removed(&rows, 9);
    assert_int_equal(rows.oldest, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_removed_before_there_is_a_snapshot),
        cmocka_unit_test(random_rows_are_those_of_a_plain_list),
        cmocka_unit_test(bytes_that_no_snapshot_has_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
