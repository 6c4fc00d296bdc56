/* Joins the directories of all shards. */
#include "core/core.h"
#include "lab/page/page.h"
#include "lab/run/run.h"
#include "paper.h"
#include "text/text.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PATH_DIGITS 120 /* of a path in a sentence */

/* What all directories have in common. */
typedef struct joining {
    char manifest[SOTTO__MANIFEST_BYTES]; /* without the line of a shard */
    const char *const *directory;
    uint32_t count;
    uint32_t files; /* in each directory */
} joining;

bool sotto__join_is_directory(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* ---- manifests ---------------------------------------------------------------------------- */

static sotto_status other_manifest(const joining *j, const char *path, const char *manifest,
                                   sotto_fault *fault)
{
    size_t at = 0, start = 0;
    while (j->manifest[at] != '\0' && j->manifest[at] == manifest[at]) {
        if (manifest[at++] == '\n') start = at;
    }
    const char *ours = j->manifest + start, *theirs = manifest + start;
    sotto__refuse(fault, "%.*s and %.*s are of other reproductions: %.*s, and %.*s", PATH_DIGITS,
                  j->directory[0], PATH_DIGITS, path, (int)strcspn(ours, "\n"), ours,
                  (int)strcspn(theirs, "\n"), theirs);
    sotto__printable(fault->sentence);
    return SOTTO_E_FAULT;
}

/* Files that a directory has; 0 if it cannot be read. */
static uint32_t count_files(const char *path)
{
    char runs[SOTTO__PATH_BYTES];
    uint32_t count = 0;
    DIR *directory = sotto__path(runs, path, "runs", "") ? opendir(runs) : NULL;
    if (directory == NULL) return 0;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        count += entry->d_name[0] != '.';
    }
    closedir(directory);
    return count;
}

/* Adds a directory. Its manifest, except for the line of its shard, must be that of the first. */
static sotto_status take_directory(joining *j, const char *path, sotto_fault *fault)
{
    char text[SOTTO__PATH_BYTES];
    char *manifest = sotto__path(text, path, "reproduce", ".txt") ? sotto__read_whole(text) : NULL;
    uint32_t files = count_files(path);
    sotto_status status = SOTTO_OK;
    if (manifest == NULL || strlen(manifest) >= SOTTO__MANIFEST_BYTES || files == 0) {
        free(manifest);
        return sotto__refuse(
            fault,
            "%.*s: this is not the directory of a shard, as sotto reproduce --shard "
            "makes",
            2 * PATH_DIGITS, path);
    }
    char *shard = strstr(manifest, "\nshard ");
    if (shard != NULL) shard[1] = '\0';
    if (j->files == 0) {
        j->files = files;
        snprintf(j->manifest, sizeof j->manifest, "%s", manifest);
    }
    if (strcmp(j->manifest, manifest) != 0) status = other_manifest(j, path, manifest, fault);
    free(manifest);
    if (status != SOTTO_OK || j->files == files) return status;
    return sotto__refuse(fault, "%.*s and %.*s have %u and %u files: run the one with fewer again",
                         PATH_DIGITS, j->directory[0], PATH_DIGITS, path, j->files, files);
}

/* ---- files -------------------------------------------------------------------------------- */

/* Joins the files called `name`. Without `out` it only checks whether they can be joined. */
static sotto_status join_file(const joining *j, const char *out, const char *name,
                              sotto_fault *fault)
{
    char to[SOTTO__PATH_BYTES], directory[SOTTO__PATH_BYTES];
    sotto__merge merge = {.file = NULL};
    const char **path = calloc(j->count, sizeof *path);
    char *text = malloc((size_t)j->count * SOTTO__PATH_BYTES);
    bool fits = true;
    sotto_status status = SOTTO_OK;
    if (path == NULL || text == NULL) {
        status = sotto__fault_status(fault, SOTTO_E_MEMORY);
    }
    for (uint32_t i = 0; status == SOTTO_OK && i < j->count; i++) {
        char *place = text + (size_t)i * SOTTO__PATH_BYTES;
        path[i] = place;
        fits = fits && sotto__path(directory, j->directory[i], "runs", "") &&
               sotto__path(place, directory, name, "");
    }
    if (out != NULL) {
        fits =
            fits && sotto__path(directory, out, "runs", "") && sotto__path(to, directory, name, "");
    }
    if (status == SOTTO_OK && !fits) status = sotto__refuse(fault, "%s", strerror(ENAMETOOLONG));
    if (status == SOTTO_OK) status = sotto__merge_read(&merge, path, j->count, fault);
    if (status == SOTTO_OK && out != NULL) {
        status = sotto__merge_save(&merge, SOTTO__MERGE_FILE, to, fault);
    }
    sotto__merge_free(&merge);
    free(text);
    free(path);
    return status;
}

static sotto_status join_files(const joining *j, const char *out, sotto_fault *fault)
{
    char runs[SOTTO__PATH_BYTES];
    sotto_status status = SOTTO_OK;
    DIR *directory = sotto__path(runs, j->directory[0], "runs", "") ? opendir(runs) : NULL;
    if (directory == NULL)
        return sotto__refuse(fault, "%.300s: %s", j->directory[0], strerror(errno));
    for (struct dirent *entry; status == SOTTO_OK && (entry = readdir(directory)) != NULL;) {
        if (entry->d_name[0] != '.') status = join_file(j, out, entry->d_name, fault);
    }
    closedir(directory);
    return status;
}

sotto_status sotto__join(const char *const *directory, uint32_t directories_count, const char *out,
                         bool *foreign, sotto_fault *fault)
{
    joining j = {.directory = directory, .count = directories_count};
    sotto_status status = SOTTO_OK;
    sotto__directory made;
    *foreign = false;
    if (directories_count == 0) return sotto__refuse(fault, "there is no directory to merge");
    for (uint32_t i = 0; status == SOTTO_OK && i < directories_count; i++) {
        status = take_directory(&j, directory[i], fault);
    }
    if (status == SOTTO_OK) status = join_files(&j, NULL, fault);
    if (status != SOTTO_OK) return status;
    status = sotto__directory_open_as(&made, out, j.manifest, fault);
    if (status == SOTTO_OK) {
        status = join_files(&j, out, fault);
    } else {
        sotto__fault_within(fault, "%.*s: ", PATH_DIGITS, out);
    }
    *foreign = made.foreign;
    sotto__directory_close(&made);
    return status;
}
