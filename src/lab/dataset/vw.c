/*
 * VW text as records. vw_line.c says how a line is written; here is what it means.
 *
 *   label       LABEL |features: the label is a level of the schema's. LABEL 1 is the same: an
 *               importance of another size is refused, for each person counts once
 *   log         ACTION:COST:CHANCE |features (--cb): the reward is -COST. With `propensity constant`
 *               it is ACTION:COST
 *   vw-adf      a block of lines (--cb_adf), blank lines between blocks: `shared |features`, which may be
 *               missing, then a line per arm in the order of their levels. The one that was given has
 *               COST and CHANCE, behind an action that does not count. The features of these lines are not
 *               read: arms are public, and the schema has a file for theirs
 *   name        NAMESPACE^NAME; NAME in the default namespace
 *   number      NAME:VALUE; NAME alone is 1; what is not listed is 0; NAME= is a missing value. It is
 *               multiplied by the weight of its namespace
 *   category    NAME=LEVEL, or NAME:LEVEL; what is not listed is missing, but does not count as such
 *   others      names that are none of the schema's: with `hash B` they share B numbers, otherwise they
 *               are a fault, or ignored (`others`)
 *
 * A bucket is the sum of the values that fall into it, each times the weight of its namespace and
 * the sign of its name. A value that is not a number makes NAME:VALUE a name of value 1, whatever
 * the weight, as in Vowpal Wabbit. Which names people have is data: it says something about them.
 * Buckets need no list of names: their number is a public term, and a device computes them by
 * itself. The hash is FNV-1a of 64 bits over the bytes of the name; the bucket is (h >> 32) mod B,
 * the sign is + if h is even.
 */
#include "core/core.h"
#include "inner.h"
#include "text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES_MAX 4096u
#define NUMBER_BYTES 40u /* of a number as text; readers look 8 bytes past its end */
#define NONE UINT32_MAX

struct sotto__vw {
    const sotto_schema *schema;
    const sotto__column *arms;
    uint32_t arms_at, reward_at, propensity_at, bucket_at; /* columns of the schema; NONE: none */
    sotto__levels names;                                   /* of features, to columns */
    uint64_t person;                                       /* from 1 */
    uint64_t *met;                /* of each column: the last person who had it */
    double *sum;                  /* of each bucket, of the current person */
    char (*number)[NUMBER_BYTES]; /* texts of this person's numbers, one per column */
    char name[NAME_BYTES_MAX];
    /* The current person. */
    const sotto__source *source;
    uint64_t line_number;
    sotto__vw_line line;
    sotto__record *record;
    sotto_fault *fault;
};

/* ---- made and freed ----------------------------------------------------------------------- */

static void note_column(sotto__vw *vw, uint32_t i)
{
    const sotto__column *column = &vw->schema->column[i];
    switch (column->kind) {
    case SOTTO__COLUMN_LABEL:
    case SOTTO__COLUMN_ACTION: vw->arms_at = i; return;
    case SOTTO__COLUMN_REWARD: vw->reward_at = i; return;
    case SOTTO__COLUMN_PROPENSITY: vw->propensity_at = i; return;
    case SOTTO__COLUMN_IGNORE:
    case SOTTO__COLUMN_NUMBER:
    case SOTTO__COLUMN_CATEGORY: break;
    }
    if (column->bucket && vw->bucket_at == NONE) vw->bucket_at = i;
    if (!column->bucket) sotto__levels_add(&vw->names, column->name, strlen(column->name), i);
}

