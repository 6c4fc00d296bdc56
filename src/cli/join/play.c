/* Plays rounds one after the other; each report leaves at its own time. */
#include "cli/print/print.h"
#include "core/core.h"
#include "inner.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TURN_MS 200u /* Ctrl-C is noticed within this */

/* ---- events ------------------------------------------------------------------------------- */

/* The round of an event: a round of this run, or one of an earlier run. */
static join_round round_of(const join_scene *s, const sotto_device_event *event)
{
    for (uint32_t i = 0; i < s->played_count; i++) {
        if (s->played[i].number == event->round) return s->played[i];
    }
    join_round earlier = {.number = event->round};
    if (event->frame != NULL) {
        earlier.role = sotto__role_of(&s->terms, event->frame + SOTTO__REPORT_NONCE_AT, true);
    }
    return earlier;
}

static void on_event(void *state, const sotto_device_event *event)
{
    join_scene *s = state;
    join_round round = round_of(s, event);
    wait_clear(&s->wait);
    join_print_event(event, &s->terms, &round, s->options->json);
    s->changed = true;
}

/* ---- rounds ------------------------------------------------------------------------------- */

static bool refused(const join_scene *s, const char *what, sotto_status status)
{
    sotto_fault fault;
    bool known = s->device != NULL && sotto_device_fault(s->device, &fault) != SOTTO_OK;
    return option_say(s->line, "%s: %s", what, known ? fault.sentence : sotto_status_text(status));
}

/* Reads from the ledger when the report of a round leaves, and the role of the round. */
static bool look_up(join_scene *s, join_round *round)
{
    sotto_unsent kept;
    sotto_status status = sotto_ledger_unsent(s->own.ledger, round->number - 1, &kept);
    if (status != SOTTO_OK || kept.entry != round->number) {
        return option_say(s->line, "round %" PRIu64 ": the ledger has no report of it",
                          round->number);
    }
    round->send_at_ms = kept.send_at_ms;
    round->role = sotto__role_of(&s->terms, kept.nonce, round->decides);
    return true;
}

static bool play_round(join_scene *s, uint32_t i)
{
    join_inputs *inputs = &s->inputs;
    join_round round = {
        .place = i + 1,
        .arms = s->terms.spec.arms,
        .context_made_up = !inputs->read,
        .reward_made_up = !inputs->with_reward,
        .decides = sotto_model_decides(&s->terms, sotto_site_model(s->site)),
    };
    uint64_t served = sotto_device_counts_of(s->device).served;
    sotto_status status = sotto_device_begin(s->device, &round.number);
    if (status != SOTTO_OK) return refused(s, "no round begins", status);
    status = sotto_device_decide(s->device, round.number, join_inputs_context(inputs, i),
                                 inputs->cells, &round.arm);
    if (status != SOTTO_OK) return refused(s, "the round is spent without a report", status);
    round.served = sotto_device_counts_of(s->device).served > served;
    if (!round.served && !look_up(s, &round)) return false;
    double reward = join_inputs_reward(inputs, i);
    round.came = !isnan(reward);
    if (round.came) {
        status = sotto_device_finish(s->device, round.number, reward);
        if (status != SOTTO_OK) return refused(s, "the reward is not in the report", status);
    }
    s->played[s->played_count++] = round;
    join_print_round(&round, s->options->json);
    return true;
}

/* ---- waiting ------------------------------------------------------------------------------ */

static void show_wait(join_scene *s)
{
    char text[160], at[CLOCK_TEXT_BYTES], left[CLOCK_TEXT_BYTES];
    uint64_t now_ms = clock_now_ms();
    uint32_t count = s->unsent.count;
    if (s->unsent.first_ms > now_ms) {
        snprintf(text, sizeof text, "%u report%s to be sent; the next leaves at %s, in %s", count,
                 count == 1 ? "" : "s", clock_text(s->unsent.first_ms, at),
                 clock_left(s->unsent.first_ms - now_ms, left));
    } else {
        snprintf(text, sizeof text, "%u report%s to be sent; waiting for the server", count,
                 count == 1 ? "" : "s");
    }
    wait_show(&s->wait, text);
}

