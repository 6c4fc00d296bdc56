/* Parsers of options that are lists, or words followed by a number. */
#include "cli/option/option.h"
#include "core/core.h"
#include "inner.h"

#include <math.h>
#include <string.h>

const char *simulate_score_word(uint32_t value)
{
    static const char *const name[] = {"sign", "self", "centred", "huber:TAU"};
    return value < 4 ? name[value] : NULL;
}

const char *simulate_split_word(uint32_t value)
{
    static const char *const name[] = {"joint", "per-arm", "paper"};
    return value < 3 ? name[value] : NULL;
}

sotto_status simulate_parse_score(const option *row, const char *text, void *fields,
                                  sotto_fault *fault)
{
    (void)row;
    sotto_spec *spec = &((simulate_options *)fields)->request.wanted.spec;
    uint32_t which;
    if (strncmp(text, "huber", 5) == 0) {
        spec->score = SOTTO_SCORE_HUBER;
        if (text[5] == ':' && word_real(text + 6, 1e-6, 1e6, &spec->huber_tau)) return SOTTO_OK;
        return sotto__refuse(
            fault, "%s: allowed sign, self, centred, huber:TAU with TAU 1e-06 to 1000000", text);
    }
    if (name_find(text, simulate_score_word, &which, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    static const sotto_score score[] = {SOTTO_SCORE_SIGN, SOTTO_SCORE_SELF, SOTTO_SCORE_CENTRED};
    spec->score = score[which];
    return SOTTO_OK;
}

sotto_status simulate_parse_split(const option *row, const char *text, void *fields,
                                  sotto_fault *fault)
{
    (void)row;
    sotto_match *wanted = &((simulate_options *)fields)->request.wanted;
    uint32_t which;
    if (name_find(text, simulate_split_word, &which, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    wanted->split_paper = which == 2;
    wanted->spec.split = which == 1 ? SOTTO_SPLIT_PER_ARM : SOTTO_SPLIT_JOINT;
    return SOTTO_OK;
}

sotto_status simulate_parse_corrections(const option *row, const char *text, void *fields,
                                        sotto_fault *fault)
{
    (void)row;
    uint32_t *corrections = &((simulate_options *)fields)->request.wanted.corrections;
    char word[WORD_BYTES];
    uint32_t which;
    *corrections = 0;
    if (word_list_fault(text, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    while (word_next(&text, word)) {
        if (name_find(word, names_of_correction, &which, fault) != SOTTO_OK) return SOTTO_E_FAULT;
        if (*corrections >> which & 1) {
            return sotto__refuse(fault, "%s: each correction may be given only once", word);
        }
        *corrections |= 1u << which;
    }
    return SOTTO_OK;
}

sotto_status simulate_parse_epoch(const option *row, const char *text, void *fields,
                                  sotto_fault *fault)
{
    (void)row;
    sotto_comparison_request *request = &((simulate_options *)fields)->request;
    request->epoch = 0;
    request->growth = 0;
    if (strcmp(text, "auto") == 0) return SOTTO_OK;
    if (strncmp(text, "growth:", 7) == 0 && word_real(text + 7, 0, 1, &request->growth) &&
        request->growth > 0) {
        request->epoch = 1;
        return SOTTO_OK;
    }
    bool whole = word_whole(text, &request->epoch);
    if (whole && request->epoch >= 1 && request->epoch <= SOTTO_REPORTS_MAX) return SOTTO_OK;
    return sotto__refuse(
        fault,
        "%s: allowed auto, whole numbers 1 to 2147483648, or growth:G with G above "
        "0, to 1",
        text);
}

sotto_status simulate_parse_window(const option *row, const char *text, void *fields,
                                   sotto_fault *fault)
{
    (void)row;
    uint64_t *window = &((simulate_options *)fields)->request.wanted.spec.window_reports;
    *window = 0;
    if (strcmp(text, "none") == 0) return SOTTO_OK;
    if (word_whole(text, window) && *window <= SOTTO_REPORTS_MAX) return SOTTO_OK;
    return sotto__refuse(fault, "%s: allowed none, or whole numbers 1 to 2147483648", text);
}

sotto_status simulate_parse_measure(const option *row, const char *text, void *fields,
                                    sotto_fault *fault)
{
    (void)row;
    double share;
    if (word_share(text, &share, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    ((simulate_options *)fields)->request.wanted.spec.measure = (uint32_t)rint(share * 0x1p32);
    return SOTTO_OK;
}

sotto_status simulate_parse_delay(const option *row, const char *text, void *fields,
                                  sotto_fault *fault)
{
    (void)row;
    sotto_match *wanted = &((simulate_options *)fields)->request.wanted;
    word_delayed delay;
    if (word_delay(text, true, &delay, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    wanted->spec.reward_window_s = delay.window_s;
    wanted->spec.send_spread_s = delay.spread_s;
    wanted->people_per_second = delay.rate;
    return SOTTO_OK;
}

sotto_status simulate_parse_fallback(const option *row, const char *text, void *fields,
                                     sotto_fault *fault)
{
    (void)row;
    uint32_t *fallback = &((simulate_options *)fields)->request.wanted.learning.fallback;
    uint64_t arm;
    *fallback = strcmp(text, "random") == 0 ? SOTTO_FALLBACK_RANDOM : 0;
    if (*fallback > 0 || strcmp(text, "none") == 0) return SOTTO_OK;
    if (!word_whole(text, &arm) || arm >= SOTTO_ARMS_MAX) {
        return sotto__refuse(fault, "%s: allowed none, random, or an arm, 0 to %u", text,
                             SOTTO_ARMS_MAX - 1);
    }
    *fallback = (uint32_t)arm + 1; /* the match checks that there is such an arm */
    return SOTTO_OK;
}

sotto_status simulate_parse_range(const option *row, const char *text, void *fields,
                                  sotto_fault *fault)
{
    sotto_spec *spec = &((simulate_options *)fields)->request.wanted.spec;
    double range[2];
    if (!word_pair(text, row->lo, row->hi, range)) {
        return sotto__refuse(fault, "%s: allowed LO,HI, each %.10g to %.10g", text, row->lo,
                             row->hi);
    }
    spec->reward_lo = range[0];
    spec->reward_hi = range[1];
    return SOTTO_OK;
}
