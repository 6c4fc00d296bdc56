/*
 * LIBSVM as records of pairs. A line is `LABEL INDEX:VALUE INDEX:VALUE ...`: the label any word,
 * the indices from 1 and increasing. What is not listed is 0. A # begins a comment; lines without a
 * word are not records.
 */
#include "core/core.h"
#include "dataset.h"
#include "text/text.h"

#include <assert.h>
#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The word at p, or an empty one at a comment or the end of the line. */
static sotto__field word_at(const char *p, const char *end)
{
    while (p < end && is_blank(*p)) {
        p++;
    }
    sotto__field word = {.text = p};
    if (p < end && *p == '#') return word;
    while (p < end && !is_blank(*p)) {
        p++;
    }
    word.bytes = (uint32_t)(p - word.text);
    return word;
}

/* Splits INDEX:VALUE into index and value. A fault says why the word is not such a pair. */
static sotto_status split_pair(sotto__field *word, uint32_t before, sotto_fault *fault)
{
    const char *colon = memchr(word->text, ':', word->bytes);
    if (colon == NULL || colon == word->text) return sotto__refuse(fault, "is not INDEX:VALUE");
    uint32_t index = 0;
    for (const char *p = word->text; p < colon; p++) {
        if (*p < '0' || *p > '9') return sotto__refuse(fault, "has an index that is not a number");
        index = 10 * index + (uint32_t)(*p - '0');
        if (index > SOTTO__COLUMNS_MAX) return sotto__refuse(fault, "has an index above 4096");
    }
    if (index == 0) return sotto__refuse(fault, "has index 0; indices begin with 1");
    if (index <= before)
        return sotto__refuse(fault, "has an index that is not above the one before");
    word->column = (uint16_t)index;
    word->bytes -= (uint32_t)(colon + 1 - word->text);
    word->text = colon + 1;
    return word->bytes == 0 ? sotto__refuse(fault, "has no value") : SOTTO_OK;
}

static sotto_status split_line(const sotto__source *source, const char *line, const char *end,
                               sotto__record *record, sotto_fault *fault)
{
    static_assert(SOTTO__COLUMNS_MAX == 4096, "the sentence above says so");
    sotto__field word = word_at(line, end);
    for (uint32_t before = 0; word.bytes > 0; word = word_at(word.text + word.bytes, end)) {
        char shown[SOTTO__SHOWN_BYTES];
        sotto__shown(word.text, word.bytes, shown);
        long long at = word.text - line + 1;
        if (record->count > 0 && split_pair(&word, before, fault) != SOTTO_OK) {
            return sotto__fault_within(fault, "%s: line %llu, byte %lld: \"%s\" ", source->path,
                                       (unsigned long long)source->line, at, shown);
        }
        before = word.column;
        record->field[record->count++] = word;
    }
    return SOTTO_OK;
}

sotto_status sotto__libsvm_next(sotto__source *source, sotto__record *record, sotto_fault *fault)
{
    unsigned long long line = source->line;
    record->count = 0;
    while (record->count == 0) {
        const char *from = source->buffer + source->from;
        size_t left = source->to - source->from;
        const char *end = memchr(from, '\n', left);
        size_t bytes = end == NULL ? left : (size_t)(end - from);
        line = source->line;
        if (bytes > SOTTO__RECORD_BYTES_MAX) {
            return sotto__refuse(fault, "%s: line %llu: longer than %u bytes", source->path, line,
                                 SOTTO__RECORD_BYTES_MAX);
        }
        if (end == NULL && !source->end) {
            if (sotto__source_fill(source, fault) != SOTTO_OK) return SOTTO_E_FAULT;
            continue;
        }
        if (left == 0) return SOTTO_OK;
        if (memchr(from, '\0', bytes) != NULL) {
            return sotto__refuse(fault, "%s: line %llu: a zero byte; the file is not text",
                                 source->path, line);
        }
        if (split_line(source, from, from + bytes, record, fault) != SOTTO_OK) return SOTTO_E_FAULT;
        record->line = line;
        source->line++;
        source->from += bytes + (end != NULL);
    }
    return SOTTO_OK;
}
