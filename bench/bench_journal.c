/*
 * What durability costs: reports per second through the journal, for commits of 1 to 5,000 frames
 * of 42 bytes, compared with a bare fsync on the same disk at the same time. And what a start
 * costs: opening the journal with every digest checked, per million reports.
 *
 *     bench_journal [DIRECTORY]    a directory for the files, which are removed; default: the current one
 */
#include "service/store/sqlite/sqlite.h"
#include "timing.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FRAME_BYTES 42u
#define FRAMES_MAX 5000u
#define STRETCH_NS 1e9

static void check(bool ok, const char *fault)
{
    if (ok) return;
    fprintf(stderr, "bench_journal: %s\n", fault);
    exit(1);
}

static sottod_journal *open_in(const char *directory)
{
    sotto_fault fault;
    const journal_settings settings = {.directory = directory};
    sottod_journal *journal;
    check(journal_open(&settings, &journal, &fault) == SOTTO_OK, fault.sentence);
    return journal;
}

static void remove_directory(const char *directory)
{
    DIR *dir = opendir(directory);
    check(dir != NULL, "the directory cannot be read");
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        if (entry->d_name[0] != '.') unlinkat(dirfd(dir), entry->d_name, 0);
    }
    closedir(dir);
    rmdir(directory);
}

/* Microseconds of a write of 4,096 bytes at the end of a file, and its fsync. */
static double fsync_us(const char *directory)
{
    char path[600], block[4096] = {0};
    snprintf(path, sizeof path, "%s/fsync", directory);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    check(fd >= 0, "a file cannot be made");
    uint32_t count = 0;
    double start = bench_wall_ns(), end;
    do {
        check(write(fd, block, sizeof block) == sizeof block && fdatasync(fd) == 0, "fsync failed");
        count++;
        end = bench_wall_ns();
    } while (end - start < STRETCH_NS / 4);
    close(fd);
    unlink(path);
    return (end - start) / count / 1000;
}

static void commit_one(sottod_journal *journal, const uint8_t *frames, uint32_t count)
{
    journal_row row = {
        .experiment = 1, .epoch = 1, .frames = {frames, (size_t)count * FRAME_BYTES}};
    check(journal_begin(journal) && journal_append(journal, &row) && journal_commit(journal),
          journal_fault(journal)->sentence);
}

/* Removes the rows after each stretch, as a service does. */
static void empty(sottod_journal *journal)
{
    const journal_snapshot snapshot = {.experiment = 1, .seq = journal_last(journal)};
    check(journal_begin(journal) && journal_put_snapshot(journal, &snapshot) &&
              journal_remove_rows(journal, 1, snapshot.seq) && journal_commit(journal) &&
              journal_scrub(journal),
          journal_fault(journal)->sentence);
}

static void measure_commits(sottod_journal *journal, const char *directory, const uint8_t *frames)
{
    static const uint32_t groups[] = {1, 100, 500, 5000};
    printf("%8s %12s %12s %12s %10s\n", "frames", "commits/s", "reports/s", "us/commit",
           "fsync us");
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        double bare = fsync_us(directory);
        uint32_t count = 0;
        double start = bench_wall_ns(), end;
        do {
            commit_one(journal, frames, groups[i]);
            count++;
            end = bench_wall_ns();
        } while (end - start < STRETCH_NS);
        double seconds = (end - start) / 1e9;
        printf("%8u %12.0f %12.0f %12.1f %10.1f\n", groups[i], count / seconds,
               (double)count * groups[i] / seconds, seconds / count * 1e6, bare);
        empty(journal);
    }
}

static void measure_open(sottod_journal *journal, const char *directory, const uint8_t *frames)
{
    for (uint32_t i = 0; i < 2000; i++) {
        commit_one(journal, frames, 500);
    }
    journal_close(journal);
    double start = bench_wall_ns();
    journal = open_in(directory);
    printf("\nopening with 1,000,000 reports in 2,000 rows, every digest checked: %.1f ms\n",
           (bench_wall_ns() - start) / 1e6);
    start = bench_wall_ns();
    empty(journal);
    printf("removing and overwriting them: %.1f ms\n", (bench_wall_ns() - start) / 1e6);
    journal_close(journal);
}

int main(int arguments, char **argument)
{
    static uint8_t frames[FRAMES_MAX * FRAME_BYTES];
    char directory[512];
    for (uint32_t i = 0; i < sizeof frames; i++) {
        frames[i] = (uint8_t)(i * 2654435761u >> 24);
    }
    snprintf(directory, sizeof directory, "%s/bench_journal.XXXXXX",
             arguments > 1 ? argument[1] : ".");
    check(mkdtemp(directory) != NULL, "the directory cannot be made");
    sottod_journal *journal = open_in(directory);
    journal_experiment experiment = {.id = "bench", .labels = ""};
    check(journal_begin(journal) && journal_add_experiment(journal, &experiment) &&
              journal_commit(journal),
          journal_fault(journal)->sentence);
    measure_commits(journal, directory, frames);
    measure_open(journal, directory, frames);
    remove_directory(directory);
    return 0;
}
