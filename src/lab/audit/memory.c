/* What answers show about the inputs of other trials, and about stretches of trials. */
#include "inner.h"
#include "lab/math/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ==== memory ================================================================================= */

/*
 * The input of a trial is chosen by a fair coin of its own. An answer that depends only on its own
 * input is independent of the coin of the trial k before: a guess at that coin is right with chance
 * 1/2, whatever the noise is. So guesses are counted as in lab/math/bounds.c, and the claimed
 * epsilon is 0.
 *
 * The same holds for the sum modulo 2 of that coin and a later one, which is the trial's own or one
 * in between. The answer and the later coin are independent of the earlier coin, so the sum is fair
 * given both. The sum is 0 if the two inputs are the same. An answer may reveal the sum and still
 * be independent of either coin alone.
 *
 * The counts of right guesses are exactly binomial. Learned rules see only trials t, t - k that all
 * train or all choose, and only trials that are all fresh are judged (sotto__past), so no coin that
 * is guessed had a part in the rule. Going backwards in time, each guess is made from answers and
 * coins that came after the earliest coin of its sum. If the program has no memory, that coin is
 * fair given those.
 */

void sotto__memory_aim(sotto__memory *memory, uint32_t witnesses, const sotto__heard *heard,
                       uint64_t count, sotto__witnessed_trial *trial)
{
    memory->witnesses = witnesses;
    for (uint32_t i = 0; i < SOTTO__RECALLED * witnesses; i++) {
        uint32_t k = i / witnesses, which = i % witnesses;
        for (uint64_t n = 0; n < count; n++) {
            trial[n] = (sotto__witnessed_trial){.witness = heard[n].recall[k][which]};
        }
        sotto__sure_aim(&memory->sure[k][which], trial, count);
    }
}

/* If the mechanism is sound, the witness of a trial's own secret is independent of the other
 * secrets. Otherwise it may indicate either input; other trials decide which. */
void sotto__memory_aim_known(sotto__memory *memory, const sotto__sure *own, const double *witness,
                             const sotto__past *past, uint64_t count)
{
    memory->witnesses = 1;
    for (uint32_t k = 1; k <= SOTTO__RECALLED; k++) {
        int64_t balance = 0;
        for (uint64_t n = 0; n < count; n++) {
            if (!sotto__past_known(past[n], k) || witness[n] == 0) continue;
            balance += (witness[n] > 0) == (sotto__past_secret(past[n], k) == 0) ? 1 : -1;
        }
        memory->turn[k - 1] = balance < 0 ? -1 : 1;
        for (uint32_t level = 0; level < SOTTO__SURE_LEVELS; level++) {
            memory->sure[k - 1][0].threshold[level] = own->threshold[level];
        }
    }
}

void sotto__memory_take(sotto__memory *memory, sotto__past past, const sotto__heard *heard)
{
    for (uint32_t k = 1; k <= SOTTO__RECALLED; k++) {
        if (!sotto__past_known(past, k)) continue;
        for (uint32_t i = 0; i < memory->witnesses; i++) {
            double witness = heard->recall[k - 1][i];
            if (witness == 0) continue; /* no evidence, as in most tables */
            sotto__sure_take(&memory->sure[k - 1][i], sotto__past_secret(past, k), witness);
        }
    }
}

void sotto__memory_take_known(sotto__memory *memory, sotto__past past, double witness)
{
    for (uint32_t k = 1; k <= SOTTO__RECALLED; k++) {
        if (!sotto__past_known(past, k)) continue;
        sotto__sure_take(&memory->sure[k - 1][0], sotto__past_secret(past, k),
                         memory->turn[k - 1] * witness);
    }
}

