/* JSON in: strictly read, and as terms. */
#include "service/api/inner.h"
#include "test.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

OWNED(json_t, json_decref)

/* Strict reading of JSON. */

static sottod_refusal why;

static json_t *read_text(const char *text)
{
    memset(&why, 0, sizeof why);
    return json_read_object(text, strlen(text), &why);
}

static void assert_refused(const char *text, uint32_t status, const char *field, const char *value,
                           const char *allowed)
{
    json_t *got = read_text(text);
    assert_null(got);
    assert_int_equal(why.status, status);
    assert_strings(why.fault.field, field, why.fault.value, value, why.fault.allowed, allowed);
    assert_true(why.fault.sentence[0] != '\0');
}

TEST(what_is_no_json_is_refused_with_its_place)
{
    assert_refused("", 400, "body", "line 1, column 0", "one JSON object");
    assert_refused("{\"spec\":{\"epsilon\":1,}}", 400, "spec", "line 1, column 22",
                   "one JSON object");
    assert_refused("{\"spec\":\n{\"epsilon\":NaN}}", 400, "spec.epsilon", "line 2, column 14",
                   "one JSON object");
    assert_refused("{} {}", 400, "body", "line 1, column 4", "one JSON object");
    assert_refused("{\"a\":\"\\u0000\"}", 400, "a", "line 1, column 13", "one JSON object");
    assert_refused("{\"a\":\"\xc3\x28\"}", 400, "a", "line 1, column 6", "one JSON object");
    assert_refused("{\"a\":1e999}", 400, "a", "line 1, column 10", "one JSON object");
    assert_refused("{\"a\":99999999999999999999}", 400, "a", "line 1, column 25",
                   "one JSON object");
}

TEST(what_is_no_object_is_refused)
{
    assert_refused("[1]", 400, "body", "[1]", "one JSON object");
}

TEST(a_key_that_comes_twice_is_named_by_its_path)
{
    assert_refused("{\"spec\":{\"epsilon\":1,\"dim\":3,\"epsilon\":2}}", 400, "spec.epsilon",
                   "line 1, column 38", "each key once");
    assert_refused("{\"spec\":{},\"spec\":{}}", 400, "spec", "line 1, column 17", "each key once");
}

TEST(eight_levels_are_read_and_nine_are_not)
{
    json_t *got = read_text("{\"a\":[[[[[[[1]]]]]]]}");
    assert_non_null(got);
    json_decref(got);
    assert_refused("{\"a\":[[[[[[[[1]]]]]]]]}", 400, "body", "9 levels", "at most 8 levels");
    got = read_text("{\"a\":\"[[[[[[[[[[[[{{{{\\\"[[[[\"}"); /* brackets inside a string */
    assert_non_null(got);
    json_decref(got);
    /* As deep as fits into a body: the reader does not recurse. */
    static char deep[JSON_READ_BYTES_MAX + 1];
    memset(deep, '[', JSON_READ_BYTES_MAX);
    assert_refused(deep, 400, "body", "65536 levels", "at most 8 levels");
}

TEST(a_body_that_is_too_long_is_refused_by_its_length)
{
    static char text[JSON_READ_BYTES_MAX + 2];
    memset(text, ' ', JSON_READ_BYTES_MAX + 1);
    memcpy(text, "{}", 2);
    assert_refused(text, 413, "body", "65537 bytes", "at most 65536 bytes");
    text[JSON_READ_BYTES_MAX] = '\0';
    OWN(json_t) got = read_text(text);
    assert_non_null(got);
}

