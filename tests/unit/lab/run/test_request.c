/* Requests: how settings become matches, by the rules or as set explicitly. */
#include "guests.h"
#include "lab/run/run.h"
#include "test.h"

static const sotto_player players[] = {SOTTO_PLAYER_SOTTO, SOTTO_PLAYER_LDP_SGD,
                                       SOTTO_PLAYER_LDP_OLS, SOTTO_PLAYER_OLS};
enum { SOTTO, LDP_SGD, LDP_OLS, OLS, PLAYERS };
static const double epsilons[] = {0.5, 2};
static const uint64_t points[] = {10, 300};

static sotto_comparison_request request;
static sotto__comparison comparison;
static uint32_t culprit;
static sotto_fault fault;

FIXTURE(set_up)
{
    request = (sotto_comparison_request){
        .scene = {.dim = 3,
                  .arms = 4,
                  .environment = SOTTO_ENVIRONMENT_SPHERE,
                  .reward_kind = SOTTO_REWARD_CONTINUOUS,
                  .horizon = 300},
        .player = players,
        .players_count = PLAYERS,
        .epsilon = epsilons,
        .epsilons_count = 2,
        .delta = 1e-6,
        .epoch = 1,
        .first_seed = 5,
        .seeds = 6,
        .threads = 2,
        .at = points,
        .at_count = 2,
    };
    comparison = (sotto__comparison){0};
}

FIXTURE(tear_down)
{
    sotto__comparison_free(&comparison);
}

#define change(member, value)                                                                      \
    do {                                                                                           \
        request.wanted.member = (value);                                                           \
        request.change[request.changes_count++] = (sotto_comparison_change){                       \
            offsetof(sotto_match, member), sizeof request.wanted.member};                          \
    } while (0)

/* The match of a player at the first epsilon. */
static const sotto_match *match_of(uint32_t player)
{
    sotto__comparison_free(&comparison);
    sotto_status status = sotto__comparison_of(&request, &comparison, &culprit, &fault);
    if (status != SOTTO_OK) fail_msg("%s", fault.sentence);
    return &comparison.match[2 * player];
}

TEST_WITH(a_match_that_cannot_be_played_is_named, set_up, tear_down)
{
    request.scene.link = SOTTO_LINK_LOGIT;
    request.scene.reward_kind = SOTTO_REWARD_BINARY;
    assert_status(sotto__comparison_of(&request, &comparison, &culprit, &fault), SOTTO_E_FAULT);
    assert_int_equal(culprit, LDP_OLS);
    assert_non_null(strstr(fault.sentence, "link"));
    assert_null(comparison.match);
}

/* At every epsilon that it has, behind all others. */
TEST_WITH(best_arm_is_compared_with, set_up, tear_down)
{
    const double wide[] = {40, 2}; /* the first is more than a codebook has */
    request.players_count = 1;
    request.best_arm = true;
    (void)match_of(SOTTO);
    assert_int_equal(comparison.sweep.matches_count, 2); /* one method is no comparison */
    request.players_count = PLAYERS;
    request.best_arm = false;
    (void)match_of(SOTTO);
    assert_int_equal(comparison.sweep.matches_count, 2 * PLAYERS);
    request.best_arm = true;
    const sotto_match *match = match_of(PLAYERS);
    assert_int_equal(comparison.sweep.matches_count, 2 * PLAYERS + 2);
    assert_int_equal(match[0].player, SOTTO_PLAYER_BEST_ARM);
    assert_nears(0, match[0].spec.epsilon, 0.5, comparison.epsilon[2 * PLAYERS + 1], 2);
    assert_int_equal(match[0].learning.epoch, 0); /* by the rule */
    assert_int_equal(match[-1].learning.epoch, 1);
    request.epoch = 20;
    assert_int_equal(match_of(PLAYERS)->learning.epoch, 20);
    request.player = players + LDP_OLS; /* and ols */
    request.players_count = 2;
    request.epsilon = wide;
    (void)match_of(0);
    assert_int_equal(comparison.sweep.matches_count, 5);
    assert_int_equal(comparison.match[4].player, SOTTO_PLAYER_BEST_ARM);
    assert_near(comparison.match[4].spec.epsilon, 2, 0);
}

