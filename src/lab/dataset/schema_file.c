/*
 * The schema file: what the columns of a data set mean. One line per statement (words.c says
 * how words are written), in any order, except for the aliases:
 *
 *   format csv             or libsvm, vw (vw.c), vw-adf
 *   separator comma        or semicolon, tab, bar (|), blank (a run of spaces)
 *   decimal point          or comma: numbers are written 1,5
 *   header yes             or no: then the columns are named 1, 2, 3, ...
 *   missing ? NA           words that stand for no value, besides the empty one
 *   scale unit             contexts of length 1; or bound: divided by the longest that can be
 *   ranges public          or data: they were taken from people's rows, and are not private
 *   others fault           or ignore: columns of the file that have no line here
 *   unlabelled fault       or skip: rows whose label is missing
 *   numbered no            or yes: VW text writes arms as 1, 2, 3, ..., in the order of their levels
 *   hash B                 of VW text: names that have no line here share B numbers
 *
 *   number NAME LO HI      a feature; outside of the range it is clipped
 *   number NAME LO HI log  the same, by its logarithm: for long tails
 *   category NAME LEVEL... a feature that is 1 at one of its levels
 *   label NAME LEVEL...    the arms of a classification
 *   action NAME LEVEL...   the arms of a log, with
 *   reward NAME LO HI      what they earned, and
 *   propensity NAME        the chance they had, above 0 and at most 1; or
 *   propensity constant P  the same chance for all
 *   rewards FILE           what the arms earn where a label is right (rewards.c), beside the schema; or
 *   rewards FILE LO HI     the same, in a range that it may not fill
 *   arms FILE              features of the arms (arms.c), beside the schema; its columns are
 *   arm number NAME ...    as above, and likewise arm category and arm ignore
 *   ignore NAME...
 *   alias WORD LEVEL       another spelling of a level of the column above
 *
 * A range of names or levels is written once: V1..9 is V1, V2, ..., V9, and 1..780 is 1 to 780.
 * A setting that is not given is as in the first ten lines, without any word for missing.
 *
 * The columns of LIBSVM are its indices; its label may have any name.
 */
#include "core/core.h"
#include "inner.h"
#include "text/text.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct parser {
    const char *path;
    sotto_schema *schema;
    sotto_fault *fault;
    bool given[SOTTO__SETTINGS];
    bool arm_above; /* the column above is one of the arms' */
    sotto__words words;
} parser;

/* ---- statements --------------------------------------------------------------------------- */

#define LINE_FAULT(p, format, ...)                                                                 \
    sotto__refuse((p)->fault, "%s: line %llu: " format, (p)->path,                                 \
                  (unsigned long long)(p)->words.line, __VA_ARGS__)

static sotto_status no_memory(const parser *p)
{
    return LINE_FAULT(p, "%s", sotto_status_text(SOTTO_E_MEMORY));
}

/* A name, or a range of names: the text before the digits, and the first and last number. */
typedef struct name_range {
    const char *text;
    int prefix_bytes;
    uint32_t first, last;
    bool is_range;
} name_range;

static bool small_number(const char *from, const char *to, uint32_t *out)
{
    if (from == to || to - from > 6) return false;
    for (*out = 0; from < to; from++) {
        if (*from < '0' || *from > '9') return false;
        *out = 10 * *out + (uint32_t)(*from - '0');
    }
    return true;
}

static sotto_status range_of(const parser *p, const sotto__word *word, name_range *out)
{
    *out = (name_range){.text = word->text, .prefix_bytes = (int)word->bytes};
    const char *end = word->text + word->bytes, *dots = word->text;
    while (dots + 1 < end && (dots[0] != '.' || dots[1] != '.')) {
        dots++;
    }
    if (word->quoted || dots + 1 >= end) return SOTTO_OK;
    const char *digits = dots;
    while (digits > word->text && digits[-1] >= '0' && digits[-1] <= '9') {
        digits--;
    }
    char shown[SOTTO__SHOWN_BYTES];
    if (!small_number(digits, dots, &out->first) || !small_number(dots + 2, end, &out->last) ||
        out->last - out->first >= SOTTO__COLUMNS_MAX) { /* also if the last is the smaller one */
        return LINE_FAULT(
            p,
            "%s: write a range as V1..9, with at most %u numbers, and a name with two dots "
            "in quotes",
            sotto__shown(word->text, word->bytes, shown), SOTTO__COLUMNS_MAX);
    }
    out->prefix_bytes = (int)(digits - word->text);
    out->is_range = true;
    return SOTTO_OK;
}