TEST(an_unknown_key_is_refused_with_the_known_ones)
{
    static const char *const names[] = {"spec", "labels"};
    json_t *got = read_text("{\"spec\":1,\"sepc\":{\"a\":[1,2]}}");
    assert_false(json_read_known(got, "", names, 2, &why));
    assert_int_equal(why.status, 400);
    assert_string_equal(why.fault.field, "sepc");
    assert_string_equal(why.fault.value, "{\"a\":[1,2]}");
    assert_string_equal(why.fault.allowed, "spec, labels");
    assert_false(json_read_known(got, "above", names, 1, &why));
    assert_string_equal(why.fault.field, "above.sepc");
    json_decref(got);
    got = read_text("{\"\":1}");
    assert_false(json_read_known(got, "", names, 2, &why));
    assert_string_equal(why.fault.field, "\"\"");
    json_decref(got);
    got = read_text("{\"labels\":1}");
    assert_true(json_read_known(got, "", names, 2, &why));
    json_decref(got);
}

TEST(a_path_that_is_too_long_is_cut)
{
    char path[JSON_READ_PATH_BYTES], key[200], text[300];
    memset(key, 'k', sizeof key - 1);
    key[sizeof key - 1] = '\0';
    json_read_path(path, "spec", key);
    assert_int_equal(strlen(path), JSON_READ_PATH_BYTES - 1);
    snprintf(text, sizeof text, "{\"%s\":{\"x\":}}", key);
    assert_null(read_text(text));
    assert_int_equal(strlen(why.fault.field), JSON_READ_PATH_BYTES - 1);
}

/* Specs and learning settings as JSON. */

static sottod_refusal why;
static experiment_request request;
static sotto_terms terms;

/* JSON whose texts are in single quotes. */
static json_t *json_of(const char *text)
{
    char out[2000];
    assert_in_range(snprintf(out, sizeof out, "%s", text), 0, sizeof out - 1);
    for (char *at = out; (at = strchr(at, '\'')) != NULL;) {
        *at = '"';
    }
    json_t *value = json_loads(out, JSON_DECODE_ANY, NULL);
    assert_non_null(value);
    return value;
}

static bool read_spec(const char *text)
{
    memset(&why, 0, sizeof why);
    memset(&request, 0, sizeof request);
    json_t *spec = json_of(text);
    bool done = spec_json_read(spec, &request, &why);
    json_decref(spec);
    return done;
}

static bool read_learning(const char *text)
{
    memset(&why, 0, sizeof why);
    json_t *learning = text != NULL ? json_of(text) : NULL;
    bool done = spec_json_read_learning(learning, &terms, &request, &why);
    json_decref(learning);
    return done;
}

static void assert_why(const char *field, const char *value, const char *allowed)
{
    assert_int_equal(why.status, 400);
    assert_strings(why.fault.field, field, why.fault.value, value, why.fault.allowed, allowed);
    assert_true(why.fault.sentence[0] != '\0');
}

static void refuse_spec(const char *text, const char *field, const char *value, const char *allowed)
{
    assert_false(read_spec(text));
    assert_why(field, value, allowed);
}

static void refuse_learning(const char *text, const char *field, const char *value,
                            const char *allowed)
{
    assert_false(read_learning(text));
    assert_why(field, value, allowed);
}

/* The same canonical bytes. */
static void assert_same_spec(const sotto_spec *got, const sotto_spec *wanted)
{
    sotto_terms one, other;
    assert_ok(sotto_spec_resolve(got, &one));
    assert_ok(sotto_spec_resolve(wanted, &other));
    assert_memory_equal(one.id, other.id, SOTTO_SPEC_ID_BYTES);
}

static void assert_same_learning(const sotto_learning *got, const sotto_learning *wanted)
{
    assert_ints(got->horizon, wanted->horizon, got->warm_up, wanted->warm_up);
    assert_ints(got->mean_phase, wanted->mean_phase, got->epoch, wanted->epoch);
    assert_true(got->alpha == wanted->alpha);
    assert_int_equal(got->step, wanted->step);
    assert_true(got->eta0 == wanted->eta0);
    assert_int_equal(got->project, wanted->project);
    assert_true(got->shift_scale == wanted->shift_scale);
    assert_true(got->elimination_scale == wanted->elimination_scale);
    assert_true(got->prior_variance == wanted->prior_variance);
}

