/* Lists, and words with a number behind them. */
#include "choices.h"
#include "cli/option/names.h"
#include "cli/option/sweep.h"
#include "cli/option/words.h"

#include <string.h>

#define AT(member) offsetof(simulate_options, member)

static const char *score_word(uint32_t value)
{
    static const char *const name[] = {"sign", "self", "huber:TAU"};
    return value < 3 ? name[value] : NULL;
}

static const char *split_word(uint32_t value)
{
    static const char *const name[] = {"joint", "per-arm", "paper"};
    return value < 3 ? name[value] : NULL;
}

static bool take_score(const command_line *line, const char *text, simulate_choices *c)
{
    uint32_t which;
    if (strncmp(text, "huber", 5) == 0) {
        c->score = SOTTO_SCORE_HUBER;
        return (text[5] == ':' && word_real(text + 6, 1e-6, 1e6, &c->huber_tau)) ||
               option_refuse(line, AT(score), text,
                             "sign, self, huber:TAU with TAU 1e-06 to 1000000");
    }
    if (!option_take_name(line, AT(score), text, score_word, &which)) return false;
    c->score = which == 0 ? SOTTO_SCORE_SIGN : SOTTO_SCORE_SELF;
    return true;
}

static bool take_split(const command_line *line, const char *text, simulate_choices *c)
{
    uint32_t which;
    if (!option_take_name(line, AT(split), text, split_word, &which)) return false;
    c->split_paper = which == 2;
    c->split = which == 1 ? SOTTO_SPLIT_PER_ARM : SOTTO_SPLIT_JOINT;
    return true;
}

static bool take_corrections(const command_line *line, const char *list, simulate_choices *c)
{
    char word[WORD_BYTES];
    uint32_t which;
    while (word_next(&list, word)) {
        if (!option_take_name(line, AT(corrections), word, names_of_correction, &which)) {
            return false;
        }
        if (c->corrections >> which & 1) {
            return option_refuse(line, AT(corrections), word, "each correction once");
        }
        c->corrections |= 1u << which;
    }
    return true;
}

static bool take_epoch(const command_line *line, const char *text, simulate_choices *c)
{
    c->epoch = 0;
    if (strcmp(text, "auto") == 0) return true;
    if (strncmp(text, "growth:", 7) == 0 && word_real(text + 7, 0, 1, &c->growth) &&
        c->growth > 0) {
        c->epoch = 1;
        return true;
    }
    if (word_whole(text, &c->epoch) && c->epoch >= 1 && c->epoch <= SOTTO_REPORTS_MAX) return true;
    return option_refuse(line, AT(epoch), text,
                         "auto, whole numbers 1 to 2147483648, or growth:G with G above 0, to 1");
}

static bool take_window(const command_line *line, const char *text, simulate_choices *c)
{
    if (strcmp(text, "none") == 0) return true;
    if (word_whole(text, &c->window) && c->window <= SOTTO_REPORTS_MAX) return true;
    return option_refuse(line, AT(window), text, "none, or whole numbers 1 to 2147483648");
}

/* Options that do not go together. */
static bool fit_together(const command_line *line, const simulate_options *s,
                         const simulate_choices *c)
{
    bool shared = s->scene.parameters == SOTTO_PARAMETERS_SHARED;
    if (c->split_paper && shared) {
        return option_say(line, "--split paper: only with --parameters per-arm and --calibration "
                                "paper; shared parameters need no split");
    }
    if (s->csv && s->json) return option_say(line, "--csv and --json: rows have one format");
    if (s->match.learning.warm_up > 0 && shared) {
        return option_say(line, "--warmup: only per-arm parameters warm up");
    }
    return true;
}

bool simulate_choices_of(const command_line *line, const simulate_options *s, simulate_choices *out)
{
    *out = (simulate_choices){0};
    return sweep_methods("sotto simulate", s->methods, out->player, &out->players_count) &&
           word_epsilons("sotto simulate", s->epsilons, 50, SIMULATE_EPSILONS_MAX, out->epsilon,
                         &out->epsilons_count) &&
           (s->score == NULL || take_score(line, s->score, out)) &&
           (s->split == NULL || take_split(line, s->split, out)) &&
           (s->corrections == NULL || take_corrections(line, s->corrections, out)) &&
           take_epoch(line, s->epoch, out) && take_window(line, s->window, out) &&
           fit_together(line, s, out);
}
