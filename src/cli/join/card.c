/* The privacy card that a person reads before taking part. The device computes every number on
 * it. */
#include "cli/print/print.h"
#include "inner.h"
#include "text/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#define LABEL_COLUMNS 14
#define ROW_BYTES 1024
#define FACTOR_BYTES 32

sotto_status join_card_make(const sotto_terms *terms, const join_settings *settings,
                            const join_ledger *own, join_card *out)
{
    memset(out, 0, sizeof *out);
    out->terms = terms;
    out->settings = settings;
    out->ledger_path = own->path;
    out->refused = sotto_policy_refusal(&settings->policy, &terms->spec, &out->refusal) != SOTTO_OK;
    return sotto_card_make(terms, &settings->policy, own->ledger, &out->card);
}

/* ---- in words ----------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static void row(const char *label, const char *format, ...)
{
    char text[ROW_BYTES];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    printf("%-*s", LABEL_COLUMNS, label);
    wrap_print(stdout, text, LABEL_COLUMNS, LABEL_COLUMNS, text_columns_of_output());
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* A factor in a few digits: 2.72, 2981, 1e+08. */
static const char *factor_text(double factor, char text[FACTOR_BYTES])
{
    snprintf(text, FACTOR_BYTES, factor < 100 ? "%.3g" : factor < 1e6 ? "%.0f" : "%.0e", factor);
    return text;
}

static void when_row(const sotto_card *c)
{
    char window[CLOCK_TEXT_BYTES], spread[CLOCK_TEXT_BYTES];
    clock_exact(c->reward_window_s, window);
    clock_exact(c->send_spread_s, spread);
    if (c->reward_window_s == 0 && c->send_spread_s == 0) {
        row("when", "As soon as the round begins, so its time shows when you took part.");
    } else if (c->send_spread_s == 0) {
        row("when", "%s after the round begins, whatever happens in it.", window);
    } else if (c->reward_window_s == 0) {
        row("when",
            "Within %s after the round begins, by chance: drawn when it begins, whatever happens "
            "in "
            "it.",
            spread);
    } else {
        row("when",
            "%s after the round begins, and up to %s later, by chance: drawn when it begins, "
            "whatever happens in it.",
            window, spread);
    }
}

static void tells_row(const sotto_card *c)
{
    char delta[96] = "", factor[FACTOR_BYTES];
    if (c->delta > 0) {
        snprintf(delta, sizeof delta, " The chance that it changes them by more is about %.3g.",
                 c->delta);
    }
    row("what it tells",
        "One report changes anyone's odds on what you did by at most a factor of "
        "e^epsilon = e^%.4g = %s.%s",
        c->epsilon, factor_text(c->odds_factor, factor), delta);
    if (c->measure_share > 0) {
        row("measuring",
            "%.3g %% of the rounds measure how good the choices are. Half of these play an arm at "
            "random.",
            100 * c->measure_share);
    }
}

/* Plain http never leaves this machine, so no proxy is used for it. */
static void address_row(const join_settings *settings)
{
    if (settings->site.relay != NULL) {
        row("who sees you", "The relay sees your network address with each report. Terms and "
                            "models come directly from the server.");
    } else if (settings->wire.proxy != NULL && strncmp(settings->url, "https:", 6) == 0) {
        row("who sees you", "The proxy sees your network address; the server sees the proxy's.");
    } else {
        row("who sees you", "The server sees the network address that a report comes from. --relay "
                            "and --proxy change that.");
    }
}

static void spent_row(const join_card *card)
{
    const sotto_card *c = &card->card;
    if (c->rounds_before == 0) {
        row("spent before", "Nothing: %s has no round yet.", card->ledger_path);
        return;
    }
    row("spent before",
        "%" PRIu64 " round%s of all experiments: epsilon %.4g by the sum, %.4g by optimal "
        "composition at delta %.3g; %" PRIu64 " report%s dropped. Source: %s.",
        c->rounds_before, plural(c->rounds_before), c->epsilon_before, c->epsilon_before_optimal,
        c->delta_lifetime, c->dropped_before, plural(c->dropped_before), card->ledger_path);
    if (card->unsent > 0) {
        row("to be sent", "%u report%s of earlier rounds of this experiment.", card->unsent,
            plural(card->unsent));
    }
}

