/* From what is asked to the matches of a file. */
#include "lab/dataset/schema_file.h"
#include "lab/replay/to_play.h"
#include "texts.h"

#include <math.h>

static char fault[SOTTO_FAULT_BYTES], text[SOTTO_FAULT_BYTES];

#define CLASSES "number x 0 1\nnumber z 0 1\nlabel y a b d\n"
#define LOG "number x 0 1\naction a u v\nreward r -2 6\npropensity p\n"

static sotto_schema schema_of(const char *lines)
{
    folder f = folder_new();
    sotto_schema schema;
    assert_silent(sotto__schema_read(text_file(&f, lines), &schema, fault));
    folder_free(&f);
    return schema;
}

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

static sotto__replay_matches matches_of(const sotto_replay_request *request,
                                        const sotto_schema *schema, const sotto__yardstick *survey)
{
    sotto__replay_matches matches;
    sotto_status status = sotto__replay_matches_of(request, schema, survey, &matches, text);
    if (status != SOTTO_OK) fail_msg("%s: %s", sotto_status_text(status), text);
    return matches;
}

static void what_no_file_can_give_is_refused(void **state)
{
    (void)state;
    const sotto_player oracle[] = {SOTTO_PLAYER_SOTTO, SOTTO_PLAYER_ORACLE};
    sotto_replay_request request = request_of(3);
    assert_silent(sotto_replay_request_fault(&request, true, text));
    request.passes = 2;
    assert_silent(sotto_replay_request_fault(&request, false, text));
    assert_says(sotto_replay_request_fault(&request, true, text), text,
                "passes = 2: a log is played once");
    request = request_of(2);
    request.player = oracle;
    assert_says(sotto_replay_request_fault(&request, false, text), text, "method = oracle: ");
}

static void a_method_that_cannot_be_played_is_named(void **state)
{
    (void)state;
    const double large[] = {1, 20};
    sotto_schema schema = schema_of(CLASSES);
    sotto_replay_request request = request_of(1);
    sotto__replay_matches matches;
    request.epsilon = large;
    assert_status(sotto__replay_matches_of(&request, &schema, NULL, &matches, text), SOTTO_E_FAULT);
    assert_int_equal(strncmp(text, "sotto: ", 7), 0);
    assert_non_null(strstr(text, "epsilon"));
    assert_null(matches.match);
    assert_int_equal(matches.settings.matches_count, 0);
    sotto__schema_free(&schema);
}

/* sotto and ldp-ols at both epsilons, ols once, and best-arm and linucb, which nobody asked for. */
static void private_methods_are_played_at_every_epsilon(void **state)
{
    (void)state;
    sotto_schema schema = schema_of(CLASSES);
    sotto_replay_request request = request_of(3);
    sotto__replay_matches matches = matches_of(&request, &schema, NULL);
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
    sotto__schema_free(&schema);
}

static void the_methods_without_privacy_are_played_once(void **state)
{
    (void)state;
    const sotto_player asked[] = {SOTTO_PLAYER_GLM_UCB, SOTTO_PLAYER_LINUCB, SOTTO_PLAYER_OLS};
    sotto_schema schema = schema_of(CLASSES);
    sotto_replay_request request = request_of(3);
    request.player = asked;
    sotto__replay_matches matches = matches_of(&request, &schema, NULL);
    assert_int_equal(matches.settings.matches_count, 3);
    sotto__replay_matches_free(&matches);
    request = request_of(1);
    request.link = SOTTO_LINK_LOGIT;
    matches = matches_of(&request, &schema, NULL);
    assert_int_equal(matches.settings.matches_count, 6);
    assert_int_equal(matches.match[4].player, sotto__replay_greedy(SOTTO_LINK_LOGIT));
    assert_int_equal(matches.match[5].player, SOTTO_PLAYER_GLM_UCB);
    sotto__replay_matches_free(&matches);
    request.link = SOTTO_LINK_IDENTITY;
    matches = matches_of(&request, &schema, NULL);
    assert_int_equal(matches.match[4].player, SOTTO_PLAYER_OLS);
    assert_int_equal(matches.match[5].player, SOTTO_PLAYER_LINUCB);
    sotto__replay_matches_free(&matches);
    sotto__schema_free(&schema);
}

