/* Joins the files of all shards. Every file is read twice: all are checked before anything is
 * written, and then their rows are taken in turn. A file is open only while it is read, because
 * there may be more shards than files that can be open. */
#include "core/core.h"
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_DIGITS 120 /* of a path in a sentence */

/* ---- do they belong together? ------------------------------------------------------------- */

/* Finds the option, between commas, in which two sweeps differ; returns its length. */
static int option_at(const char *about, size_t difference, const char **start)
{
    size_t at = difference;
    while (at > 0 && strchr(",;", about[at - 1]) == NULL) {
        at--;
    }
    at += strspn(about + at, " ");
    *start = about + at;
    size_t length = strcspn(about + at, ",;");
    return length < 60 ? (int)length : 60;
}

static sotto_status other_sweep(const char *pair, const sotto__rows_head *a,
                                const sotto__rows_head *b, sotto_fault *fault)
{
    const char *first, *second;
    size_t difference = 0;
    while (a->about[difference] != '\0' && a->about[difference] == b->about[difference]) {
        difference++;
    }
    if (a->about[difference] == b->about[difference]) {
        return sotto__refuse(fault, "%s are of sweeps with other options", pair);
    }
    int first_length = option_at(a->about, difference, &first);
    int second_length = option_at(b->about, difference, &second);
    return sotto__refuse(fault, "%s are of sweeps with other options: %.*s, and %.*s", pair,
                         first_length, first, second_length, second);
}

/* SOTTO_OK if both files belong to the same sweep, divided into shards in the same way. */
static sotto_status pair_fault(const char *first, const sotto__rows_head *a, const char *second,
                               const sotto__rows_head *b, sotto_fault *fault)
{
    char pair[2 * PATH_DIGITS + 16];
    snprintf(pair, sizeof pair, "%.*s and %.*s", PATH_DIGITS, first, PATH_DIGITS, second);
    if (strcmp(a->version, b->version) != 0) {
        return sotto__refuse(fault, "%s were written by versions %s and %s of sotto", pair,
                             a->version, b->version);
    }
    if (strcmp(a->sweep, b->sweep) != 0 || a->points != b->points) {
        return other_sweep(pair, a, b, fault);
    }
    if (a->shard.count != b->shard.count) {
        return sotto__refuse(fault, "%s are shards of %" PRIu32 " and of %" PRIu32, pair,
                             a->shard.count, b->shard.count);
    }
    if (a->runs != b->runs || a->shard.dealt != b->shard.dealt) {
        return sotto__refuse(fault, "%s are of sweeps of %" PRIu64 " and of %" PRIu64 " runs", pair,
                             a->runs, b->runs);
    }
    if (a->format != b->format) {
        return sotto__refuse(fault, "%s: one has CSV, the other JSON lines", pair);
    }
    return SOTTO_OK;
}

