/*
 * Tables with bars at both ends of every line, as Markdown has them.
 *
 *   | age | job   |     bars around a line separate nothing
 *   |-----|:-----:|     a rule behind the header is no row
 *   | 39  | nurse |
 *
 * The header tells: where its first and its last name are empty, nothing is lost with these two columns
 * as long as they are empty in every row, which is checked. Without a header nothing is taken off: a
 * row may be empty at both ends, and columns go by their numbers.
 */
#include "bars.h"
#include "core/fault.h"

#define DASHES_MIN 3u /* one or two may be words for no value */

bool sotto__bars_around(const sotto__record *record)
{
    uint32_t count = record->count;
    return count >= 3 && record->field[0].bytes == 0 && record->field[count - 1].bytes == 0;
}

static bool is_dashes(const sotto__field *field)
{
    const char *from = field->text, *to = from + field->bytes;
    if (from < to && *from == ':') from++;
    if (from < to && to[-1] == ':') to--;
    if (to - from < (ptrdiff_t)DASHES_MIN) return false;
    while (from < to && *from == '-') {
        from++;
    }
    return from == to;
}

bool sotto__bars_rule(const sotto__record *record, bool around)
{
    if (record->count == 0 || (around && !sotto__bars_around(record))) return false;
    for (uint32_t i = around; i < record->count - around; i++) {
        if (!is_dashes(&record->field[i])) return false;
    }
    return true;
}

static void strip(sotto__record *record)
{
    record->count -= 2;
    for (uint32_t i = 0; i < record->count; i++) {
        record->field[i] = record->field[i + 1];
        record->field[i].column = (uint16_t)i;
    }
}

const char *sotto__bars_strip(const sotto__source *source, sotto__record *record, char *fault)
{
    if (!sotto__bars_around(record)) {
        return sotto__fault(fault,
                            "%s: line %llu: does not begin and end with a bar, as the header does",
                            source->path, (unsigned long long)record->line);
    }
    strip(record);
    return NULL;
}

void sotto__bars_header(sotto__source *source, char separator, sotto__record *header)
{
    if (separator != '|') return;
    source->bars = sotto__bars_around(header);
    source->rule = true;
    if (source->bars) strip(header);
}
