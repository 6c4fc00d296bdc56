/* The resume file: a rows file that grows. */
#include "core/core.h"
#include "lab/player/player.h"
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- reading ------------------------------------------------------------------------------ */

/* The sweep that a first line names: the start of its hash, and its options in brackets. */
static void sweep_text(const sotto__rows_head *head, char text[SOTTO__RESUME_SWEEP_BYTES])
{
    snprintf(text, SOTTO__RESUME_SWEEP_BYTES, "%.12s (%s)", head->sweep, head->about);
}

/* The run whose rows are being read. */
typedef struct resumed_run {
    const sotto__comparison *comparison;
    sotto__results *results;
    sotto__rows_head ours;
    uint32_t match, filled; /* filled: rows read of it */
    sotto__row first;       /* the first of these */
} resumed_run;

/* Whether both are written as the same number. */
static bool is_same_epsilon(double a, double b)
{
    char first[SOTTO__NUMBER_BYTES], second[SOTTO__NUMBER_BYTES];
    snprintf(first, sizeof first, "%.15g", a);
    snprintf(second, sizeof second, "%.15g", b);
    return strcmp(first, second) == 0;
}

/* The match that a row names. */
static bool find_match(resumed_run *r, const sotto__row *row)
{
    const sotto__comparison *comparison = r->comparison;
    for (r->match = 0; r->match < comparison->sweep.matches_count; r->match++) {
        if (strcmp(row->method, sotto__match_method(&comparison->match[r->match])) != 0) continue;
        if (is_same_epsilon(row->epsilon, comparison->epsilon[r->match])) {
            return row->seed >= comparison->sweep.first_seed;
        }
    }
    return false;
}

static bool is_same_run(const sotto__row *a, const sotto__row *b)
{
    return strcmp(a->method, b->method) == 0 && a->seed == b->seed &&
           is_same_epsilon(a->epsilon, b->epsilon);
}

static sotto_status take_row(sotto__resume *resume, resumed_run *r, const sotto__row *row,
                             sotto_fault *fault)
{
    const sotto_sweep *sweep = &r->comparison->sweep;
    if (r->filled == 0 && !find_match(r, row))
        return sotto__refuse(fault, "this row does not belong to this sweep");
    if (r->filled == 0) r->first = *row;
    if (row->point.t != sweep->at[r->filled] || !is_same_run(row, &r->first)) {
        return sotto__refuse(fault, "this is not the row expected");
    }
    uint64_t place = row->seed - sweep->first_seed;
    bool wanted = place < sweep->seeds_count; /* its seed is one of this sweep's */
    uint64_t run = (uint64_t)r->match * sweep->seeds_count + (wanted ? place : 0);
    if (wanted && r->results->run[run].done) return sotto__refuse(fault, "this run appears twice");
    if (wanted) sotto__results_points(r->results, run)[r->filled] = row->point;
    r->filled++;
    if (r->filled < sweep->at_count) return SOTTO_OK;
    r->filled = 0;
    resume->has_others |= !wanted;
    if (wanted) r->results->run[run].done = true;
    if (wanted) r->results->done_count++;
    return SOTTO_OK;
}

/* Reads all rows. Sets resume->length to the end of the last whole run. */
static sotto_status read_rows(sotto__resume *resume, sotto__rows_reader *reader, resumed_run *r,
                              sotto_fault *fault)
{
    sotto__row row;
    bool more = true;
    resume->length = reader->rows_at;
    resume->format = reader->head.format;
    while (more) {
        sotto_status wrong = sotto__rows_reader_next(reader, &row, &more, fault);
        if (wrong != SOTTO_OK) return wrong;
        sotto_fault why;
        if (more && take_row(resume, r, &row, &why) != SOTTO_OK)
            return sotto__rows_damaged(reader, why.sentence, fault);
        if (more && r->filled == 0) resume->length = reader->at;
    }
    resume->is_whole = reader->is_whole;
    return SOTTO_OK;
}

/* resume->length stays 0 if there is not even a whole first line. */
static sotto_status read_file(sotto__resume *resume, resumed_run *r, const char *head,
                              sotto_fault *fault)
{
    sotto__rows_reader reader;
    int copy = dup(resume->file);
    if (copy < 0) return sotto__refuse(fault, "%s", strerror(errno));
    sotto_status wrong = sotto__rows_reader_open(&reader, copy, fault);
    if (wrong == SOTTO_OK && strcmp(reader.head.sweep, r->ours.sweep) != 0) {
        resume->foreign = true;
        sweep_text(&reader.head, resume->sweep_there);
        sweep_text(&r->ours, resume->sweep_here);
        wrong = sotto__refuse(fault, "the file belongs to another sweep");
    }
    if (wrong == SOTTO_OK) {
        wrong = read_rows(resume, &reader, r, fault);
    } else if (reader.line == 1 && reader.is_cut &&
               strncmp(head, reader.text, strlen(reader.text)) == 0) {
        wrong = SOTTO_OK; /* a first line that was cut while it was written */
    }
    sotto__rows_reader_close(&reader);
    if (wrong == SOTTO_OK || resume->foreign) return wrong;
    const sotto_fault what = *fault;
    sotto__refuse(fault, "%s; nothing was changed", what.sentence);
    return SOTTO_E_FAULT;
}