TEST_WITH(best_arm_is_left_out_where_it_has_no_place, set_up, tear_down)
{
    static const sotto_player open[] = {SOTTO_PLAYER_OLS, SOTTO_PLAYER_RANDOM},
                              asked[] = {SOTTO_PLAYER_BEST_ARM, SOTTO_PLAYER_SOTTO};
    request.best_arm = true;
    request.players_count = 2;
    request.player = open; /* nobody is private */
    (void)match_of(0);
    assert_int_equal(comparison.sweep.matches_count, 4);
    request.player = asked; /* as it was asked for */
    assert_ints(match_of(0)->learning.epoch, 1, comparison.sweep.matches_count, 4);
    request.player = players;
    change(liars, 0.1);
    (void)match_of(0);
    assert_int_equal(comparison.sweep.matches_count, 4);
}

/* best-arm cannot have them; requested alone it is refused with a sentence. */
TEST_WITH(beside_others_best_arm_goes_without_measure_rounds, set_up, tear_down)
{
    static const sotto_player asked[] = {SOTTO_PLAYER_SOTTO, SOTTO_PLAYER_BEST_ARM};
    change(spec.measure, UINT32_C(1) << 28);
    change(learning.fallback, 2);
    request.player = asked;
    request.players_count = 2;
    const sotto_match *match = match_of(1);
    assert_ints(match->player, SOTTO_PLAYER_BEST_ARM, match->spec.measure, 0);
    assert_ints(match->learning.fallback, 0, match[-2].spec.measure, UINT32_C(1) << 28);
    assert_int_equal(match[-2].learning.fallback, 2);
    request.player = asked + 1;
    request.players_count = 1;
    sotto__comparison_free(&comparison);
    assert_status(sotto__comparison_of(&request, &comparison, &culprit, &fault), SOTTO_E_FAULT);
    assert_non_null(strstr(fault.sentence, "measure = "));
}

TEST_WITH(a_change_that_cannot_be_is_a_fault, set_up, tear_down)
{
    change(environment.theta_norm, 2);
    assert_status(sotto__comparison_of(&request, &comparison, &culprit, &fault), SOTTO_E_FAULT);
    assert_int_equal(culprit, SOTTO);
}

/* It takes no term that is some method's own. */
TEST_WITH(a_custom_method_is_a_match_like_any, set_up, tear_down)
{
    static guest user;
    static sotto_player_table table;
    table = guest_player(&user);
    const sotto_player_table *custom[PLAYERS] = {[LDP_OLS] = &table};
    const double wide[] = {0.5, 40}; /* more than a codebook has */
    request.player = players + LDP_OLS;
    request.custom = custom + LDP_OLS;
    request.players_count = 1;
    request.epsilon = wide;
    request.unknown_horizon = true;
    change(exact_noise, true);
    change(environment.noise, 0.3);
    const sotto_match *match = match_of(0);
    assert_ptr_equal(match->custom, &table);
    assert_near(match[1].spec.epsilon, 40, 0);
    assert_false(match->exact_noise);
    assert_near(match->environment.noise, 0.3, 0);
    assert_int_equal(match->learning.horizon, 0);
    table.name = "a,b";
    assert_status(sotto__comparison_of(&request, &comparison, &culprit, &fault), SOTTO_E_FAULT);
    assert_int_equal(culprit, 0);
}

TEST_WITH(methods_come_one_after_the_other_each_at_every_epsilon, set_up, tear_down)
{
    match_of(SOTTO);
    assert_ints(comparison.sweep.matches_count, 8, comparison.sweep.first_seed, 5);
    assert_ints(comparison.sweep.seeds_count, 6, comparison.sweep.threads, 2);
    assert_ints(comparison.sweep.at_count, 2, comparison.at[1], 300);
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(comparison.match[i].player, players[i / 2]);
        assert_true(comparison.epsilon[i] == epsilons[i % 2]);
    }
}

TEST_WITH(without_changes_a_match_is_by_the_rules, set_up, tear_down)
{
    for (uint32_t p = 0; p < PLAYERS; p++) {
        sotto_match wanted =
            sotto_match_default(players[p], SOTTO_CALIBRATION_EXACT, &request.scene, 0.5, 1e-6);
        assert_ok(sotto_match_set_learning(&wanted));
        wanted.learning.epoch = 1;
        char got_id[SOTTO__COMPARISON_ID_BYTES], wanted_id[SOTTO__COMPARISON_ID_BYTES];
        match_of(p);
        sotto__comparison_id(&comparison, got_id);
        comparison.match[2 * p] = wanted;
        sotto__comparison_id(&comparison, wanted_id);
        assert_string_equal(got_id, wanted_id);
    }
}