static void left_row(const join_card *card)
{
    const sotto_card *c = &card->card;
    const sotto_policy *policy = &card->settings->policy;
    row("your limits",
        "epsilon %.4g per report (--epsilon-max), %.4g for life (--epsilon-lifetime), %.3g %% of "
        "rounds to measure (--measure-max).",
        policy->epsilon_per_report_max, policy->epsilon_lifetime, 100 * policy->measure_share_max);
    if (card->refused) {
        row("refused", "%s.", card->refusal.sentence);
        return;
    }
    char factor[FACTOR_BYTES];
    row("left",
        "%s%u more round%s of this experiment. All reports of your life together change the odds "
        "by "
        "at most a factor of e^%.4g = %s, at delta %.3g.",
        c->rounds_left == SOTTO_CARD_ROUNDS_MAX ? "At least " : "", c->rounds_left,
        plural(c->rounds_left), c->epsilon_lifetime, factor_text(exp(c->epsilon_lifetime), factor),
        c->delta_lifetime);
}

static void print_words(const join_card *card)
{
    char id[2 * SOTTO_SPEC_ID_BYTES + 1];
    row("experiment", "%s. This card is made on your device, from terms that it has checked.",
        join_hex(card->terms->id, SOTTO_SPEC_ID_BYTES, id));
    row("what leaves",
        "One report of %" PRIu64
        " bytes per round. Nothing else: no context, no arm, no reward, no name. (If the arm was "
        "assigned at random, the report shows it. Such an arm reveals nothing about you.)",
        card->card.report_bytes);
    when_row(&card->card);
    tells_row(&card->card);
    address_row(card->settings);
    spent_row(card);
    left_row(card);
    row("this program",
        "sotto %s, commit %s, sources %s. This is self-reported: docs/install.md says how to "
        "compare a program with its sources.",
        sotto_version(), sotto_commit(), sotto_sources());
}

/* ---- for programs ------------------------------------------------------------------------- */

static void print_json(const join_card *card)
{
    const sotto_card *c = &card->card;
    const sotto_policy *policy = &card->settings->policy;
    char id[2 * SOTTO_SPEC_ID_BYTES + 1];
    json_writer j = json_begin(stdout);
    json_open(&j, NULL, '{');
    json_text(&j, "what", "card");
    json_text(&j, "spec_id", join_hex(card->terms->id, SOTTO_SPEC_ID_BYTES, id));
    json_natural(&j, "report_bytes", c->report_bytes);
    json_natural(&j, "reward_window_s", c->reward_window_s);
    json_natural(&j, "send_spread_s", c->send_spread_s);
    json_real(&j, "epsilon", c->epsilon);
    json_real(&j, "delta", c->delta);
    json_real(&j, "odds_factor", c->odds_factor);
    json_real(&j, "measure_share", c->measure_share);
    json_text(&j, "ledger", card->ledger_path);
    json_natural(&j, "rounds_before", c->rounds_before);
    json_natural(&j, "dropped_before", c->dropped_before);
    json_real(&j, "epsilon_before", c->epsilon_before);
    json_real(&j, "delta_before", c->delta_before);
    json_real(&j, "epsilon_before_optimal", c->epsilon_before_optimal);
    json_natural(&j, "unsent", card->unsent);
    json_real(&j, "epsilon_per_report_max", policy->epsilon_per_report_max);
    json_real(&j, "epsilon_lifetime", c->epsilon_lifetime);
    json_real(&j, "delta_lifetime", c->delta_lifetime);
    json_real(&j, "measure_share_max", policy->measure_share_max);
    json_natural(&j, "rounds_left", c->rounds_left);
    if (card->refused) {
        json_text(&j, "refused", card->refusal.sentence);
    } else {
        json_null(&j, "refused");
    }
    json_text(&j, "version", sotto_version());
    json_text(&j, "commit", sotto_commit());
    json_text(&j, "sources", sotto_sources());
    json_close(&j);
    json_end(&j);
}

void join_card_print(const join_card *card, bool json)
{
    if (json) {
        print_json(card);
    } else {
        print_words(card);
    }
    fflush(stdout);
}
