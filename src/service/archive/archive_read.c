/*
 * An experiment from a file to a journal. The file is read twice: once to see that it is whole, once to
 * add what it has. A record's length is believed only as far as the file is long. Whoever can compute a
 * SHA-256 can write a file that is whole and wrong: what would keep the service from starting is refused.
 */
#include "archive.h"
#include "core/bytes.h"
#include "core/digest.h"
#include "core/fault.h"
#include "core/report.h"
#include "core/spec_fields.h"

#include <sotto/server.h>

#include <jansson.h>

#include <stdlib.h>
#include <string.h>

#define LABELS_BYTES_MAX 16384u

typedef struct reading {
    FILE *file;
    uint64_t left; /* bytes of the file that were not read */
    uint32_t version;
    sotto__digest digest;
    archive_kind kind; /* of the record at hand */
    uint8_t *bytes;
    size_t count, capacity;
    /* From the records of the experiment and the learner. */
    sotto_terms terms;
    journal_experiment experiment; /* its texts lie in `held` */
    uint8_t *held;
    sotto_learner *learner;
    journal_snapshot snapshot; /* its learner is taken from the record at hand */
    uint32_t learners;
    uint64_t rows;
    uint32_t publishes;     /* of the rows */
    journal_counts in_rows; /* what they have */
    uint64_t histories;
    uint32_t history_epoch;   /* of the last one */
    journal_counts published; /* what all of them have */
    uint8_t *nonce;           /* those of open epochs */
    size_t nonces, nonces_room;
    sottod_journal *journal;
    char *fault;
} reading;

static bool fail(reading *r, const char *sentence)
{
    sotto__fault(r->fault, "%s", sentence);
    return false;
}

static bool get(reading *r, void *out, size_t count)
{
    if (count > r->left || fread(out, 1, count, r->file) != count)
        return fail(r, "the file ends before its content does");
    r->left -= count;
    sotto__digest_add(&r->digest, out, count);
    return true;
}

static bool make_room(reading *r, size_t count)
{
    if (count <= r->capacity) return true;
    uint8_t *more = realloc(r->bytes, count);
    if (more == NULL) return fail(r, "out of memory");
    r->bytes = more;
    r->capacity = count;
    return true;
}

static bool get_record(reading *r)
{
    uint8_t head[12];
    if (!get(r, head, sizeof head)) return false;
    uint64_t count = sotto__get_u64(head + 4);
    r->kind = sotto__get_u32(head);
    if (count > r->left) return fail(r, "a record is longer than the file");
    r->count = (size_t)count;
    return make_room(r, r->count) && get(r, r->bytes, r->count);
}

static bool begin(reading *r)
{
    uint8_t head[8];
    if (fseeko(r->file, 0, SEEK_END) != 0)
        return fail(r, "the file cannot be read twice: is it a pipe?");
    off_t bytes = ftello(r->file);
    if (bytes < 0 || fseeko(r->file, 0, SEEK_SET) != 0) return fail(r, "the file cannot be read");
    r->left = (uint64_t)bytes;
    sotto__digest_begin(&r->digest);
    if (!get(r, head, sizeof head)) return false;
    if (memcmp(head, ARCHIVE_MAGIC, 4) != 0) return fail(r, "the file is no exported experiment");
    r->version = sotto__get_u32(head + 4);
    if (r->version >= 1 && r->version <= ARCHIVE_VERSION) return true;
    sotto__fault(r->fault, "the file has version %u; allowed: 1 to %u", r->version,
                 ARCHIVE_VERSION);
    return false;
}

static bool labels_are_an_object(const char *labels, uint64_t bytes)
{
    if (bytes > LABELS_BYTES_MAX || strlen(labels) != bytes) return false;
    json_t *parsed = json_loads(labels, JSON_REJECT_DUPLICATES, NULL);
    bool object = json_is_object(parsed);
    json_decref(parsed);
    return object;
}

/* What `create` asks for. */
static bool epochs_fit(reading *r)
{
    const journal_experiment *e = &r->experiment;
    const sotto_spec *spec = &r->terms.spec;
    uint64_t away = (uint64_t)spec->reward_window_s + spec->send_spread_s;
    if (e->epoch_seconds_min < 1 || e->epoch_seconds_min > SOTTO__YEAR_S ||
        e->epoch_reports_min < 1 || e->epoch_reports_min > SOTTO_REPORTS_MAX) {
        return fail(r, "epoch_seconds_min or epoch_reports_min cannot be used; allowed: 1 to "
                       "31536000, and 1 to 2147483648");
    }
    return (uint64_t)e->epoch_seconds_min * spec->epoch_lag_max >= away ||
           fail(r, "epoch_seconds_min times epoch_lag_max does not cover reward_window_s and "
                   "send_spread_s");
}