/* Turns the wire until no report waits (true), or until a signal or a failure ends it (false). */
static bool wait_for_all(join_scene *s)
{
    s->changed = true;
    while (sotto_device_waiting(s->device) > 0) { /* Ctrl-C ends it at the latest */
        if (stop_signals_came(&s->held)) return false;
        if (s->changed && !join_ledger_unsent(s->line, &s->own, &s->terms, &s->unsent)) {
            return false;
        }
        s->changed = false;
        show_wait(s);
        sotto_status status = sotto_wire_turn(s->wire, TURN_MS);
        if (status != SOTTO_OK) return option_say(s->line, "%s", sotto_status_text(status));
        sotto_fault fault;
        if (sotto_ledger_fault(s->own.ledger, &fault) != SOTTO_OK)
            return option_say(s->line, "ledger %s: %s", s->own.path, fault.sentence);
    }
    return true;
}

/* ---- the end ------------------------------------------------------------------------------ */

static void say_left(const join_scene *s, size_t left)
{
    char at[CLOCK_TEXT_BYTES];
    join_unsent unsent;
    if (!join_ledger_unsent(s->line, &s->own, &s->terms, &unsent)) return;
    option_say(s->line,
               "%zu report%s still to be sent%s%s. The ledger %s keeps %s. The same command "
               "sends %s at %s time; with --rounds 0 it plays no more rounds.",
               left, left == 1 ? " is" : "s are",
               unsent.first_ms > clock_now_ms() ? ", the next at " : "",
               unsent.first_ms > clock_now_ms() ? clock_text(unsent.first_ms, at) : "", s->own.path,
               left == 1 ? "it" : "them", left == 1 ? "it" : "them", left == 1 ? "its" : "their");
}

static int say_end(const join_scene *s, bool good)
{
    sotto_device_counts counts = sotto_device_counts_of(s->device);
    size_t left = sotto_device_waiting(s->device);
    if (s->options->json) {
        json_writer j = json_begin(stdout);
        json_open(&j, NULL, '{');
        json_text(&j, "what", "end");
        json_natural(&j, "acknowledged", counts.acknowledged);
        json_natural(&j, "dropped", counts.dropped);
        json_natural(&j, "left", left);
        json_close(&j);
        json_end(&j);
    } else {
        printf("%" PRIu64 " report%s acknowledged, %" PRIu64 " dropped, %zu left to be sent.\n",
               counts.acknowledged, counts.acknowledged == 1 ? "" : "s", counts.dropped, left);
    }
    fflush(stdout);
    if (left > 0) say_left(s, left);
    return good && left == 0 && counts.dropped == 0 ? EXIT_OK : EXIT_FAILED;
}

int join_play(join_scene *s, uint32_t rounds)
{
    sotto_device_options device = sotto_device_options_default();
    device.policy = s->settings->policy;
    device.ledger = s->own.ledger;
    device.rounds_max = JOIN_ROUNDS_MAX;
    device.queue_max = 2 * JOIN_ROUNDS_MAX;
    device.event = on_event;
    device.state = s;
    s->played = calloc((size_t)rounds + 1, sizeof *s->played);
    if (s->played == NULL) {
        option_say(s->line, "%s", sotto_status_text(SOTTO_E_MEMORY));
        return EXIT_FAILED;
    }
    s->held = stop_signals_hold();
    sotto_status status = sotto_device_new(s->site, &device, &s->device);
    if (status != SOTTO_OK) {
        refused(s, "this device does not take part", status);
        return EXIT_FAILED;
    }
    bool good = true;
    for (uint32_t i = 0; i < rounds && good && !stop_signals_came(&s->held); i++) {
        good = play_round(s, i);
    }
    fflush(stdout);
    if (!wait_for_all(s)) good = false;
    wait_clear(&s->wait);
    return say_end(s, good);
}