static sotto_status take_file(sotto__merge *merge, const char *first, const char *path,
                              sotto_fault *fault)
{
    sotto_fault why;
    sotto__rows_file read;
    if (sotto__rows_file_read(path, &read, &why) != SOTTO_OK) {
        return sotto__refuse(fault, "%.*s: %.300s", 2 * PATH_DIGITS, path, why.sentence);
    }
    if (merge->file == NULL) {
        merge->head = read.head;
        merge->file = calloc(read.head.shard.count, sizeof *merge->file);
        if (merge->file == NULL) return sotto__fault_status(fault, SOTTO_E_MEMORY);
    }
    if (pair_fault(first, &merge->head, path, &read.head, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    sotto__merge_file *place = &merge->file[read.head.shard.index - 1];
    if (place->path != NULL) {
        bool same = place->device == read.device && place->inode == read.inode;
        return sotto__refuse(
            fault, "%.*s and %.*s are %s shard %" PRIu32 " of %" PRIu32 ": give every shard once",
            PATH_DIGITS, place->path, PATH_DIGITS, path, same ? "one file, of" : "both",
            read.head.shard.index, read.head.shard.count);
    }
    *place = (sotto__merge_file){path,       read.rows_at, read.runs_there,
                                 read.whole, read.device,  read.inode};
    return SOTTO_OK;
}

/* ---- are all there? ----------------------------------------------------------------------- */

static sotto_status missing_fault(sotto__shard_list *list, uint32_t count, sotto_fault *fault)
{
    bool one = list->count == 1;
    const char *it = one ? "it" : "them";
    return sotto__refuse(fault, "shard%s %s of %" PRIu32 " %s missing: run %s, and give %s too",
                         one ? "" : "s", sotto__shard_list_text(list), count, one ? "is" : "are",
                         it, it);
}

static sotto_status whole_fault(const sotto__merge *merge, sotto_fault *fault)
{
    const sotto__rows_head *head = &merge->head;
    sotto__shard_list missing = {.count = 0}, cut = {.count = 0};
    const sotto__merge_file *example = NULL;
    sotto__shard shard = head->shard;
    for (uint32_t i = head->shard.count; i > 0; i--) {
        if (merge->file[i - 1].path == NULL || merge->file[i - 1].whole) continue;
        example = &merge->file[i - 1];
        shard.index = i;
    }
    for (uint32_t i = 0; i < head->shard.count; i++) {
        if (merge->file[i].path == NULL) sotto__shard_list_add(&missing, i + 1);
        if (merge->file[i].path != NULL && !merge->file[i].whole)
            sotto__shard_list_add(&cut, i + 1);
    }
    if (cut.count == 0 && missing.count == 0) return SOTTO_OK;
    if (cut.count == 0) return missing_fault(&missing, head->shard.count, fault);
    uint64_t runs = sotto__shard_count(&shard, head->runs);
    bool one = cut.count == 1;
    return sotto__refuse(fault,
                         "shard%s %s of %" PRIu32 " %s not finished (%.*s has %" PRIu64
                         " of its %" PRIu64 " runs%s): run %s again%s%s",
                         one ? "" : "s", sotto__shard_list_text(&cut), head->shard.count,
                         one ? "is" : "are", PATH_DIGITS, example->path, example->runs_there, runs,
                         example->runs_there == runs ? ", and no last line" : "",
                         one ? "it" : "them", missing.count == 0 ? "" : "; missing: ",
                         missing.count == 0 ? "" : sotto__shard_list_text(&missing));
}

sotto_status sotto__merge_read(sotto__merge *merge, const char *const *path, uint32_t paths_count,
                               sotto_fault *fault)
{
    *merge = (sotto__merge){.file = NULL};
    if (paths_count == 0) return sotto__refuse(fault, "there is no file to merge");
    for (uint32_t i = 0; i < paths_count; i++) {
        if (take_file(merge, path[0], path[i], fault) != SOTTO_OK) return SOTTO_E_FAULT;
    }
    return whole_fault(merge, fault);
}

void sotto__merge_free(sotto__merge *merge)
{
    free(merge->file);
    merge->file = NULL;
}

/* ---- writing ------------------------------------------------------------------------------ */

/* Reads the rows of the next run of a file. Returns their length, or 0 if they
 * can no longer be read. */
static size_t take_run(sotto__merge_file *from, uint32_t points, char *text)
{
    size_t length = 0;
    uint32_t taken = 0;
    FILE *file = fopen(from->path, "rb");
    bool good = file != NULL && fseeko(file, from->next, SEEK_SET) == 0;
    for (; good && taken < points; taken++) {
        good = fgets(text + length, (int)SOTTO__ROW_BYTES, file) != NULL;
        size_t row = good ? strlen(text + length) : 0;
        good = row > 0 && text[length + row - 1] == '\n';
        length += row;
    }
    if (file != NULL) fclose(file);
    from->next += (off_t)length;
    return good ? length : 0;
}

/* Output that also computes the digest of a rows file. */
typedef struct merge_output {
    int descriptor;
    sotto__digest digest;
} merge_output;

static sotto_status put(merge_output *out, const char *text, size_t length, sotto_fault *fault)
{
    sotto__digest_add(&out->digest, text, length);
    if (sotto__write_all(out->descriptor, text, length)) return SOTTO_OK;
    return sotto__refuse(fault, "cannot write the rows: %s", strerror(errno));
}

static sotto_status write_runs(sotto__merge *merge, merge_output *out, char *text,
                               sotto_fault *fault)
{
    const sotto__rows_head *head = &merge->head;
    for (uint64_t run = 0; run < head->runs; run++) {
        sotto__merge_file *from = &merge->file[(head->shard.dealt + run) % head->shard.count];
        size_t length = take_run(from, head->points, text);
        if (length == 0) {
            return sotto__refuse(fault, "%.*s changed while it was read", 2 * PATH_DIGITS,
                                 from->path);
        }
        if (put(out, text, length, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    }
    return SOTTO_OK;
}

sotto_status sotto__merge_write(sotto__merge *merge, sotto__merge_form form, int descriptor,
                                sotto_fault *fault)
{
    static const char names[] = SOTTO_COMPARISON_HEADER;
    char line[SOTTO__ROWS_HEAD_BYTES];
    merge_output out = {.descriptor = descriptor};
    sotto__rows_head head = merge->head;
    head.shard = (sotto__shard){1, 1, 0};
    size_t length = form == SOTTO__MERGE_FILE ? sotto__rows_head_text(&head, line) : 0;
    sotto__digest_begin(&out.digest);
    if (put(&out, line, length, fault) != SOTTO_OK) return SOTTO_E_FAULT;
    if (head.format == SOTTO__TEXT_CSV && put(&out, names, strlen(names), fault) != SOTTO_OK) {
        return SOTTO_E_FAULT;
    }
    char *text = malloc((size_t)head.points * SOTTO__ROW_BYTES);
    if (text == NULL) return sotto__fault_status(fault, SOTTO_E_MEMORY);
    sotto_status wrong = write_runs(merge, &out, text, fault);
    free(text);
    if (wrong != SOTTO_OK || form == SOTTO__MERGE_ROWS) return wrong;
    length = sotto__rows_end_text(&out.digest, head.format, line);
    return put(&(merge_output){.descriptor = descriptor}, line, length, fault);
}

/* ---- a file ------------------------------------------------------------------------------- */

static bool is_shard(const sotto__merge *merge, const struct stat *about)
{
    for (uint32_t i = 0; i < merge->head.shard.count; i++) {
        const sotto__merge_file *file = &merge->file[i];
        if (file->device == about->st_dev && file->inode == about->st_ino) return true;
    }
    return false;
}

/* Opens `path` for writing, empty, unless that would lose a shard. */
static sotto_status write_file(sotto__merge *merge, sotto__merge_form form, const char *path,
                               sotto_fault *fault)
{
    struct stat about;
    /* O_NONBLOCK: opening a pipe without a reader fails instead of waiting. */
    int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
    sotto_status wrong = SOTTO_OK;
    if (file < 0 || fstat(file, &about) != 0 || fcntl(file, F_SETFL, O_WRONLY) != 0) {
        wrong = sotto__refuse(fault, "cannot write %.300s: %s", path, strerror(errno));
    } else if (is_shard(merge, &about)) {
        wrong = sotto__refuse(fault, "%.300s is one of the shards; give another file", path);
    } else if (S_ISREG(about.st_mode) && ftruncate(file, 0) != 0) {
        wrong = sotto__refuse(fault, "cannot write %.300s: %s", path, strerror(errno));
    } else {
        wrong = sotto__merge_write(merge, form, file, fault);
    }
    if (file >= 0 && close(file) != 0 && wrong == SOTTO_OK) {
        wrong = sotto__refuse(fault, "cannot write %.300s: %s", path, strerror(errno));
    }
    return wrong;
}

sotto_status sotto__merge_save(sotto__merge *merge, sotto__merge_form form, const char *path,
                               sotto_fault *fault)
{
    struct stat about;
    char part[4096];
    bool there = lstat(path, &about) == 0;
    if (there && is_shard(merge, &about)) {
        return sotto__refuse(fault, "%.300s is one of the shards; give another file", path);
    }
    /* Writes devices, pipes and links in place, because rename would replace them. */
    if (there && !S_ISREG(about.st_mode)) return write_file(merge, form, path, fault);
    int length = snprintf(part, sizeof part, "%s.part", path);
    if (length < 0 || (size_t)length >= sizeof part) {
        return sotto__refuse(fault, "cannot write %.300s: %s", path, strerror(ENAMETOOLONG));
    }
    if (stat(part, &about) == 0 && is_shard(merge, &about)) {
        return sotto__refuse(fault, "%.300s is one of the shards; give another file", part);
    }
    sotto_status wrong = write_file(merge, form, part, fault);
    if (wrong == SOTTO_OK && rename(part, path) != 0) {
        wrong = sotto__refuse(fault, "cannot write %.300s: %s", path, strerror(errno));
    }
    if (wrong != SOTTO_OK) unlink(part);
    return wrong;
}

sotto_status sotto_shards_merge(const char *const *path, uint32_t paths_count, const char *out,
                                sotto_fault *fault)
{
    sotto__merge merge;
    sotto_fault unseen;
    if (fault == NULL) fault = &unseen;
    bool missing = path == NULL || out == NULL;
    for (uint32_t i = 0; !missing && i < paths_count; i++) {
        missing = path[i] == NULL;
    }
    if (missing) return sotto__fault_status(fault, SOTTO_E_ARGUMENT);
    sotto_status wrong = sotto__merge_read(&merge, path, paths_count, fault);
    if (wrong == SOTTO_OK) wrong = sotto__merge_save(&merge, SOTTO__MERGE_ROWS, out, fault);
    sotto__merge_free(&merge);
    return wrong;
}
