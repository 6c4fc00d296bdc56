#include "core/core.h"
#include "lab/environment/environment.h"
#include "lab/player/player.h"
#include "run.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== comparison ============================================================================= */

/* A comparison. */

sotto_status sotto__comparison_new(uint32_t matches_max, sotto__comparison *out)
{
    *out = (sotto__comparison){
        .match = calloc(matches_max, sizeof *out->match),
        .epsilon = calloc(matches_max, sizeof *out->epsilon),
        .at = calloc(SOTTO_POINTS_MAX, sizeof *out->at),
    };
    if (out->match == NULL || out->epsilon == NULL || out->at == NULL) {
        sotto__comparison_free(out);
        return SOTTO_E_MEMORY;
    }
    out->sweep.match = out->match;
    out->sweep.at = out->at;
    return SOTTO_OK;
}

void sotto__comparison_free(sotto__comparison *comparison)
{
    free(comparison->match);
    free(comparison->epsilon);
    free(comparison->at);
    *comparison = (sotto__comparison){0};
}

uint32_t sotto__usual_points(uint64_t horizon, uint64_t *at)
{
    uint32_t count = 0;
    for (uint64_t power = 1; power < horizon; power *= 10) {
        for (uint64_t digit = 1; digit <= 5; digit += digit == 1 ? 1 : 3) {
            if (digit * power < horizon) at[count++] = digit * power;
        }
    }
    return count;
}

/* ==== comparison id ========================================================================== */

/* What a comparison is, as a hash and in words. */

__attribute__((format(printf, 2, 3))) static void add(sotto__digest *digest, const char *pattern,
                                                      ...)
{
    char text[128];
    va_list values;
    va_start(values, pattern);
    int length = vsnprintf(text, sizeof text, pattern, values);
    va_end(values);
    sotto__digest_add(digest, text, (size_t)length);
}

#define ADD_U32(field, lo, hi) add(digest, #field " %" PRIu32 "\n", spec->field);
#define ADD_U64(field, lo, hi) add(digest, #field " %" PRIu64 "\n", spec->field);
#define ADD_F64(field, lo, hi) add(digest, #field " %.17g\n", spec->field);
#define ADD_KIND(field, type) add(digest, #field " %u\n", (unsigned)spec->field);
#define ADD_FLAG(field) add(digest, #field " %d\n", spec->field);

/* Custom code, by its name and its build. */
static void add_custom(sotto__digest *digest, const char *what, const char *name,
                       const char *version)
{
    const char *build = version == NULL ? "" : version;
    add(digest, "custom %s %s %zu\n", what, name, strlen(build));
    sotto__digest_add(digest, build, strlen(build));
}

static void add_match(sotto__digest *digest, const sotto_match *match)
{
    const sotto_spec *spec = &match->spec;
    const sotto_learning *learning = &match->learning;
    const sotto_environment *environment = &match->environment;
    add(digest, "match %u %u %" PRIu64 " %.17g %d %d %.17g\n", (unsigned)match->player,
        (unsigned)match->calibration, match->horizon, match->delta, match->split_paper,
        match->exact_noise, match->growth);
    add(digest, "corrections %" PRIu32 "\n", match->corrections);
    add(digest, "liars %.17g %" PRIu32 "\n", match->liars, match->grind);
    if (match->people_per_second > 0) {
        add(digest, "clock %.17g %" PRIu32 "\n", match->people_per_second,
            match->epoch_seconds_min);
    }
    SOTTO__SPEC_FIELDS(ADD_U32, ADD_U64, ADD_F64, ADD_KIND, ADD_FLAG)
    add(digest, "learning %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", learning->horizon,
        learning->warm_up, learning->epoch);
    add(digest, "%.17g %u %.17g %d\n", learning->alpha, (unsigned)learning->step, learning->eta0,
        learning->project);
    add(digest, "%.17g %.17g\n", learning->shift_scale, learning->elimination_scale);
    if (learning->mean_phase > 0) add(digest, "mean phase %" PRIu64 "\n", learning->mean_phase);
    if (learning->fallback > 0) add(digest, "fallback %" PRIu32 "\n", learning->fallback);
    if (learning->prior_variance > 0) add(digest, "prior %.17g\n", learning->prior_variance);
    add(digest, "environment %u %u %.17g\n", (unsigned)environment->kind,
        (unsigned)environment->law, environment->noise);
    add(digest, "%.17g %.17g %.17g\n", environment->theta_norm, environment->margin,
        environment->drift);
    const sotto_population *people = environment->population;
    for (uint32_t i = 0; people != NULL && i < people->dim; i++) {
        add(digest, "loan %" PRIu64 " %.17g\n", people->rows, people->theta[i]);
    }
    for (uint32_t a = 0; match->worth != NULL && a < spec->arms; a++) {
        add(digest, "worth %.17g\n", match->worth[a]);
    }
    if (match->custom != NULL) {
        add_custom(digest, "method", match->custom->name, match->custom->version);
    }
    if (environment->custom != NULL) {
        add_custom(digest, "environment", environment->custom->name, environment->custom->version);
    }
}