/* Names the two inputs that a label compares. The trial's own input is 0 trials before. */
static void name_pair(uint32_t label, char name[SOTTO_AUDIT_NAME_BYTES])
{
    uint32_t secrets = sotto__recalled[label - 1];
    uint8_t later = 0, earlier = 0;
    for (uint8_t k = 1; k <= SOTTO__RECALL; k++) {
        if ((secrets >> (k - 1) & 1) == 0) continue;
        later = earlier;
        earlier = k;
    }
    const char *before = "epsilon, at least, of whether";
    if (later == 0) {
        snprintf(name, SOTTO_AUDIT_NAME_BYTES, "%s the input is that %u before", before, earlier);
        return;
    }
    snprintf(name, SOTTO_AUDIT_NAME_BYTES, "%s the input %u before is that %u before", before,
             later, earlier);
}

/* There is only one row for whether two inputs are the same: that of the two that stand out
 * most. */
double sotto__memory_rows(const sotto__memory *memory, double alpha, sotto_audit_result *result)
{
    double largest = 0, pairs_lower = 0, pairs_p = 2;
    char name[SOTTO_AUDIT_NAME_BYTES];
    for (uint32_t label = 1; label <= SOTTO__RECALLED; label++) {
        const sotto__sure *sure = memory->sure[label - 1];
        double lower = sotto__sure_lower(sure, memory->witnesses, 0, alpha / SOTTO__RECALLED);
        double p = sotto__sure_p(sure, memory->witnesses, 0, 0);
        largest = fmax(largest, lower);
        if (label <= SOTTO__RECALL) {
            snprintf(name, sizeof name, "epsilon, at least, of the input %u before", label);
            sotto__audit_row(result, 3, name, lower, 0, p, lower <= 0);
            continue;
        }
        pairs_lower = fmax(pairs_lower, lower);
        if (p >= pairs_p) continue;
        pairs_p = p;
        name_pair(label, name);
    }
    sotto__audit_row(result, 3, name, pairs_lower, 0,
                     sotto__smallest_p(pairs_p, SOTTO__RECALLED - SOTTO__RECALL), pairs_lower <= 0);
    return largest;
}

/* ==== stretch ================================================================================ */

/*
 * In every stretch of answers, guesses about a mechanism that keeps its claim are right no more
 * often than the binomial law of lab/math/bounds.c allows: of the guesses that delta does not
 * excuse, a share theta = e^eps/(1 + e^eps). A program that prints a thousand inputs among a million
 * answers exceeds that share by far in one stretch, but only slightly in all answers together. The
 * significance of the worst stretch and rule is corrected for the number of all.
 *
 * Rule 0 guesses by the sign of the witness. A stretch may have a code of its own, such as a
 * reversed sign, or a blank that means nothing elsewhere. So the other rules learn within the
 * stretch: if they saw the same thing before, they guess the secret that came with it more often.
 * They see the sign and size of the witness, or the form, the length or the last byte of the line.
 * They look it up by itself, with the trial's number modulo 12 (codes that change in turn), or with
 * what they saw of the trial before and its secret (codes that change with each answer).
 *
 * The law holds for rules that learn as they go. Given all that came before, the coin of a trial is
 * fair and its answer keeps the claim, so the next guess is right with chance at most theta, or
 * delta excuses it. The law requires that a rule does not use earlier coins to choose when to
 * guess, so a rule that has learned nothing guesses secret 0. With M guesses, the right ones are
 * below Bin(M, theta) plus what delta excuses. It is not known how many of the M are excused, so
 * they are subtracted from the right guesses and stay in M.
 */

#define STRETCH 512u /* fresh trials */
#define PHASES 12u
#define SYMBOLS SOTTO__STRETCH_SYMBOLS
#define SIGHTS SOTTO__STRETCH_SIGHTS

static void end_stretch(sotto__stretch *self, const sotto__privacy_claim *claim)
{
    uint64_t excuse = sotto__sure_excused(self->trials, claim->delta);
    double theta = 1 / (1 + exp(-claim->epsilon));
    bool guessed = false;
    for (uint32_t i = 0; i < SOTTO__STRETCH_RULES; i++) {
        const sotto__stretch_rule *rule = &self->rule[i];
        uint64_t guesses = rule->right + rule->wrong;
        if (guesses == 0) continue;
        uint64_t right = rule->right > excuse ? rule->right - excuse : 0;
        double p = sotto__binomial_tail(right, guesses, theta) + SOTTO__SURE_BETA;
        bool first = self->stretches == 0 && !guessed;
        guessed = true;
        if (!first && p >= self->worst_p) continue;
        self->worst_p = p;
        self->worst_share = (double)rule->right / (double)guesses;
    }
    self->stretches += guessed;
    self->trials = 0;
    memset(self->rule, 0, sizeof self->rule);
    memset(self->met_count, 0, sizeof self->met_count);
}