TEST(a_spec_with_a_wrong_type_is_refused_by_its_path)
{
    refuse_spec("3", "spec", "3", "an object");
    refuse_spec("{}", "spec.reward_kind", "", "continuous, binary, count");
    refuse_spec("{'reward_kind':1}", "spec.reward_kind", "1", "continuous, binary, count");
    refuse_spec("{'reward_kind':'Binary'}", "spec.reward_kind", "\"Binary\"",
                "continuous, binary, count");
    refuse_spec("{'reward_kind':'binary','dim':'3'}", "spec.dim", "\"3\"",
                "a whole number, 1 to 1024");
    refuse_spec("{'reward_kind':'binary','dim':3.0}", "spec.dim", "3.0",
                "a whole number, 1 to 1024");
    refuse_spec("{'reward_kind':'binary','epsilon':null}", "spec.epsilon", "null", "a number");
    refuse_spec("{'reward_kind':'binary','allow_weak_delta':1}", "spec.allow_weak_delta", "1",
                "true, false");
    refuse_spec("{'reward_kind':'binary','method':[]}", "spec.method", "[]",
                "sotto, sotto-ols, ldp-sgd, ldp-ols, ldp-ucb, ldp-gloc, best-arm");
}

TEST(a_spec_out_of_its_range_is_refused_with_the_range)
{
    refuse_spec("{'reward_kind':'binary','dim':0}", "spec.dim", "0", "a whole number, 1 to 1024");
    refuse_spec("{'reward_kind':'binary','arms':-1}", "spec.arms", "-1",
                "a whole number, 2 to 1024");
    refuse_spec("{'reward_kind':'binary','series':4294967296}", "spec.series", "4294967296",
                "a whole number, 0 to 4294967295");
    refuse_spec("{'reward_kind':'binary','epoch_lag_max':17}", "spec.epoch_lag_max", "17",
                "a whole number, 0 to 16");
    refuse_spec("{'reward_kind':'binary','epsilon':100}", "spec.epsilon", "100", "0.01 to 8");
    assert_string_equal(why.fault.sentence, "spec.epsilon = 100: allowed 0.01 to 8");
    refuse_spec("{'reward_kind':'binary','measure':0.75}", "spec.measure", "0.75",
                "0, or 0.001 to 0.5");
    assert_false(read_spec("{'reward_kind':'binary','measure':1e-4}"));
    assert_false(read_spec("{'reward_kind':'binary','measure':429496730}"));
    assert_true(read_spec("{'reward_kind':'binary','measure':0.1}"));
    assert_int_equal(request.spec.measure, 429496730);
    refuse_spec("{'reward_kind':'binary','reward_hi':2}", "spec.reward_lo", "0, 2",
                "0, 1 for binary rewards");
    assert_false(read_spec("{'reward_kind':'binary','epslion':1}"));
    assert_string_equal(why.fault.field, "spec.epslion");
    assert_memory_equal(why.fault.allowed, "dim, arms, ", 11);
}

TEST(what_is_absent_is_the_default_of_the_kind)
{
    assert_true(read_spec("{'reward_kind':'count'}"));
    sotto_spec wanted = sotto_spec_default(SOTTO_REWARD_COUNT);
    wanted.epoch_lag_max = 8;
    assert_same_spec(&request.spec, &wanted);
    assert_true(read_spec("{'epoch_lag_max':1,'reward_kind':'binary','dim':3}"));
    wanted = sotto_spec_default(SOTTO_REWARD_BINARY);
    wanted.epoch_lag_max = 1;
    wanted.dim = 3;
    assert_same_spec(&request.spec, &wanted);
}

