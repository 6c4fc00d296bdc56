#include "inner.h"

#include "server/server.h"
#include "service/store/store.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPAN_ROWS 256u    /* read from the journal at once */
#define SPAN_EPOCHS 8192u /* epochs per read, at most: a database may sort them */
#define SPANS_MAX 4u      /* reads per step, if they produce no text */
#define ROW_BYTES 1024u
#define TEXT_BYTES ((SPAN_ROWS + 2u) * ROW_BYTES) /* head or tail, and a stored row */
#define DIGITS_MAX 18u
#define MEASURED_MAX (UINT64_C(1) << 62) /* measure reports in total */

/* ---- what is asked for */

static const struct {
    const char *name;
    uint32_t minutes;
    bool fine; /* at most HISTORY_FINE_MIN at once */
} resolutions[] = {
    {"epoch", 0, true}, {"minute", 1, true}, {"hour", 60, false}, {"day", 1440, false}};

static bool refuse(sottod_refusal *why, const char *field, const char *value, const char *allowed)
{
    return refusal_set(why, 400, "This query argument is not valid.", field, value, allowed);
}

static bool read_number(const char *field, const char *text, uint64_t least, uint64_t most,
                        uint64_t *out, sottod_refusal *why)
{
    char allowed[64];
    if (text == NULL) return true;
    size_t bytes = strlen(text);
    bool plain = bytes > 0 && bytes <= DIGITS_MAX && strspn(text, "0123456789") == bytes;
    uint64_t value = plain ? strtoull(text, NULL, 10) : 0;
    if (plain && value >= least && value <= most) {
        *out = value;
        return true;
    }
    snprintf(allowed, sizeof allowed, "a whole number, %" PRIu64 " to %" PRIu64, least, most);
    return refuse(why, field, text, allowed);
}

static bool read_resolution(const char *text, history_query *out, bool *fine, sottod_refusal *why)
{
    for (size_t i = 0; i < sizeof resolutions / sizeof *resolutions; i++) {
        if (text != NULL && strcmp(text, resolutions[i].name) != 0) continue;
        out->minutes = resolutions[i].minutes;
        out->resolution = resolutions[i].name;
        *fine = resolutions[i].fine;
        return true;
    }
    return refuse(why, "resolution", text, "epoch, minute, hour or day");
}

/* A missing bound is one week away: the beginning from the end, the end from the first row. So a client that
 * continues after the last row of an incomplete answer gets the next row, even if nothing was published for long. */
static bool bound(const history_words *words, bool fine, uint64_t now, history_query *out,
                  sottod_refusal *why)
{
    if (out->since > out->until) {
        return refuse(why, "since", words->since, "no later than until");
    }
    if (!fine || out->until - out->since <= HISTORY_FINE_MIN) return true;
    if (words->since != NULL && words->until != NULL) {
        return refuse(why, "since", words->since,
                      "at most 10080 minutes before until, or resolution hour or day");
    }
    if (words->since != NULL) {
        out->span = HISTORY_FINE_MIN;
        return true;
    }
    /* so that a clock that was set back hides nothing */
    uint64_t end = words->until != NULL ? out->until : now;
    out->since = end > HISTORY_FINE_MIN ? end - HISTORY_FINE_MIN : 0;
    return true;
}

bool history_read(const history_words *words, uint64_t now, history_query *out, sottod_refusal *why)
{
    bool fine = true;
    uint64_t after = 0, limit = HISTORY_ROWS_MAX;
    *out = (history_query){.until = INT64_MAX};
    if (!read_resolution(words->resolution, out, &fine, why)) return false;
    if (!read_number("since", words->since, 0, UINT32_MAX, &out->since, why)) return false;
    if (!read_number("until", words->until, 0, UINT32_MAX, &out->until, why)) return false;
    if (!read_number("after", words->after, 0, UINT32_MAX, &after, why)) return false;
    if (!read_number("limit", words->limit, 1, HISTORY_ROWS_MAX, &limit, why)) return false;
    out->after = (uint32_t)after;
    out->limit = (uint32_t)limit;
    return bound(words, fine, now, out, why);
}