sotto_status sotto__vw_new(const sotto_schema *schema, sotto__vw **out)
{
    uint32_t count = schema->columns_count;
    sotto__vw *vw = calloc(1, sizeof *vw);
    *out = NULL;
    if (vw == NULL) return SOTTO_E_MEMORY;
    vw->schema = schema;
    vw->arms = sotto__schema_arms_column(schema);
    vw->arms_at = vw->reward_at = vw->propensity_at = vw->bucket_at = NONE;
    vw->met = calloc(count, sizeof *vw->met);
    vw->number = calloc(count, sizeof *vw->number);
    vw->sum = calloc(schema->hash + 1, sizeof *vw->sum);
    bool made = vw->met != NULL && vw->number != NULL && vw->sum != NULL;
    if (!made || sotto__levels_new(&vw->names, count) != SOTTO_OK) {
        sotto__vw_free(vw);
        return SOTTO_E_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        note_column(vw, i);
    }
    *out = vw;
    return SOTTO_OK;
}

void sotto__vw_free(sotto__vw *vw)
{
    if (vw == NULL) return;
    sotto__levels_free(&vw->names);
    free(vw->met);
    free(vw->sum);
    free(vw->number);
    free(vw);
}

/* ---- faults and fields -------------------------------------------------------------------- */

static sotto_status word_fault(const sotto__vw *vw, sotto__vw_word word, const char *reason)
{
    char shown[SOTTO__SHOWN_BYTES];
    return sotto__refuse(vw->fault, "%s: line %llu, byte %lld: \"%s\" %s", vw->source->path,
                         (unsigned long long)vw->line_number,
                         (long long)(word.text - vw->line.text) + 1,
                         sotto__shown(word.text, word.bytes, shown), reason);
}

static void add_field(sotto__vw *vw, uint32_t column, const char *text, uint32_t bytes)
{
    vw->met[column] = vw->person;
    vw->record->field[vw->record->count++] =
        (sotto__field){.text = text, .bytes = bytes, .column = (uint16_t)column};
}

/* Writes as many digits as are needed to read the same number. */
static void add_number(sotto__vw *vw, uint32_t column, double value)
{
    char *text = vw->number[column];
    int bytes = snprintf(text, NUMBER_BYTES, "%.17g", value);
    add_field(vw, column, text, (uint32_t)bytes);
}

/* ---- labels ------------------------------------------------------------------------------- */

/* Adds the arm as a level. */
static sotto_status add_arm(sotto__vw *vw, sotto__vw_word word)
{
    char number[8] = "", reason[64];
    if (!vw->schema->numbered || word.bytes == 0) {
        add_field(vw, vw->arms_at, word.text, word.bytes);
        return SOTTO_OK;
    }
    if (word.bytes < sizeof number) memcpy(number, word.text, word.bytes);
    uint32_t arm = sotto__column_index(number);
    if (arm < 1 || arm > vw->arms->levels_count) {
        snprintf(reason, sizeof reason, "is not an arm: allowed 1 to %u", vw->arms->levels_count);
        return word_fault(vw, word, reason);
    }
    const char *level = vw->arms->level[arm - 1];
    add_field(vw, vw->arms_at, level, (uint32_t)strlen(level));
    return SOTTO_OK;
}

static sotto_status take_label(sotto__vw *vw)
{
    const sotto__vw_line *line = &vw->line;
    double importance = 1;
    if (line->words_count > 2) return word_fault(vw, line->word[2], "is one word too many");
    if (line->words_count == 2) {
        sotto__vw_word word = line->word[1];
        bool number = sotto__number(word.text, word.bytes, &importance);
        if (!number || importance != 1) {
            return word_fault(vw, word, "is an importance other than 1: each person counts once");
        }
    }
    return add_arm(vw, line->words_count == 0 ? (sotto__vw_word){"", 0} : line->word[0]);
}

/* Returns what stands before the first colon; `rest` is what follows it, with text
 * NULL if there is none. */
static sotto__vw_word cut(sotto__vw_word whole, sotto__vw_word *rest)
{
    const char *colon = whole.bytes == 0 ? NULL : memchr(whole.text, ':', whole.bytes);
    *rest = (sotto__vw_word){NULL, 0};
    if (colon == NULL) return whole;
    uint32_t bytes = (uint32_t)(colon - whole.text);
    *rest = (sotto__vw_word){colon + 1, whole.bytes - bytes - 1};
    return (sotto__vw_word){whole.text, bytes};
}