/* The i-th name of a range; NULL: no memory. */
static char *range_name(const name_range *range, uint32_t i)
{
    size_t bytes = (size_t)range->prefix_bytes;
    if (!range->is_range) return strndup(range->text, bytes);
    char *name = malloc(bytes + 12);
    if (name == NULL) return NULL;
    memcpy(name, range->text, bytes);
    snprintf(name + bytes, 12, "%u", range->first + i);
    return name;
}

/* Appends the names that the words from `from` to before `to` stand for. */
static sotto_status take_names(const parser *p, uint32_t from, uint32_t to, char ***list,
                               uint32_t *count)
{
    for (uint32_t i = from; i < to; i++) {
        name_range range;
        if (range_of(p, &p->words.word[i], &range) != SOTTO_OK) return SOTTO_E_FAULT;
        for (uint32_t k = 0; k <= range.last - range.first; k++) {
            if (*count == SOTTO__COLUMNS_MAX) {
                return LINE_FAULT(p, "more than %u names", SOTTO__COLUMNS_MAX);
            }
            if (!sotto__texts_push(list, count, range_name(&range, k))) return no_memory(p);
        }
    }
    return SOTTO_OK;
}

static sotto_status take_bounds(const parser *p, double *lo, double *hi)
{
    const sotto__word *a = &p->words.word[2], *b = &p->words.word[3];
    if (sotto__number(a->text, a->bytes, lo) && sotto__number(b->text, b->bytes, hi) && *lo < *hi) {
        return SOTTO_OK;
    }
    char low[SOTTO__SHOWN_BYTES], high[SOTTO__SHOWN_BYTES];
    return LINE_FAULT(p, "%s %s: needs two numbers, the smaller one first",
                      sotto__shown(a->text, a->bytes, low), sotto__shown(b->text, b->bytes, high));
}

/* The words that each kind of column takes. */
static const struct {
    uint32_t words_min, words_max; /* with the kind and the name */
    const char *usage;
} shapes[] = {
    [SOTTO__COLUMN_IGNORE] = {2, SOTTO__WORDS_MAX, "ignore NAME..."},
    [SOTTO__COLUMN_NUMBER] = {4, 5, "number NAME LO HI, or number NAME LO HI log"},
    [SOTTO__COLUMN_CATEGORY] = {3, SOTTO__WORDS_MAX, "category NAME LEVEL..."},
    [SOTTO__COLUMN_LABEL] = {3, SOTTO__WORDS_MAX, "label NAME LEVEL..."},
    [SOTTO__COLUMN_ACTION] = {3, SOTTO__WORDS_MAX, "action NAME LEVEL..."},
    [SOTTO__COLUMN_REWARD] = {4, 4, "reward NAME LO HI"},
    [SOTTO__COLUMN_PROPENSITY] = {2, 2, "propensity NAME, or propensity constant CHANCE"},
};

/* Reads the values of a column from the words after its name. */
static sotto_status take_values(const parser *p, sotto__column *column)
{
    switch (column->kind) {
    case SOTTO__COLUMN_IGNORE:
    case SOTTO__COLUMN_PROPENSITY: return SOTTO_OK;
    case SOTTO__COLUMN_NUMBER:
        column->log = p->words.count == 5;
        return take_bounds(p, &column->lo, &column->hi);
    case SOTTO__COLUMN_REWARD: return take_bounds(p, &column->lo, &column->hi);
    case SOTTO__COLUMN_CATEGORY:
    case SOTTO__COLUMN_LABEL:
    case SOTTO__COLUMN_ACTION:
        return take_names(p, 2, p->words.count, &column->level, &column->levels_count);
    }
    return SOTTO_OK;
}

