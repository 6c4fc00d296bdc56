/* How many reports wait, as a publisher would count them. */
#include "service/experiment/experiment.h"
#include "shared_desk.h"
#include "test.h"

#include <stdlib.h>

static desk d, other;

FIXTURE(start)
{
    d = shared_desk_with(NULL);
    other = shared_desk_beside(2, &d);
}

FIXTURE(end)
{
    shared_desk_free(&other);
    shared_desk_free(&d);
    shared_memory_end();
}

/* UINT64_MAX if it is not known. */
static uint64_t known(const sottod_experiment *experiment)
{
    uint64_t reports;
    return waiting_reports(experiment, &reports) ? reports : UINT64_MAX;
}

TEST_WITH(without_a_database_it_is_not_known, start, end)
{
    assert_true(known(d.experiment) == UINT64_MAX); /* nobody asked */
    waiting_ask(d.all, d.experiment);
    assert_int_equal(known(d.experiment), 0);
    shared_memory_set_away(true);
    waiting_ask(d.all, d.experiment);
    assert_true(known(d.experiment) == UINT64_MAX);
    shared_memory_set_away(false);
    waiting_ask_all(d.all, 1000);
    assert_int_equal(known(d.experiment), 0);
    shared_memory_set_away(true);
    waiting_ask_all(d.all, 2000);
    assert_true(known(d.experiment) == UINT64_MAX);
}

/* Of all gateways, until a model has them. */
TEST_WITH(any_gateway_knows_what_waits_at_all, start, end)
{
    desk_take(&d, 7);
    desk_take(&other, 5);
    for (uint32_t i = 0; i < 2; i++) {
        desk *of = i == 0 ? &d : &other;
        waiting_ask(of->all, of->experiment);
        assert_int_equal(known(of->experiment), 12);
    }
    const shared_model model = {.experiment = 1, .epoch = 1, .cut = {.gseq = {0, 1}}};
    shared.model[shared.models++] = model;
    waiting_ask(d.all, d.experiment);
    assert_int_equal(known(d.experiment), 5);
    shared.models--;
}

TEST_WITH(all_are_asked_for_at_most_once_a_second, start, end)
{
    waiting_ask_all(d.all, 5000);
    desk_take(&d, 7);
    uint32_t calls = shared.calls;
    waiting_ask_all(d.all, 5999);
    assert_ints(shared.calls, calls, known(d.experiment), 0);
    waiting_ask_all(d.all, 6000);
    assert_ints(shared.calls, calls + 1, known(d.experiment), 7);
}

/* More experiments than fit into one query are asked for in turns. */
TEST_WITH(many_are_asked_for_in_turns, start, end)
{
    sottod_experiment **live = d.all->live;
    sottod_experiment *many[WAITING_ASKED_MAX + 1];
    sottod_experiment last = *d.experiment;
    for (uint32_t i = 0; i < WAITING_ASKED_MAX; i++) {
        many[i] = d.experiment;
    }
    many[WAITING_ASKED_MAX] = &last;
    d.all->live = many;
    d.all->live_count = WAITING_ASKED_MAX + 1;
    waiting_ask_all(d.all, 1000);
    assert_true(known(&last) == UINT64_MAX);
    waiting_ask_all(d.all, 2000);
    assert_ints(known(&last), 0, d.all->waiting_next, WAITING_ASKED_MAX - 1);
    d.all->live = live;
    d.all->live_count = 1;
}

TEST_WITH(alone_with_its_journal_none_waits, start, end)
{
    HELD(desk) alone = desk_with(3, NULL);
    desk_take(&alone, 7);
    waiting_ask(alone.all, alone.experiment);
    waiting_ask_all(alone.all, 1000);
    assert_int_equal(known(alone.experiment), 0);
}
