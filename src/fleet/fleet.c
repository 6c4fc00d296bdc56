/* A fleet: decides when people begin, turns the wire, and observes the run. */

#include "core/core.h"
#include "inner.h"
#include "lab/environment/environment.h"

#include <math.h>
#include <stdlib.h>

#define JOIN_S_MAX 10.0  /* a server that does not answer for this long is reported as gone */
#define JOIN_TRIED_S 3.0 /* a server that cannot be reached is reported after this time */
#define STOPPED_S 5.0    /* how long to wait for reports under way after Ctrl-C */
#define LOOK_EVERY_S 0.1
#define TURN_MS 20u
#define BURST 64u /* the most people who begin between two turns */

struct sotto__fleet {
    sotto__fleet_options options;
    sotto_wire *wire;
    sotto_site *site;
    sotto_match match;
    sotto__world *world;
    sotto__policy_value *value;
    sotto__crowd *crowd;
    sotto__liars *liars; /* NULL: nobody lies */
    sotto__seeded missing;
    sotto__sight sight;
    uint32_t at_once; /* the most people whose report may be under way */
    double start_s;   /* when the first person began; 0: nobody has */
    double moved_s;   /* when a person last began, or a report was acknowledged or dropped */
    uint64_t moved;   /* how many of these events there were */
    double looked_s;  /* when the listener was last called */
    bool over;        /* everybody's report is acknowledged or given up */
    bool stopped;     /* by the listener */
    double stopped_s;
};

sotto__fleet_options sotto__fleet_options_default(void)
{
    sotto__fleet_options options = {
        .wire = sotto_wire_options_default(),
        .refresh_ms = 100,
        .policy = sotto_policy_default(),
        .seed = 1,
        .people = 10000,
        .at_once = 4000,
        .seconds = INFINITY,
        .drain_s = 60,
        .grind = 1,
    };
    options.wire.requests_max = 32;
    options.wire.keep_connections = true; /* the reports of many people share them */
    return options;
}

/* ---- made and freed ----------------------------------------------------------------------- */

void sotto__fleet_free(sotto__fleet *fleet)
{
    if (fleet == NULL) return;
    sotto__liars_free(fleet->liars);
    sotto__crowd_free(fleet->crowd);
    sotto__policy_value_free(fleet->value);
    sotto__world_free(fleet->world);
    sotto_site_free(fleet->site);
    sotto_wire_free(fleet->wire);
    free(fleet);
}

sotto_status sotto__fleet_new(const sotto__fleet_options *options, sotto__fleet **out,
                              sotto_fault *fault)
{
    sotto_site_options site = sotto_site_options_default();
    *out = NULL;
    site.url = options->url;
    site.refresh_ms = options->refresh_ms;
    site.report_key = options->report_key;
    if (sotto_wire_options_fault(&options->wire, fault) != SOTTO_OK ||
        sotto_site_options_fault(&site, fault) != SOTTO_OK ||
        sotto_policy_fault(&options->policy, fault) != SOTTO_OK)
        return SOTTO_E_FAULT;
    sotto__fleet *fleet = calloc(1, sizeof *fleet);
    sotto_status status = fleet == NULL ? SOTTO_E_MEMORY : SOTTO_OK;
    if (status == SOTTO_OK) {
        fleet->options = *options;
        status = sotto_wire_new(&options->wire, &fleet->wire);
    }
    if (status == SOTTO_OK) status = sotto_site_new(fleet->wire, &site, &fleet->site);
    if (status != SOTTO_OK) {
        sotto__fleet_free(fleet);
        return sotto__fault_status(fault, status);
    }
    *out = fleet;
    return SOTTO_OK;
}

const sotto_terms *sotto__fleet_terms(const sotto__fleet *fleet)
{
    return sotto_site_terms(fleet->site);
}

const sotto__sight *sotto__fleet_sight(const sotto__fleet *fleet)
{
    return &fleet->sight;
}

/* ---- turns -------------------------------------------------------------------------------- */

/* Counts a model that came since the last call. */
static void watch_model(sotto__fleet *fleet)
{
    sotto__sight *sight = &fleet->sight;
    const sotto_model *model = sotto_site_model(fleet->site);
    if (model == NULL || (model->epoch == sight->epoch && model->reports == sight->reports_last)) {
        return;
    }
    sight->epoch = model->epoch;
    sight->reports_last = model->reports;
    if (fleet->start_s == 0) return;
    if (sight->publishes++ == 0) sight->reports_first = model->reports;
}