/* ACTION:COST:CHANCE; `arm` stands for the action, unless its text is NULL. */
static sotto_status take_event(sotto__vw *vw, sotto__vw_word word, sotto__vw_word arm)
{
    sotto__vw_word rest, chance = {NULL, 0};
    sotto__vw_word action = cut(word, &rest);
    sotto__vw_word cost_word = rest.text == NULL ? rest : cut(rest, &chance);
    bool constant = vw->propensity_at == NONE;
    double cost;
    if (cost_word.text == NULL || (chance.text == NULL) != constant) {
        return word_fault(vw, word,
                          constant ? "is not ACTION:COST; the schema has a constant propensity"
                                   : "is not ACTION:COST:CHANCE");
    }
    if (!sotto__number(cost_word.text, cost_word.bytes, &cost)) {
        return word_fault(vw, word, "has a cost that is not a finite number");
    }
    if (arm.text == NULL) {
        if (action.bytes == 0) return word_fault(vw, word, "has no action");
        if (add_arm(vw, action) != SOTTO_OK) return SOTTO_E_FAULT;
    } else {
        add_field(vw, vw->arms_at, arm.text, arm.bytes);
    }
    add_number(vw, vw->reward_at, 0 - cost);
    if (!constant) add_field(vw, vw->propensity_at, chance.text, chance.bytes);
    return SOTTO_OK;
}

static sotto_status take_words(sotto__vw *vw)
{
    const sotto__vw_line *line = &vw->line;
    if (vw->reward_at == NONE) return take_label(vw);
    if (line->words_count > 1) return word_fault(vw, line->word[1], "is one word too many");
    if (line->words_count == 1) return take_event(vw, line->word[0], (sotto__vw_word){NULL, 0});
    add_field(vw, vw->arms_at, "", 0); /* empty: the data set reports the fault */
    return SOTTO_OK;
}

/* ---- features ----------------------------------------------------------------------------- */

uint32_t sotto__vw_bucket(const char *name, size_t bytes, uint32_t buckets, double *sign)
{
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < bytes; i++) {
        h = (h ^ (unsigned char)name[i]) * 1099511628211u;
    }
    *sign = (h & 1) == 0 ? 1 : -1;
    return (uint32_t)((h >> 32) % buckets);
}

/* NAMESPACE^NAME in vw->name; its bytes, or 0 if it is too long. */
static uint32_t full_name(sotto__vw *vw, sotto__vw_word name)
{
    sotto__vw_word space = vw->line.space;
    if (space.bytes > NAME_BYTES_MAX || name.bytes > NAME_BYTES_MAX) return 0;
    uint32_t prefix = space.bytes == 0 ? 0 : space.bytes + 1;
    if (prefix + name.bytes > NAME_BYTES_MAX) return 0;
    if (prefix > 0) memcpy(vw->name, space.text, space.bytes);
    if (prefix > 0) vw->name[space.bytes] = '^';
    memcpy(vw->name + prefix, name.text, name.bytes);
    return prefix + name.bytes;
}

static uint32_t column_of(sotto__vw *vw, sotto__vw_word name)
{
    return sotto__levels_find(&vw->names, vw->name, full_name(vw, name));
}

/* A name that has no column. */
static sotto_status take_other(sotto__vw *vw, const sotto__vw_feature *feature)
{
    double value = 1, sign;
    uint32_t buckets = vw->schema->hash;
    if (buckets == 0 && vw->schema->others) return SOTTO_OK;
    if (buckets == 0) {
        return word_fault(vw, feature->whole,
                          "has no line in the schema; `hash` there gives others a place, `others "
                          "ignore` ignores them");
    }
    bool word = feature->value.text == NULL ||
                !sotto__number(feature->value.text, feature->value.bytes, &value);
    if (word) value = 1;
    uint32_t bytes = full_name(vw, word ? feature->whole : feature->name);
    uint32_t bucket = sotto__vw_bucket(vw->name, bytes, buckets, &sign);
    uint32_t column = vw->bucket_at + bucket;
    if (vw->met[column] != vw->person) {
        vw->met[column] = vw->person;
        vw->sum[bucket] = 0;
    }
    bool weighs_one = word && feature->value.text != NULL;
    vw->sum[bucket] += weighs_one ? sign : sign * value * vw->line.weight;
    return SOTTO_OK;
}

