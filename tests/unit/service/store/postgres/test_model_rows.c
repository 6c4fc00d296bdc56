/* The table of models. test_folding_models.c alters them. */
#include "connection_scene.h"
#include "service/store/postgres/inner.h"

static const uint8_t zeros[JOURNAL_DIGEST_BYTES];

static void put(uint32_t epoch, const uint8_t before[JOURNAL_DIGEST_BYTES], folding_cut cut)
{
    const folding_model model = {.experiment = 1,
                                 .epoch = epoch,
                                 .kind = JOURNAL_PUBLISH,
                                 .minute = 29,
                                 .counts = {1, 2, 3, 4},
                                 .learner = {(const uint8_t *)"learner", 7},
                                 .cut = cut};
    if (!postgres__put_model(&one, &model, before) || !postgres__run(&one, NULL, NULL))
        fail_msg("%s", one.fault.sentence);
}

typedef struct seen {
    uint32_t models, epoch;
    journal_counts counts;
    folding_cut cut;
} seen;

static bool take(void *self, const folding_model *model)
{
    seen *out = self;
    out->models++;
    out->epoch = model->epoch;
    out->counts = model->counts;
    return postgres__cut_copy(&model->cut, &out->cut);
}

TEST_WITH(a_model_that_does_not_follow_the_one_before_is_refused, start, end)
{
    seen out = {.models = 0};
    put(1, zeros, (folding_cut){.places = 0});
    put(2, zeros, (folding_cut){.places = 0});
    assert_false(postgres__read_models(&one, 1, POSTGRES_MODELS_FROM, 0, take, &out));
    assert_words(one.fault.sentence, "that opened epoch 2 is unreadable, does not follow");
    assert_int_equal(out.models, 1);
    assert_true(postgres__read_models(&one, 1, POSTGRES_MODELS_FROM, 2, take, &out));
}

TEST_WITH(an_epoch_is_not_written_twice, start, end)
{
    const folding_model model = {.experiment = 1, .epoch = 1, .kind = JOURNAL_PUBLISH};
    put(1, zeros, (folding_cut){.places = 0});
    assert_true(postgres__put_model(&one, &model, zeros));
    assert_false(postgres__run(&one, NULL, NULL));
    assert_string_equal(one.sqlstate, "23505");
}

TEST_WITH(the_last_one_comes_alone_with_its_cut, start, end)
{
    seen out = {.models = 0};
    folding_place place[2] = {{.gateway = 3, .gseq = 4}, {.gateway = 5, .gseq = 6}};
    folding_cut cut = {.place = place, .places = 2};
    memset(place[1].digest, 9, sizeof place[1].digest);
    put(1, zeros, (folding_cut){.places = 0});
    put(2, zeros, cut);
    assert_true(postgres__read_models(&one, 1, POSTGRES_MODEL_LAST, 0, take, &out));
    assert_ints(out.models, 1, out.epoch, 2, out.counts.conflicting, 4);
    assert_true(postgres__cut_is_same(&out.cut, &cut));
    out.models = 0;
    assert_true(postgres__read_models(&one, 2, POSTGRES_MODEL_LAST, 0, take, &out));
    assert_int_equal(out.models, 0);
    folding_cut_free(&out.cut);
}