TEST(learning_with_a_fault_is_refused_by_its_path)
{
    assert_true(read_spec("{'reward_kind':'binary'}"));
    assert_ok(sotto_spec_resolve(&request.spec, &terms));
    refuse_learning("[]", "learning", "[]", "an object");
    refuse_learning("{'horizon':1000000000001}", "learning.horizon", "1000000000001",
                    "a whole number, 0 to 1000000000000");
    refuse_learning("{'alpha':1}", "learning.alpha", "1", "above 0, below 1");
    refuse_learning("{'step':'1/2'}", "learning.step", "\"1/2\"", "1/t, 1/sqrt");
    refuse_learning("{'warm_up':5}", "learning.warm_up", "5", "0 to 0");
    refuse_learning("{'epoch_seconds_min':0}", "learning.epoch_seconds_min", "0",
                    "a whole number, 1 to 31536000");
    refuse_learning("{'epoch_reports_min':0}", "learning.epoch_reports_min", "0",
                    "a whole number, 1 to 2147483648");
    refuse_learning("{'elimination_scale':'off'}", "learning.elimination_scale", "\"off\"",
                    "a number, or null for none");
    assert_false(read_learning("{'eta':1}"));
    assert_string_equal(why.fault.field, "learning.eta");
}

TEST(learning_that_is_absent_is_the_default_of_its_horizon)
{
    assert_true(read_spec("{'reward_kind':'binary','parameters':'per-arm'}"));
    assert_ok(sotto_spec_resolve(&request.spec, &terms));
    assert_true(read_learning(NULL));
    sotto_learning wanted = sotto_learning_default(&terms, 0);
    wanted.epoch = 0;
    assert_same_learning(&request.learning, &wanted);
    assert_ints(request.epoch_seconds_min, 1, request.epoch_reports_min, 20);
    assert_true(read_learning("{'epoch_reports_min':50,'horizon':100000}"));
    sotto_learning later = sotto_learning_default(&terms, 100000);
    later.epoch = 0;
    assert_same_learning(&request.learning, &later);
    assert_true(later.warm_up != wanted.warm_up);
    assert_int_equal(request.epoch_reports_min, 50);
    assert_true(read_learning("{'elimination_scale':null}"));
    assert_true(isinf(request.learning.elimination_scale));
}

TEST(an_epoch_lasts_long_enough_for_rewards_to_come)
{
    static const struct {
        const char *spec;
        uint32_t seconds;
    } cases[] = {
        {"{'reward_kind':'binary','reward_window_s':100,'send_spread_s':1}", 51},
        {"{'reward_kind':'binary','reward_window_s':100,'epoch_lag_max':1}", 100},
        {"{'reward_kind':'binary','reward_window_s':100,'epoch_lag_max':0}", 100},
        {"{'reward_kind':'binary','reward_window_s':31536000,'send_spread_s':31536000,"
         "'epoch_lag_max':1}",
         31536000},
        {"{'reward_kind':'binary','reward_window_s':100,'epoch_lag_max':8}", 13},
        {"{'reward_kind':'binary','reward_window_s':0,'send_spread_s':0}", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_true(read_spec(cases[i].spec));
        assert_ok(sotto_spec_resolve(&request.spec, &terms));
        assert_true(read_learning("{}"));
        assert_int_equal(request.epoch_seconds_min, cases[i].seconds);
    }
}

/* Every field differs from its default, and reals use all their bits. */
TEST(what_is_written_is_read_again_to_the_bit)
{
    experiment_request wanted = {
        .spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS),
        .epoch_seconds_min = 77,
        .epoch_reports_min = 99,
    };
    wanted.spec.dim = 7;
    wanted.spec.arms = 3;
    wanted.spec.epsilon = 1 + DBL_EPSILON;
    wanted.spec.reward_hi = 0.1 + 0.2;
    wanted.spec.reward_lo = -1.0 / 3;
    wanted.spec.reward_default = 5e-324;
    wanted.spec.huber_tau = 123456.789012345678;
    wanted.spec.reward_rate = nextafter(0.3, 1);
    wanted.spec.epoch_reports_max = SOTTO_REPORTS_MAX;
    wanted.spec.window_reports = 12345;
    wanted.spec.epoch_lag_max = 16;
    wanted.spec.series = UINT32_MAX;
    wanted.spec.measure = 4294967;
    wanted.spec.reward_window_s = 60;
    wanted.spec.send_spread_s = 61;
    assert_ok(sotto_spec_resolve(&wanted.spec, &terms));
    wanted.learning = sotto_learning_default(&terms, SOTTO_HORIZON_MAX);
    wanted.learning.alpha = 1.0 / 7;
    wanted.learning.step = SOTTO_STEP_SQRT;
    wanted.learning.project = false;
    wanted.learning.elimination_scale = INFINITY;

    json_t *spec = spec_json_write(&wanted), *learning = spec_json_write_learning(&wanted);
    FREED_BY(free_memory)
    char *spec_text = json_dumps(spec, JSON_COMPACT), *text = json_dumps(learning, JSON_COMPACT);
    assert_true(read_spec(spec_text));
    assert_same_spec(&request.spec, &wanted.spec);
    assert_true(read_learning(text));
    assert_same_learning(&request.learning, &wanted.learning);
    assert_ints(request.epoch_seconds_min, 77, request.epoch_reports_min, 99);
    json_decref(spec);
    json_decref(learning);
}