/* What version 2 added; the key lies behind the labels. */
static bool see_added(reading *r, const uint8_t *head, const uint8_t *key)
{
    journal_experiment *e = &r->experiment;
    uint32_t quarantine = sotto__get_u32(head + 48);
    e->epoch_reports_expected = sotto__get_u64(head + 40);
    e->quarantine = quarantine == 1;
    e->has_report_key = sotto__get_u32(head + 52) > 0;
    if (e->has_report_key) memcpy(e->report_key, key, sizeof e->report_key);
    return (quarantine <= 1 && e->epoch_reports_expected <= SOTTO_REPORTS_MAX) ||
           fail(r, "quarantine is neither 0 nor 1, or epoch_reports_expected is over 2147483648");
}

/* Lengths of what follows the head of the record of the experiment. */
typedef struct lengths {
    uint64_t head, terms, start, labels, key;
} lengths;

static bool see_lengths(reading *r, lengths *out)
{
    uint64_t head = r->version == 1 ? ARCHIVE_EXPERIMENT_BYTES_1 : ARCHIVE_EXPERIMENT_BYTES;
    if (r->held != NULL || r->count < head) return fail(r, "the file has no or two experiments");
    *out = (lengths){.head = head,
                     .terms = sotto__get_u32(r->bytes + 24),
                     .start = sotto__get_u64(r->bytes + 28),
                     .labels = sotto__get_u32(r->bytes + 36),
                     .key = r->version == 1 ? 0 : sotto__get_u32(r->bytes + 52)};
    uint64_t rest = r->count - head;
    bool fits = out->key == 0 || out->key == JOURNAL_DIGEST_BYTES;
    fits = fits && out->terms <= rest && out->start <= rest - out->terms &&
           out->labels + out->key == rest - out->terms - out->start;
    return fits || fail(r, "the record of the experiment has wrong lengths");
}

static bool see_experiment(reading *r)
{
    lengths part = {0};
    if (!see_lengths(r, &part)) return false;
    const uint8_t *head = r->bytes;
    uint64_t terms = part.terms, start = part.start, rest = terms + start + part.labels;
    r->held = calloc(1, (size_t)rest + 1);
    if (r->held == NULL) return fail(r, "out of memory");
    memcpy(r->held, head + part.head, (size_t)rest);
    r->experiment = (journal_experiment){
        .state = sotto__get_u32(head),
        .created_minute = sotto__get_u64(head + 4),
        .epoch_seconds_min = sotto__get_u32(head + 12),
        .epoch_reports_min = sotto__get_u64(head + 16),
        .terms = {r->held, (size_t)terms},
        .start = {r->held + terms, (size_t)start},
        .labels = (const char *)r->held + terms + start,
    };
    if (r->version >= 2 && !see_added(r, head, head + part.head + rest)) return false;
    if (sotto_terms_bytes_fault(r->held, (size_t)terms, r->fault) != NULL) return false;
    if (sotto_terms_decode(r->held, (size_t)terms, &r->terms) != SOTTO_OK)
        return fail(r, "the terms are damaged");
    memcpy(r->experiment.id, r->terms.id, sizeof r->experiment.id);
    const journal_bytes *first = &r->experiment.start;
    if (sotto_learner_bytes_fault(&r->terms, first->at, first->bytes, r->fault) != NULL)
        return false;
    if ((uint32_t)r->experiment.state > JOURNAL_CLOSED)
        return fail(r, "the state is none of open, paused, closed");
    if (!epochs_fit(r)) return false;
    return labels_are_an_object(r->experiment.labels, part.labels) ||
           fail(r, "the labels are no JSON object of at most 16384 bytes");
}

static bool see_learner(reading *r)
{
    if (r->held == NULL || r->learners++ > 0 || r->count < ARCHIVE_LEARNER_BYTES)
        return fail(r, "the learner is not where it should be");
    for (uint32_t i = 0; i < 4; i++) {
        uint64_t *const count[] = {&r->snapshot.counts.folded, &r->snapshot.counts.late,
                                   &r->snapshot.counts.duplicate, &r->snapshot.counts.conflicting};
        *count[i] = sotto__get_u64(r->bytes + 8 * (size_t)i);
    }
    const uint8_t *at = r->bytes + ARCHIVE_LEARNER_BYTES;
    size_t bytes = r->count - ARCHIVE_LEARNER_BYTES;
    if (sotto_learner_bytes_fault(&r->terms, at, bytes, r->fault) != NULL) return false;
    sotto_status status = sotto_learner_decode(&r->terms, at, bytes, &r->learner);
    if (status != SOTTO_OK) return fail(r, sotto_status_text(status));
    uint32_t left = UINT32_MAX - sotto_learner_model(r->learner)->epoch;
    return left > r->terms.spec.epoch_lag_max || fail(r, "no epoch is left to go on with");
}

