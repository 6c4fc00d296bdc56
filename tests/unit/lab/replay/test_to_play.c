/* Turns a request into the matches of a file. */
#include "guests.h"
#include "lab/dataset/dataset.h"
#include "lab/replay/replay.h"
#include "schemas.h"
#include "texts.h"
#include "why.h"

static sotto_fault wrong;

#define assert_faulty(call, words)                                                                 \
    do {                                                                                           \
        assert_status(call, SOTTO_E_FAULT);                                                        \
        assert_non_null(strstr(wrong.sentence, words));                                            \
    } while (0)

#define CLASSES "number x 0 1\nnumber z 0 1\nlabel y a b d\n"
#define LOG "number x 0 1\naction a u v\nreward r -2 6\npropensity p\n"

static const sotto_player players[] = {SOTTO_PLAYER_SOTTO, SOTTO_PLAYER_OLS, SOTTO_PLAYER_LDP_OLS};
static const double epsilons[] = {1, 4};
static const uint64_t at[] = {10, 20};

static sotto_replay_request request_of(uint32_t players_count)
{
    return (sotto_replay_request){
        .player = players,
        .players_count = players_count,
        .epsilon = epsilons,
        .epsilons_count = 2,
        .parameters = SOTTO_PARAMETERS_PER_ARM,
        .delta = 1e-6,
        .seeds_count = 7,
        .passes = 1,
        .threads = 2,
        .shuffle = true,
        .people_max = SOTTO_REPLAY_UNSAID,
        .warm_up = SOTTO_REPLAY_UNSAID,
        .clip = 0.05,
        .at = at,
        .at_count = 2,
    };
}

static sotto__replay_matches matches; /* the matches made last */

FIXTURE(tear_down)
{
    sotto__replay_matches_free(&matches);
}

static void make_matches(const sotto_replay_request *request, const sotto_schema *schema,
                         const sotto__yardstick *survey)
{
    sotto__replay_matches_free(&matches);
    sotto_status status = sotto__replay_matches_of(request, schema, survey, &matches, &wrong);
    if (status != SOTTO_OK) fail_msg("%s: %s", sotto_status_text(status), wrong.sentence);
}

TEST(what_no_file_can_give_is_refused)
{
    const sotto_player oracle[] = {SOTTO_PLAYER_SOTTO, SOTTO_PLAYER_ORACLE};
    sotto_replay_request request = request_of(3);
    assert_ok(sotto_replay_request_fault(&request, true, NULL));
    request.passes = 2;
    assert_ok(sotto_replay_request_fault(&request, false, NULL));
    assert_faulty(sotto_replay_request_fault(&request, true, &wrong),
                  "passes = 2: a log is played once");
    request = request_of(2);
    request.player = oracle;
    assert_faulty(sotto_replay_request_fault(&request, false, &wrong), "method = oracle: ");
}

TEST(a_method_that_cannot_be_played_is_named)
{
    sotto__replay_matches made;
    const double large[] = {1, 20};
    FREED_BY(sotto__schema_free) sotto_schema schema = schema_of(CLASSES);
    sotto_replay_request request = request_of(1);
    request.epsilon = large;
    assert_status(sotto__replay_matches_of(&request, &schema, NULL, &made, &wrong), SOTTO_E_FAULT);
    assert_int_equal(strncmp(wrong.sentence, "sotto: ", 7), 0);
    assert_non_null(strstr(wrong.sentence, "epsilon"));
    assert_null(made.match);
    assert_int_equal(made.settings.matches_count, 0);
}

/* sotto and ldp-ols at both epsilons, ols once, and best-arm and linucb, which were not
 * requested. */