static sotto_status take_columns(const parser *p, sotto__column_kind kind, sotto_schema *schema)
{
    const sotto__words *words = &p->words;
    bool log = kind == SOTTO__COLUMN_NUMBER && words->count == 5;
    if (words->count < shapes[kind].words_min || words->count > shapes[kind].words_max ||
        (log && !sotto__word_is(&words->word[4], "log"))) {
        return LINE_FAULT(p, "must be: %s", shapes[kind].usage);
    }
    char **name = NULL;
    uint32_t count = 0;
    uint32_t names_end = kind == SOTTO__COLUMN_IGNORE ? words->count : 2;
    sotto_status wrong = take_names(p, 1, names_end, &name, &count);
    for (uint32_t i = 0; i < count && wrong == SOTTO_OK; i++) {
        if (schema->columns_count == SOTTO__COLUMNS_MAX) {
            wrong = LINE_FAULT(p, "more than %u columns", SOTTO__COLUMNS_MAX);
            break;
        }
        sotto__column *column = sotto__schema_add(schema, kind, name[i], strlen(name[i]));
        wrong = column == NULL ? no_memory(p) : take_values(p, column);
    }
    sotto__texts_free(name, count);
    return wrong;
}

/* A column of the arms' own file. */
static sotto_status take_arm(parser *p)
{
    sotto__words *words = &p->words;
    sotto_schema *schema = p->schema;
    static const sotto__column_kind kinds[] = {SOTTO__COLUMN_NUMBER, SOTTO__COLUMN_CATEGORY,
                                               SOTTO__COLUMN_IGNORE};
    if (schema->arms == NULL) schema->arms = calloc(1, sizeof *schema->arms);
    if (schema->arms == NULL) return no_memory(p);
    p->arm_above = true;
    words->count--;
    memmove(words->word, words->word + 1, words->count * sizeof words->word[0]);
    for (uint32_t i = 0; i < sizeof kinds / sizeof kinds[0] && words->count > 0; i++) {
        if (!sotto__word_is(&words->word[0], sotto__column_kind_name(kinds[i]))) continue;
        return take_columns(p, kinds[i], schema->arms);
    }
    return LINE_FAULT(p, "must be: %s", "arm number, arm category or arm ignore, as for people");
}

/* Reads the constant chance of all actions. */
static sotto_status take_propensity(const parser *p)
{
    const sotto__word *chance = &p->words.word[2];
    double *out = &p->schema->propensity;
    char shown[SOTTO__SHOWN_BYTES];
    if (*out > 0) return LINE_FAULT(p, "%s is given twice", "propensity constant");
    if (sotto__number(chance->text, chance->bytes, out) && *out > 0 && *out <= 1) return SOTTO_OK;
    return LINE_FAULT(p, "propensity constant %s: is not a chance: allowed above 0, to 1",
                      sotto__shown(chance->text, chance->bytes, shown));
}

static sotto_status take_hash(const parser *p)
{
    const sotto__word *word = &p->words.word[1];
    char count[8] = "", shown[SOTTO__SHOWN_BYTES];
    uint32_t *hash = &p->schema->hash;
    if (*hash > 0) return LINE_FAULT(p, "%s is given twice", "hash");
    if (p->words.count != 2) return LINE_FAULT(p, "must be: %s", "hash BUCKETS");
    if (word->bytes < sizeof count) memcpy(count, word->text, word->bytes);
    *hash = sotto__column_index(count);
    if (*hash >= 1 && *hash < SOTTO_DIM_MAX) return SOTTO_OK;
    return LINE_FAULT(p, "hash %s: allowed 1 to %u", sotto__shown(word->text, word->bytes, shown),
                      SOTTO_DIM_MAX - 1);
}