/* Most methods have one score, which is their default. */
TEST(a_method_with_one_score_has_it_by_default)
{
    assert_true(read_spec(
        "{\"reward_kind\": \"binary\", \"dim\": 3, \"arms\": 4, \"method\": \"best-arm\"}"));
    assert_int_equal(request.spec.score, SOTTO_SCORE_REWARD);
    assert_true(read_spec(
        "{\"reward_kind\": \"binary\", \"dim\": 3, \"arms\": 4, \"method\": \"ldp-sgd\"}"));
    assert_int_equal(request.spec.score, SOTTO_SCORE_GRADIENT);
    assert_true(read_spec("{'reward_kind': 'binary', 'dim': 3, 'arms': 4}"));
    assert_int_equal(request.spec.score, SOTTO_SCORE_SELF);
    assert_false(read_spec(
        "{\"reward_kind\": \"binary\", \"dim\": 3, \"arms\": 4, \"method\": \"best-arm\", "
        "\"score\": \"self\"}"));
    assert_string_equal(why.fault.field, "spec.score");
}

TEST(every_kind_is_written_by_its_name)
{
    experiment_request wanted = {.spec = sotto_spec_default(SOTTO_REWARD_BINARY)};
    wanted.spec.method = SOTTO_METHOD_LDP_SGD;
    wanted.spec.score = SOTTO_SCORE_GRADIENT;
    wanted.spec.parameters = SOTTO_PARAMETERS_PER_ARM;
    wanted.spec.split = SOTTO_SPLIT_PER_ARM;
    OWN(json_t) spec = spec_json_write(&wanted);
    assert_string_equal(json_string_value(json_object_get(spec, "method")), "ldp-sgd");
    assert_string_equal(json_string_value(json_object_get(spec, "score")), "gradient");
    assert_string_equal(json_string_value(json_object_get(spec, "parameters")), "per-arm");
    assert_string_equal(json_string_value(json_object_get(spec, "split")), "per-arm");
    assert_string_equal(json_string_value(json_object_get(spec, "link")), "logit");
    assert_string_equal(json_string_value(json_object_get(spec, "noise_law")), "gaussian");
    assert_int_equal(json_object_size(spec), 27);
}

TEST(a_fault_without_a_field_is_the_section_s)
{
    refusal_set_fault(&why, "spec", &(sotto_fault){.sentence = "out of memory"});
    assert_why("spec", "", "");
    assert_string_equal(why.fault.sentence, "out of memory");
}
