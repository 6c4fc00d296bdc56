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

/* Random streams lent to custom code. */

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

static const sotto_stream functions = {.bits = bits, .uniform = uniform, .normal = normal};

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

sotto_status sotto__table_abi_fault(const char *what, uint32_t abi, uint32_t struct_bytes,
                                    size_t wanted_bytes, sotto_fault *fault)
{
    if (abi != SOTTO_PLUGIN_ABI) {
        return sotto__refuse(fault, "%s: its ABI version is %u; allowed %u", what, abi,
                             SOTTO_PLUGIN_ABI);
    }
    if (struct_bytes != wanted_bytes) {
        return sotto__refuse(fault, "%s: its table has %u bytes; that of ABI version %u has %zu",
                             what, struct_bytes, SOTTO_PLUGIN_ABI, wanted_bytes);
    }
    return SOTTO_OK;
}

/* Checks a name, which is written to CSV and JSON unescaped. */
static sotto_status name_fault(const char *what, const char *name, sotto_fault *fault)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    if (name == NULL) return sotto__refuse(fault, "%s: its name is missing", what);
    size_t length = strnlen(name, SOTTO_TABLE_NAME_BYTES);
    if (length >= 1 && length < SOTTO_TABLE_NAME_BYTES && strspn(name, allowed) == length) {
        return SOTTO_OK;
    }
    char shown[SOTTO__SHOWN_BYTES];
    if (length == SOTTO_TABLE_NAME_BYTES) length = sotto__whole_bytes(name, length);
    sotto__shown(name, length, shown);
    return sotto__refuse(
        fault, "%s: its name is \"%s\": allowed 1 to %u letters, digits, '-', '_' and '.'", what,
        shown, SOTTO_TABLE_NAME_BYTES - 1);
}

/* Refuses a table without a required function. */
#define NEED(what, table, function)                                                                \
    if ((table)->function == NULL) {                                                               \
        return sotto__refuse(fault, "%s %s: its function " #function " is missing", what,          \
                             (table)->name);                                                       \
    }

#define START(what, table)                                                                         \
    sotto_status status =                                                                          \
        sotto__table_abi_fault(what, (table)->abi, (table)->struct_bytes, sizeof *(table), fault); \
    if (status == SOTTO_OK) status = name_fault(what, (table)->name, fault);                       \
    if (status != SOTTO_OK) return status;

sotto_status sotto__player_table_fault(const sotto_player_table *table, sotto_fault *fault)
{
    START("method", table)
    NEED("method", table, make)
    NEED("method", table, report_bytes_max)
    NEED("method", table, decide)
    NEED("method", table, report)
    NEED("method", table, learn)
    return SOTTO_OK;
}

static sotto_status range_fault(const sotto_environment_table *table, const char *field,
                                double value, sotto_fault *fault)
{
    if (value >= 1e-6 && value <= 1e6) return SOTTO_OK;
    return sotto__refuse(fault, "environment %s: %s = %.15g: allowed 1e-06 to 1000000", table->name,
                         field, value);
}

sotto_status sotto__environment_table_fault(const sotto_environment_table *table,
                                            sotto_fault *fault)
{
    START("environment", table)
    NEED("environment", table, make)
    NEED("environment", table, context)
    NEED("environment", table, means)
    if (!table->shared && !table->per_arm) {
        return sotto__refuse(fault, "environment %s: neither shared nor per_arm is set",
                             table->name);
    }
    status = range_fault(table, "context_norm_max", table->context_norm_max, fault);
    if (status == SOTTO_OK)
        status = range_fault(table, "theta_norm_max", table->theta_norm_max, fault);
    if (status != SOTTO_OK) return status;
    double lo = table->reward_lo, hi = table->reward_hi;
    if (!(lo >= -1e6 && hi <= 1e6 && lo < hi)) {
        return sotto__refuse(
            fault,
            "environment %s: reward_lo, reward_hi = %.15g, %.15g: allowed -1000000 "
            "to 1000000, the first below the second",
            table->name, lo, hi);
    }
    return SOTTO_OK;
}

sotto_status sotto__mechanism_table_fault(const sotto_mechanism_table *table, sotto_fault *fault)
{
    START("mechanism", table)
    NEED("mechanism", table, make)
    NEED("mechanism", table, draw)
    return SOTTO_OK;
}

sotto_status sotto__table_blame(sotto_fault *fault, const char *what, const char *name,
                                uint64_t round, const char *format, ...)
{
    char words[SOTTO_FAULT_BYTES];
    va_list values;
    va_start(values, format);
    vsnprintf(words, sizeof words, format, values);
    va_end(values);
    size_t length = strlen(words);
    while (length > 0 && (words[length - 1] == '\n' || words[length - 1] == ' ')) {
        words[--length] = '\0';
    }
    sotto__printable(words);
    if (length == 0) snprintf(words, sizeof words, "it failed without saying why");
    if (round == 0) {
        sotto__refuse(fault, "%s %s: %s", what, name, words);
    } else {
        sotto__refuse(fault, "%s %s, round %" PRIu64 ": %s", what, name, round, words);
    }
    return SOTTO_E_PLUGIN;
}