TEST_WITH(private_methods_are_played_at_every_epsilon, NULL, tear_down)
{
    FREED_BY(sotto__schema_free) sotto_schema schema = schema_of(CLASSES);
    sotto_replay_request request = request_of(3);
    make_matches(&request, &schema, NULL);
    const struct {
        sotto_player player;
        double epsilon;
    } wanted[] = {{SOTTO_PLAYER_SOTTO, 1},      {SOTTO_PLAYER_SOTTO, 4},
                  {SOTTO_PLAYER_OLS, INFINITY}, {SOTTO_PLAYER_LDP_OLS, 1},
                  {SOTTO_PLAYER_LDP_OLS, 4},    {SOTTO_PLAYER_BEST_ARM, 1},
                  {SOTTO_PLAYER_BEST_ARM, 4},   {SOTTO_PLAYER_LINUCB, INFINITY}};
    assert_int_equal(matches.settings.matches_count, 8);
    assert_ptr_equal(matches.settings.match, matches.match);
    for (uint32_t i = 0; i < 8; i++) {
        const sotto_match *match = &matches.match[i];
        assert_int_equal(match->player, wanted[i].player);
        assert_true(sotto__replay_epsilon(match) == wanted[i].epsilon);
        assert_int_equal(match->spec.dim, 3); /* two numbers and the constant */
        assert_int_equal(match->spec.arms, 3);
        assert_true(match->spec.theta_norm_max == 2);
        assert_true(match->spec.reward_lo == 0 && match->spec.reward_hi == 1);
        assert_int_equal(match->learning.epoch, 0);
    }
    assert_int_equal(matches.match[0].spec.score, SOTTO_SCORE_SELF);
    sotto__replay_matches_free(&matches);
    assert_null(matches.match);
}

TEST(a_custom_method_that_cannot_be_used_is_refused)
{
    guest user = {0};
    const sotto_player_table table = guest_player(&user), bad = {.abi = 2};
    const sotto_player_table *const twice[] = {&table, NULL, &table}, *const later[] = {&bad, NULL};
    sotto_replay_request request = request_of(3);
    request.custom = twice;
    assert_faulty(sotto_replay_request_fault(&request, false, &wrong),
                  "player[2] = guest: each method may be given only once");
    request.custom = later;
    request.players_count = 2;
    assert_faulty(sotto_replay_request_fault(&request, false, &wrong),
                  "method: its ABI version is 2; allowed 1");
}

/* Replaces ols and sotto; ols is then played although no one else requested it. */
TEST_WITH(custom_methods_are_private_by_their_own_claim, NULL, tear_down)
{
    guest user = {0};
    sotto_player_table open = guest_player(&user), claimed = open;
    open.claims_privacy = false;
    claimed.claims_privacy = true;
    claimed.name = "claimed";
    const sotto_player_table *const custom[] = {&claimed, &open};
    FREED_BY(sotto__schema_free) sotto_schema schema = schema_of(CLASSES);
    sotto_replay_request request = request_of(2);
    request.custom = custom;
    assert_ok(sotto_replay_request_fault(&request, false, NULL));
    make_matches(&request, &schema, NULL);
    const struct {
        const char *method;
        double epsilon;
    } wanted[] = {{"claimed", 1},  {"claimed", 4},    {"guest", INFINITY}, {"best-arm", 1},
                  {"best-arm", 4}, {"ols", INFINITY}, {"linucb", INFINITY}};
    assert_int_equal(matches.settings.matches_count, 7);
    for (uint32_t i = 0; i < 7; i++) {
        const sotto_match *match = &matches.match[i];
        assert_string_equal(sotto__match_method(match), wanted[i].method);
        assert_true(sotto__replay_epsilon(match) == wanted[i].epsilon);
    }
}

TEST_WITH(the_methods_without_privacy_are_played_once, NULL, tear_down)
{
    const sotto_player asked[] = {SOTTO_PLAYER_GLM_UCB, SOTTO_PLAYER_LINUCB, SOTTO_PLAYER_OLS};
    FREED_BY(sotto__schema_free) sotto_schema schema = schema_of(CLASSES);
    sotto_replay_request request = request_of(3);
    request.player = asked;
    make_matches(&request, &schema, NULL);
    assert_int_equal(matches.settings.matches_count, 3);
    request = request_of(1);
    request.link = SOTTO_LINK_LOGIT;
    make_matches(&request, &schema, NULL);
    assert_int_equal(matches.settings.matches_count, 6);
    assert_int_equal(matches.match[4].player, sotto__replay_greedy(SOTTO_LINK_LOGIT));
    assert_int_equal(matches.match[5].player, SOTTO_PLAYER_GLM_UCB);
    request.link = SOTTO_LINK_IDENTITY;
    make_matches(&request, &schema, NULL);
    assert_int_equal(matches.match[4].player, SOTTO_PLAYER_OLS);
    assert_int_equal(matches.match[5].player, SOTTO_PLAYER_LINUCB);
}

/* If it cannot be played, as above epsilon 8, the others are played without it; a request for it is
 * refused with a sentence. */