/* Adds to a sum that may not pass `most`. */
static bool add_within(uint64_t *sum, uint64_t more, uint64_t most)
{
    if (more > most || *sum > most - more) return false;
    *sum += more;
    return true;
}

/* In the order of their epochs, which have begun; together they count no more than there was. */
static bool see_history(reading *r)
{
    uint32_t bytes = r->version == 1 ? ARCHIVE_HISTORY_BYTES_1 : ARCHIVE_HISTORY_BYTES;
    if (r->learner == NULL || r->count != bytes)
        return fail(r, "a history has the wrong length, or stands before the learner");
    const journal_counts *all = &r->snapshot.counts;
    uint32_t epoch = sotto__get_u32(r->bytes);
    bool in_order = (r->histories++ == 0 || epoch > r->history_epoch) &&
                    epoch <= sotto_learner_model(r->learner)->epoch;
    r->history_epoch = epoch;
    if (in_order && add_within(&r->published.late, sotto__get_u64(r->bytes + 56), all->late) &&
        add_within(&r->published.duplicate, sotto__get_u64(r->bytes + 64), all->duplicate) &&
        add_within(&r->published.conflicting, sotto__get_u64(r->bytes + 72), all->conflicting))
        return true;
    sotto__fault(r->fault, "the history of epoch %u is out of order, or counts more than there was",
                 epoch);
    return false;
}

static bool keep_nonce(reading *r, const uint8_t nonce[SOTTO_NONCE_BYTES])
{
    if (r->nonces == r->nonces_room) {
        size_t room = r->nonces_room < 64 ? 64 : r->nonces_room * 2;
        uint8_t *more = realloc(r->nonce, room * SOTTO_NONCE_BYTES);
        if (more == NULL) return false;
        r->nonce = more;
        r->nonces_room = room;
    }
    memcpy(r->nonce + SOTTO_NONCE_BYTES * r->nonces++, nonce, SOTTO_NONCE_BYTES);
    return true;
}

static int compare_nonces(const void *one, const void *other)
{
    return memcmp(one, other, SOTTO_NONCE_BYTES);
}

/* A report of an open epoch counts once. */
static bool nonces_differ(reading *r)
{
    if (r->nonces > 1) qsort(r->nonce, r->nonces, SOTTO_NONCE_BYTES, compare_nonces);
    for (size_t i = 1; i < r->nonces; i++) {
        const uint8_t *nonce = r->nonce + SOTTO_NONCE_BYTES * i;
        if (compare_nonces(nonce - SOTTO_NONCE_BYTES, nonce) == 0)
            return fail(r, "the file has a report twice");
    }
    return true;
}

/* Frames of this experiment, of epochs that have begun, sorted by nonce: NULL, or what is wrong. *newest is
 * the newest of their epochs. */
static const char *see_frames(reading *r, size_t frame_bytes, uint32_t *newest)
{
    uint32_t epoch = sotto_learner_model(r->learner)->epoch, lag = r->terms.spec.epoch_lag_max;
    sotto_report *report = NULL;
    const char *wrong = NULL;
    const uint8_t *before = NULL;
    sotto_status status = sotto_report_new(&r->terms, &report);
    if (status != SOTTO_OK) return sotto_status_text(status);
    for (size_t at = ARCHIVE_ROW_BYTES; wrong == NULL && at < r->count; at += frame_bytes) {
        const uint8_t *frame = r->bytes + at, *nonce = frame + SOTTO__REPORT_NONCE_AT;
        status = sotto_report_decode(&r->terms, frame, frame_bytes, report);
        if (status == SOTTO_OK && report->epoch > epoch) status = SOTTO_E_EPOCH;
        bool open = status == SOTTO_OK && epoch - report->epoch <= lag;
        if (open && !keep_nonce(r, nonce)) status = SOTTO_E_MEMORY;
        if (status == SOTTO_OK && report->epoch > *newest) *newest = report->epoch;
        if (status != SOTTO_OK) {
            wrong = sotto_status_text(status);
        } else if (before != NULL && compare_nonces(before, nonce) >= 0) {
            wrong = "it is not in the order of nonces";
        }
        before = nonce;
    }
    sotto_report_free(report);
    return wrong;
}