/* Adds the buckets, which are numbers from -1 to 1 and the last features. */
static sotto_status add_buckets(const parser *p)
{
    for (uint32_t i = 0; i < p->schema->hash; i++) {
        char name[24];
        int bytes = snprintf(name, sizeof name, "bucket %u", i + 1);
        if (p->schema->columns_count == SOTTO__COLUMNS_MAX) {
            return LINE_FAULT(p, "more than %u columns", SOTTO__COLUMNS_MAX);
        }
        sotto__column *column =
            sotto__schema_add(p->schema, SOTTO__COLUMN_NUMBER, name, (size_t)bytes);
        if (column == NULL) return no_memory(p);
        column->lo = -1;
        column->hi = 1;
        column->bucket = true;
    }
    return SOTTO_OK;
}

/* Reads the name of a file beside the schema, which may be given once. */
static sotto_status take_file_name(const parser *p, const char *name, char **out)
{
    const sotto__word *word = &p->words.word[1];
    if (*out != NULL) return LINE_FAULT(p, "%s is given twice", name);
    if (word->bytes == 0) return LINE_FAULT(p, "%s: needs the name of a file", name);
    *out = strndup(word->text, word->bytes);
    return *out == NULL ? no_memory(p) : SOTTO_OK;
}

static sotto_status take_rewards(const parser *p)
{
    sotto_schema *schema = p->schema;
    uint32_t count = p->words.count;
    if (count != 2 && count != 4) {
        return LINE_FAULT(p, "must be: %s", "rewards FILE, or rewards FILE LO HI");
    }
    if (take_file_name(p, "rewards", &schema->rewards_file) != SOTTO_OK) return SOTTO_E_FAULT;
    schema->rewards_ranged = count == 4;
    return count == 4 ? take_bounds(p, &schema->rewards_lo, &schema->rewards_hi) : SOTTO_OK;
}

static sotto_status take_alias(const parser *p)
{
    const sotto__words *words = &p->words;
    const sotto_schema *schema = p->arm_above ? p->schema->arms : p->schema;
    if (words->count != 3) return LINE_FAULT(p, "must be: %s", "alias WORD LEVEL");
    sotto__column *column =
        schema->columns_count == 0 ? NULL : &schema->column[schema->columns_count - 1];
    uint32_t level = 0;
    while (column != NULL && level < column->levels_count &&
           !sotto__word_is(&words->word[2], column->level[level])) {
        level++;
    }
    char shown[SOTTO__SHOWN_BYTES];
    if (column == NULL || level == column->levels_count) {
        return LINE_FAULT(p, "%s: is not a level of the column above",
                          sotto__shown(words->word[2].text, words->word[2].bytes, shown));
    }
    const sotto__word *word = &words->word[1];
    return sotto__schema_add_alias(column, word->text, word->bytes, level) ? SOTTO_OK
                                                                           : no_memory(p);
}

static sotto_status take_setting(parser *p, sotto__setting which)
{
    const sotto__words *words = &p->words;
    const char *name = sotto__setting_name(which), *choice;
    if (p->given[which]) return LINE_FAULT(p, "%s is given twice", name);
    p->given[which] = true;
    uint32_t count = 0;
    for (; (choice = sotto__setting_choice(which, count)) != NULL; count++) {
        if (words->count != 2 || !sotto__word_is(&words->word[1], choice)) continue;
        sotto__setting_set(p->schema, which, count);
        return SOTTO_OK;
    }
    char allowed[80];
    size_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        const char *before = i == 0 ? "" : i == count - 1 ? " or " : ", ";
        at += (size_t)snprintf(allowed + at, sizeof allowed - at, "%s%s", before,
                               sotto__setting_choice(which, i));
    }
    return LINE_FAULT(p, "%s must be %s", name, allowed);
}

