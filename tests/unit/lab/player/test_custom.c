/* Methods that users bring: every misdeed has its sentence, they meet the same people as built-in
 * methods, and learn what was reported. */
#include "guests.h"
#include "lab/environment/environment.h"
#include "lab/player/player.h"
#include "scenes.h"
#include "test.h"

OWNED(sotto__player, sotto__player_free)
OWNED(sotto__world, sotto__world_free)

enum { HORIZON = 40 };

static guest user;
static sotto_player_table table;
static sotto_match match;

FIXTURE(set_up)
{
    memset(&user, 0, sizeof user);
    user.round = 5;
    table = guest_player(&user);
    match = small_match(SOTTO_PLAYER_RANDOM, SOTTO_CALIBRATION_EXACT, SOTTO_PARAMETERS_SHARED,
                        SOTTO_LINK_IDENTITY, HORIZON);
    match.custom = &table;
}

/* ---- bad ones ----------------------------------------------------------------------------- */

TEST_WITH(a_table_that_cannot_be_used_is_a_fault_of_the_match, set_up, NULL)
{
    sotto_fault fault;
    assert_ok(sotto_match_fault(&match, &fault));
    table.name = "ldp-sgd";
    assert_fault_says(sotto_match_fault(&match, &fault), fault,
                      "method: its name \"ldp-sgd\" is that of a built-in one");
    table.name = "guest";
    table.learn = NULL;
    assert_fault_says(sotto_match_fault(&match, &fault), fault,
                      "method guest: its function learn is missing");
    table.abi = 3;
    assert_fault_says(sotto_match_fault(&match, &fault), fault,
                      "method: its ABI version is 3; allowed 1");
    set_up(NULL);
    match.liars = 0.1;
    assert_status(sotto_match_fault(&match, &fault), SOTTO_E_FAULT);
    assert_non_null(strstr(fault.sentence, "only the methods that ship"));
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
    assert_ints(finished, what == MISDEED_NONE, user.made, user.freed);
    assert_int_equal(user.made, what != MISDEED_MAKE_FAILS);
    strcpy(fault, result.fault.sentence);
    return fault;
}

TEST_WITH(every_misdeed_is_told_with_its_round_its_value_and_its_bound, set_up, NULL)
{
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
                        "method guest, round 5: report did not set the number of its bytes");
    assert_string_equal(fault_of(MISDEED_LEARN_FAILS), "method guest, round 5: too late?");
    assert_string_equal(fault_of(MISDEED_ESTIMATE_IS_NAN),
                        "method guest, round 10: number 0 of its estimate is nan: only finite ones "
                        "can be used");
}

/* ---- good ones ---------------------------------------------------------------------------- */

TEST_WITH(a_method_is_told_what_the_match_says, set_up, NULL)
{
    match.spec.epsilon = 20; /* more than a codebook allows: that is up to the method */
    match.delta = 0.25;
    play_match(&match, 1);
    assert_nears(0, user.epsilon, 20, user.delta, 0.25);
    assert_int_equal(user.horizon, HORIZON);
    match.learning.horizon = 0;
    play_match(&match, 1);
    assert_int_equal(user.horizon, 0);
}

TEST_WITH(it_meets_the_people_that_ours_meet, set_up, NULL)
{
    sotto_match ours = match;
    OWN(sotto__world) world;
    ours.custom = NULL;
    play_match(&match, 9);
    assert_ok(sotto__world_new(&ours, 9, &world));
    assert_int_equal(user.seen_count, HORIZON);
    for (uint32_t t = 0; t < HORIZON; t++) {
        sotto__world_next(world);
        assert_near(user.seen[t], world->context[0], 1e-15);
    }
}

/* It is greedy along sum r x, and theta = 0 chooses arm 0. */
TEST_WITH(it_learns_what_was_reported, set_up, NULL)
{
    OWN(sotto__world) world;
    OWN(sotto__player) player;
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
}

/* Delayed reports are learned from later, unchanged. */
TEST_WITH(it_learns_from_a_report_when_that_comes, set_up, NULL)
{
    OWN(sotto__world) world;
    OWN(sotto__player) now, *later;
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
}

TEST_WITH(without_an_estimate_there_is_no_error, set_up, NULL)
{
    assert_true(play_match(&match, 1).estimation_error >= 0);
    table.estimate = NULL;
    assert_true(isnan(play_match(&match, 1).estimation_error));
}

TEST_WITH(a_rounding_that_it_leaves_behind_changes_no_number, set_up, NULL)
{
    sotto_point honest = play_match(&match, 2);
    user.misdeed = MISDEED_ROUNDS_UP;
    sotto_point careless = play_match(&match, 2);
    assert_memory_equal(&careless, &honest, sizeof honest);
}

TEST_WITH(a_match_tells_it_from_ours, set_up, NULL)
{
    match.player = SOTTO_PLAYER_SOTTO;
    assert_string_equal(sotto__match_method(&match), "guest");
    assert_false(sotto__match_is_private(&match));
    match.custom = NULL;
    assert_string_equal(sotto__match_method(&match), "sotto");
    assert_true(sotto__match_is_private(&match));
}