/* Where it cannot be played, as above epsilon 8, others go on without; whoever asks for it is told. */
static void best_arm_is_played_along_where_it_can_be(void **state)
{
    (void)state;
    static const sotto_player lattice[] = {SOTTO_PLAYER_LDP_OLS, SOTTO_PLAYER_BEST_ARM};
    static const double epsilon[] = {4, 20};
    sotto_schema schema = schema_of(CLASSES);
    sotto_replay_request request = request_of(1);
    sotto__replay_matches matches;
    request.player = lattice;
    request.epsilon = epsilon;
    matches = matches_of(&request, &schema, NULL);
    assert_int_equal(matches.settings.matches_count, 5);
    assert_int_equal(matches.match[2].player, SOTTO_PLAYER_BEST_ARM);
    assert_true(matches.match[2].spec.epsilon == 4);
    assert_int_equal(matches.match[3].player, SOTTO_PLAYER_OLS);
    sotto__replay_matches_free(&matches);
    request.players_count = 2;
    assert_status(sotto__replay_matches_of(&request, &schema, NULL, &matches, text), SOTTO_E_FAULT);
    assert_int_equal(strncmp(text, "best-arm: ", 10), 0);
    request.epsilons_count = 1;
    matches = matches_of(&request, &schema, NULL);
    assert_int_equal(matches.settings.matches_count, 4); /* once */
    sotto__replay_matches_free(&matches);
    sotto__schema_free(&schema);
}

static void options_reach_the_match(void **state)
{
    (void)state;
    sotto_schema schema = schema_of(CLASSES);
    sotto_replay_request request = request_of(3);
    request.delta = 1e-3;
    request.allow_weak_delta = true;
    request.warm_up = 41;
    sotto__replay_matches matches = matches_of(&request, &schema, NULL);
    assert_int_equal(matches.match[0].learning.warm_up, 41);
    assert_true(matches.match[3].spec.delta == 1e-3 && matches.match[3].spec.allow_weak_delta);
    assert_false(matches.match[0].spec.allow_weak_delta); /* sotto has no delta */
    assert_int_equal(matches.settings.seeds_count, 7);
    assert_int_equal(matches.settings.threads, 2);
    assert_true(matches.settings.rules.shuffle);
    assert_ptr_equal(matches.settings.rules.at, at);
    assert_int_equal(matches.settings.rules.at_count, 2);
    sotto__replay_matches_free(&matches);
    request = request_of(1);
    request.parameters = SOTTO_PARAMETERS_SHARED;
    matches = matches_of(&request, &schema, NULL);
    assert_int_equal(matches.match[0].spec.dim, 9); /* the row in the place of each arm */
    sotto__replay_matches_free(&matches);
    sotto__schema_free(&schema);
}