static bool see_row(reading *r)
{
    size_t frame = sotto_report_bytes(&r->terms);
    if (r->learner == NULL || r->count < ARCHIVE_ROW_BYTES ||
        (r->count - ARCHIVE_ROW_BYTES) % frame != 0)
        return fail(r, "a row has the wrong length");
    uint32_t kind = sotto__get_u32(r->bytes), epoch = sotto_learner_model(r->learner)->epoch;
    uint32_t last = r->version == 1 ? JOURNAL_PUBLISH : JOURNAL_DISCARD;
    if (kind > last || sotto__get_u32(r->bytes + 4) > epoch)
        return fail(r, "a row is of no known kind, or of an epoch that has not begun");
    r->rows++;
    uint32_t newest = 0;
    const char *wrong = see_frames(r, frame, &newest);
    if (wrong != NULL) {
        sotto__fault(r->fault, "row %llu of the file has a bad report: %s",
                     (unsigned long long)r->rows, wrong);
        return false;
    }
    bool has_frames = r->count > ARCHIVE_ROW_BYTES;
    bool counts = sotto__get_u32(r->bytes + 16) != 0 || sotto__get_u32(r->bytes + 20) != 0 ||
                  sotto__get_u32(r->bytes + 24) != 0;
    bool fits = kind != JOURNAL_REPORTS
                    ? !has_frames && !counts
                    : (has_frames || counts) && sotto__get_u64(r->bytes + 8) == 0 &&
                          sotto__get_u32(r->bytes + 4) == newest;
    if (!fits) {
        sotto__fault(r->fault, "row %llu of the file has what its kind cannot have",
                     (unsigned long long)r->rows);
        return false;
    }
    r->publishes += kind != JOURNAL_REPORTS;
    r->in_rows.folded += (r->count - ARCHIVE_ROW_BYTES) / frame;
    r->in_rows.late += sotto__get_u32(r->bytes + 16);
    r->in_rows.duplicate += sotto__get_u32(r->bytes + 20);
    r->in_rows.conflicting += sotto__get_u32(r->bytes + 24);
    return true;
}

static bool see_end(reading *r, const uint8_t sum[SOTTO__DIGEST_BYTES])
{
    if (r->count != SOTTO__DIGEST_BYTES || r->left != 0)
        return fail(r, "the file goes on after its end");
    if (r->learner == NULL) return fail(r, "the file has no learner");
    if (memcmp(sum, r->bytes, SOTTO__DIGEST_BYTES) != 0)
        return fail(r, "the file is damaged: its SHA-256 is another");
    return nonces_differ(r);
}

/* The first reading: nothing is added. */
static bool check(reading *r)
{
    for (bool fine = begin(r); fine;) {
        uint8_t sum[SOTTO__DIGEST_BYTES];
        sotto__digest so_far = r->digest;
        sotto__digest_end(&so_far, sum);
        if (!get_record(r)) return false;
        switch (r->kind) {
        case ARCHIVE_EXPERIMENT: fine = see_experiment(r); break;
        case ARCHIVE_LEARNER: fine = see_learner(r); break;
        case ARCHIVE_HISTORY: fine = see_history(r); break;
        case ARCHIVE_ROW: fine = see_row(r); break;
        case ARCHIVE_END: return see_end(r, sum);
        default: return fail(r, "the file has a record of no known kind");
        }
    }
    return false;
}

/* ---- the second reading -------------------------------------------------------------------------- */

static bool written(reading *r, bool answer)
{
    return answer || fail(r, journal_fault(r->journal));
}

static bool add_history(reading *r)
{
    const uint8_t *in = r->bytes;
    uint64_t count[8];
    for (uint32_t i = 0; i < 8; i++) {
        count[i] = sotto__get_u64(in + 16 + 8 * (size_t)i);
    }
    const journal_history history = {.experiment = r->experiment.number,
                                     .epoch = sotto__get_u32(in),
                                     .minute = sotto__get_u64(in + 4),
                                     .publishes = sotto__get_u32(in + 12),
                                     .learn = count[0],
                                     .control = count[1],
                                     .follow = count[2],
                                     .control_sum = (int64_t)count[3],
                                     .follow_sum = (int64_t)count[4],
                                     .late = count[5],
                                     .duplicate = count[6],
                                     .conflicting = count[7],
                                     .alarms = r->version == 1 ? 0 : sotto__get_u32(in + 80)};
    return written(r, journal_add_history(r->journal, &history));
}