static void look(sotto__fleet *fleet, const sotto__fleet_listener *listener, double now_s)
{
    if (now_s < fleet->looked_s + LOOK_EVERY_S) return;
    fleet->looked_s = now_s;
    if (fleet->start_s > 0 && !fleet->over) fleet->sight.seconds = now_s - fleet->start_s;
    if (fleet->value != NULL) fleet->sight.value = sotto__policy_value_look(fleet->value);
    if (listener->look(listener->state, &fleet->sight) || fleet->stopped) return;
    fleet->stopped = true;
    fleet->stopped_s = now_s;
}

static sotto_status turn(sotto__fleet *fleet, const sotto__fleet_listener *listener,
                         uint32_t timeout_ms)
{
    sotto_status status = sotto_wire_turn(fleet->wire, timeout_ms);
    if (fleet->crowd != NULL) sotto__crowd_part(fleet->crowd);
    if (fleet->liars != NULL) sotto__liars_part(fleet->liars);
    watch_model(fleet);
    look(fleet, listener, sotto__fleet_clock_s());
    return status;
}

/* ---- join --------------------------------------------------------------------------------- */

sotto_status sotto__fleet_join(sotto__fleet *fleet, const sotto__fleet_listener *listener,
                               sotto_fault *fault)
{
    double start_s = sotto__fleet_clock_s(), past_s = 0;
    while (sotto_site_state_of(fleet->site) == SOTTO_SITE_ASKING && !fleet->stopped) {
        bool tried = sotto_site_fault(fleet->site, NULL) != SOTTO_OK;
        if (past_s > JOIN_S_MAX || (tried && past_s > JOIN_TRIED_S)) break;
        sotto_status status = turn(fleet, listener, TURN_MS);
        if (status != SOTTO_OK) return sotto__fault_status(fault, status);
        past_s = sotto__fleet_clock_s() - start_s;
    }
    if (sotto_site_state_of(fleet->site) != SOTTO_SITE_READY) {
        if (sotto_site_fault(fleet->site, fault) == SOTTO_OK) {
            sotto__refuse(fault, "no answer");
        }
        return sotto__fault_within(fault, "%.200s: ", fleet->options.url);
    }
    const sotto_spec *spec = &sotto_site_terms(fleet->site)->spec;
    return sotto_policy_refusal(&fleet->options.policy, spec, fault);
}

/* ---- begin -------------------------------------------------------------------------------- */

/* If reports leave at once, at most as many people as fit into two rounds of requests: more would
 * only wait in line while their model gets old. */
static uint32_t people_at_once(const sotto__fleet_options *options, const sotto_spec *spec)
{
    uint64_t two_rounds = 2 * (uint64_t)options->wire.requests_max * options->wire.batch_max;
    bool at_once = spec->reward_window_s == 0 && spec->send_spread_s == 0;
    return at_once && two_rounds < options->at_once ? (uint32_t)two_rounds : options->at_once;
}

sotto_status sotto__fleet_begin(sotto__fleet *fleet, const sotto_match *match, sotto_fault *fault)
{
    const sotto__fleet_options *options = &fleet->options;
    const sotto_terms *terms = sotto_site_terms(fleet->site);
    sotto_status status = sotto__fleet_match_fault(match, fault);
    if (status != SOTTO_OK) return status;
    if (options->liars > 0 && match->player == SOTTO_PLAYER_BEST_ARM) {
        return sotto__fault_at(
            fault, "liars", "%.15g: must be 0, the lab has no liars for best-arm", options->liars);
    }
    fleet->match = *match;
    fleet->match.liars = options->liars;
    fleet->match.grind = options->grind;
    fleet->at_once = people_at_once(options, &terms->spec);
    sotto__stream_begin(&fleet->missing, options->seed, SOTTO__PURPOSE_MISSING);
    status = sotto__world_new(&fleet->match, options->seed, &fleet->world);
    if (status == SOTTO_OK) status = sotto__policy_value_new(terms, &fleet->value);
    sotto__fleet_stage stage = {fleet->wire,      fleet->site,  fleet->world,
                                &options->policy, fleet->value, &fleet->sight};
    if (status == SOTTO_OK) status = sotto__crowd_new(&stage, fleet->at_once, &fleet->crowd);
    if (status == SOTTO_OK && options->liars > 0) {
        status =
            sotto__liars_new(&stage, &fleet->match, options->seed, fleet->at_once, &fleet->liars);
    }
    return status == SOTTO_OK ? SOTTO_OK : sotto__fault_status(fault, status);
}

