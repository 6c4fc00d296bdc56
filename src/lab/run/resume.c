/* The resume file. */
#include "resume.h"
#include "comparison_id.h"
#include "core/fault.h"
#include "lab/player/brought.h"
#include "rows.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define ID_DIGITS (SOTTO__COMPARISON_ID_BYTES - 1)
static const char header_start[] = "{\"sweep\": \"";
static const char about_start[] = "\"about\": \"";

size_t sotto__resume_header(const char *id, uint64_t runs, const char *about,
                            char text[SOTTO__RESUME_HEADER_BYTES])
{
    return (size_t)snprintf(text, SOTTO__RESUME_HEADER_BYTES,
                            "%s%s\", \"runs\": %" PRIu64 ", %s%s\"}\n", header_start, id, runs,
                            about_start, about);
}

static size_t header_text(const sotto__comparison *comparison,
                          char text[SOTTO__RESUME_HEADER_BYTES])
{
    char hex[SOTTO__COMPARISON_ID_BYTES], about[SOTTO__COMPARISON_ABOUT_BYTES];
    sotto__comparison_id(comparison, hex);
    sotto__comparison_about(comparison, about);
    return sotto__resume_header(hex, sotto_sweep_runs(&comparison->sweep), about, text);
}

/* ---- reading ------------------------------------------------------------------------------ */

static const char *damaged(char *fault, uint64_t line, const char *why)
{
    return sotto__fault(fault, "line %" PRIu64 ": %s; nothing was changed", line, why);
}

/* The sweep that a header names: the start of its hash, and its options in brackets. */
static void sweep_text(const char *header, char text[SOTTO__RESUME_SWEEP_BYTES])
{
    const char *about = strstr(header, about_start);
    size_t start = strlen(header_start);
    if (about == NULL) {
        snprintf(text, SOTTO__RESUME_SWEEP_BYTES, "%.12s", header + start);
        return;
    }
    about += strlen(about_start);
    snprintf(text, SOTTO__RESUME_SWEEP_BYTES, "%.12s (%.*s)", header + start,
             (int)strcspn(about, "\""), about);
}

/* NULL if the first line names this sweep. */
static const char *header_fault(sotto__resume *resume, const char *line, const char *ours,
                                char *fault)
{
    size_t start = strlen(header_start);
    bool ours_too = strncmp(line, header_start, start) == 0 && strlen(line) > start + ID_DIGITS;
    if (!ours_too || strspn(line + start, "0123456789abcdef") != ID_DIGITS) {
        return damaged(fault, 1, "this is not the resume file of a sweep");
    }
    if (strncmp(line + start, ours + start, ID_DIGITS) == 0) return NULL;
    resume->foreign = true;
    sweep_text(line, resume->sweep_there);
    sweep_text(ours, resume->sweep_here);
    return sotto__fault(fault, "the file belongs to another sweep");
}

/* The run whose rows are being read. */
typedef struct reading {
    const sotto__comparison *comparison;
    sotto__results *results;
    uint32_t match, filled; /* filled: rows read of it */
    uint64_t seed;
    bool wanted; /* its seed is one of this sweep's */
} reading;

/* The match and the seed that a row names. */
static bool find_run(reading *r, const char *line)
{
    for (uint32_t i = 0; i < r->comparison->sweep.matches_count; i++) {
        char start[SOTTO__ROW_BYTES], *end;
        int length =
            snprintf(start, sizeof start, "{\"method\": \"%s\", \"epsilon\": %.15g, \"seed\": ",
                     sotto__match_method(&r->comparison->match[i]), r->comparison->epsilon[i]);
        if (strncmp(line, start, (size_t)length) != 0) continue;
        r->match = i;
        r->seed = strtoull(line + length, &end, 10);
        return r->seed >= r->comparison->sweep.first_seed;
    }
    return false;
}

static double read_real(const char *line, const char *key)
{
    const char *found = strstr(line, key);
    if (found == NULL || strncmp(found + strlen(key), "null", 4) == 0) return NAN;
    return strtod(found + strlen(key), NULL);
}

/* Takes a row. It must be, to the byte, what a sweep would write there: NULL, or what is wrong. */
static const char *take_row(reading *r, const char *line, size_t length)
{
    const sotto_sweep *sweep = &r->comparison->sweep;
    if (r->filled == 0 && !find_run(r, line)) return "this is no row of this sweep";
    sotto_point point = {.t = sweep->at[r->filled],
                         .regret = read_real(line, "\"regret\": "),
                         .estimation_error = read_real(line, "\"estimation_error\": ")};
    char text[SOTTO__ROW_BYTES];
    size_t wanted =
        sotto__row_text(sotto__match_method(&r->comparison->match[r->match]),
                        r->comparison->epsilon[r->match], r->seed, &point, SOTTO__TEXT_JSON, text);
    if (length != wanted || memcmp(line, text, wanted) != 0) return "this is not the row expected";
    uint64_t place = r->seed - sweep->first_seed;
    r->wanted = place < sweep->seeds_count;
    uint64_t run = (uint64_t)r->match * sweep->seeds_count + (r->wanted ? place : 0);
    if (r->wanted && r->results->run[run].done) return "this run appears twice";
    if (r->wanted) sotto__results_points(r->results, run)[r->filled] = point;
    r->filled++;
    if (r->filled < sweep->at_count) return NULL;
    r->filled = 0;
    if (r->wanted) r->results->run[run].done = true;
    if (r->wanted) r->results->done_count++;
    return NULL;
}

