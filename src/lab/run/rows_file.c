/* The codec of the rows file: run.h says what is in it. */
#include "core/core.h"
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const mark[] = {[SOTTO__TEXT_CSV] = "# ", [SOTTO__TEXT_JSON] = ""};

/* ---- the first and the last line ---------------------------------------------------------- */

sotto__rows_head sotto__rows_head_of(const sotto__comparison *comparison, const sotto__shard *shard,
                                     sotto__text_format format)
{
    sotto__rows_head head = {
        .format = format,
        .shard = shard->count > 0 ? *shard : (sotto__shard){1, 1, 0},
        .runs = sotto_sweep_runs(&comparison->sweep),
        .points = comparison->sweep.at_count,
    };
    snprintf(head.version, sizeof head.version, "%s", sotto_version());
    sotto__comparison_id(comparison, head.sweep);
    sotto__comparison_about(comparison, head.about);
    return head;
}

size_t sotto__rows_head_text(const sotto__rows_head *head, char text[SOTTO__ROWS_HEAD_BYTES])
{
    return (size_t)snprintf(
        text, SOTTO__ROWS_HEAD_BYTES,
        "%s{\"shard\": %" PRIu32 ", \"of\": %" PRIu32 ", \"runs\": %" PRIu64 ", \"dealt\": %" PRIu64
        ", \"points\": %" PRIu32 ", \"version\": \"%s\", \"sweep\": \"%s\", \"about\": \"%s\"}\n",
        mark[head->format], head->shard.index, head->shard.count, head->runs, head->shard.dealt,
        head->points, head->version, head->sweep, head->about);
}

static void hex_of(sotto__digest *digest, char hex[SOTTO__COMPARISON_ID_BYTES])
{
    uint8_t bytes[SOTTO__DIGEST_BYTES];
    sotto__digest_end(digest, bytes);
    for (uint32_t i = 0; i < SOTTO__DIGEST_BYTES; i++) {
        snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
    }
}

size_t sotto__rows_end_text(sotto__digest *digest, sotto__text_format format,
                            char text[SOTTO__ROWS_END_BYTES])
{
    char hex[SOTTO__COMPARISON_ID_BYTES];
    hex_of(digest, hex);
    return (size_t)snprintf(text, SOTTO__ROWS_END_BYTES, "%s{\"end\": \"%s\"}\n", mark[format],
                            hex);
}

static bool is_end(const char *line, sotto__text_format format)
{
    char start[32];
    int length = snprintf(start, sizeof start, "%s{\"end\": ", mark[format]);
    return strncmp(line, start, (size_t)length) == 0;
}

/* Parses a first line. It must be byte for byte what its values produce. */
static bool read_head(const char *line, sotto__rows_head *out)
{
    char text[SOTTO__ROWS_HEAD_BYTES];
    sotto__shard *shard = &out->shard;
    *out = (sotto__rows_head){.format = line[0] == '#' ? SOTTO__TEXT_CSV : SOTTO__TEXT_JSON};
    int taken = sscanf(
        line + strlen(mark[out->format]),
        "{\"shard\": %" SCNu32 ", \"of\": %" SCNu32 ", \"runs\": %" SCNu64 ", \"dealt\": %" SCNu64
        ", \"points\": %" SCNu32
        ", \"version\": \"%31[^\"]\", \"sweep\": \"%64[0-9a-f]\", \"about\": \"%1023[^\"]\"}",
        &shard->index, &shard->count, &out->runs, &shard->dealt, &out->points, out->version,
        out->sweep, out->about);
    if (taken != 8 || strlen(out->sweep) != 2 * (size_t)SOTTO__DIGEST_BYTES) return false;
    sotto__rows_head_text(out, text);
    bool sane = sotto_shard_holds(shard->index - 1, shard->index, shard->count) && out->runs > 0 &&
                out->runs <= SOTTO_COMPARISON_ROWS_MAX && shard->dealt <= UINT32_MAX &&
                out->points > 0 && out->points <= SOTTO_POINTS_MAX;
    return sane && strcmp(line, text) == 0;
}

/* ---- a row -------------------------------------------------------------------------------- */

/* A number that is not finite is null in JSON and empty in CSV. */
static double read_real(const char **at)
{
    char *end;
    double value = strtod(*at, &end);
    bool none = end == *at;
    if (strncmp(*at, "null", 4) == 0) end += 4;
    *at = end;
    return none ? NAN : value;
}