static sotto_status take_number(sotto__vw *vw, uint32_t column, sotto__vw_word value)
{
    static const char one[16] = "1";
    double number = 1;
    if (value.text == NULL) value = (sotto__vw_word){one, 1};
    bool scaled = vw->line.weight != 1 && sotto__number(value.text, value.bytes, &number);
    if (scaled) {
        add_number(vw, column, number * vw->line.weight);
    } else {
        add_field(vw, column, value.text, value.bytes); /* the data set refuses non-numbers */
    }
    return SOTTO_OK;
}

static sotto_status take_level(sotto__vw *vw, uint32_t column, const sotto__vw_feature *feature,
                               sotto__vw_word level)
{
    if (level.text == NULL) return word_fault(vw, feature->whole, "is a category without a level");
    bool word = level.text != feature->value.text; /* NAME=LEVEL, not NAME:LEVEL, which weighs 1 */
    if (word && vw->line.weight != 1) {
        return word_fault(vw, feature->whole, "is a category, and its namespace has a weight");
    }
    add_field(vw, column, level.text, level.bytes);
    return SOTTO_OK;
}

/* A feature that has a column. `level` is what stands behind = or a colon. */
static sotto_status take_own(sotto__vw *vw, uint32_t column, const sotto__vw_feature *feature,
                             sotto__vw_word level)
{
    sotto__column_kind kind = vw->schema->column[column].kind;
    if (kind == SOTTO__COLUMN_IGNORE) return SOTTO_OK;
    if (vw->met[column] == vw->person) return word_fault(vw, feature->whole, "appears twice");
    return kind == SOTTO__COLUMN_CATEGORY ? take_level(vw, column, feature, level)
                                          : take_number(vw, column, level);
}

/* NAME=LEVEL of a category, NAME= of a number; `own` is false if it is something else. */
static sotto_status take_equation(sotto__vw *vw, const sotto__vw_feature *feature, bool *own)
{
    sotto__vw_word name = feature->name;
    const char *equals = memchr(name.text, '=', name.bytes);
    *own = equals != NULL;
    if (!*own) return SOTTO_OK;
    sotto__vw_word level = {equals + 1, (uint32_t)(name.text + name.bytes - equals) - 1};
    uint32_t column = column_of(vw, (sotto__vw_word){name.text, (uint32_t)(equals - name.text)});
    *own = column != NONE &&
           (level.bytes == 0 || vw->schema->column[column].kind != SOTTO__COLUMN_NUMBER);
    if (!*own) return SOTTO_OK;
    double value = 1;
    sotto__vw_word text = feature->value;
    bool one = text.text == NULL || (sotto__number(text.text, text.bytes, &value) && value == 1);
    if (!one) return word_fault(vw, feature->whole, "is a level with a value other than 1");
    return take_own(vw, column, feature, level);
}

static sotto_status take_feature(sotto__vw *vw, const sotto__vw_feature *feature)
{
    bool own;
    if (full_name(vw, feature->whole) == 0) {
        return word_fault(vw, feature->whole, "is longer than 4096 bytes");
    }
    uint32_t column = column_of(vw, feature->name);
    if (column != NONE) return take_own(vw, column, feature, feature->value);
    sotto_status wrong = take_equation(vw, feature, &own);
    return own ? wrong : take_other(vw, feature);
}

static sotto_status take_features(sotto__vw *vw)
{
    for (;;) { /* at most one feature per byte of the line */
        sotto__vw_feature feature;
        sotto_fault why;
        if (sotto__vw_line_next(&vw->line, &feature, &why) != SOTTO_OK)
            return word_fault(vw, vw->line.wrong, why.sentence);
        if (feature.whole.bytes == 0) return SOTTO_OK;
        if (take_feature(vw, &feature) != SOTTO_OK) return SOTTO_E_FAULT;
    }
}