/* ---- the text */

struct sottod_history {
    sottod_journal *journal;
    history_query query;
    uint32_t experiment;
    uint32_t open_epoch; /* at the request: hardly any row is later */
    uint64_t end;        /* the first minute after this answer */
    uint64_t next;       /* the epoch to continue with */
    uint32_t seen;       /* the last epoch read */
    uint32_t window;     /* number of epochs in the next read: fewer where rows are dense */
    uint32_t span_rows;  /* rows of the last read */
    uint32_t rows;       /* rows written */
    journal_history sum; /* publishes 0: none is pending */
    sotto_terms terms;
    sotto__measures measures; /* of all rows up to the last one read; no arms */
    sotto__measures sum_ends; /* the same at the end of `sum` */
    bool began;               /* a row of this answer was read */
    bool more;                /* rows beyond the limit or the span */
    bool over;
    uint32_t doubtful; /* an epoch that may also be in a later row; 0: none */
    size_t at, bytes;  /* position and length of the text */
    char text[TEXT_BYTES];
};

/* There is room, because rows per step are limited. */
__attribute__((format(printf, 2, 3))) static void add_text(sottod_history *h, const char *format,
                                                           ...)
{
    va_list arguments;
    va_start(arguments, format);
    int bytes = vsnprintf(h->text + h->bytes, sizeof h->text - h->bytes, format, arguments);
    va_end(arguments);
    assert(bytes >= 0 && (size_t)bytes < sizeof h->text - h->bytes);
    h->bytes += (size_t)bytes;
}

/* Ages are multiples of 1/256: eight digits print them exactly. */
static void age_text(uint32_t alarms, char out[32])
{
    int bytes = snprintf(out, 32, "%.8f", journal_age(alarms));
    while (bytes > 2 && out[bytes - 1] == '0' && out[bytes - 2] != '.') {
        out[--bytes] = '\0';
    }
}

/* "a","b" */
static void alarms_text(uint32_t alarms, char out[128])
{
    size_t used = 0;
    out[0] = '\0';
    for (uint32_t t = 0; t <= EXPERIMENT_WATCH_TESTS; t++) {
        bool harm = t == EXPERIMENT_WATCH_TESTS;
        if ((alarms & (harm ? JOURNAL_ALARM_HARM : UINT32_C(1) << t)) == 0) continue;
        int more = snprintf(out + used, 128 - used, "%s\"%s\"", used > 0 ? "," : "",
                            harm ? "harm" : experiment_watch_test(t));
        used += more > 0 ? (size_t)more : 0;
        assert(used < 128);
    }
}

static void number_text(double value, char out[32])
{
    snprintf(out, 32, isfinite(value) ? "%.17g" : "null", value);
}

/* {"value":…,"lo":…,"hi":…} */
static void interval_text(const sotto_interval *of, char out[128])
{
    char value[32], lo[32], hi[32];
    number_text(of->value, value);
    number_text(of->lo, lo);
    number_text(of->hi, hi);
    snprintf(out, 128, "{\"value\":%s,\"lo\":%s,\"hi\":%s}", value, lo, hi);
}

/* The uplift up to the end of a row, and the recent one. Without measure rounds: null. */
static void uplift_text(const sottod_history *h, char uplift[128], char recent[128])
{
    sotto_measurement m;
    strcpy(uplift, "null");
    strcpy(recent, "null");
    if (sotto__measurement(&h->terms, &h->sum_ends, RESULTS_ALPHA, &m) != SOTTO_OK) return;
    interval_text(&m.uplift, uplift);
    interval_text(&m.recent_uplift, recent);
}