static bool add_row(reading *r)
{
    const uint8_t *in = r->bytes;
    journal_row row = {.experiment = r->experiment.number,
                       .kind = sotto__get_u32(in),
                       .epoch = sotto__get_u32(in + 4),
                       .minute = sotto__get_u64(in + 8),
                       .late = sotto__get_u32(in + 16),
                       .duplicate = sotto__get_u32(in + 20),
                       .conflicting = sotto__get_u32(in + 24),
                       .frames = {in + ARCHIVE_ROW_BYTES, r->count - ARCHIVE_ROW_BYTES}};
    if (!written(r, journal_append(r->journal, &row))) return false;
    r->snapshot.seq = row.seq;
    return true;
}

static bool add_snapshot(reading *r)
{
    size_t bytes = sotto_learner_bytes(r->learner);
    if (!make_room(r, bytes)) return false;
    if (sotto_learner_encode(r->learner, r->bytes, bytes) != SOTTO_OK)
        return fail(r, "the learner cannot be written down");
    r->snapshot.experiment = r->experiment.number;
    r->snapshot.learner = (journal_bytes){r->bytes, bytes};
    return written(r, journal_put_snapshot(r->journal, &r->snapshot));
}

/* After this every report that was made before the export is late. */
static bool end_open_epochs(reading *r)
{
    if (r->rows > 0 || r->experiment.state == JOURNAL_CLOSED) return true;
    uint32_t epoch = sotto_learner_model(r->learner)->epoch;
    for (uint32_t i = 0; i <= r->terms.spec.epoch_lag_max; i++) {
        journal_row row = {
            .experiment = r->experiment.number, .kind = JOURNAL_PUBLISH, .epoch = ++epoch};
        if (!written(r, journal_append(r->journal, &row))) return false;
    }
    return true;
}

/* The rows lead from the learner before the first report to the one after the last. */
static bool has_all_rows(const reading *r)
{
    const journal_counts *rows = &r->in_rows, *all = &r->snapshot.counts;
    return r->publishes == sotto_learner_model(r->learner)->epoch && rows->folded == all->folded &&
           rows->late == all->late && rows->duplicate == all->duplicate &&
           rows->conflicting == all->conflicting;
}

/* A row that is removed at once: the journal then knows that rows before the others are gone, and that it
 * has what they taught from the snapshot alone. */
static bool add_gap(reading *r)
{
    journal_row row = {.experiment = r->experiment.number,
                       .kind = JOURNAL_PUBLISH,
                       .epoch = sotto_learner_model(r->learner)->epoch};
    if (!written(r, journal_append(r->journal, &row))) return false;
    r->snapshot.seq = row.seq;
    return add_snapshot(r) && written(r, journal_remove_rows(r->journal, row.experiment, row.seq));
}

static bool add_all(reading *r)
{
    if (!begin(r) || !written(r, journal_add_experiment(r->journal, &r->experiment))) return false;
    if (!has_all_rows(r) && !add_gap(r)) return false;
    do {
        if (!get_record(r)) return false;
        if (r->kind == ARCHIVE_HISTORY && !add_history(r)) return false;
        if (r->kind == ARCHIVE_ROW && !add_row(r)) return false;
    } while (r->kind != ARCHIVE_END);
    return add_snapshot(r) && end_open_epochs(r);
}

static bool is_other(void *self, const journal_experiment *there)
{
    reading *r = self;
    if (memcmp(there->id, r->experiment.id, sizeof there->id) != 0) return true;
    return fail(r, "the experiment is there already, or was deleted; its id is not used again");
}

static bool is_new(reading *r)
{
    r->fault[0] = '\0';
    if (journal_read_experiments(r->journal, is_other, r)) return true;
    return r->fault[0] != '\0' ? false : fail(r, journal_fault(r->journal));
}

bool archive_read(FILE *file, sottod_journal *journal, uint8_t id[SOTTO_SPEC_ID_BYTES],
                  char fault[JOURNAL_FAULT_BYTES])
{
    reading r = {.file = file, .journal = journal, .fault = fault};
    bool fine = check(&r) && is_new(&r) && written(&r, journal_begin(journal));
    if (fine) {
        fine = add_all(&r) && written(&r, journal_commit(journal));
        if (!fine) journal_abandon(journal);
    }
    if (fine) memcpy(id, r.experiment.id, SOTTO_SPEC_ID_BYTES);
    sotto_learner_free(r.learner);
    free(r.nonce);
    free(r.held);
    free(r.bytes);
    return fine;
}