static sotto_status take_statement(parser *p)
{
    const sotto__word *first = &p->words.word[0];
    for (uint32_t i = 0; i < SOTTO__SETTINGS; i++) {
        sotto__setting which = (sotto__setting)i;
        if (sotto__word_is(first, sotto__setting_name(which))) return take_setting(p, which);
    }
    if (p->words.count == 3 && sotto__word_is(first, "propensity") &&
        sotto__word_is(&p->words.word[1], "constant")) {
        return take_propensity(p);
    }
    for (uint32_t i = 0; sotto__column_kind_name(i) != NULL; i++) {
        bool is = sotto__word_is(first, sotto__column_kind_name(i));
        if (!is) continue;
        p->arm_above = false;
        return take_columns(p, (sotto__column_kind)i, p->schema);
    }
    if (sotto__word_is(first, "alias")) return take_alias(p);
    if (sotto__word_is(first, "rewards")) return take_rewards(p);
    if (sotto__word_is(first, "arm")) return take_arm(p);
    if (sotto__word_is(first, "hash")) return take_hash(p);
    if (sotto__word_is(first, "arms")) {
        if (p->words.count != 2) return LINE_FAULT(p, "must be: %s", "arms FILE");
        return take_file_name(p, "arms", &p->schema->arms_file);
    }
    if (sotto__word_is(first, "missing")) {
        return take_names(p, 1, p->words.count, &p->schema->missing, &p->schema->missing_count);
    }
    char shown[SOTTO__SHOWN_BYTES];
    return LINE_FAULT(p,
                      "%s: unknown; allowed: format, separator, decimal, header, missing, scale, "
                      "ranges, others, unlabelled, numbered, hash, number, category, label, "
                      "action, reward, propensity, ignore, alias, rewards, arms, arm",
                      sotto__shown(first->text, first->bytes, shown));
}

/* ---- files -------------------------------------------------------------------------------- */

static sotto_status take_file(parser *p, sotto__source *source)
{
    while (!source->end) {
        if (source->to - source->from > SOTTO__RECORD_BYTES_MAX) {
            return sotto__refuse(p->fault, "%s: longer than %u bytes; is it a schema?", p->path,
                                 SOTTO__RECORD_BYTES_MAX);
        }
        if (sotto__source_fill(source, p->fault) != SOTTO_OK) return SOTTO_E_FAULT;
    }
    char *text = source->buffer + source->from;
    size_t bytes = source->to - source->from;
    if (memchr(text, '\0', bytes) != NULL) {
        return sotto__refuse(p->fault, "%s: a zero byte; the file is not text", p->path);
    }
    sotto_fault why;
    sotto__words_begin(&p->words, text, bytes);
    for (;;) {
        if (sotto__words_next(&p->words, &why) != SOTTO_OK)
            return LINE_FAULT(p, "%s", why.sentence);
        if (p->words.count == 0) break;
        if (take_statement(p) != SOTTO_OK) return SOTTO_E_FAULT;
    }
    if (add_buckets(p) != SOTTO_OK) return SOTTO_E_FAULT;
    if (sotto__schema_fault(p->schema, &why) != SOTTO_OK) {
        return sotto__refuse(p->fault, "%s: %.400s", p->path, why.sentence);
    }
    sotto_status wrong = sotto__arms_prepare(p->schema, &why);
    if (wrong != SOTTO_OK) return sotto__refuse(p->fault, "%s: %.400s", p->path, why.sentence);
    if (p->schema->rewards_file != NULL) wrong = sotto__rewards_read(p->schema, p->fault);
    if (wrong == SOTTO_OK && p->schema->arms_file != NULL)
        wrong = sotto__arms_read(p->schema, p->fault);
    return wrong;
}

/* Sets the directory to what stands before the last slash of a path. False: no memory. */
static bool set_directory(sotto_schema *schema, const char *path)
{
    const char *slash = strrchr(path, '/');
    schema->directory = slash == NULL ? strdup(".") : strndup(path, (size_t)(slash - path));
    return schema->directory != NULL;
}

sotto_status sotto__schema_read(const char *path, sotto_schema *out, sotto_fault *fault)
{
    sotto__source source;
    *out = (sotto_schema){.separator = ',', .header = true, .unit = true};
    if (sotto__source_open(&source, path, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    sotto_status wrong = SOTTO_OK;
    parser *p = malloc(sizeof *p);
    if (p == NULL || !set_directory(out, path)) {
        wrong = sotto__refuse(fault, "%s: %s", path, sotto_status_text(SOTTO_E_MEMORY));
    } else {
        *p = (parser){.path = path, .schema = out, .fault = fault};
        wrong = take_file(p, &source);
    }
    free(p);
    sotto__source_close(&source);
    if (wrong != SOTTO_OK) sotto__schema_free(out);
    return wrong;
}