static void add_buckets(sotto__vw *vw)
{
    for (uint32_t i = 0; i < vw->schema->hash; i++) {
        double sum = vw->sum[i];
        if (vw->met[vw->bucket_at + i] != vw->person) continue;
        if (isnan(sum)) sum = 0; /* infinities of both signs, from absurd weights */
        add_number(vw, vw->bucket_at + i, fmin(fmax(sum, -1e300), 1e300));
    }
}

/* ---- lines and blocks --------------------------------------------------------------------- */

static sotto_status begin_line(sotto__vw *vw, const char *text, uint32_t bytes)
{
    sotto_fault why;
    sotto_status status = sotto__vw_line_begin(&vw->line, text, bytes, &why);
    return status == SOTTO_OK ? SOTTO_OK : word_fault(vw, vw->line.wrong, why.sentence);
}

static bool is_shared(const sotto__vw_line *line)
{
    return line->words_count > 0 && line->word[0].bytes == 6 &&
           memcmp(line->word[0].text, "shared", 6) == 0;
}

static sotto_status take_line(sotto__vw *vw, const char *text, uint32_t bytes)
{
    if (begin_line(vw, text, bytes) != SOTTO_OK) return SOTTO_E_FAULT;
    if (is_shared(&vw->line)) {
        return word_fault(vw, vw->line.word[0],
                          "begins a block of lines: `format vw-adf` reads "
                          "them");
    }
    if (take_words(vw) != SOTTO_OK || take_features(vw) != SOTTO_OK) return SOTTO_E_FAULT;
    add_buckets(vw);
    return SOTTO_OK;
}

/* Reads the line of an arm, the `arm`-th from 0. */
static sotto_status take_action(sotto__vw *vw, uint32_t arm)
{
    const sotto__vw_line *line = &vw->line;
    const sotto_schema *schema = vw->schema;
    sotto__vw_feature feature = {0};
    if (is_shared(line)) return word_fault(vw, line->word[0], "is not the first line of its block");
    if (line->words_count > 1) return word_fault(vw, line->word[1], "is one word too many");
    if (arm >= vw->arms->levels_count) {
        return sotto__refuse(vw->fault, "%s: line %llu: action %u: the schema has %u arms",
                             vw->source->path, (unsigned long long)vw->line_number, arm + 1,
                             vw->arms->levels_count);
    }
    if (line->words_count == 1) {
        const char *level = vw->arms->level[arm];
        if (vw->met[vw->arms_at] == vw->person) {
            return word_fault(vw, line->word[0], "is a second action with a cost in its block");
        }
        sotto__vw_word name = {level, (uint32_t)strlen(level)};
        if (take_event(vw, line->word[0], name) != SOTTO_OK) return SOTTO_E_FAULT;
    }
    if (schema->others || schema->arms_file != NULL) return SOTTO_OK;
    sotto_fault why;
    if (sotto__vw_line_next(&vw->line, &feature, &why) != SOTTO_OK)
        return word_fault(vw, vw->line.wrong, why.sentence);
    if (feature.whole.bytes == 0) return SOTTO_OK;
    return word_fault(vw, feature.whole,
                      "is a feature of an arm, and these come from `arms FILE`; "
                      "`others ignore` ignores it");
}