/* A limit, a look, both, neither. */
static void people_are_as_many_as_one_can_know(void **state)
{
    (void)state;
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
static void the_last_people_are_a_tenth_of_the_first_pass(void **state)
{
    (void)state;
    const sotto__yardstick found = {.rows = 1005, .arms = 3, .propensity_min = 1};
    sotto_schema schema = schema_of(CLASSES);
    sotto_replay_request request = request_of(1);
    request.passes = 2;
    sotto__replay_matches matches = matches_of(&request, &schema, &found);
    const sotto__replay_rules *rules = &matches.settings.rules;
    assert_int_equal(matches.settings.told, SOTTO_TOLD_ROWS);
    assert_int_equal(rules->people_max, 2010);
    assert_int_equal(rules->tail_from, 904);
    assert_int_equal(rules->tail_until, 1005);
    assert_int_equal(matches.match[0].horizon, 2010);
    sotto__replay_matches_free(&matches);
    request.passes = 1;
    matches = matches_of(&request, &schema, NULL);
    assert_int_equal(matches.settings.told, SOTTO_TOLD_NOTHING);
    assert_int_equal(rules->tail_from, 0);
    assert_int_equal(matches.match[0].horizon, 0);
    sotto__replay_matches_free(&matches);
    request.people_max = 50;
    matches = matches_of(&request, &schema, NULL);
    assert_int_equal(matches.settings.told, SOTTO_TOLD_LIMIT);
    assert_int_equal(rules->tail_from, 45);
    assert_int_equal(matches.match[0].horizon, 50);
    sotto__replay_matches_free(&matches);
    sotto__schema_free(&schema);
}

/* 200 events at propensity 0.5 or 0.25, half each: 1/p is 4 in one half, 2 in the other, so that
 * 0.25 (400 + 200)/2 = 75 are expected to agree. */
static void methods_learn_from_the_events_of_a_log_on_which_they_agree(void **state)
{
    (void)state;
    const sotto__yardstick found = {
        .rows = 200, .arms = 2, .clip = 0.05, .propensity_min = 0.25, .inverse_sum = 600};
    sotto_schema schema = schema_of(LOG);
    sotto_replay_request request = request_of(1);
    sotto__replay_matches matches = matches_of(&request, &schema, &found);
    const sotto__replay_rules *rules = &matches.settings.rules;
    assert_true(rules->log);
    assert_true(rules->reward_lo == -2 && rules->reward_hi == 6);
    assert_true(rules->propensity_floor == 0.25 && rules->clip == 0.05);
    assert_int_equal(rules->people_max, 200);
    assert_int_equal(matches.match[0].horizon, 75);
    sotto__replay_matches_free(&matches);
    request.people_max = 1; /* half an event: 0 would mean that nobody knows */
    matches = matches_of(&request, &schema, NULL);
    assert_int_equal(matches.match[0].horizon, 1);
    sotto__replay_matches_free(&matches);
    request.people_max = 100; /* of a pipe: one event of each arm's share */
    matches = matches_of(&request, &schema, NULL);
    assert_true(rules->propensity_floor == 0.05);
    assert_int_equal(matches.match[0].horizon, 50);
    sotto__replay_matches_free(&matches);
    sotto__schema_free(&schema);
}

static void a_table_of_rewards_outlives_the_schema(void **state)
{
    (void)state;
    folder f = folder_new();
    sotto_schema schema;
    file_write(f.other, (const uint8_t *)"y,a,b\na,1,0\nb,-2,1\n", 19);
    assert_silent(
        sotto__schema_read(text_file(&f, "label y a b\nrewards other\n"), &schema, fault));
    folder_free(&f);
    sotto_replay_request request = request_of(1);
    sotto__replay_matches matches = matches_of(&request, &schema, NULL);
    sotto__schema_free(&schema);
    const sotto__replay_rules *rules = &matches.settings.rules;
    const double wanted[] = {1, 0, -2, 1};
    assert_memory_equal(rules->rewards, wanted, sizeof wanted);
    assert_true(rules->reward_lo == -2 && rules->reward_hi == 1);
    sotto__replay_matches_free(&matches);
}

static sotto_schema schema_with_arms(const char *file, const char *lines)
{
    folder f = folder_new();
    sotto_schema schema;
    file_write(f.other, (const uint8_t *)file, strlen(file));
    assert_silent(sotto__schema_read(text_file(&f, lines), &schema, fault));
    folder_free(&f);
    return schema;
}

static void features_of_arms_make_the_vectors_of_shared_parameters(void **state)
{
    (void)state;
    sotto_schema schema = schema_with_arms("y,p,k\na,0,u\nb,1,v\nd,1,u\n", CLASSES
                                           "arms other\narm number p 0 1\narm category k u v\n");
    sotto_replay_request request = request_of(1);
    request.parameters = SOTTO_PARAMETERS_SHARED;
    sotto__replay_matches matches = matches_of(&request, &schema, NULL);
    assert_int_equal(matches.match[0].spec.dim, 3 * 3 + 1);
    assert_int_equal(matches.settings.rules.arm_dim, 3);
    assert_memory_equal(matches.settings.rules.arm_feature, schema.arm_feature, 9 * sizeof(double));
    assert_ptr_not_equal(matches.settings.rules.arm_feature, schema.arm_feature);
    sotto__replay_matches_free(&matches);
    request.parameters = SOTTO_PARAMETERS_PER_ARM;
    matches = matches_of(&request, &schema, NULL);
    assert_int_equal(matches.match[0].spec.dim, 3);
    sotto__replay_matches_free(&matches);
    sotto__schema_free(&schema);
}

static void people_times_arms_may_be_too_much(void **state)
{
    (void)state;
    sotto_schema schema =
        schema_with_arms("y,p,q\na,0,1\nb,1,0\n", "number 1..512 0 1\nlabel y a b\narms other\n"
                                                  "arm number p 0 1\narm number q 0 1\n");
    sotto_replay_request request = request_of(1);
    sotto__replay_matches matches;
    request.parameters = SOTTO_PARAMETERS_SHARED;
    assert_status(sotto__replay_matches_of(&request, &schema, NULL, &matches, text), SOTTO_E_FAULT);
    assert_string_equal(
        text, "sotto: dim = 1027: 513 numbers of a person times 2 of an arm, and 1: allowed "
              "up to 1024 with shared parameters");
    assert_null(matches.match);
    sotto__schema_free(&schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_no_file_can_give_is_refused),
        cmocka_unit_test(a_method_that_cannot_be_played_is_named),
        cmocka_unit_test(private_methods_are_played_at_every_epsilon),
        cmocka_unit_test(the_methods_without_privacy_are_played_once),
        cmocka_unit_test(best_arm_is_played_along_where_it_can_be),
        cmocka_unit_test(options_reach_the_match),
        cmocka_unit_test(people_are_as_many_as_one_can_know),
        cmocka_unit_test(the_last_people_are_a_tenth_of_the_first_pass),
        cmocka_unit_test(methods_learn_from_the_events_of_a_log_on_which_they_agree),
        cmocka_unit_test(features_of_arms_make_the_vectors_of_shared_parameters),
        cmocka_unit_test(people_times_arms_may_be_too_much),
        cmocka_unit_test(a_table_of_rewards_outlives_the_schema),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
