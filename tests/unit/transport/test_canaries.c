/* No fault has a secret in it. Canaries go in as contexts, arms, rewards, worths, keys and tokens, every public function
 * of client.h and transport.h that can refuse is called and made to, and all that is said is searched. tests/boundary
 * sees that none is left out. */
#include "core/core.h"
#include "directory.h"
#include "store.h"
#include "transport_scene.h"

#include <ctype.h>

#define ARM 937u
#define ARMS (ARM + 1)
#define NUMBERS (2 * ARMS)
/* They look the same to any number of digits. */
#define CONTEXT 0.7311111111111111
#define REWARD 0.6422222222222222
#define WORTH 0.5833333333333333
#define TOKEN "canary-token"
#define KEY "canary-report-key"
#define ID "00112233445566778899aabbccddeeff"
#define TAIL "/v1/experiments/" ID
#define NOW UINT64_C(1790000000000)
#define CALLS_MAX 60 /* of a store in one round */

/* ---- the search --------------------------------------------------------------------------- */

/* Whether the text has these digits and none beside them. */
static bool has_number(const char *text, const char *digits)
{
    for (const char *at = strstr(text, digits); at != NULL; at = strstr(at + 1, digits)) {
        bool more = isdigit((unsigned char)at[strlen(digits)]) || (at > text && isdigit(at[-1]));
        if (!more) return true;
    }
    return false;
}

static const char *leak_in(const char *text)
{
    static const char *const words[] = {"731", "642", "583", "canary"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strstr(text, words[i]) != NULL) return words[i];
    }
    return has_number(text, "937") ? "937" : NULL;
}

static const char *leak_of(const sotto_fault *fault)
{
    const char *const part[] = {fault->field, fault->value, fault->allowed, fault->sentence};
    const char *leak = NULL;
    for (size_t i = 0; i < sizeof part / sizeof part[0] && leak == NULL; i++) {
        leak = leak_in(part[i]);
    }
    return leak;
}

static uint32_t refusals, told;

static void search(sotto_status status, const sotto_fault *fault)
{
    if (status == SOTTO_OK) return;
    told++;
    const char *leak = leak_of(fault);
    if (leak != NULL) fail_msg("%s is in \"%s\"", leak, fault->sentence);
}

TEST(the_search_finds_a_canary_in_every_part)
{
    static const char *const leaks[] = {"0.731", "0.7311111", "0.642", "0.583333",
                                        "937",   KEY,         TOKEN};
    for (size_t i = 0; i < sizeof leaks / sizeof leaks[0]; i++) {
        sotto_fault fault = {.field = ""};
        assert_null(leak_of(&fault));
        snprintf(fault.field, sizeof fault.field, "x %s", leaks[i]);
        assert_non_null(leak_of(&fault));
        fault.field[0] = '\0';
        snprintf(fault.value, sizeof fault.value, "%s", leaks[i]);
        assert_non_null(leak_of(&fault));
        fault.value[0] = '\0';
        snprintf(fault.allowed, sizeof fault.allowed, "not %s", leaks[i]);
        assert_non_null(leak_of(&fault));
        fault.allowed[0] = '\0';
        snprintf(fault.sentence, sizeof fault.sentence, "%s: no", leaks[i]);
        assert_non_null(leak_of(&fault));
    }
    assert_null(leak_in("entry 9370 at byte 19371"));
}

/* ---- an experiment whose best arm is the canary ------------------------------------------- */

static double context[NUMBERS], worth[ARMS];

static sotto_spec many_arms(void)
{
    sotto_spec spec = scene_spec(10, 20);
    spec.arms = ARMS;
    for (uint32_t a = 0; a < ARMS; a++) {
        context[2 * a] = a == ARM ? CONTEXT : -CONTEXT;
        worth[a] = WORTH;
    }
    return spec;
}

static void know(sotto_model *model)
{
    model->phase = SOTTO_PHASE_MAIN;
    model->theta[0] = 1;
    if (model->tbar != NULL) model->tbar[0] = 1;
}

/* ---- a person ----------------------------------------------------------------------------- */

typedef struct person {
    sotto_ledger *ledger;
    sotto_client *client;
    sotto_round *round;
    sotto_model *model;
    uint8_t frame[SCENE_FRAME_BYTES];
    uint32_t arm;
} person;

static sotto_terms terms;