TEST_WITH(a_field_that_is_not_listed_does_not_count, set_up, tear_down)
{
    request.wanted.environment.noise = 0.7;
    assert_true(match_of(SOTTO)->environment.noise != 0.7);
    change(environment.noise, 0.7);
    assert_true(match_of(SOTTO)->environment.noise == 0.7);
    assert_true(match_of(OLS)->environment.noise == 0.7);
}

TEST_WITH(a_method_keeps_what_it_has_no_use_for, set_up, tear_down)
{
    change(spec.score, SOTTO_SCORE_HUBER);
    request.wanted.spec.huber_tau = 0.25;
    change(spec.noise_law, SOTTO_NOISE_LAPLACE);
    change(exact_noise, true);
    change(liars, 0.1);
    change(grind, 3);
    assert_int_equal(match_of(SOTTO)->spec.score, SOTTO_SCORE_HUBER);
    assert_true(match_of(SOTTO)->spec.huber_tau == 0.25);
    assert_int_equal(match_of(SOTTO)->spec.noise_law, SOTTO_NOISE_GAUSSIAN);
    assert_false(match_of(SOTTO)->exact_noise);
    assert_true(match_of(SOTTO)->liars == 0.1);
    assert_ints(match_of(SOTTO)->grind, 3, match_of(LDP_SGD)->spec.score, SOTTO_SCORE_GRADIENT);
    assert_int_equal(match_of(LDP_OLS)->spec.noise_law, SOTTO_NOISE_LAPLACE);
    assert_true(match_of(LDP_OLS)->spec.delta == 0); /* laplace is pure */
    assert_true(match_of(LDP_OLS)->exact_noise && match_of(OLS)->liars == 0);
    assert_int_not_equal(match_of(OLS)->grind, 3);
    assert_int_equal(match_of(LDP_OLS)->grind, 3); /* its liars are those of the comparison */
}

TEST_WITH(only_a_huber_score_brings_its_tau, set_up, tear_down)
{
    double usual = match_of(SOTTO)->spec.huber_tau;
    change(spec.score, SOTTO_SCORE_SELF);
    request.wanted.spec.huber_tau = usual + 0.25;
    assert_int_equal(match_of(SOTTO)->spec.score, SOTTO_SCORE_SELF);
    assert_true(match_of(SOTTO)->spec.huber_tau == usual);
    assert_true(match_of(LDP_SGD)->spec.huber_tau == usual);
}

/* Settings of the mean phase and of the prior apply only to method sotto. */
TEST_WITH(a_mean_phase_and_a_prior_are_of_sotto_alone, set_up, tear_down)
{
    static const sotto_player two[] = {SOTTO_PLAYER_SOTTO, SOTTO_PLAYER_LDP_SGD};
    request.player = two, request.players_count = 2;
    request.scene.parameters = SOTTO_PARAMETERS_PER_ARM;
    request.scene.reward_kind = SOTTO_REWARD_BINARY, request.scene.link = SOTTO_LINK_LOGIT;
    change(learning.mean_phase, 30);
    change(learning.prior_variance, 0.2);
    assert_int_equal(match_of(0)->learning.mean_phase, 30);
    assert_true(match_of(0)->learning.prior_variance == 0.2);
    assert_int_equal(match_of(1)->learning.mean_phase, 0);
    assert_true(match_of(1)->learning.prior_variance == 0);
}

TEST_WITH(a_window_goes_into_every_spec, set_up, tear_down)
{
    change(spec.window_reports, 20);
    for (uint32_t p = 0; p < PLAYERS; p++) {
        assert_int_equal(match_of(p)->spec.window_reports, 20);
    }
}

TEST_WITH(worth_counts_only_where_revenue_is_asked_for, set_up, tear_down)
{
    static const double theta[3] = {0.6, 0, 0}, worth[4] = {1, 2, 3, 4};
    static const sotto_population people = {
        .rows = 5, .dim = 3, .arms = 4, .theta = theta, .theta_norm_max = 1, .worth = worth};
    request.scene.population = &people;
    request.scene.environment = SOTTO_ENVIRONMENT_LOAN;
    assert_null(match_of(SOTTO)->worth);
    request.revenue = true;
    assert_ptr_equal(match_of(SOTTO)->worth, worth);
    assert_ptr_equal(match_of(OLS)->worth, worth);
}