void sotto__comparison_id(const sotto__comparison *comparison, char hex[SOTTO__COMPARISON_ID_BYTES])
{
    uint8_t bytes[SOTTO__DIGEST_BYTES];
    sotto__digest state, *digest = &state;
    sotto__digest_begin(digest);
    add(digest, "sotto %s first_seed %" PRIu64 "\n", sotto_version(), comparison->sweep.first_seed);
    for (uint32_t i = 0; i < comparison->sweep.matches_count; i++) {
        add(digest, "epsilon %.17g\n", comparison->epsilon[i]);
        add_match(digest, &comparison->match[i]);
    }
    for (uint32_t i = 0; i < comparison->sweep.at_count; i++) {
        add(digest, "at %" PRIu64 "\n", comparison->at[i]);
    }
    sotto__digest_end(digest, bytes);
    for (uint32_t i = 0; i < SOTTO__DIGEST_BYTES; i++) {
        snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
    }
}

void sotto__comparison_about(const sotto__comparison *comparison,
                             char about[SOTTO__COMPARISON_ABOUT_BYTES])
{
    const sotto_match *first = &comparison->match[0];
    size_t at = 0;
    for (uint32_t i = 0;
         i < comparison->sweep.matches_count && at < SOTTO__COMPARISON_ABOUT_BYTES / 2; i++) {
        at += (size_t)snprintf(about + at, SOTTO__COMPARISON_ABOUT_BYTES - at, "%s%s at %.15g",
                               i == 0 ? "" : ", ", sotto__match_method(&comparison->match[i]),
                               comparison->epsilon[i]);
    }
    snprintf(about + at, SOTTO__COMPARISON_ABOUT_BYTES - at,
             "; %s, %s, %s, %s, dim %u, arms %u, horizon %" PRIu64 ", first seed %" PRIu64
             ", liars %g, tries %u, growth %g, version %s",
             sotto_parameters_name(first->spec.parameters), sotto_link_name(first->spec.link),
             sotto__environment_name(&first->environment),
             sotto_calibration_name(first->calibration), first->spec.dim, first->spec.arms,
             first->horizon, comparison->sweep.first_seed, first->liars, first->grind,
             first->growth, sotto_version());
    at = strlen(about);
    if (first->spec.measure > 0) {
        at += (size_t)snprintf(about + at, SOTTO__COMPARISON_ABOUT_BYTES - at, ", measure %g",
                               first->spec.measure * 0x1p-32);
    }
    if (first->people_per_second == 0) return;
    snprintf(about + at, SOTTO__COMPARISON_ABOUT_BYTES - at, ", delay %" PRIu32 ",%" PRIu32 ",%g",
             first->spec.reward_window_s, first->spec.send_spread_s, first->people_per_second);
}
