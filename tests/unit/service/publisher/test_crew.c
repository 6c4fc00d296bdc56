/* Each experiment is folded by one process, and all processes fold about the same number. */
#include "publisher_scene.h"
#include "service/publisher/inner.h"

#define MANY 12u

static publisher_scene s;
static sottod_folding *other;
static publisher_known *one[MANY], *two[MANY]; /* what each of the two knows */
static publisher_crew first, second;

FIXTURE(start)
{
    sotto_fault fault;
    s = publisher_scene_new(false);
    other = folding_new(NULL);
    first = second = (publisher_crew){.size = 0};
    for (uint32_t i = 0; i < MANY; i++) {
        one[i] = publisher_known_new(&shared.experiment[0], 100000, s.now_ms, &fault);
        two[i] = publisher_known_new(&shared.experiment[0], 100000, s.now_ms, &fault);
        one[i]->number = two[i]->number = i + 1;
        one[i]->awake = two[i]->awake = true;
        one[i]->arrived_ms = two[i]->arrived_ms = s.now_ms;
    }
}

FIXTURE(end)
{
    for (uint32_t i = 0; i < MANY; i++) {
        publisher_known_free(one[i]);
        publisher_known_free(two[i]);
    }
    publisher_crew_forget(&first);
    publisher_crew_forget(&second);
    folding_free(other);
    publisher_scene_free(&s);
}

static bool wants(const publisher_known *known, uint64_t now_ms)
{
    (void)now_ms;
    return known->awake;
}

static void turn(uint64_t later_ms)
{
    s.now_ms += later_ms;
    assert_true(publisher_crew_turn(&first, s.folding, one, MANY, wants, s.now_ms));
    assert_true(publisher_crew_turn(&second, other, two, MANY, wants, s.now_ms));
    for (uint32_t i = 0; i < MANY; i++) {
        assert_false(one[i]->mine && two[i]->mine);
    }
}

TEST_WITH(a_database_that_is_away_is_said_to_be, start, end)
{
    shared_memory_set_away(true);
    assert_false(publisher_crew_turn(&first, s.folding, one, MANY, wants, s.now_ms));
}

TEST_WITH(who_is_alone_takes_all, start, end)
{
    turn(0);
    assert_ints(first.mine, MANY, second.mine, 0);
    uint32_t asked = folding_memory_look().taken;
    turn(999);
    assert_int_equal(folding_memory_look().taken,
                     asked); /* another process's experiments are rarely asked for */
    turn(1);
    assert_int_equal(folding_memory_look().taken, asked + 1); /* and all in one query */
}

TEST_WITH(several_share_what_is_busy, start, end)
{
    shared.crew = 2;
    turn(0);
    turn(0);                         /* it asked first for the other process's experiment */
    assert_int_equal(first.mine, 7); /* half of 12, plus one */
    assert_int_equal(second.mine, 5);
}

/* A process joins: the other releases its surplus, but keeps what it has partly folded. */
TEST_WITH(who_comes_later_gets_its_share, start, end)
{
    turn(0);
    assert_int_equal(publisher_known_load(one[0], s.folding), EPOCH_DONE);
    desk_take(&s.one, 4);
    const folding_cut *to;
    uint64_t reports;
    assert_true(folding_waiting(s.folding, 1, &one[0]->cut, &to, &reports));
    assert_int_equal(publisher_attempt(one[0], s.folding, s.fold, to, DESK_MINUTE), EPOCH_TOO_FEW);
    shared.crew = 2;
    for (uint32_t i = 0; i < MANY; i++) {
        one[i]->arrived_ms = two[i]->arrived_ms = s.now_ms + 5000;
    }
    turn(5000);
    assert_int_equal(first.mine, 7);
    assert_true(one[0]->mine);
    turn(1000);
    assert_int_equal(second.mine, 5);
    turn(5000); /* nothing changes any more */
    assert_int_equal(first.mine, 7);
    for (uint32_t i = 0; i < MANY; i++) {
        one[i]->awake = two[i]->awake = false;
    }
    turn(20000); /* nothing is busy any more */
    assert_ints(first.mine, 7, second.mine, 5);
}

/* A process counts as part of the crew and does nothing. */
/* Another process may have published it: the age of its epoch is asked again. */
TEST_WITH(what_is_taken_has_no_known_time, start, end)
{
    for (uint32_t i = 0; i < MANY; i++) {
        one[i]->paced = two[i]->paced = true;
    }
    turn(0);
    for (uint32_t i = 0; i < MANY; i++) {
        assert_false(one[i]->paced);
        assert_true(two[i]->paced); /* not taken */
    }
}

TEST_WITH(what_nobody_takes_is_taken, start, end)
{
    shared.crew = 12;
    assert_true(publisher_crew_turn(&first, s.folding, one, MANY, wants, s.now_ms));
    assert_int_equal(first.mine, 2);
    assert_true(publisher_crew_turn(&first, s.folding, one, MANY, wants, s.now_ms + 1999));
    assert_int_equal(first.mine, 2);
    assert_true(publisher_crew_turn(&first, s.folding, one, MANY, wants, s.now_ms + 2000));
    assert_int_equal(first.mine, MANY);
}

TEST_WITH(who_dies_is_followed, start, end)
{
    turn(0);
    folding_hang_up(s.folding);
    for (uint32_t i = 0; i < MANY; i++) {
        one[i]->mine = one[i]->awake = false;
    }
    turn(1000);
    assert_int_equal(second.mine, MANY);
}

TEST_WITH(what_is_quiet_is_let_go_and_unloaded, start, end)
{
    turn(0);
    one[0]->number = 1;
    assert_int_equal(publisher_known_load(one[0], s.folding), EPOCH_DONE);
    for (uint32_t i = 0; i < MANY; i++) {
        one[i]->awake = two[i]->awake = i == 1;
    }
    turn(60001);
    assert_int_equal(first.mine, 1);
    assert_null(one[0]->engine->nonces);
    publisher_crew_drop(&first, one[1]); /* the experiment is no longer known */
    publisher_crew_drop(&first, one[0]); /* this process did not own it */
    one[1]->mine = one[1]->awake = false;
    assert_int_equal(first.mine, 0);
    turn(1000);
    assert_ints(first.mine, 0, second.mine, 1);
}

/* A single process with more experiments than it may hold: each gets its turn. */
TEST_WITH(with_too_many_each_has_its_turn, start, end)
{
    bool had[MANY] = {false};
    first.most = 4;
    for (uint32_t k = 0; k < 20; k++) {
        s.now_ms += 3000;
        assert_true(publisher_crew_turn(&first, s.folding, one, MANY, wants, s.now_ms));
        assert_true(first.mine <= 4);
        for (uint32_t i = 0; i < MANY; i++) {
            one[i]->ask_ms = one[i]->mine ? s.now_ms + 3001 : 0; /* it was looked at */
            had[i] = had[i] || one[i]->mine;
        }
    }
    for (uint32_t i = 0; i < MANY; i++) {
        assert_true(had[i]);
    }
}