TEST_WITH(a_split_is_of_ldp_sgd_alone, set_up, tear_down)
{
    request.scene.parameters = SOTTO_PARAMETERS_PER_ARM;
    request.calibration = SOTTO_CALIBRATION_PAPER;
    request.player = players + LDP_SGD;
    request.players_count = 2;
    change(spec.split, SOTTO_SPLIT_JOINT);
    request.wanted.split_paper = true;
    assert_true(match_of(0)->split_paper);
    assert_false(match_of(1)->split_paper);
}

TEST_WITH(a_range_of_rewards_brings_its_default, set_up, tear_down)
{
    change(spec.reward_lo, -2);
    request.wanted.spec.reward_hi = 3;
    assert_true(match_of(SOTTO)->spec.reward_lo == -2 && match_of(SOTTO)->spec.reward_hi == 3);
    assert_true(match_of(SOTTO)->spec.reward_default == 0);
    request.scene.link = SOTTO_LINK_LOG;
    request.scene.reward_kind = SOTTO_REWARD_COUNT;
    request.players_count = 1;
    request.wanted.spec.reward_lo = 0.25;
    assert_true(match_of(SOTTO)->spec.reward_default == 0.25);
}

TEST_WITH(weak_deltas_need_consent_and_only_where_they_are, set_up, tear_down)
{
    request.delta = 1e-3;
    assert_status(sotto__comparison_of(&request, &comparison, &culprit, &fault), SOTTO_E_FAULT);
    assert_int_equal(culprit, LDP_OLS);
    request.allow_weak_delta = true;
    assert_true(match_of(LDP_OLS)->spec.allow_weak_delta);
    assert_false(match_of(SOTTO)->spec.allow_weak_delta);
    request.delta = 1e-6;
    assert_false(match_of(LDP_OLS)->spec.allow_weak_delta);
}

TEST_WITH(calibrations_for_comparison_need_no_consent, set_up, tear_down)
{
    request.delta = 1e-3;
    request.calibration = SOTTO_CALIBRATION_PAPER;
    request.player = players + LDP_SGD;
    request.players_count = 2;
    assert_true(match_of(1)->spec.allow_weak_delta);
}

TEST_WITH(epochs_are_as_asked_for, set_up, tear_down)
{
    request.epoch = 70;
    request.growth = 0.5;
    assert_int_equal(match_of(SOTTO)->learning.epoch, 70);
    assert_true(match_of(SOTTO)->spec.epoch_reports_max >= 70 && match_of(SOTTO)->growth == 0.5);
    assert_true(match_of(OLS)->growth == 0);
}

/* A clock is that of a service, except for changed settings; methods without privacy only have its
 * delay. */
TEST_WITH(a_clock_brings_its_delay_and_a_service_s_epochs, set_up, tear_down)
{
    request.wanted.spec.reward_window_s = 30;
    request.wanted.spec.send_spread_s = 10;
    assert_int_equal(match_of(SOTTO)->spec.reward_window_s, 0);
    change(people_per_second, 5);
    const sotto_match *match = match_of(SOTTO);
    assert_ints(match->spec.reward_window_s, 30, match->spec.send_spread_s, 10);
    assert_ints(match->spec.epoch_lag_max, 8, match->epoch_seconds_min, 20);
    match = match_of(OLS);
    assert_true(match->people_per_second == 5);
    assert_ints(match->spec.reward_window_s, 30, match->epoch_seconds_min, 0);
    change(spec.epoch_lag_max, 3);
    assert_int_equal(match_of(SOTTO)->spec.epoch_lag_max, 3);
    assert_int_equal(match_of(SOTTO)->epoch_seconds_min, 14); /* ceil(40/3) */
    change(epoch_seconds_min, 0);
    assert_ints(match_of(SOTTO)->epoch_seconds_min, 0, match_of(OLS)->epoch_seconds_min, 0);
}

TEST_WITH(steps_bring_their_first_step_unless_it_is_changed_too, set_up, tear_down)
{
    change(learning.step, SOTTO_STEP_SQRT);
    assert_true(match_of(LDP_SGD)->learning.eta0 == 0.03);
    change(learning.eta0, 0.5);
    assert_true(match_of(LDP_SGD)->learning.eta0 == 0.5);
    assert_int_equal(match_of(LDP_SGD)->learning.step, SOTTO_STEP_SQRT);
}

