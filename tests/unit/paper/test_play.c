/* Playing all parts: what is finished is kept, and what is kept is not played again. */
#include "lab/run/run.h"
#include "paper/paper.h"
#include "reproductions.h"
#include "texts.h"
#include "why.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* A listener that notes what it hears. */
typedef struct heard {
    bool stops;
    double stops_at; /* a share of the work, 0: none */
    uint32_t asked, told;
    double known, done, total;
    char sentence[SOTTO_FAULT_BYTES], what[100];
} heard;

static void note_progress(void *state, const char *what, double known, double done, double total)
{
    heard *h = state;
    assert_true(done >= h->done && total > 0);
    h->done = done;
    h->total = total;
    h->known = known;
    h->stops |= h->stops_at > 0 && done > h->stops_at * total;
    snprintf(h->what, sizeof h->what, "%s", what);
}

static bool note_question(void *state)
{
    heard *h = state;
    h->asked++;
    return h->stops;
}

static void note_sentence(void *state, const char *sentence)
{
    heard *h = state;
    h->told++;
    snprintf(h->sentence, sizeof h->sentence, "%s", sentence);
}

static sotto__reproduction_listener listener_of(heard *h)
{
    return (sotto__reproduction_listener){
        .progress = note_progress, .stops = note_question, .tell = note_sentence, .state = h};
}

typedef struct place {
    directory f;
    char published[DIRECTORY_PATH_BYTES + 100]; /* the runs of the first part */
    sotto__reproduction_settings settings;
} place;

static void begin(place *p, uint64_t horizon)
{
    char runs[DIRECTORY_PATH_BYTES + 100];
    p->f = directory_new();
    p->settings = settings_made("shared-d2", 2, horizon);
    p->settings.out = p->f.path;
    snprintf(runs, sizeof runs, "%s/runs", p->f.path);
    snprintf(p->published, sizeof p->published, "%.150s/shared-d2-published-%u.jsonl", runs,
             (unsigned)horizon);
    assert_int_equal(mkdir(runs, 0700), 0);
}

static sotto__reproduction *made(const place *p)
{
    sotto__reproduction *r;
    assert_silent(WHY(sotto__reproduction_new, &p->settings, &r));
    return r;
}

TEST(runs_that_cannot_be_kept_are_a_fault)
{
    heard h = {0};
    const sotto__reproduction_listener listener = listener_of(&h);
    place p;
    begin(&p, 20);
    p.settings.out = "/nowhere";
    sotto__reproduction *r = made(&p);
    assert_says(WHY(sotto__reproduction_play, r, &listener), why_fault.sentence,
                "/nowhere/runs/shared-d2-published-20.jsonl: No such file");
    assert_false(r->foreign);
    sotto__reproduction_free(r);
    directory_free_page(&p.f);
}

TEST(runs_of_another_comparison_are_refused)
{
    heard h = {0};
    const sotto__reproduction_listener listener = listener_of(&h);
    place p;
    begin(&p, 20);
    sotto__reproduction *r = made(&p);
    assert_silent(WHY(sotto__reproduction_play, r, &listener));
    sotto__reproduction_free(r);
    p.settings.first_seed = 2;
    r = made(&p);
    assert_says(WHY(sotto__reproduction_play, r, &listener), why_fault.sentence, "another sweep");
    assert_true(r->foreign);
    sotto__reproduction_free(r);
    text_file(&p.f, "");
    file_write(p.published, (const uint8_t *)"thesis\n", 7);
    r = made(&p);
    assert_says(WHY(sotto__reproduction_play, r, &listener), why_fault.sentence,
                "not a file of rows");
    assert_false(r->foreign);
    sotto__reproduction_free(r);
    directory_free_page(&p.f);
}

/* A hundred million rounds are not played in the tenth of a second before it is asked. */
TEST(a_listener_can_stop_it)
{
    heard h = {.stops = true};
    const sotto__reproduction_listener listener = listener_of(&h);
    place p;
    begin(&p, 100000000);
    sotto__reproduction *r = made(&p);
    assert_says(WHY(sotto__reproduction_play, r, &listener), why_fault.sentence,
                "stopped: 0 of 78 runs are finished and kept in ");
    assert_int_equal(h.asked, 1);
    assert_string_equal(h.what, "shared-d2");
    assert_true(h.done > 0 && h.done < h.total);
    sotto__reproduction_free(r);
    directory_free_page(&p.f);
}

/* The share of the work that is finished. */
static double finished_share(const sotto__reproduction *r)
{
    double finished = 0, all = 0;
    for (uint32_t i = 0; i < r->parts_count; i++) {
        const sotto__part *part = &r->part[i];
        for (uint64_t run = 0; run < sotto_sweep_runs(&part->comparison.sweep); run++) {
            const sotto_match *match = sotto__comparison_match(&part->comparison, run);
            double work = sotto__round_weight(match) * (double)part->horizon;
            all += work;
            finished += part->results.run[run].done ? work : 0;
        }
    }
    return finished / all;
}

/* The work counts from its true beginning: what is kept is done, and took no time now. */
TEST(what_is_kept_counts_as_done)
{
    heard first = {.stops_at = 0.15}, again = {.stops_at = 0.01};
    const sotto__reproduction_listener listener = listener_of(&first), second = listener_of(&again);
    place p;
    begin(&p, 20000);
    sotto__reproduction *r = made(&p);
    assert_says(WHY(sotto__reproduction_play, r, &listener), why_fault.sentence, "stopped: ");
    double kept = finished_share(r);
    assert_true(kept > 0);
    assert_true(first.known == 0 && first.done < first.total);
    sotto__reproduction_free(r);
    r = made(&p);
    assert_says(WHY(sotto__reproduction_play, r, &second), why_fault.sentence, "stopped: ");
    assert_true(again.total == first.total);
    assert_true(again.known > 0 && again.known <= again.done);
    assert_true(fabs(again.known / again.total - kept) < 1e-12);
    sotto__reproduction_free(r);
    directory_free_page(&p.f);
}