static void put_row(sottod_history *h, const journal_history *row)
{
    char age[32], alarms[128], uplift[128], recent[128];
    age_text(row->alarms, age);
    alarms_text(row->alarms, alarms);
    uplift_text(h, uplift, recent);
    add_text(h, "%s{\"epoch\":%" PRIu32 ",\"minute\":%" PRIu64, h->rows > 0 ? ",\n" : "",
             row->epoch, row->minute);
#define PUT_U(name) add_text(h, ",\"" #name "\":%" PRIu64, (uint64_t)row->name);
#define PUT_I(name) add_text(h, ",\"" #name "\":%" PRId64, row->name);
#define PUT(sign, width, type, name) PUT_##sign(name)
    JOURNAL_STATISTIC_MAP(PUT)
#undef PUT
#undef PUT_I
#undef PUT_U
    add_text(h, ",\"alarms\":[%s],\"age\":%s,\"uplift\":%s,\"recent_uplift\":%s}", alarms, age,
             uplift, recent);
    h->rows++;
}

/* Whether one more row may be written. */
static bool has_room(sottod_history *h)
{
    if (h->rows < h->query.limit) return true;
    h->more = h->over = true;
    return false;
}

static void flush(sottod_history *h)
{
    if (h->sum.publishes > 0 && has_room(h)) put_row(h, &h->sum);
    h->sum.publishes = 0;
}

/* Adds the measure rounds of a row. An imported file may contain any numbers: impossible ones are ignored. */
static void measure(sottod_history *h, const journal_history *row)
{
    const sotto__measured follow = {row->follow, row->follow_sum};
    const sotto__measured control = {row->control, row->control_sum};
    const uint64_t room = MEASURED_MAX - h->measures.follow.count - h->measures.control.count;
    if (follow.count > room || control.count > room - follow.count) return;
    if (!sotto__measured_possible(&follow) || !sotto__measured_possible(&control)) return;
    if (follow.count + control.count > 0)
        sotto__measures_add_roles(&h->measures, &follow, &control);
}

/* Whether a row was requested; others are read only for the sums of the uplift. */
static bool is_wanted(const sottod_history *h, const journal_history *row)
{
    return row->epoch > h->query.after && row->minute >= h->query.since &&
           row->minute < h->query.until;
}

static void take_wanted(sottod_history *h, const journal_history *row)
{
    if (!h->began && h->query.span > 0) h->end = row->minute + h->query.span;
    h->began = true;
    if (row->minute >= h->end) {
        flush(h);
        h->more = h->over = true;
        return;
    }
    const uint32_t minutes = h->query.minutes;
    const bool same =
        minutes > 0 && h->sum.publishes > 0 && h->sum.minute / minutes == row->minute / minutes;
    if (!same) flush(h);
    measure(h, row);
    h->sum_ends = h->measures;
    if (same) {
        journal_history_add(&h->sum, row);
        return;
    }
    h->sum = *row;
    if (minutes == 0) flush(h);
}

static bool take(void *self, const journal_history *row)
{
    sottod_history *h = self;
    h->span_rows++;
    if (h->over) return true;
    if (h->span_rows == 1 && h->seen > 0 && row->epoch - h->seen < row->publishes) {
        h->doubtful = h->seen;
    }
    if (is_wanted(h, row)) {
        take_wanted(h, row);
    } else {
        measure(h, row);
    }
    if (!h->over) h->seen = row->epoch;
    return true;
}

static bool find(void *found, const journal_history *row)
{
    (void)row;
    *(bool *)found = true;
    return true;
}

/* Whether an hour was thinned during the reading: then the last row read has become part of a later one. */
static bool is_thinned(sottod_history *h)
{
    bool found = false;
    if (h->doubtful == 0) return false;
    const journal_span one = {.experiment = h->experiment,
                              .first = h->doubtful,
                              .last = h->doubtful,
                              .before = INT64_MAX,
                              .rows_max = 1};
    h->doubtful = 0;
    return !journal_read_span(h->journal, &one, find, &found) || !found;
}