TEST_WITH(best_arm_is_played_along_where_it_can_be, NULL, tear_down)
{
    static const sotto_player lattice[] = {SOTTO_PLAYER_LDP_OLS, SOTTO_PLAYER_BEST_ARM};
    static const double epsilon[] = {4, 20};
    FREED_BY(sotto__schema_free) sotto_schema schema = schema_of(CLASSES);
    sotto_replay_request request = request_of(1);
    request.player = lattice;
    request.epsilon = epsilon;
    make_matches(&request, &schema, NULL);
    assert_ints(matches.settings.matches_count, 5, matches.match[2].player, SOTTO_PLAYER_BEST_ARM);
    assert_true(matches.match[2].spec.epsilon == 4);
    assert_int_equal(matches.match[3].player, SOTTO_PLAYER_OLS);
    request.players_count = 2;
    sotto__replay_matches_free(&matches);
    assert_status(sotto__replay_matches_of(&request, &schema, NULL, &matches, &wrong),
                  SOTTO_E_FAULT);
    assert_int_equal(strncmp(wrong.sentence, "best-arm: ", 10), 0);
    request.epsilons_count = 1;
    make_matches(&request, &schema, NULL);
    assert_int_equal(matches.settings.matches_count, 4); /* once */
}

TEST_WITH(options_reach_the_match, NULL, tear_down)
{
    FREED_BY(sotto__schema_free) sotto_schema schema = schema_of(CLASSES);
    sotto_replay_request request = request_of(3);
    request.delta = 1e-3;
    request.allow_weak_delta = true;
    request.warm_up = 41;
    make_matches(&request, &schema, NULL);
    assert_int_equal(matches.match[0].learning.warm_up, 41);
    assert_true(matches.match[3].spec.delta == 1e-3 && matches.match[3].spec.allow_weak_delta);
    assert_false(matches.match[0].spec.allow_weak_delta); /* sotto has no delta */
    assert_ints(matches.settings.seeds_count, 7, matches.settings.threads, 2);
    assert_true(matches.settings.rules.shuffle);
    assert_ptr_equal(matches.settings.rules.at, at);
    assert_int_equal(matches.settings.rules.at_count, 2);
    request = request_of(1);
    request.parameters = SOTTO_PARAMETERS_SHARED;
    make_matches(&request, &schema, NULL);
    assert_int_equal(matches.match[0].spec.dim, 9); /* the row in the place of each arm */
}

/* A limit, a look, both, neither. */
TEST(people_are_as_many_as_one_can_know)
{
    const sotto__yardstick found = {.rows = 1005};
    sotto_replay_request request = request_of(1);
    assert_int_equal(sotto__replay_people(&request, NULL), SOTTO_HORIZON_MAX);
    assert_int_equal(sotto__replay_people(&request, &found), 1005);
    request.passes = 3;
    assert_int_equal(sotto__replay_people(&request, &found), 3015);
    request.people_max = 2000;
    assert_int_equal(sotto__replay_people(&request, &found), 2000);
    assert_int_equal(sotto__replay_people(&request, NULL), 2000);
}

/* 1005 people: the last tenth is 101 of them, of the first pass whatever comes later. */
TEST_WITH(the_last_people_are_a_tenth_of_the_first_pass, NULL, tear_down)
{
    const sotto__yardstick found = {.rows = 1005, .arms = 3, .propensity_min = 1};
    FREED_BY(sotto__schema_free) sotto_schema schema = schema_of(CLASSES);
    sotto_replay_request request = request_of(1);
    request.passes = 2;
    make_matches(&request, &schema, &found);
    const sotto__replay_rules *rules = &matches.settings.rules;
    assert_ints(matches.settings.known, SOTTO_KNOWN_ROWS, rules->people_max, 2010);
    assert_ints(rules->tail_from, 904, rules->tail_until, 1005, matches.match[0].horizon, 2010);
    request.passes = 1;
    make_matches(&request, &schema, NULL);
    assert_ints(matches.settings.known, SOTTO_KNOWN_NOTHING, rules->tail_from, 0);
    assert_int_equal(matches.match[0].horizon, 0);
    request.people_max = 50;
    make_matches(&request, &schema, NULL);
    assert_ints(matches.settings.known, SOTTO_KNOWN_LIMIT, rules->tail_from, 45);
    assert_int_equal(matches.match[0].horizon, 50);
}