TEST_WITH(an_unknown_horizon_is_kept_from_private_methods, set_up, tear_down)
{
    request.unknown_horizon = true;
    assert_ints(match_of(SOTTO)->learning.horizon, 0, match_of(OLS)->learning.horizon, 300);
    request.player = players + LDP_SGD;
    request.players_count = 2;
    request.calibration = SOTTO_CALIBRATION_PAPER;
    assert_int_equal(match_of(0)->learning.horizon, 0);
    request.calibration = SOTTO_CALIBRATION_PUBLISHED;
    request.scene.environment = SOTTO_ENVIRONMENT_PUBLISHED;
    request.player = players + LDP_OLS;
    request.players_count = 1;
    assert_int_not_equal(match_of(0)->learning.horizon, 0);
}

TEST_WITH(fields_tell_which_methods_use_them, set_up, tear_down)
{
    assert_int_equal(sotto__request_users(offsetof(sotto_match, environment.noise)), UINT32_MAX);
    assert_int_equal(sotto__request_users(offsetof(sotto_match, spec.score)),
                     1u << SOTTO_PLAYER_SOTTO);
    assert_int_equal(sotto__request_users(offsetof(sotto_match, liars)), SOTTO__PLAYERS_PRIVATE);
    const uint32_t lattice =
        1u << SOTTO_PLAYER_LDP_OLS | 1u << SOTTO_PLAYER_LDP_UCB | 1u << SOTTO_PLAYER_LDP_GLOC;
    const uint32_t sgd = 1u << SOTTO_PLAYER_LDP_SGD | 1u << SOTTO_PLAYER_SGD;
    const struct {
        size_t field;
        uint32_t users;
    } wanted[] = {
        {offsetof(sotto_match, spec.split), 1u << SOTTO_PLAYER_LDP_SGD},
        {offsetof(sotto_match, spec.noise_law), lattice},
        {offsetof(sotto_match, exact_noise), lattice},
        {offsetof(sotto_match, grind),
         SOTTO__PLAYERS_PRIVATE & ~lattice & ~(1u << SOTTO_PLAYER_BEST_ARM)}, /* they have nonces */
        {offsetof(sotto_match, spec.measure),
         SOTTO__PLAYERS_PRIVATE & ~lattice & ~(1u << SOTTO_PLAYER_BEST_ARM)},
        {offsetof(sotto_match, spec.epoch_lag_max), SOTTO__PLAYERS_PRIVATE},
        {offsetof(sotto_match, epoch_seconds_min), SOTTO__PLAYERS_PRIVATE},
        {offsetof(sotto_match, people_per_second), UINT32_MAX},
        {offsetof(sotto_match, spec.window_reports), SOTTO__PLAYERS_PRIVATE},
        {offsetof(sotto_match, learning.mean_phase), 1u << SOTTO_PLAYER_SOTTO},
        {offsetof(sotto_match, learning.prior_variance), 1u << SOTTO_PLAYER_SOTTO},
        {offsetof(sotto_match, learning.step), sgd},
        {offsetof(sotto_match, learning.eta0), sgd},
        {offsetof(sotto_match, learning.shift_scale), lattice | 1u << SOTTO_PLAYER_SOTTO_OLS},
        {offsetof(sotto_match, learning.elimination_scale),
         1u << SOTTO_PLAYER_LDP_SGD | 1u << SOTTO_PLAYER_LDP_OLS},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        assert_int_equal(sotto__request_users(wanted[i].field), wanted[i].users);
    }
    for (uint32_t p = 0; p < SOTTO_PLAYERS; p++) {
        assert_int_equal(SOTTO__PLAYERS_PRIVATE >> p & 1, sotto_player_is_private((sotto_player)p));
    }
}

/* The default request of a small scene. */
static sotto_comparison_request default_request(void)
{
    const sotto_scene scene = {.dim = 3, .arms = 4, .horizon = 300};
    return sotto_comparison_request_default(&scene);
}

TEST_WITH(a_default_can_be_played_with_the_usual_points, set_up, tear_down)
{
    const uint64_t usual[] = {1, 2, 5, 10, 20, 50, 100, 200, 300};
    sotto_comparison_request plain = default_request();
    assert_ok(sotto_comparison_request_fault(&plain, &fault));
    assert_ok(sotto__comparison_of(&plain, &comparison, &culprit, &fault));
    assert_int_equal(comparison.sweep.at_count, 9);
    assert_memory_equal(comparison.at, usual, sizeof usual);
    assert_ints(comparison.sweep.first_seed, 1, comparison.sweep.seeds_count, 10);
    assert_true(comparison.epsilon[0] == 1);
}