static void are_the_same(const sotto__reproduction *a, const sotto__reproduction *b)
{
    for (uint32_t i = 0; i < a->parts_count; i++) {
        const sotto__results *one = &a->part[i].results, *other = &b->part[i].results;
        uint64_t runs = sotto_sweep_runs(&a->part[i].comparison.sweep);
        assert_int_equal(one->done_count, runs);
        assert_int_equal(other->done_count, runs);
        for (uint64_t k = 0; k < runs * one->at_count; k++) {
            assert_int_equal(one->point[k].t, other->point[k].t);
            assert_memory_equal(&one->point[k].regret, &other->point[k].regret, sizeof(double));
        }
    }
}

static uint32_t played_count(const sotto__part *part)
{
    uint32_t count = 0;
    for (uint64_t i = 0; i < sotto_sweep_runs(&part->comparison.sweep); i++) {
        count += part->results.run[i].played;
    }
    return count;
}

TEST(what_is_kept_is_not_played_again)
{
    heard h = {0};
    const sotto__reproduction_listener listener = listener_of(&h);
    place p;
    begin(&p, 20);
    sotto__reproduction *first = made(&p), *again = made(&p);
    assert_silent(WHY(sotto__reproduction_play, first, &listener));
    assert_int_equal(played_count(&first->part[0]), 30);
    assert_int_equal(played_count(&first->part[1]), 48);
    assert_silent(WHY(sotto__reproduction_play, again, &listener));
    assert_int_equal(played_count(&again->part[0]) + played_count(&again->part[1]), 0);
    are_the_same(first, again);
    assert_int_equal(h.told, 0);
    sotto__reproduction_free(first);
    sotto__reproduction_free(again);
    directory_free_page(&p.f);
}

/* As after a crash: the last run is there by half. */
TEST(an_end_that_was_cut_off_is_told_and_played_again)
{
    static uint8_t bytes[1 << 20];
    heard h = {0};
    const sotto__reproduction_listener listener = listener_of(&h);
    place p;
    begin(&p, 20);
    sotto__reproduction *first = made(&p), *again = made(&p);
    assert_silent(WHY(sotto__reproduction_play, first, &listener));
    size_t count = file_read(p.published, bytes, sizeof bytes);
    file_write(p.published, bytes, count - 86); /* its last line has 76 */
    assert_silent(WHY(sotto__reproduction_play, again, &listener));
    assert_int_equal(h.told, 1);
    assert_non_null(strstr(h.sentence, "shared-d2-published-20.jsonl: the end was cut off; "));
    assert_int_equal(played_count(&again->part[0]), 1);
    are_the_same(first, again);
    sotto__reproduction_free(first);
    sotto__reproduction_free(again);
    directory_free_page(&p.f);
}

/* 78 runs, 16 or 15 of each of 5 shards. */
TEST(a_shard_plays_its_own_runs_and_finishes_a_file_of_each_part)
{
    char runs[DIRECTORY_PATH_BYTES + 100];
    sotto__rows_file file;
    heard h = {0};
    const sotto__reproduction_listener listener = listener_of(&h);
    place p;
    begin(&p, 20);
    p.settings.shard = (sotto__shard){2, 5, 0};
    sotto__reproduction *first = made(&p), *again = made(&p);
    assert_silent(WHY(sotto__reproduction_play, first, &listener));
    assert_int_equal(played_count(&first->part[1]), 10);
    snprintf(runs, sizeof runs, "%s/runs/shared-d2-exact-20.jsonl", p.f.path);
    assert_int_equal(unlink(runs), 0);
    assert_silent(WHY(sotto__reproduction_play, again, &listener));
    assert_int_equal(played_count(&again->part[0]), 0); /* what is kept is not played again */
    assert_int_equal(again->part[0].results.done_count, 6);
    assert_int_equal(played_count(&again->part[1]), 10);
    assert_silent(WHY(sotto__rows_file_read, runs, &file));
    assert_true(file.whole);
    assert_int_equal(file.runs_there, 10);
    assert_int_equal(file.head.shard.dealt, 30);
    sotto__reproduction_free(first);
    sotto__reproduction_free(again);
    directory_free_page(&p.f);
}

TEST(rounds_with_more_to_do_weigh_more)
{
    sotto_match match = {.player = SOTTO_PLAYER_RANDOM,
                         .calibration = SOTTO_CALIBRATION_EXACT,
                         .spec = {.dim = 10, .arms = 10}};
    double least = sotto__round_weight(&match);
    assert_true(least > 0);
    for (uint32_t p = 0; p < SOTTO_PLAYERS; p++) {
        match.player = (sotto_player)p;
        match.spec.dim = 10;
        double small = sotto__round_weight(&match);
        match.spec.dim = 100;
        assert_true(small >= least && sotto__round_weight(&match) > small);
    }
    /* The authors' code keeps one matrix over all arms. */
    match.player = SOTTO_PLAYER_LDP_UCB;
    match.spec.parameters = SOTTO_PARAMETERS_PER_ARM;
    double exact = sotto__round_weight(&match);
    match.calibration = SOTTO_CALIBRATION_PUBLISHED;
    assert_true(sotto__round_weight(&match) > 5 * exact);
}