static bool skip(const char **at, const char *text)
{
    size_t length = strlen(text);
    if (strncmp(*at, text, length) != 0) return false;
    *at += length;
    return true;
}

static bool read_method(const char **at, char end, char method[SOTTO__ROW_METHOD_BYTES])
{
    const char *found = strchr(*at, end);
    if (found == NULL || found - *at >= (ptrdiff_t)SOTTO__ROW_METHOD_BYTES) return false;
    snprintf(method, SOTTO__ROW_METHOD_BYTES, "%.*s", (int)(found - *at), *at);
    *at = found + 1;
    return true;
}

/* Parses a line. False unless it is byte for byte what sotto__row_text writes. */
static bool read_row(const char *line, sotto__text_format format, sotto__row *out)
{
    static const char *const before[][5] = {
        [SOTTO__TEXT_CSV] = {"", ",", ",", ",", ","},
        [SOTTO__TEXT_JSON] = {", \"epsilon\": ", ", \"seed\": ", ", \"t\": ", ", \"regret\": ",
                              ", \"estimation_error\": "},
    };
    char text[SOTTO__ROW_BYTES], *end;
    const char *at = line, *const *word = before[format];
    bool csv = format == SOTTO__TEXT_CSV;
    if (!skip(&at, csv ? "" : "{\"method\": \"")) return false;
    if (!read_method(&at, csv ? ',' : '"', out->method) || !skip(&at, word[0])) return false;
    out->epsilon = read_real(&at);
    if (!skip(&at, word[1])) return false;
    out->seed = strtoull(at, &end, 10);
    at = end;
    if (!skip(&at, word[2])) return false;
    out->point.t = strtoull(at, &end, 10);
    at = end;
    if (!skip(&at, word[3])) return false;
    out->point.regret = read_real(&at);
    if (!skip(&at, word[4])) return false;
    out->point.estimation_error = read_real(&at);
    sotto__row_text(out->method, out->epsilon, out->seed, &out->point, format, text);
    return strcmp(line, text) == 0;
}

/* ---- reading ------------------------------------------------------------------------------ */

/* Explains why a line is not a first line, as far as that can be told. */
static sotto_status head_fault(const char *line, bool ended, sotto_fault *fault)
{
    if (line[0] == '\0' && ended) {
        return sotto__refuse(fault, "the file is empty: this shard was not played; run it again");
    }
    if (strcmp(line, SOTTO_COMPARISON_HEADER) == 0 || strncmp(line, "{\"method\": ", 11) == 0) {
        return sotto__refuse(fault, "these are the rows of a whole sweep, without its first line");
    }
    if (strncmp(line, "{\"sweep\": ", 10) == 0) {
        return sotto__refuse(fault, "this is the resume file of an older version of sotto");
    }
    if (ended && strstr(line, "{\"shard\": ") != NULL) {
        return sotto__refuse(fault, "the file is cut off in its first line; run this shard again");
    }
    return sotto__refuse(fault, "this is not a file of rows, as sotto simulate --shard and "
                                "--resume make it");
}

sotto_status sotto__rows_damaged(const sotto__rows_reader *reader, const char *why,
                                 sotto_fault *fault)
{
    return sotto__refuse(fault, "damaged at line %" PRIu64 ": %s", reader->line, why);
}

/* Reads the next line. False at the end of the file; a last line that is cut off does not count. */
static bool next_line(sotto__rows_reader *reader)
{
    bool got = fgets(reader->text, sizeof reader->text, reader->file) != NULL;
    size_t length = got ? strlen(reader->text) : 0;
    reader->line++;
    reader->is_cut = length == 0 || reader->text[length - 1] != '\n';
    reader->at += reader->is_cut ? 0 : (off_t)length;
    return got && !(reader->is_cut && feof(reader->file));
}

static sotto_status read_head_lines(sotto__rows_reader *reader, sotto_fault *fault)
{
    reader->text[0] = '\0';
    bool got = next_line(reader);
    if (!got && ferror(reader->file)) return sotto__refuse(fault, "%s", strerror(errno));
    if (!got || !read_head(reader->text, &reader->head)) {
        return head_fault(reader->text, feof(reader->file) != 0, fault);
    }
    sotto__digest_begin(&reader->digest);
    sotto__digest_add(&reader->digest, reader->text, strlen(reader->text));
    reader->rows_at = reader->at;
    if (reader->head.format != SOTTO__TEXT_CSV || !next_line(reader)) return SOTTO_OK;
    if (strcmp(reader->text, SOTTO_COMPARISON_HEADER) != 0) {
        return sotto__rows_damaged(reader, "these are not the names of the columns", fault);
    }
    sotto__digest_add(&reader->digest, reader->text, strlen(reader->text));
    reader->rows_at = reader->at;
    return SOTTO_OK;
}

