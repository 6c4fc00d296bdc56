/* The row that records how an experiment ended. */
#include "gateway_scene.h"
#include "service/store/postgres/inner.h"

static void put(void)
{
    folding_place place = {.gateway = 3, .gseq = 4, .digest = {5}};
    const folding_model ended = {.experiment = 1,
                                 .epoch = 2,
                                 .counts = {6, 7, 8, 9},
                                 .learner = {(const uint8_t *)"the-learner", 11},
                                 .cut = {.place = &place, .places = 1}};
    assert_folded(folding, postgres__put_ended(&folding->connection, &ended));
    assert_folded(folding, postgres__run(&folding->connection, NULL, NULL));
}

static bool take(void *self, const folding_model *ended)
{
    return scene_add(self, "%u:%u:%llu:%llu:%.*s:%u/%llu ", ended->experiment, ended->epoch,
                     (unsigned long long)ended->counts.folded,
                     (unsigned long long)ended->counts.conflicting, (int)ended->learner.bytes,
                     (const char *)ended->learner.at, ended->cut.place[0].gateway,
                     (unsigned long long)ended->cut.place[0].gseq);
}

TEST_WITH(it_comes_back_as_it_was_written, start, end)
{
    scene_text out = {.text = ""};
    assert_folded(folding, folding_read_ended(folding, 1, take, &out));
    assert_string_equal(out.text, "");
    put();
    assert_folded(folding, folding_read_ended(folding, 1, take, &out));
    assert_string_equal(out.text, "1:2:6:9:the-learner:3/4 ");
}

TEST_WITH(one_that_was_altered_is_refused, start, end)
{
    static const char *const alter[] = {
        "epoch = 1", "folded = 5", "late = -1",     "duplicate = 5",          "conflicting = 5",
        "cut = ''",  "cut = 'x'",  "learner = 'y'", "digest = sha256(digest)"};
    put();
    scene_save("ended");
    for (size_t i = 0; i < sizeof alter / sizeof alter[0]; i++) {
        char sql[120];
        scene_text out = {.text = ""};
        scene_restore("ended");
        snprintf(sql, sizeof sql, "UPDATE ended SET %s", alter[i]);
        scene_change(sql);
        assert_not_folded(folding, folding_read_ended(folding, 1, take, &out),
                          "is damaged: the end of experiment 1");
        assert_string_equal(out.text, "");
    }
}

static bool take_snapshot(void *self, const journal_snapshot *snapshot)
{
    return scene_add(self, "%u:%d ", (unsigned)snapshot->seq, snapshot->ended);
}

/* A damaged row of the end does not keep a gateway from the model. */
TEST_WITH(a_gateway_reads_the_last_model_and_then_the_end, start, end)
{
    static const folding_cut none;
    static const char *const wanted[] = {"1:0 ", "1:0 2:1 ", "1:0 "};
    assert_true(scene_publish(folding, 1, 1, &none));
    for (uint32_t i = 0; i < 3; i++) {
        bool found;
        scene_text out = {.text = ""};
        if (i == 1) put();
        if (i == 2) scene_change("UPDATE ended SET folded = 5");
        assert_done(gateway, journal_read_snapshot(gateway, 1, take_snapshot, &out, &found));
        assert_true(found);
        assert_string_equal(out.text, wanted[i]);
    }
}