/* After each call: what the ledger says of it. */
static void after(const person *p, sotto_status status)
{
    sotto_fault fault;
    refusals += status != SOTTO_OK;
    if (p->ledger != NULL) search(sotto_ledger_fault(p->ledger, &fault), &fault);
}

static bool join(person *p, store *s, const sotto_policy *policy)
{
    const sotto_ledger_calls calls = store_calls(s);
    sotto_fault fault;
    *p = (person){.ledger = NULL};
    after(p, sotto_ledger_calls_create(&calls));
    search(sotto_ledger_calls_fault(&calls, &fault), &fault);
    after(p, sotto_ledger_calls_open(&calls, &p->ledger));
    if (p->ledger != NULL) after(p, sotto_client_new(policy, p->ledger, &p->client));
    if (p->client != NULL) after(p, sotto_round_new(p->client, &terms, &p->round));
    assert_ok(sotto_model_new(&terms, &p->model));
    know(p->model);
    return p->round != NULL;
}

static void leave(person *p)
{
    sotto_round_free(p->round);
    sotto_client_free(p->client);
    sotto_model_free(p->model);
    sotto_ledger_free(p->ledger);
}

/* All calls of a round in their order, whatever they answer. */
static void play(person *p)
{
    uint64_t send_at_ms;
    after(p, sotto_round_begin(p->round, p->model));
    after(p, sotto_round_hold_at(p->round, NOW, &send_at_ms));
    after(p, sotto_round_decide(p->round, context, NUMBERS, &p->arm));
    after(p, sotto_round_finish(p->round, REWARD, p->frame, sizeof p->frame));
    after(p, sotto_round_resend(p->round, p->frame, sizeof p->frame));
    after(p, sotto_round_seal(p->round, p->frame, sizeof p->frame));
    after(p, sotto_round_acknowledge(p->round));
}

/* What is out of order, too long, too short, or no number. */
static void play_badly(person *p)
{
    double bad[ARMS];
    uint64_t send_at_ms;
    sotto_status status;
    sotto_card card;
    sotto_unsent unsent = {0};
    memcpy(bad, worth, sizeof bad);
    bad[0] = -WORTH;
    after(p, sotto_round_finish(p->round, REWARD, p->frame, sizeof p->frame));
    after(p, sotto_round_decide(p->round, context, NUMBERS, &p->arm));
    after(p, sotto_round_resend(p->round, p->frame, 1));
    after(p, sotto_round_begin(p->round, p->model));
    after(p, sotto_round_hold_at(p->round, 0, &send_at_ms));
    after(p, sotto_round_hold(p->round));
    after(p, sotto_round_hold(p->round));
    after(p, sotto_round_decide(p->round, context, NUMBERS - 1, &p->arm));
    after(p, sotto_round_decide_worth(p->round, context, NUMBERS, bad, &p->arm));
    after(p, sotto_round_decide_worth(p->round, context, NUMBERS, worth, &p->arm));
    after(p, sotto_round_decide(p->round, context, NUMBERS, &p->arm));
    after(p, sotto_round_finish(p->round, REWARD, p->frame, 1));
    after(p, sotto_round_seal(p->round, p->frame, 1));
    after(p, sotto_ledger_unsent(p->ledger, 0, &unsent));
    after(p, sotto_ledger_acknowledge(p->ledger, unsent.entry));
    after(p, sotto_ledger_seal(p->ledger, unsent.entry, p->frame, 1));
    after(p, sotto_ledger_seal(p->ledger, unsent.entry, p->frame, sizeof p->frame));
    after(p, sotto_round_finish(p->round, REWARD, p->frame, sizeof p->frame));
    after(p, sotto_ledger_drop(p->ledger, unsent.entry));
    after(p, sotto_ledger_drop(p->ledger, unsent.entry));
    after(p, sotto_round_acknowledge(p->round));
    after(p, sotto_rounds_begin(&p->round, 1, p->model, &status));
    after(p, sotto_rounds_decide(&p->round, 1, context, 1, &p->arm, &status));
    after(p, sotto_rounds_decide(&p->round, 1, context, NUMBERS, &p->arm, &status));
    after(p, sotto_rounds_finish(&p->round, 1, &(double){REWARD}, p->frame, 1, &status));
    p->model->epoch = UINT32_MAX;
    p->model->theta[0] = NAN;
    after(p, sotto_round_begin(p->round, p->model));
    after(p, sotto_card_make(&terms, &(sotto_policy){.epsilon_lifetime = -1}, p->ledger, &card));
}