#define assert_faulty(statement, words)                                                            \
    do {                                                                                           \
        sotto_comparison_request r = default_request();                                            \
        statement;                                                                                 \
        assert_status(sotto_comparison_request_fault(&r, &fault), SOTTO_E_FAULT);                  \
        if (strstr(fault.sentence, words) == NULL) fail_msg("%s, not: %s", fault.sentence, words); \
    } while (0)

TEST_WITH(a_request_that_cannot_be_played_says_why, set_up, tear_down)
{
    const sotto_player twice[] = {SOTTO_PLAYER_OLS, SOTTO_PLAYER_OLS};
    const sotto_player stranger[] = {SOTTO_PLAYERS};
    guest user = {0};
    const sotto_player_table table = guest_player(&user), bad = {.abi = 2};
    const sotto_player_table *const tables[] = {&table, &table}, *const later[] = {&bad};
    assert_faulty((r.player = twice, r.custom = tables, r.players_count = 2),
                  "player[1] = guest: each method may be given only once");
    assert_faulty(r.custom = later, "method: its ABI version is 2; allowed 1");
    assert_faulty((r.custom = tables, r.scene.dim = 0), "method guest: dim = 0");
    const double same[] = {2, 2};
    const uint64_t falling[] = {10, 10, 300}, zero[] = {0, 300}, open_end[] = {10, 299};
    assert_faulty(r.players_count = 0, "players_count = 0: allowed 1 to 256");
    assert_faulty(r.epsilons_count = 1025, "epsilons_count = 1025: allowed 1 to 1024");
    assert_faulty(r.seeds = 0, "seeds = 0: allowed 1 to ");
    assert_faulty(r.first_seed = UINT64_MAX, "first_seed = 18446744073709551615: allowed 0 to ");
    assert_faulty(r.threads = 1025, "threads = 1025: allowed 1 to 1024");
    assert_faulty(r.scene.horizon = 0, "horizon = 0: allowed 1 to ");
    assert_faulty(r.changes_count = 33, "changes_count = 33: allowed 0 to 32");
    assert_faulty((r.player = twice, r.players_count = 2), "player[1] = ols: each method");
    assert_faulty(r.player = stranger, "player[0] = 17: not one of the known ones (sotto, ...)");
    assert_faulty((r.epsilon = same, r.epsilons_count = 2), "epsilon = 2: each value");
    assert_faulty(r.at = falling, "at_count = 0: allowed 1 to 4096");
    assert_faulty((r.at = falling, r.at_count = 3), "at = 10: they must increase");
    assert_faulty((r.at = zero, r.at_count = 2), "at = 0: they must increase");
    assert_faulty((r.at = open_end, r.at_count = 2), "at = 299: the last must be the horizon");
    assert_faulty((r.changes_count = 1, r.change[0].field = sizeof(sotto_match)), "change = ");
    assert_faulty(r.scene.dim = 0, "method sotto: dim = 0: allowed 1 to ");
    assert_faulty(r.scene.environment = 99, "method sotto: environment = 99");
    assert_faulty(r.scene.link = 99, "method sotto: link = 99");
    assert_faulty(r.scene.parameters = 99, "method sotto: parameters = 99");
    assert_faulty(r.scene.reward_kind = 99, "method sotto: reward_kind = 99");
    assert_faulty(r.calibration = 9, "method sotto: calibration = 9");
}

TEST_WITH(a_change_is_a_field_of_a_match, set_up, tear_down)
{
    sotto_comparison_request plain = default_request();
    assert_true(SOTTO_COMPARISON_CHANGE(&plain, environment.noise, 0.25));
    assert_true(SOTTO_COMPARISON_CHANGE(&plain, environment.noise, 0.5));
    assert_int_equal(plain.changes_count, 1);
    assert_ok(sotto__comparison_of(&plain, &comparison, &culprit, &fault));
    assert_true(comparison.match[0].environment.noise == 0.5);
    assert_false(sotto_comparison_request_change(&plain, sizeof(sotto_match), 1));
    assert_false(sotto_comparison_request_change(&plain, sizeof(sotto_match) - 1, 2));
    assert_false(sotto_comparison_request_change(&plain, 0, 0));
    plain.changes_count = SOTTO_COMPARISON_CHANGES_MAX;
    assert_false(SOTTO_COMPARISON_CHANGE(&plain, grind, 2));
}