/* 200 events at propensity 0.5 or 0.25, half each: 1/p is 4 in one half, 2 in the other, so that
 * 0.25 (400 + 200)/2 = 75 are expected to agree. */
TEST_WITH(methods_learn_from_the_events_of_a_log_on_which_they_agree, NULL, tear_down)
{
    const sotto__yardstick found = {
        .rows = 200, .arms = 2, .clip = 0.05, .propensity_min = 0.25, .inverse_sum = 600};
    FREED_BY(sotto__schema_free) sotto_schema schema = schema_of(LOG);
    sotto_replay_request request = request_of(1);
    make_matches(&request, &schema, &found);
    const sotto__replay_rules *rules = &matches.settings.rules;
    assert_true(rules->log && rules->reward_lo == -2 && rules->reward_hi == 6);
    assert_true(rules->propensity_floor == 0.25 && rules->clip == 0.05);
    assert_ints(rules->people_max, 200, matches.match[0].horizon, 75);
    request.people_max = 1; /* half an event, because 0 means unknown */
    make_matches(&request, &schema, NULL);
    assert_int_equal(matches.match[0].horizon, 1);
    request.people_max = 100; /* of a pipe: one event of each arm's share */
    make_matches(&request, &schema, NULL);
    assert_true(rules->propensity_floor == 0.05);
    assert_int_equal(matches.match[0].horizon, 50);
}

TEST_WITH(a_table_of_rewards_outlives_the_schema, NULL, tear_down)
{
    directory f = directory_new();
    sotto_schema schema;
    file_write(f.other, (const uint8_t *)"y,a,b\na,1,0\nb,-2,1\n", 19);
    assert_silent(WHY(sotto__schema_read, text_file(&f, "label y a b\nrewards other\n"), &schema));
    directory_free(&f);
    sotto_replay_request request = request_of(1);
    make_matches(&request, &schema, NULL);
    sotto__schema_free(&schema);
    const sotto__replay_rules *rules = &matches.settings.rules;
    const double wanted[] = {1, 0, -2, 1};
    assert_memory_equal(rules->rewards, wanted, sizeof wanted);
    assert_true(rules->reward_lo == -2 && rules->reward_hi == 1);
}

static sotto_schema schema_with_arms(const char *file, const char *lines)
{
    directory f = directory_new();
    sotto_schema schema;
    file_write(f.other, (const uint8_t *)file, strlen(file));
    assert_silent(WHY(sotto__schema_read, text_file(&f, lines), &schema));
    directory_free(&f);
    return schema;
}

TEST_WITH(features_of_arms_make_the_vectors_of_shared_parameters, NULL, tear_down)
{
    FREED_BY(sotto__schema_free)
    sotto_schema schema = schema_with_arms("y,p,k\na,0,u\nb,1,v\nd,1,u\n", CLASSES
                                           "arms other\narm number p 0 1\narm category k u v\n");
    sotto_replay_request request = request_of(1);
    request.parameters = SOTTO_PARAMETERS_SHARED;
    make_matches(&request, &schema, NULL);
    assert_ints(matches.match[0].spec.dim, 3 * 3 + 1, matches.settings.rules.arm_dim, 3);
    assert_memory_equal(matches.settings.rules.arm_feature, schema.arm_feature, 9 * sizeof(double));
    assert_ptr_not_equal(matches.settings.rules.arm_feature, schema.arm_feature);
    request.parameters = SOTTO_PARAMETERS_PER_ARM;
    make_matches(&request, &schema, NULL);
    assert_int_equal(matches.match[0].spec.dim, 3);
}

TEST(people_times_arms_may_be_too_much)
{
    sotto__replay_matches made;
    sotto_schema schema =
        schema_with_arms("y,p,q\na,0,1\nb,1,0\n", "number 1..512 0 1\nlabel y a b\narms other\n"
                                                  "arm number p 0 1\narm number q 0 1\n");
    sotto_replay_request request = request_of(1);
    request.parameters = SOTTO_PARAMETERS_SHARED;
    assert_status(sotto__replay_matches_of(&request, &schema, NULL, &made, &wrong), SOTTO_E_FAULT);
    assert_string_equal(
        wrong.sentence,
        "sotto: dim = 1027: 513 numbers of a person times 2 of an arm, and 1: allowed "
        "up to 1024 with shared parameters");
    assert_null(made.match);
    sotto__schema_free(&schema);
}