TEST(no_refusal_of_a_ledger_has_a_secret_whichever_call_of_its_store_fails)
{
    const sotto_policy policy = sotto_policy_default();
    const sotto_spec spec = many_arms();
    assert_ok(sotto_spec_resolve(&spec, &terms));
    store *s = malloc(sizeof *s);
    for (int failure = STORE_FAILS; failure <= STORE_DONE_DIES; failure++) {
        for (uint64_t at = 0; at < CALLS_MAX; at++) {
            person p;
            *s = (store){.fail_at = at, .failure = (store_failure)failure};
            refusals = 0;
            if (join(&p, s, &policy)) {
                play(&p);
                if (at == 0) assert_ints(p.arm, ARM, refusals, 0);
                play_badly(&p);
                assert_true(refusals > 5);
            }
            leave(&p);
        }
    }
    free(s);
    assert_true(told > 1000);
}

TEST(no_refusal_of_a_policy_a_budget_or_a_file_has_a_secret)
{
    sotto_policy policy = sotto_policy_default();
    sotto_spec spec = many_arms();
    sotto_fault fault;
    store *s = calloc(1, sizeof *s);
    person p;
    HELD(directory) f = directory_new();
    assert_ok(sotto_spec_resolve(&spec, &terms));
    policy.epsilon_lifetime = spec.epsilon / 2;
    assert_true(join(&p, s, &policy));
    play(&p);
    assert_int_equal(sotto_ledger_fault(p.ledger, NULL), SOTTO_E_BUDGET);
    assert_status(sotto_round_begin(p.round, p.model), SOTTO_E_BUDGET);
    after(&p, SOTTO_E_BUDGET);
    leave(&p);
    free(s);
    policy.arms_max = 2;
    assert_status(sotto_policy_refusal(&policy, &spec, &fault), SOTTO_E_POLICY);
    assert_strings(fault.field, "arms", fault.value, "938");
    policy.dim_max = 0;
    assert_status(sotto_policy_fault(&policy, &fault), SOTTO_E_FAULT);
    assert_string_equal(fault.field, "dim_max");
    search(SOTTO_E_FAULT, &fault);
    sotto_ledger *ledger;
    assert_status(sotto_ledger_memory_new(NULL), SOTTO_E_ARGUMENT);
    assert_ok(sotto_ledger_file_create(f.file));
    assert_status(sotto_ledger_file_create(f.file), SOTTO_E_EXISTS);
    assert_status(sotto_ledger_file_open(f.path, &ledger), SOTTO_E_LEDGER);
    assert_status(sotto_ledger_file_fault(f.path, &fault), SOTTO_E_LEDGER);
    search(SOTTO_E_LEDGER, &fault);
}

/* ---- a device ----------------------------------------------------------------------------- */

/* After each call: what all three say of it, and what was told meanwhile. */
static void after_call(const transport_scene *s, const sotto_device *device, sotto_status status)
{
    sotto_fault fault;
    refusals += status != SOTTO_OK;
    search(sotto_site_fault(s->site, &fault), &fault);
    if (device != NULL) search(sotto_device_fault(device, &fault), &fault);
    for (size_t i = 0; i < s->events; i++) {
        const char *leak = leak_in(s->event[i].why);
        if (leak != NULL) fail_msg("%s is in \"%s\"", leak, s->event[i].why);
    }
}

static void play_device(transport_scene *s, sotto_device *device)
{
    uint64_t round = 0;
    uint32_t arm = 0;
    for (int i = 0; i < 2; i++) { /* the second time nothing fits */
        after_call(s, device, sotto_device_begin(device, &round));
        after_call(s, device, sotto_device_decide(device, round, context, NUMBERS - 1, &arm));
        after_call(s, device, sotto_device_decide(device, round, context, NUMBERS, &arm));
        after_call(s, device, sotto_device_finish(device, round, REWARD));
        after_call(s, device, sotto_device_finish(device, round + 1, REWARD));
    }
    for (int i = 0; i < 3; i++) {
        scene_pass(s, 60000);
        after_call(s, device, sotto_device_adopt(device));
    }
    after_call(s, device, sotto_device_finish(device, round, REWARD));
}

