/* Methods that people bring: every misdeed is told by a sentence, they meet the people that ours meet, and
 * learn what was reported. */
#include "guests.h"
#include "lab/environment/environment.h"
#include "lab/player/brought.h"
#include "lab/player/player_table.h"
#include "scenes.h"
#include "test.h"

#include <math.h>
#include <string.h>

enum { HORIZON = 40 };

static guest user;
static sotto_player_table table;
static sotto_match match;

static int set_up(void **state)
{
    (void)state;
    memset(&user, 0, sizeof user);
    user.round = 5;
    table = guest_player(&user);
    match = small_match(SOTTO_PLAYER_RANDOM, SOTTO_CALIBRATION_EXACT, SOTTO_PARAMETERS_SHARED,
                        SOTTO_LINK_IDENTITY, HORIZON);
    match.brought = &table;
    return 0;
}

/* ---- bad ones ----------------------------------------------------------------------------- */

static void a_table_that_cannot_be_used_is_a_fault_of_the_match(void **state)
{
    (void)state;
    char text[SOTTO_FAULT_BYTES];
    assert_null(sotto_match_fault(&match, text));
    table.name = "ldp-sgd";
    assert_string_equal(sotto_match_fault(&match, text),
                        "method: its name is \"ldp-sgd\", which is one of ours");
    table.name = "guest";
    table.learn = NULL;
    assert_string_equal(sotto_match_fault(&match, text),
                        "method guest: its function learn is missing");
    table.abi = 3;
    assert_string_equal(sotto_match_fault(&match, text),
                        "method: its ABI version is 3, this is version 1");
    set_up(NULL);
    match.liars = 0.1;
    assert_non_null(strstr(sotto_match_fault(&match, text), "only the methods that ship"));
}

static const char *fault_of(misdeed what)
{
    static char fault[SOTTO_FAULT_BYTES];
    sotto_point point[2] = {{.t = 10}, {.t = HORIZON}};
    sotto_run_result result;
    bool finished;
    set_up(NULL);
    user.misdeed = what;
    sotto_status status = sotto_match_play(&match, 3, point, 2, NULL, &result, &finished);
    assert_int_equal(status, what == MISDEED_NONE ? SOTTO_OK : SOTTO_E_PLUGIN);
    assert_int_equal(finished, what == MISDEED_NONE);
    assert_int_equal(user.made, user.freed);
    assert_int_equal(user.made, what != MISDEED_MAKE_FAILS);
    strcpy(fault, result.fault);
    return fault;
}

static void every_misdeed_is_told_with_its_round_its_value_and_its_bound(void **state)
{
    (void)state;
    assert_string_equal(fault_of(MISDEED_NONE), "");
    assert_string_equal(fault_of(MISDEED_MAKE_FAILS), "method guest: no chair is free");
    assert_string_equal(fault_of(MISDEED_ROOM_TOO_LARGE),
                        "method guest: report_bytes_max = 16777217: allowed 0 to 16777216");
    assert_string_equal(fault_of(MISDEED_DECIDE_FAILS), "method guest, round 5: heads, or tails?");
    assert_string_equal(fault_of(MISDEED_ARM_TOO_LARGE),
                        "method guest, round 5: decide chose arm 4: allowed 0 to 3");
    assert_string_equal(fault_of(MISDEED_ARM_LEFT_OUT),
                        "method guest, round 5: decide chose no arm");
    assert_string_equal(fault_of(MISDEED_REPORT_FAILS), "method guest, round 5: nothing to say");
    assert_string_equal(fault_of(MISDEED_REPORT_TOO_LONG),
                        "method guest, round 5: report wrote 25 bytes: allowed 0 to its own "
                        "report_bytes_max = 24");
    assert_string_equal(fault_of(MISDEED_REPORT_OVERFLOWS),
                        "method guest, round 5: report wrote more bytes: allowed 0 to its own "
                        "report_bytes_max = 24");
    assert_string_equal(fault_of(MISDEED_REPORT_WITHOUT_LENGTH),
                        "method guest, round 5: report did not say how many bytes it has");
    assert_string_equal(fault_of(MISDEED_LEARN_FAILS), "method guest, round 5: too late?");
    assert_string_equal(fault_of(MISDEED_ESTIMATE_IS_NAN),
                        "method guest, round 10: number 0 of its estimate is nan: only finite ones "
                        "can be used");
}

/* ---- good ones ---------------------------------------------------------------------------- */

static void a_method_is_told_what_the_match_says(void **state)
{
    (void)state;
    match.spec.epsilon = 20; /* more than a codebook has: it is the method's own affair */
    match.delta = 0.25;
    play_match(&match, 1);
    assert_near(user.epsilon, 20, 0);
    assert_near(user.delta, 0.25, 0);
    assert_int_equal(user.horizon, HORIZON);
    match.learning.horizon = 0;
    play_match(&match, 1);
    assert_int_equal(user.horizon, 0);
}