/* ---- writing ------------------------------------------------------------------------------ */

/* Appends text behind the last whole run. On failure the file is cut back to where it ended. */
static bool append(sotto__resume *resume, const char *text, size_t bytes)
{
    if ((!resume->is_whole || ftruncate(resume->file, resume->length) == 0) &&
        lseek(resume->file, resume->length, SEEK_SET) >= 0 &&
        sotto__write_all(resume->file, text, bytes)) {
        resume->length += (off_t)bytes;
        resume->is_whole = false;
        return true;
    }
    int why = errno;
    bool ended = ftruncate(resume->file, resume->length) == 0;
    (void)ended; /* otherwise the next reader drops what follows the last whole run */
    errno = why;
    return false;
}

bool sotto__resume_add(sotto__resume *resume, const sotto__comparison *comparison,
                       const sotto__results *results, uint64_t run)
{
    if (resume->file < 0) return true;
    size_t bytes = sotto__run_text(comparison, results, run, resume->format, resume->text);
    if (!append(resume, resume->text, bytes)) return false;
    resume->kept_count++;
    return true;
}

static bool is_finished(const sotto__resume *resume, const sotto__comparison *comparison,
                        const sotto__results *results)
{
    for (uint64_t run = 0; run < sotto_sweep_runs(&comparison->sweep); run++) {
        if (results->run[run].done != sotto__shard_has(&resume->shard, run)) return false;
    }
    return !resume->has_others;
}

bool sotto__resume_end(const sotto__resume *resume, const sotto__comparison *comparison,
                       const sotto__results *results)
{
    char part[4096];
    if (resume->file < 0 || resume->is_whole || !is_finished(resume, comparison, results)) {
        return true;
    }
    int length = snprintf(part, sizeof part, "%s.part", resume->path);
    if (length < 0 || (size_t)length >= sizeof part) {
        errno = ENAMETOOLONG;
        return false;
    }
    if (sotto__rows_save(part, resume->format, &resume->shard, comparison, results) &&
        rename(part, resume->path) == 0) {
        return true;
    }
    int why = errno;
    unlink(part);
    errno = why;
    return false;
}

/* ---- opening ------------------------------------------------------------------------------ */

/* Opens the file and locks it for this process. */
static sotto_status lock_file(sotto__resume *resume, const char *path, struct stat *about,
                              sotto_fault *fault)
{
    resume->file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (resume->file < 0 || fstat(resume->file, about) != 0) {
        return sotto__refuse(fault, "%s", strerror(errno));
    }
    if (!S_ISREG(about->st_mode)) return sotto__refuse(fault, "this is not a regular file");
    if (flock(resume->file, LOCK_EX | LOCK_NB) != 0) {
        bool busy = errno == EWOULDBLOCK;
        return sotto__refuse(fault, "%s",
                             busy ? "another sweep is writing to it" : strerror(errno));
    }
    if (fstat(resume->file, about) == 0) return SOTTO_OK;
    return sotto__refuse(fault, "%s", strerror(errno));
}

/* Cuts off what follows the last whole run, and begins a new file with its first line. */
static sotto_status prepare_end(sotto__resume *resume, off_t bytes, const char *head,
                                sotto_fault *fault)
{
    if (!resume->is_whole && resume->length < bytes) {
        resume->dropped_bytes = (uint64_t)(bytes - resume->length);
        if (ftruncate(resume->file, resume->length) != 0) {
            return sotto__refuse(fault, "%s", strerror(errno));
        }
    }
    if (resume->length > 0 || append(resume, head, strlen(head))) return SOTTO_OK;
    return sotto__refuse(fault, "%s", strerror(errno));
}

sotto_status sotto__resume_open(sotto__resume *resume, const char *path,
                                const sotto__comparison *comparison, const sotto__shard *shard,
                                sotto__results *results, sotto_fault *fault)
{
    char head[SOTTO__ROWS_HEAD_BYTES];
    struct stat about;
    resumed_run r = {.comparison = comparison,
                     .results = results,
                     .ours = sotto__rows_head_of(comparison, shard, SOTTO__TEXT_JSON)};
    sotto__rows_head_text(&r.ours, head);
    *resume = (sotto__resume){
        .file = -1,
        .shard = r.ours.shard,
        .format = SOTTO__TEXT_JSON,
        .text = malloc((size_t)comparison->sweep.at_count * SOTTO__ROW_BYTES),
    };
    if (resume->text == NULL) return sotto__fault_status(fault, SOTTO_E_MEMORY);
    sotto_status wrong = lock_file(resume, path, &about, fault);
    if (wrong == SOTTO_OK) resume->path = realpath(path, NULL);
    if (wrong == SOTTO_OK && resume->path == NULL)
        wrong = sotto__refuse(fault, "%s", strerror(errno));
    if (wrong == SOTTO_OK && about.st_size > 0) wrong = read_file(resume, &r, head, fault);
    if (wrong == SOTTO_OK) wrong = prepare_end(resume, about.st_size, head, fault);
    resume->kept_count = results->done_count;
    return wrong;
}

void sotto__resume_close(sotto__resume *resume)
{
    if (resume->file >= 0) close(resume->file);
    free(resume->text);
    free(resume->path);
    *resume = SOTTO__RESUME_NONE;
}