static void serve_with(int status, store_failure failure, uint64_t fail_at)
{
    OWN(transport_scene) s = scene_new(many_arms(), sotto_wire_options_default());
    FREED_BY(free_memory) store *kept = calloc(1, sizeof *kept);
    sotto_ledger_calls calls = store_calls(kept);
    OWN(sotto_ledger) ledger = NULL;
    OWN(sotto_device) device = NULL;
    know(s->model);
    s->options.report_key = KEY;
    scene_add_site(s);
    scene_settle(s);
    assert_ok(sotto_ledger_calls_create(&calls));
    assert_ok(sotto_ledger_calls_open(&calls, &ledger));
    sotto_device_options options = scene_device_options(s, ledger);
    options.rounds_max = 1;
    assert_ok(sotto_device_new(s->site, &options, &device));
    s->to_reports.status = status;
    kept->fail_at = fail_at == 0 ? 0 : kept->calls + fail_at;
    kept->failure = failure;
    play_device(s, device);
    s->to_model.status = status;
    scene_pass(s, 2 * UINT64_C(86400000)); /* the model is asked for again */
    after_call(s, device, SOTTO_OK);
}

TEST(no_refusal_of_a_site_or_a_device_has_a_secret_whatever_the_server_answers)
{
    static const int status[] = {0, 200, 302, 400, 403, 404, 409, 410, 413, 429, 500, 503};
    refusals = told = 0;
    for (size_t i = 0; i < sizeof status / sizeof status[0]; i++) {
        serve_with(status[i], STORE_FAILS, 0);
    }
    for (uint64_t at = 1; at < 12; at++) {
        serve_with(0, STORE_DIES, at);
    }
    assert_true(refusals > 100 && told > 100);
}

TEST(no_fault_of_options_shows_a_url_or_a_key)
{
    static const char *const urls[] = {
        "",
        TOKEN,
        "ftp://" TOKEN TAIL,
        "https://user:" TOKEN "@example.org" TAIL,
        "https://example.org" TAIL "?token=" TOKEN,
        "https://" TOKEN "/",
        "http://" TOKEN ".example.org" TAIL,
    };
    static const char *const keys[] = {"canary", "a canary-report-key", KEY "\n"};
    char longer[3000] = "https://" TOKEN;
    memset(longer + strlen(longer), 'a', sizeof longer - strlen(longer) - 1);
    sotto_wire_options wire = sotto_wire_options_default();
    sotto_site_options site = sotto_site_options_default();
    sotto_device_options device = sotto_device_options_default();
    sotto_fault fault;
    sotto_wire *no_wire;
    sotto_site *no_site;
    sotto_device *no_device;
    OWN(transport_scene) s = scene_quick(0, 0);
    for (size_t i = 0; i <= sizeof urls / sizeof urls[0]; i++) {
        const char *url = i < sizeof urls / sizeof urls[0] ? urls[i] : longer;
        site = (sotto_site_options){.url = url, .refresh_ms = 10};
        assert_status(sotto_site_options_fault(&site, &fault), SOTTO_E_FAULT);
        search(SOTTO_E_FAULT, &fault);
        assert_strings(fault.field, "url", fault.value, "");
        site = (sotto_site_options){.url = "https://a" TAIL, .relay = url, .refresh_ms = 10};
        assert_status(sotto_site_options_fault(&site, &fault), SOTTO_E_FAULT);
        search(SOTTO_E_FAULT, &fault);
        assert_strings(fault.field, "relay", fault.value, "");
        assert_status(sotto_site_new(s->wire, &site, &no_site), SOTTO_E_FAULT);
    }
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        site =
            (sotto_site_options){.url = "https://a" TAIL, .report_key = keys[i], .refresh_ms = 10};
        assert_status(sotto_site_options_fault(&site, &fault), SOTTO_E_FAULT);
        search(SOTTO_E_FAULT, &fault);
        assert_strings(fault.field, "report_key", fault.value, "");
    }
    wire.proxy = "socks4://user:" TOKEN "@example.org";
    assert_status(sotto_wire_options_fault(&wire, &fault), SOTTO_E_FAULT);
    search(SOTTO_E_FAULT, &fault);
    assert_strings(fault.field, "proxy", fault.value, "");
    assert_status(sotto_wire_new(&wire, &no_wire), SOTTO_E_FAULT);
    assert_status(sotto_wire_turn(NULL, 0), SOTTO_E_ARGUMENT);
    assert_status(sotto_device_options_fault(&device, &fault), SOTTO_E_FAULT);
    search(SOTTO_E_FAULT, &fault);
    assert_status(sotto_device_new(s->site, &device, &no_device), SOTTO_E_FAULT);
}