/* Reads all lines. resume->length: up to the end of the last whole run; 0: not even a header. */
static const char *read_lines(sotto__resume *resume, FILE *file, const char *header, reading *r,
                              char *fault)
{
    char *line = NULL;
    size_t capacity = 0;
    off_t at = 0;
    ssize_t length;
    const char *wrong = NULL;
    for (uint64_t n = 1; wrong == NULL && (length = getline(&line, &capacity, file)) > 0; n++) {
        bool cut = line[length - 1] != '\n';
        at += length;
        if (n == 1) {
            /* A header that was cut while it was written is the start of ours. */
            bool start = cut && strncmp(line, header, (size_t)length) == 0;
            if (!start) wrong = header_fault(resume, line, header, fault);
            if (!cut) resume->length = at;
            continue;
        }
        if (cut) break;
        const char *row_fault = take_row(r, line, (size_t)length);
        if (row_fault != NULL) wrong = damaged(fault, n, row_fault);
        if (r->filled == 0) resume->length = at;
    }
    if (wrong == NULL && ferror(file)) wrong = sotto__fault(fault, "%s", strerror(errno));
    free(line);
    return wrong;
}

static const char *read_file(sotto__resume *resume, const sotto__comparison *comparison,
                             const char *header, sotto__results *results, char *fault)
{
    int copy = dup(resume->file);
    FILE *file = copy < 0 ? NULL : fdopen(copy, "r");
    if (file == NULL) {
        if (copy >= 0) close(copy);
        return sotto__fault(fault, "%s", strerror(errno));
    }
    reading r = {.comparison = comparison, .results = results};
    const char *wrong = read_lines(resume, file, header, &r, fault);
    fclose(file);
    return wrong;
}

/* ---- writing ------------------------------------------------------------------------------ */

/* Adds text at the end of what is good; on failure the file ends where it did. */
static bool append(sotto__resume *resume, const char *text, size_t bytes)
{
    if (lseek(resume->file, resume->length, SEEK_SET) >= 0 &&
        sotto__write_all(resume->file, text, bytes)) {
        resume->length += (off_t)bytes;
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
    size_t bytes = sotto__run_text(comparison, results, run, SOTTO__TEXT_JSON, resume->text);
    if (!append(resume, resume->text, bytes)) return false;
    resume->kept_count++;
    return true;
}

/* ---- opening ------------------------------------------------------------------------------ */

/* Opened for this process alone. */
static const char *lock_file(sotto__resume *resume, const char *path, struct stat *about,
                             char *fault)
{
    resume->file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (resume->file < 0 || fstat(resume->file, about) != 0) {
        return sotto__fault(fault, "%s", strerror(errno));
    }
    if (!S_ISREG(about->st_mode)) return sotto__fault(fault, "this is not a regular file");
    if (flock(resume->file, LOCK_EX | LOCK_NB) != 0) {
        bool busy = errno == EWOULDBLOCK;
        return sotto__fault(fault, "%s", busy ? "another sweep is writing to it" : strerror(errno));
    }
    if (fstat(resume->file, about) == 0) return NULL;
    return sotto__fault(fault, "%s", strerror(errno));
}

/* Cuts off what follows the last whole run, and begins a new file with its header. */
static const char *prepare_end(sotto__resume *resume, off_t bytes, const char *header,
                               size_t header_length, char *fault)
{
    if (resume->length < bytes) {
        resume->dropped_bytes = (uint64_t)(bytes - resume->length);
        if (ftruncate(resume->file, resume->length) != 0) {
            return sotto__fault(fault, "%s", strerror(errno));
        }
    }
    if (resume->length > 0 || append(resume, header, header_length)) return NULL;
    return sotto__fault(fault, "%s", strerror(errno));
}

const char *sotto__resume_open(sotto__resume *resume, const char *path,
                               const sotto__comparison *comparison, sotto__results *results,
                               char fault[SOTTO_FAULT_BYTES])
{
    char header[SOTTO__RESUME_HEADER_BYTES];
    struct stat about;
    size_t header_length = header_text(comparison, header);
    *resume = (sotto__resume){
        .file = -1,
        .text = malloc((size_t)comparison->sweep.at_count * SOTTO__ROW_BYTES),
    };
    if (resume->text == NULL) return sotto__fault(fault, "%s", sotto_status_text(SOTTO_E_MEMORY));
    const char *wrong = lock_file(resume, path, &about, fault);
    if (wrong == NULL) wrong = read_file(resume, comparison, header, results, fault);
    if (wrong == NULL) wrong = prepare_end(resume, about.st_size, header, header_length, fault);
    resume->kept_count = results->done_count;
    return wrong;
}

void sotto__resume_close(sotto__resume *resume)
{
    if (resume->file >= 0) close(resume->file);
    free(resume->text);
    resume->file = -1;
    resume->text = NULL;
}
