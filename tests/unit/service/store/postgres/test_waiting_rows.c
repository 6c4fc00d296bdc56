/* Rows after the cut of the last model, of all gateways. */
#include "service/store/postgres/inner.h"
#include "two_gateways_scene.h"

static const folding_cut none;

static void assert_waits(uint64_t first, uint64_t second)
{
    const uint32_t number[] = {1, 2, 9};
    uint64_t reports[] = {99, 99, 99};
    assert_done(one, journal_read_waiting(one, number, 3, reports));
    assert_ints(reports[0], first, reports[1], second);
    assert_int_equal(reports[2], 0); /* there is none */
}

TEST_WITH(inside_a_transaction_nothing_is_asked, start, end)
{
    uint64_t reports;
    assert_refused_within(one, journal_read_waiting(one, &(uint32_t){1}, 1, &reports),
                          "inside a transaction");
    assert_done(one, journal_read_waiting(one, NULL, 0, NULL));
}

/* The same count as the publisher's, whose cut it is. */
TEST_WITH(what_no_model_has_waits, start, end)
{
    assert_waits(0, 0);
    scene_append(one, 1, 0, 'a', 3);
    scene_append(two, 1, 0, 'b', 4);
    scene_append(two, 2, 0, 'c', 300);
    assert_waits(7 + 2 * 3, 300 + 3); /* including what the gateways counted */
    const folding_cut *to = scene_waiting(folding, 1, &none, 7);
    assert_true(scene_publish(folding, 1, 1, to));
    assert_waits(0, 300 + 3);
    scene_append(one, 1, 1, 'd', 5);
    sottod_journal *three = scene_gateway(); /* one that the cut does not know */
    scene_append(three, 1, 1, 'e', 6);
    assert_waits(11 + 2 * 3, 300 + 3);
    journal_close(three);
    for (uint32_t i = 0; i < 300; i++) { /* gseq and gateways of more than one byte */
        scene_append(one, 2, 0, 'f', 1);
    }
    scene_change("UPDATE gateway SET number = number + 1000 WHERE number = 2");
    scene_change("UPDATE journal SET gateway = gateway + 1000 WHERE gateway = 2");
    to = scene_waiting(folding, 2, &none, 600);
    assert_true(scene_publish(folding, 2, 1, to));
    assert_waits(15 + 3 * 3, 0); /* the first one's cut does not know that number */
}

TEST_WITH(what_an_end_has_does_not_wait, start, end)
{
    bool fenced;
    scene_append(one, 1, 0, 'a', 3);
    scene_state(one, 1, JOURNAL_CLOSED);
    assert_waits(3 + 3, 0);
    const folding_model ended = {.experiment = 1,
                                 .learner = {(const uint8_t *)"x", 1},
                                 .cut = *scene_waiting(folding, 1, &none, 3)};
    assert_folded(folding, folding_end(folding, &ended, &fenced));
    assert_waits(0, 0);
}