static void it_meets_the_people_that_ours_meet(void **state)
{
    (void)state;
    sotto_match ours = match;
    sotto__world *world;
    ours.brought = NULL;
    play_match(&match, 9);
    assert_ok(sotto__world_new(&ours, 9, &world));
    assert_int_equal(user.seen_count, HORIZON);
    for (uint32_t t = 0; t < HORIZON; t++) {
        sotto__world_next(world);
        assert_near(user.seen[t], world->context[0], 1e-15);
    }
    sotto__world_free(world);
}

/* It is greedy along sum r x, and theta = 0 chooses arm 0. */
static void it_learns_what_was_reported(void **state)
{
    (void)state;
    sotto__world *world;
    sotto__player *player;
    double sum[3] = {0};
    assert_ok(sotto__world_new(&match, 4, &world));
    assert_ok(sotto__player_new(&match, 4, world, &player));
    for (int t = 0; t < HORIZON; t++) {
        uint32_t arm;
        sotto__world_next(world);
        assert_ok(player->decide(player, world->context, &arm));
        if (t == 0) assert_int_equal(arm, 0);
        double reward = sotto__world_reward(world, arm);
        assert_ok(player->learn(player, reward));
        double clipped = fmax(match.spec.reward_lo, fmin(match.spec.reward_hi, reward));
        for (int i = 0; i < 3; i++) {
            sum[i] += clipped * world->context[arm * 3 + (uint32_t)i];
            assert_near(player->estimate(player)[i], sum[i], 1e-12);
        }
    }
    assert_int_equal(player->repairs(player), 0);
    sotto__player_free(player);
    sotto__world_free(world);
}

/* Reports that are on their way are learnt from later, and are the same. */
static void it_learns_from_a_report_when_that_comes(void **state)
{
    (void)state;
    sotto__world *world;
    sotto__player *now, *later;
    double sent[2][64];
    assert_ok(sotto__world_new(&match, 4, &world));
    assert_ok(sotto__player_new(&match, 4, world, &now));
    assert_ok(sotto__player_new(&match, 4, world, &later));
    assert_in_range(later->sent_bytes, 1, sizeof sent[0]);
    const double rewards[2] = {0.5, -0.25};
    for (int i = 0; i < 2; i++) {
        uint32_t arm;
        sotto__world_next(world);
        assert_ok(later->decide(later, world->context, &arm));
        assert_int_equal(arm, 0); /* it knows nothing yet */
        assert_ok(later->send(later, rewards[i], sent[i]));
        assert_true(later->estimate(later)[0] == 0);
        if (i == 1) break;
        assert_ok(now->decide(now, world->context, &arm));
        assert_ok(now->learn(now, rewards[i]));
    }
    assert_ok(later->receive(later, sent[0], 0));
    assert_memory_equal(later->estimate(later), now->estimate(now), 3 * sizeof(double));
    assert_ok(later->receive(later, sent[1], 0));
    assert_true(later->estimate(later)[0] != now->estimate(now)[0]);
    sotto__player_free(now);
    sotto__player_free(later);
    sotto__world_free(world);
}

static void without_an_estimate_there_is_no_error(void **state)
{
    (void)state;
    assert_true(play_match(&match, 1).estimation_error >= 0);
    table.estimate = NULL;
    assert_true(isnan(play_match(&match, 1).estimation_error));
}

static void a_rounding_that_it_leaves_behind_changes_no_number(void **state)
{
    (void)state;
    sotto_point honest = play_match(&match, 2);
    user.misdeed = MISDEED_ROUNDS_UP;
    sotto_point careless = play_match(&match, 2);
    assert_memory_equal(&careless, &honest, sizeof honest);
}

static void a_match_tells_it_from_ours(void **state)
{
    (void)state;
    match.player = SOTTO_PLAYER_SOTTO;
    assert_string_equal(sotto__match_method(&match), "guest");
    assert_false(sotto__match_is_private(&match));
    match.brought = NULL;
    assert_string_equal(sotto__match_method(&match), "sotto");
    assert_true(sotto__match_is_private(&match));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_table_that_cannot_be_used_is_a_fault_of_the_match, set_up),
        cmocka_unit_test_setup(every_misdeed_is_told_with_its_round_its_value_and_its_bound,
                               set_up),
        cmocka_unit_test_setup(a_method_is_told_what_the_match_says, set_up),
        cmocka_unit_test_setup(it_meets_the_people_that_ours_meet, set_up),
        cmocka_unit_test_setup(it_learns_what_was_reported, set_up),
        cmocka_unit_test_setup(it_learns_from_a_report_when_that_comes, set_up),
        cmocka_unit_test_setup(without_an_estimate_there_is_no_error, set_up),
        cmocka_unit_test_setup(a_rounding_that_it_leaves_behind_changes_no_number, set_up),
        cmocka_unit_test_setup(a_match_tells_it_from_ours, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