sotto_status sotto__rows_reader_open(sotto__rows_reader *reader, int descriptor, sotto_fault *fault)
{
    struct stat about;
    *reader = (sotto__rows_reader){.file = NULL};
    if (fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode)) {
        reader->file = fdopen(descriptor, "rb");
    }
    if (reader->file == NULL) {
        close(descriptor);
        return sotto__refuse(fault, "this is not a regular file");
    }
    return read_head_lines(reader, fault);
}

void sotto__rows_reader_close(sotto__rows_reader *reader)
{
    if (reader->file != NULL) fclose(reader->file);
    reader->file = NULL;
}

/* Compares the last line with what came before it. */
static sotto_status end_fault(sotto__rows_reader *reader, sotto_fault *fault)
{
    char wanted[SOTTO__ROWS_END_BYTES];
    const sotto__rows_head *head = &reader->head;
    sotto__rows_end_text(&reader->digest, head->format, wanted);
    if (strcmp(reader->text, wanted) != 0) {
        return sotto__rows_damaged(reader, "the SHA-256 of the file is not the one at its end",
                                   fault);
    }
    if (reader->rows != sotto__shard_count(&head->shard, head->runs) * head->points) {
        return sotto__rows_damaged(reader, "the number of rows is wrong", fault);
    }
    reader->line++;
    if (fgetc(reader->file) != EOF) {
        return sotto__rows_damaged(reader, "there are bytes after its end", fault);
    }
    reader->is_whole = true;
    return SOTTO_OK;
}

sotto_status sotto__rows_reader_next(sotto__rows_reader *reader, sotto__row *row, bool *more,
                                     sotto_fault *fault)
{
    *more = false;
    if (reader->is_whole || reader->is_cut) return SOTTO_OK;
    if (!next_line(reader)) {
        if (!ferror(reader->file)) return SOTTO_OK;
        return sotto__refuse(fault, "%s", strerror(errno));
    }
    if (is_end(reader->text, reader->head.format)) return end_fault(reader, fault);
    if (reader->is_cut || !read_row(reader->text, reader->head.format, row)) {
        return sotto__rows_damaged(reader, "this is not a row", fault);
    }
    sotto__digest_add(&reader->digest, reader->text, strlen(reader->text));
    reader->rows++;
    *more = true;
    return SOTTO_OK;
}

/* Reads all rows and checks that they are those of one shard, and no more. */
static sotto_status read_rows(sotto__rows_reader *reader, sotto__rows_file *out, sotto_fault *fault)
{
    const sotto__rows_head *head = &reader->head;
    uint64_t rows_max = sotto__shard_count(&head->shard, head->runs) * head->points;
    sotto_status wrong;
    sotto__row row;
    bool more;
    do {
        wrong = sotto__rows_reader_next(reader, &row, &more, fault);
        if (wrong == SOTTO_OK && reader->rows > rows_max) {
            wrong = sotto__rows_damaged(reader, "there is one row too many", fault);
        }
    } while (wrong == SOTTO_OK && more);
    out->head = *head;
    out->rows_at = reader->rows_at;
    out->runs_there = reader->rows / head->points;
    out->whole = reader->is_whole;
    if (wrong == SOTTO_OK) return SOTTO_OK;
    const sotto_fault what = *fault;
    sotto__refuse(fault, "%s; run this shard again", what.sentence);
    return SOTTO_E_FAULT;
}

sotto_status sotto__rows_file_read(const char *path, sotto__rows_file *out, sotto_fault *fault)
{
    struct stat about;
    sotto__rows_reader reader;
    *out = (sotto__rows_file){0};
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe is not waited for */
    if (descriptor < 0) return sotto__refuse(fault, "%s", strerror(errno));
    if (fstat(descriptor, &about) == 0) {
        out->device = about.st_dev;
        out->inode = about.st_ino;
    }
    sotto_status wrong = sotto__rows_reader_open(&reader, descriptor, fault);
    if (wrong == SOTTO_OK) wrong = read_rows(&reader, out, fault);
    sotto__rows_reader_close(&reader);
    return wrong;
}