/* ---- play --------------------------------------------------------------------------------- */

static sotto_status begin_person(sotto__fleet *fleet)
{
    sotto__world_next(fleet->world);
    if (fleet->liars != NULL && sotto__liars_come(fleet->liars)) {
        return sotto__liars_add(fleet->liars);
    }
    bool missing =
        fleet->options.reward_missing > 0 &&
        sotto__uniform(sotto__seeded_next(&fleet->missing)) < fleet->options.reward_missing;
    return sotto__crowd_add(fleet->crowd, missing);
}

/* How many people may begin now. */
static uint32_t wanted(const sotto__fleet *fleet, double now_s)
{
    const sotto__fleet_options *options = &fleet->options;
    uint64_t begun = fleet->sight.people, most = options->people - begun;
    uint64_t room = fleet->at_once - fleet->sight.under_way;
    if (options->rate > 0) {
        double due = floor(options->rate * (now_s - fleet->start_s)) + 1 - (double)begun;
        if (due < (double)most) most = due > 0 ? (uint64_t)due : 0;
    }
    if (most > room) most = room;
    return most < BURST ? (uint32_t)most : BURST;
}

/* True if nothing has happened for so long that nothing more will: the terms allow no report to be
 * this late. */
static bool is_stuck(const sotto__fleet *fleet, double now_s)
{
    const sotto_spec *spec = &sotto_site_terms(fleet->site)->spec;
    double usual_s = (double)spec->reward_window_s + spec->send_spread_s;
    return now_s > fleet->moved_s + usual_s + fleet->options.drain_s;
}

/* True if more people may begin. */
static bool goes_on(const sotto__fleet *fleet, double now_s)
{
    return !fleet->stopped && fleet->sight.people < fleet->options.people &&
           now_s - fleet->start_s < fleet->options.seconds &&
           (fleet->sight.under_way == 0 || !is_stuck(fleet, now_s)) &&
           sotto_site_state_of(fleet->site) == SOTTO_SITE_READY;
}

/* True if waiting for the reports under way still makes sense. */
static bool may_wait(const sotto__fleet *fleet, double now_s)
{
    if (fleet->sight.under_way == 0 || is_stuck(fleet, now_s)) return false;
    return !fleet->stopped || now_s < fleet->stopped_s + STOPPED_S;
}

static void watch_progress(sotto__fleet *fleet, double now_s)
{
    const sotto__sight *sight = &fleet->sight;
    uint64_t moved = sight->people + sight->sent.acknowledged + sight->dropped;
    if (moved != fleet->moved) fleet->moved_s = now_s;
    fleet->moved = moved;
}

/* Begins as many people as allowed. Returns how many began. */
static uint32_t begin_some(sotto__fleet *fleet, double now_s, sotto_status *failed)
{
    uint32_t count = wanted(fleet, now_s), begun = 0;
    while (begun < count && *failed == SOTTO_OK) {
        *failed = begin_person(fleet);
        begun += *failed == SOTTO_OK;
    }
    return begun;
}

sotto_status sotto__fleet_play(sotto__fleet *fleet, const sotto__fleet_listener *listener)
{
    double now_s = sotto__fleet_clock_s();
    uint32_t wait_ms = fleet->options.rate > 1000.0 / TURN_MS ? 1 : TURN_MS;
    sotto_status status = SOTTO_OK, failed = SOTTO_OK;
    bool begins = true;
    fleet->start_s = fleet->moved_s = now_s;
    while (status == SOTTO_OK && (begins || may_wait(fleet, now_s))) {
        uint32_t begun = begins ? begin_some(fleet, now_s, &failed) : 0;
        status = turn(fleet, listener, begun == BURST ? 0 : wait_ms);
        now_s = sotto__fleet_clock_s();
        watch_progress(fleet, now_s);
        begins = failed == SOTTO_OK && goes_on(fleet, now_s);
    }
    fleet->looked_s = 0;
    look(fleet, listener, now_s);
    fleet->over = true;
    return failed == SOTTO_OK ? status : failed;
}

void sotto__fleet_await_publish(sotto__fleet *fleet, const sotto__fleet_listener *listener,
                                double seconds)
{
    double end_s = sotto__fleet_clock_s() + seconds;
    uint64_t publishes = fleet->sight.publishes;
    while (sotto__fleet_clock_s() < end_s && fleet->sight.publishes == publishes &&
           !fleet->stopped) {
        if (turn(fleet, listener, TURN_MS) != SOTTO_OK) return;
    }
}