/* Reads a block of lines that ends before `end`, with one arm per line after the shared line. */
static sotto_status take_block(sotto__vw *vw, const char *text, const char *end)
{
    uint32_t arms = 0;
    for (const char *next; text < end; text = next + 1, vw->line_number++) {
        next = memchr(text, '\n', (size_t)(end - text));
        if (next == NULL) next = end;
        bool first = vw->line_number == vw->record->line;
        if (begin_line(vw, text, (uint32_t)(next - text)) != SOTTO_OK) return SOTTO_E_FAULT;
        if (first && is_shared(&vw->line)) {
            if (vw->line.words_count > 1) {
                return word_fault(vw, vw->line.word[1], "is one word too many");
            }
            if (take_features(vw) != SOTTO_OK) return SOTTO_E_FAULT;
        } else if (take_action(vw, arms++) != SOTTO_OK) {
            return SOTTO_E_FAULT;
        }
    }
    if (arms != vw->arms->levels_count) {
        return sotto__refuse(vw->fault,
                             "%s: line %llu: a block with %u actions: the schema has %u "
                             "arms, and each has a line",
                             vw->source->path, (unsigned long long)vw->record->line, arms,
                             vw->arms->levels_count);
    }
    if (vw->met[vw->arms_at] != vw->person) add_field(vw, vw->arms_at, "", 0);
    add_buckets(vw);
    return SOTTO_OK;
}

static bool is_empty(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\r')) {
        p++;
    }
    return p == end;
}

/* The line feed that ends a line, or the last line of a block; NULL: it has not been read yet. A
 * block ends before a line without a word. */
static const char *end_of(const char *from, const char *to, bool block, bool last)
{
    const char *end = memchr(from, '\n', (size_t)(to - from));
    while (end != NULL && block) {
        const char *next = memchr(end + 1, '\n', (size_t)(to - end - 1));
        if (next == NULL && !last) return NULL;
        if (is_empty(end + 1, next == NULL ? to : next)) return end;
        end = next;
    }
    return end == NULL && last ? to : end;
}

static uint64_t lines_in(const char *from, const char *to)
{
    uint64_t lines = 1;
    for (const char *p = from; p < to && (p = memchr(p, '\n', (size_t)(to - p))) != NULL; p++) {
        lines++;
    }
    return lines;
}

/* The next line or block that has a word; from == to at the end of the file. */
static sotto_status find(sotto__source *source, bool block, const char **from, const char **to,
                         sotto_fault *fault)
{
    for (;;) { /* bounded: every turn reads bytes or skips a line */
        const char *text = source->buffer + source->from, *end = source->buffer + source->to;
        *from = *to = text;
        if (text == end && source->end) return SOTTO_OK;
        const char *stop = text == end ? NULL : end_of(text, end, block, source->end);
        size_t bytes = (size_t)((stop == NULL ? end : stop) - text);
        if (bytes > SOTTO__RECORD_BYTES_MAX) {
            return sotto__refuse(fault, "%s: line %llu: longer than %u bytes", source->path,
                                 (unsigned long long)source->line, SOTTO__RECORD_BYTES_MAX);
        }
        if (stop == NULL) {
            if (sotto__source_fill(source, fault) != SOTTO_OK) return SOTTO_E_FAULT;
            continue;
        }
        const char *first = memchr(text, '\n', bytes);
        const char *first_end = first == NULL ? stop : first;
        bool empty = is_empty(text, first_end);
        *to = empty ? first_end : stop;
        source->from += (size_t)(*to - text) + (*to < end);
        if (!empty) return SOTTO_OK;
        source->line++;
    }
}

sotto_status sotto__vw_next(sotto__vw *vw, sotto__source *source, sotto__record *record,
                            sotto_fault *fault)
{
    bool block = vw->schema->format == SOTTO_DATASET_VW_ADF;
    const char *from, *to;
    record->count = 0;
    if (find(source, block, &from, &to, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    record->line = source->line;
    if (from == to) return SOTTO_OK;
    vw->person++;
    vw->source = source;
    vw->record = record;
    vw->fault = fault;
    vw->line_number = source->line;
    source->line += lines_in(from, to);
    if (memchr(from, '\0', (size_t)(to - from)) != NULL) {
        return sotto__refuse(fault, "%s: line %llu: a zero byte; the file is not text",
                             source->path, (unsigned long long)record->line);
    }
    sotto_status wrong =
        block ? take_block(vw, from, to) : take_line(vw, from, (uint32_t)(to - from));
    return wrong;
}