/* Numbers symbols in the order in which they come. */
static uint32_t symbol_of(sotto__stretch *self, uint32_t sight, uint32_t seen)
{
    uint32_t *met = self->met[sight], count = self->met_count[sight], i = 0;
    while (i < count && met[i] != seen) {
        i++;
    }
    if (i < count || count == SYMBOLS - 1) return i;
    met[i] = seen;
    self->met_count[sight]++;
    return i;
}

/* Sign and size of the witness: half of the sizes are below threshold 1, three quarters below
 * threshold 2. */
static uint32_t seen_of(const sotto__stretch_look *look, uint32_t sight)
{
    double size = fabs(look->witness);
    if (sight == 1) return look->spelling->look[SOTTO__SPELLING_FORM];
    if (sight == 2) return look->spelling->look[SOTTO__SPELLING_BYTES];
    if (sight == 3) return look->spelling->look[SOTTO__SPELLING_TAIL] & 0xff;
    return (look->witness > 0 ? 4u : 0u) + (size >= look->threshold[1] ? 1u : 0u) +
           (size >= look->threshold[2] ? 1u : 0u);
}

static void count_guess(sotto__stretch_rule *rule, bool guessed, bool right)
{
    rule->right += guessed && right;
    rule->wrong += guessed && !right;
}

static void learn_and_guess(sotto__stretch_rule *rule, uint32_t place, uint32_t secret)
{
    int16_t *balance = &rule->balance[place];
    count_guess(rule, true, (*balance >= 0) == (secret == 0));
    *balance = (int16_t)(*balance + (secret == 0 ? 1 : -1));
}

void sotto__stretch_take(sotto__stretch *self, const sotto__privacy_claim *claim, uint32_t secret,
                         uint64_t t, const sotto__stretch_look *look)
{
    double witness = look->witness;
    bool spelled = look->spelling != NULL && look->spelling->look[SOTTO__SPELLING_BYTES] > 0;
    bool speaks = witness > 0 || witness < 0;
    count_guess(&self->rule[0], speaks, (witness > 0) == (secret == 0));
    for (uint32_t sight = 0; sight < (spelled ? SIGHTS : 1); sight++) {
        sotto__stretch_rule *rule = &self->rule[1 + sight * SOTTO__STRETCH_CONTEXTS];
        if (sight == 0 && !speaks) continue;
        uint32_t symbol = symbol_of(self, sight, seen_of(look, sight));
        learn_and_guess(&rule[0], symbol, secret);
        learn_and_guess(&rule[1], (uint32_t)(t % PHASES) * SYMBOLS + symbol, secret);
        learn_and_guess(&rule[2], (2 * self->last[sight] + self->last_secret) * SYMBOLS + symbol,
                        secret);
        self->last[sight] = symbol;
    }
    self->last_secret = secret;
    self->trials++;
    if (self->trials == STRETCH) end_stretch(self, claim);
}

void sotto__stretch_row(sotto__stretch *self, const sotto__privacy_claim *claim, double alpha,
                        sotto_audit_result *result)
{
    if (self->trials > 0) end_stretch(self, claim);
    double theta = 1 / (1 + exp(-claim->epsilon));
    double tests = (double)self->stretches * SOTTO__STRETCH_RULES;
    double p = self->stretches == 0 ? 1 : fmin(1, self->worst_p * tests);
    sotto__audit_row(result, 3, "right guesses in the worst stretch of 512 answers (share)",
                     self->stretches == 0 ? NAN : self->worst_share, theta, p, p >= alpha);
}
