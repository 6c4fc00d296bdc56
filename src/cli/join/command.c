/* sotto join: a person takes part in an experiment and sees what leaves the device and what it can
 * reveal. */
#include "inner.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TURN_MS 200u

/* ---- terms -------------------------------------------------------------------------------- */

/* Fetches terms and model. False, with a sentence, if they do not arrive or cannot be used. */
static bool fetch(join_scene *s)
{
    char text[160], left[CLOCK_TEXT_BYTES];
    /* Two requests, each with its own timeout. */
    uint64_t end_ms = clock_now_ms() + 2 * (uint64_t)s->settings->wire.timeout_ms;
    sotto_status status = sotto_wire_new(&s->settings->wire, &s->wire);
    if (status == SOTTO_OK) status = sotto_site_new(s->wire, &s->settings->site, &s->site);
    while (status == SOTTO_OK && sotto_site_state_of(s->site) == SOTTO_SITE_ASKING &&
           sotto_site_fault(s->site, NULL) == SOTTO_OK && clock_now_ms() < end_ms) {
        snprintf(text, sizeof text, "asking for the terms, up to %s",
                 clock_left(end_ms - clock_now_ms(), left));
        wait_show(&s->wait, text);
        status = sotto_wire_turn(s->wire, TURN_MS);
    }
    wait_clear(&s->wait);
    if (status != SOTTO_OK) return option_say(s->line, "%s", sotto_status_text(status));
    if (sotto_site_state_of(s->site) != SOTTO_SITE_READY) {
        sotto_fault fault;
        bool known = sotto_site_fault(s->site, &fault) != SOTTO_OK;
        bool refused = sotto_site_state_of(s->site) == SOTTO_SITE_REFUSED;
        return option_say(s->line, "%s: %s%s", s->settings->url,
                          refused ? "the terms are refused: " : "",
                          known ? fault.sentence : "no answer in time");
    }
    s->terms = *sotto_site_terms(s->site);
    return true;
}

/* ---- consent ------------------------------------------------------------------------------ */

/* EXIT_OK if the answer is yes. */
static int ask(const join_scene *s)
{
    char *answer = NULL;
    size_t capacity = 0;
    if (s->options->yes) return EXIT_OK;
    if (!isatty(STDIN_FILENO)) {
        option_say(s->line,
                   "cannot ask for consent without a terminal; --yes takes part without asking");
        return EXIT_USAGE;
    }
    fprintf(stderr, "Take part? [y/N] ");
    bool yes =
        getline(&answer, &capacity, stdin) > 0 &&
        (strcmp(answer, "y\n") == 0 || strcmp(answer, "Y\n") == 0 || strcmp(answer, "yes\n") == 0);
    free(answer);
    if (yes) return EXIT_OK;
    option_say(s->line, "you do not take part: nothing was booked, nothing was sent");
    return EXIT_FAILED;
}

/* How many rounds to play: the number asked for, or else as many as there are lines and the limits
 * allow. False, with a sentence, if the number asked for is not possible. */
static bool count_rounds(const join_scene *s, const join_card *card, uint32_t *rounds)
{
    bool said = OPTION_GIVEN(s->line, join_options, rounds);
    uint32_t left = card->card.rounds_left;
    *rounds = s->options->rounds;
    if (s->inputs.read && !said) *rounds = s->inputs.rounds;
    if (s->inputs.read && !said && *rounds == 0) {
        return option_say(s->line, "--context: the file is empty; allowed one line per round");
    }
    if (s->inputs.read && *rounds > s->inputs.rounds) {
        return option_say(s->line, "--rounds = %u: --context has %u line%s", *rounds,
                          s->inputs.rounds, s->inputs.rounds == 1 ? "" : "s");
    }
    if (!said && !s->inputs.read && left > 0 && *rounds > left) *rounds = left;
    if (*rounds <= left) return true;
    return option_say(s->line,
                      "--rounds = %u: your limits allow %u more; --epsilon-lifetime raises them",
                      *rounds, left);
}

static int take_part(join_scene *s)
{
    join_card card;
    join_unsent unsent;
    uint32_t rounds;
    if (!fetch(s)) return EXIT_FAILED;
    sotto_status status = join_card_make(&s->terms, s->settings, &s->own, &card);
    if (status != SOTTO_OK) {
        option_say(s->line, "%s", sotto_status_text(status));
        return EXIT_FAILED;
    }
    if (!join_ledger_unsent(s->line, &s->own, &s->terms, &unsent)) return EXIT_FAILED;
    card.unsent = unsent.count;
    join_card_print(&card, s->options->json);
    if (card.refused) {
        option_say(s->line, "your limits refuse this experiment: %s", card.refusal.sentence);
        return EXIT_FAILED;
    }
    if (!join_inputs_open(s->line, s->options, &s->terms, &s->inputs)) return EXIT_FAILED;
    if (!count_rounds(s, &card, &rounds)) return EXIT_FAILED;
    /* New rounds need consent. Reports of rounds that were booked before already have it. */
    int code = rounds > 0 ? ask(s) : EXIT_OK;
    if (code != EXIT_OK) return code;
    if (rounds > 0 && !join_ledger_make(s->line, &s->own)) return EXIT_FAILED;
    return join_play(s, rounds);
}

static int run(const command *self, int argc, char **argv)
{
    join_options options = {0};
    join_settings settings;
    command_line line;
    if (!command_line_parse(&line, self, &options, argc, argv)) return EXIT_USAGE;
    if (!join_options_settings(&line, argv, &options, &settings)) return EXIT_USAGE;
    join_scene s = {.line = &line, .options = &options, .settings = &settings};
    s.wait = wait_begin(options.quiet);
    int code = EXIT_FAILED;
    if (join_ledger_open(&line, &options, &s.own)) code = take_part(&s);
    sotto_device_free(s.device);
    sotto_site_free(s.site);
    sotto_wire_free(s.wire);
    join_inputs_close(&s.inputs);
    join_ledger_close(&s.own);
    free(s.played);
    return code;
}

const command command_join = {
    .name = "join",
    .summary = "take part in an experiment of a server, and see what leaves",
    .usage = "sotto join URL [options]",
    .example = "  sotto join https://example.org/v1/experiments/ID\n"
               "  sotto join http://127.0.0.1:8787/v1/experiments/ID --rounds 1 --yes\n"
               "  sotto join URL --rounds 0\n"
               "  sotto join URL --context me.txt --with-reward --yes --json\n"
               "\n"
               "exit status: 0 all reports are acknowledged, 1 refused, failed or reports are\n"
               "left to be sent, 2 wrong usage\n",
    .table = join_table,
    .run = run,
};