static bool find_epoch(void *found, const journal_history *row)
{
    *(uint64_t *)found = row->epoch;
    return true;
}

/* Continues with the next epoch that has a row; if none has, after all. False: the journal cannot be read. */
static bool skip(sottod_history *h)
{
    uint64_t found = (uint64_t)UINT32_MAX + 1u;
    if (h->next > UINT32_MAX) return true;
    const journal_span rest = {.experiment = h->experiment,
                               .first = (uint32_t)h->next,
                               .last = UINT32_MAX,
                               .before = INT64_MAX,
                               .rows_max = 1};
    bool done = journal_read_span(h->journal, &rest, find_epoch, &found);
    h->next = found;
    return done;
}

static void end_text(sottod_history *h)
{
    if (!h->over) flush(h);
    h->over = true;
    add_text(h, "],\"more\":%s}\n", h->more ? "true" : "false");
}

/* Then all rows are read from the first one on, for the sums up to each row. */
static bool is_measured(const sottod_history *h)
{
    return h->terms.spec.measure > 0;
}

/* Reads the next rows. False: the journal cannot be read, or was thinned meanwhile. */
static bool read_span(sottod_history *h)
{
    const uint64_t end = h->next + h->window - 1u;
    const journal_span span = {.experiment = h->experiment,
                               .first = (uint32_t)h->next,
                               .last = end < UINT32_MAX ? (uint32_t)end : UINT32_MAX,
                               .from = is_measured(h) ? 0 : h->query.since,
                               .before = is_measured(h) ? INT64_MAX : h->query.until,
                               .rows_max = SPAN_ROWS};
    h->span_rows = 0;
    if (!journal_read_span(h->journal, &span, take, h) || is_thinned(h)) return false;
    bool whole = h->span_rows < SPAN_ROWS;
    h->next = whole ? end + 1u : (uint64_t)h->seen + 1u;
    if (!whole) {
        h->window = SPAN_ROWS;
    } else if (h->span_rows < SPAN_ROWS / 2 && h->window < SPAN_EPOCHS) {
        h->window *= 2;
    }
    if (end >= h->open_epoch && h->span_rows == 0 && !skip(h)) return false;
    if (h->over || h->next > UINT32_MAX) end_text(h);
    return true;
}

static bool step(sottod_history *h)
{
    for (uint32_t i = 0; i < SPANS_MAX && h->bytes == 0 && !h->over; i++) {
        if (!read_span(h)) return false;
    }
    return true;
}

sottod_history *history_open(sottod_journal *journal, const sottod_experiment *experiment,
                             const history_query *query)
{
    sottod_history *h = calloc(1, sizeof *h);
    if (h == NULL) return NULL;
    h->journal = journal;
    h->query = *query;
    h->experiment = experiment_number(experiment);
    h->open_epoch = experiment_epoch(experiment);
    h->end = INT64_MAX;
    h->window = SPAN_ROWS;
    h->terms = *experiment_terms(experiment);
    h->next = query->after > 0 && !is_measured(h) ? (uint64_t)query->after + 1u : 0;
    add_text(h, "{\"id\":\"%s\",\"resolution\":\"%s\",\"rows\":[", experiment_id_text(experiment),
             query->resolution);
    if (h->next > UINT32_MAX) {
        end_text(h);
    } else if (!read_span(h)) {
        free(h);
        return NULL;
    }
    return h;
}

ptrdiff_t history_more(void *history, char *at, size_t room)
{
    sottod_history *h = history;
    if (h->at == h->bytes) {
        if (h->over) return FRONT_PIECES_END;
        h->at = h->bytes = 0;
        if (!step(h)) return FRONT_PIECES_FAIL;
    }
    size_t bytes = h->bytes - h->at < room ? h->bytes - h->at : room;
    memcpy(at, h->text + h->at, bytes);
    h->at += bytes;
    return (ptrdiff_t)bytes;
}

void history_free(void *history)
{
    free(history);
}
