#include "plugin.h"
#include "core/core.h"
#include "text/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ==== problem ================================================================================ */

/* What the two sides of a run know. */

sotto_problem sotto__problem_of(const sotto_spec *spec, uint64_t horizon, const double *worth)
{
    bool per_arm = spec->parameters == SOTTO_PARAMETERS_PER_ARM;
    return (sotto_problem){
        .dim = spec->dim,
        .arms = spec->arms,
        .parameters = spec->parameters,
        .link = spec->link,
        .reward_kind = spec->reward_kind,
        .context_count = per_arm ? spec->dim : spec->arms * spec->dim,
        .theta_count = per_arm ? spec->arms * spec->dim : spec->dim,
        .reward_lo = spec->reward_lo,
        .reward_hi = spec->reward_hi,
        .context_norm_max = spec->context_norm_max,
        .theta_norm_max = spec->theta_norm_max,
        .horizon = horizon,
        .worth = worth,
    };
}

/* ==== lent =================================================================================== */

/* Streams that are lent. */

static uint64_t bits(sotto_stream *self)
{
    return sotto__seeded_next(&((sotto__lent *)self)->seeded);
}

static double uniform(sotto_stream *self)
{
    return sotto__uniform(bits(self));
}

static double normal(sotto_stream *self)
{
    sotto__lent *lent = (sotto__lent *)self;
    return sotto__normal(lent->ziggurat, &lent->seeded);
}

static const sotto_stream functions = {bits, uniform, normal};

void sotto__lent_begin(sotto__lent *lent, uint64_t seed, sotto__purpose purpose,
                       const sotto__ziggurat *ziggurat)
{
    lent->stream = functions;
    lent->ziggurat = ziggurat;
    sotto__stream_begin(&lent->seeded, seed, purpose);
}

void sotto__lent_person(sotto__lent *lent, uint64_t word, const sotto__ziggurat *ziggurat)
{
    lent->stream = functions;
    lent->ziggurat = ziggurat;
    sotto__seeded_begin(&lent->seeded, word);
}

/* ==== table ================================================================================== */

/* The custom tables. */

const char *sotto__table_abi_fault(const char *what, uint32_t abi, uint32_t struct_bytes,
                                   size_t wanted_bytes, char text[SOTTO_FAULT_BYTES])
{
    if (abi != SOTTO_PLUGIN_ABI) {
        return sotto__fault(text, "%s: its ABI version is %u; allowed %u", what, abi,
                            SOTTO_PLUGIN_ABI);
    }
    if (struct_bytes != wanted_bytes) {
        return sotto__fault(text, "%s: its table has %u bytes; that of ABI version %u has %zu",
                            what, struct_bytes, SOTTO_PLUGIN_ABI, wanted_bytes);
    }
    return NULL;
}

/* A name stands in a column of CSV and in JSON as it is. */
static const char *name_fault(const char *what, const char *name, char *text)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    if (name == NULL) return sotto__fault(text, "%s: its name is missing", what);
    size_t length = strnlen(name, SOTTO_TABLE_NAME_BYTES);
    if (length >= 1 && length < SOTTO_TABLE_NAME_BYTES && strspn(name, allowed) == length) {
        return NULL;
    }
    char shown[SOTTO__SHOWN_BYTES];
    if (length == SOTTO_TABLE_NAME_BYTES) length = sotto__whole_bytes(name, length);
    sotto__shown(name, length, shown);
    return sotto__fault(text,
                        "%s: its name is \"%s\": allowed 1 to %u letters, digits, '-', '_' and '.'",
                        what, shown, SOTTO_TABLE_NAME_BYTES - 1);
}

/* A function that has to be there. */
#define NEED(what, table, function)                                                                \
    if ((table)->function == NULL) {                                                               \
        return sotto__fault(text, "%s %s: its function " #function " is missing", what,            \
                            (table)->name);                                                        \
    }

#define START(what, table)                                                                         \
    const char *fault =                                                                            \
        sotto__table_abi_fault(what, (table)->abi, (table)->struct_bytes, sizeof *(table), text);  \
    if (fault == NULL) fault = name_fault(what, (table)->name, text);                              \
    if (fault != NULL) return fault;

const char *sotto__player_table_fault(const sotto_player_table *table, char text[SOTTO_FAULT_BYTES])
{
    START("method", table)
    NEED("method", table, make)
    NEED("method", table, report_bytes_max)
    NEED("method", table, decide)
    NEED("method", table, report)
    NEED("method", table, learn)
    return NULL;
}

static const char *range_fault(const sotto_environment_table *table, const char *field,
                               double value, char *text)
{
    if (value >= 1e-6 && value <= 1e6) return NULL;
    return sotto__fault(text, "environment %s: %s = %.15g: allowed 1e-06 to 1000000", table->name,
                        field, value);
}

const char *sotto__environment_table_fault(const sotto_environment_table *table,
                                           char text[SOTTO_FAULT_BYTES])
{
    START("environment", table)
    NEED("environment", table, make)
    NEED("environment", table, context)
    NEED("environment", table, means)
    if (!table->shared && !table->per_arm) {
        return sotto__fault(text, "environment %s: neither shared nor per_arm is set", table->name);
    }
    fault = range_fault(table, "context_norm_max", table->context_norm_max, text);
    if (fault == NULL) fault = range_fault(table, "theta_norm_max", table->theta_norm_max, text);
    if (fault != NULL) return fault;
    double lo = table->reward_lo, hi = table->reward_hi;
    if (!(lo >= -1e6 && hi <= 1e6 && lo < hi)) {
        return sotto__fault(text,
                            "environment %s: reward_lo, reward_hi = %.15g, %.15g: allowed -1000000 "
                            "to 1000000, the first below the second",
                            table->name, lo, hi);
    }
    return NULL;
}

const char *sotto__mechanism_table_fault(const sotto_mechanism_table *table,
                                         char text[SOTTO_FAULT_BYTES])
{
    START("mechanism", table)
    NEED("mechanism", table, make)
    NEED("mechanism", table, draw)
    return NULL;
}

const char *sotto__table_blame(char *text, const char *what, const char *name, uint64_t round,
                               const char *format, ...)
{
    /* Words first: the sentence of a plug-in may stand in `text` itself. */
    char words[SOTTO_FAULT_BYTES];
    va_list values;
    va_start(values, format);
    vsnprintf(words, sizeof words, format, values);
    va_end(values);
    int start = round == 0 ? snprintf(text, SOTTO_FAULT_BYTES, "%s %s: ", what, name)
                           : snprintf(text, SOTTO_FAULT_BYTES, "%s %s, round %" PRIu64 ": ", what,
                                      name, round);
    size_t length = strlen(words);
    while (length > 0 && (words[length - 1] == '\n' || words[length - 1] == ' ')) {
        words[--length] = '\0';
    }
    sotto__printable(words);
    if (length == 0) snprintf(words, sizeof words, "it failed without saying why");
    snprintf(text + start, SOTTO_FAULT_BYTES - (size_t)start, "%s", words);
    text[sotto__whole_bytes(text, strlen(text))] = '\0';
    return text;
}
