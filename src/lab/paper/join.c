/* The folders of all shards as one. */
#include "join.h"
#include "core/fault.h"
#include "folder.h"
#include "lab/page/whole_file.h"
#include "lab/run/merge.h"
#include "lab/text/printable.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PATH_DIGITS 120 /* of a path in a sentence */

/* The folder of one shard. */
typedef struct shard_folder {
    const char *path; /* NULL: there is none */
    uint32_t files;   /* that are there */
} shard_folder;

/* What all folders have in common. */
typedef struct joining {
    char manifest[SOTTO__MANIFEST_BYTES]; /* without the lines of a shard */
    uint32_t count, files;
    shard_folder *shard; /* count of them */
} joining;

bool sotto__join_is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* ---- manifests ---------------------------------------------------------------------------- */

/* Cuts the lines of a shard off a manifest. */
static bool read_shard(char *manifest, uint32_t *index, uint32_t *count, uint32_t *files)
{
    char text[100];
    char *lines = strstr(manifest, "\nshard ");
    if (lines == NULL) return false;
    lines++;
    if (sscanf(lines, SOTTO__MANIFEST_SHARD, index, count, files) != 3) return false;
    snprintf(text, sizeof text, SOTTO__MANIFEST_SHARD, *index, *count, *files);
    if (strcmp(lines, text) != 0 || !sotto_shard_holds(*index - 1, *index, *count)) return false;
    *lines = '\0';
    return true;
}

static const char *other_manifest(const joining *j, const char *first, const char *path,
                                  const char *manifest, char *fault)
{
    size_t at = 0, start = 0;
    while (j->manifest[at] != '\0' && j->manifest[at] == manifest[at]) {
        if (manifest[at++] == '\n') start = at;
    }
    const char *ours = j->manifest + start, *theirs = manifest + start;
    sotto__fault(fault, "%.*s and %.*s are of other reproductions: %.*s, and %.*s", PATH_DIGITS,
                 first, PATH_DIGITS, path, (int)strcspn(ours, "\n"), ours,
                 (int)strcspn(theirs, "\n"), theirs);
    return sotto__printable(fault);
}

/* Files that a folder has; 0 if it cannot be read. */
static uint32_t count_files(const char *path)
{
    char shards[SOTTO__PATH_BYTES];
    uint32_t count = 0;
    DIR *folder = sotto__path(shards, path, "shards", "") ? opendir(shards) : NULL;
    if (folder == NULL) return 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        count += entry->d_name[0] != '.';
    }
    closedir(folder);
    return count;
}

static const char *take_folder(joining *j, const char *first, const char *path, char *fault)
{
    char text[SOTTO__PATH_BYTES];
    uint32_t index, count, files;
    bool named = sotto__path(text, path, "reproduce", ".txt");
    char *manifest = named ? sotto__read_whole(text) : NULL;
    bool read = manifest != NULL && strlen(manifest) < SOTTO__MANIFEST_BYTES &&
                read_shard(manifest, &index, &count, &files);
    const char *wrong = NULL;
    if (!read) {
        wrong = sotto__fault(fault,
                             "%.*s: this is not the folder of a shard, as sotto reproduce "
                             "--shard makes",
                             2 * PATH_DIGITS, path);
    }
    if (read && j->shard == NULL) {
        snprintf(j->manifest, sizeof j->manifest, "%s", manifest);
        j->count = count;
        j->files = files;
        j->shard = calloc(count, sizeof *j->shard);
        if (j->shard == NULL) wrong = sotto__fault(fault, "%s", sotto_status_text(SOTTO_E_MEMORY));
    }
    if (wrong == NULL && strcmp(j->manifest, manifest) != 0) {
        wrong = other_manifest(j, first, path, manifest, fault);
    }
    free(manifest);
    if (wrong != NULL) return wrong;
    if (j->count != count || j->files != files) {
        return sotto__fault(fault, "%.*s and %.*s are shards of %u and of %u", PATH_DIGITS, first,
                            PATH_DIGITS, path, j->count, count);
    }
    shard_folder *place = &j->shard[index - 1];
    if (place->path != NULL) {
        return sotto__fault(fault, "%.*s and %.*s are both shard %u of %u: give every shard once",
                            PATH_DIGITS, place->path, PATH_DIGITS, path, index, count);
    }
    *place = (shard_folder){path, count_files(path)};
    return NULL;
}

/* NULL if all shards are there, and have all their files. */
static const char *whole_fault(const joining *j, char *fault)
{
    sotto__shard_list missing = {.count = 0}, cut = {.count = 0};
    for (uint32_t i = 0; i < j->count; i++) {
        if (j->shard[i].path == NULL) sotto__shard_list_add(&missing, i + 1);
        bool short_of = j->shard[i].path != NULL && j->shard[i].files != j->files;
        if (short_of) sotto__shard_list_add(&cut, i + 1);
    }
    if (missing.count > 0) {
        return sotto__shard_list_missing(&missing, j->count, "folder", fault);
    }
    if (cut.count == 0) return NULL;
    bool one = cut.count == 1;
    return sotto__fault(fault, "shard%s %s of %u %s not finished: run %s again", one ? "" : "s",
                        sotto__shard_list_text(&cut), j->count, one ? "is" : "are",
                        one ? "it" : "them");
}

/* ---- files -------------------------------------------------------------------------------- */

/* Joins the files of one name. */
static const char *join_file(const joining *j, const char *out, const char *name, char *fault)
{
    char to[SOTTO__PATH_BYTES], folder[SOTTO__PATH_BYTES];
    const char *wrong = NULL;
    sotto__merge merge = {.file = NULL};
    const char **path = calloc(j->count, sizeof *path);
    char *text = malloc((size_t)j->count * SOTTO__PATH_BYTES);
    if (path == NULL || text == NULL) {
        wrong = sotto__fault(fault, "%s", sotto_status_text(SOTTO_E_MEMORY));
    }
    for (uint32_t i = 0; wrong == NULL && i < j->count; i++) {
        char *place = text + (size_t)i * SOTTO__PATH_BYTES;
        path[i] = place;
        bool fits = sotto__path(folder, j->shard[i].path, "shards", "") &&
                    sotto__path(place, folder, name, "");
        if (!fits) wrong = sotto__fault(fault, "%s", strerror(ENAMETOOLONG));
    }
    if (wrong == NULL &&
        !(sotto__path(folder, out, "runs", "") && sotto__path(to, folder, name, ""))) {
        wrong = sotto__fault(fault, "%s", strerror(ENAMETOOLONG));
    }
    if (wrong == NULL) wrong = sotto__merge_read(&merge, path, j->count, fault);
    if (wrong == NULL) wrong = sotto__merge_save(&merge, SOTTO__MERGE_RESUME, to, fault);
    sotto__merge_free(&merge);
    free(text);
    free(path);
    return wrong;
}

static const char *join_files(const joining *j, const char *out, char *fault)
{
    char shards[SOTTO__PATH_BYTES];
    const char *wrong = NULL;
    DIR *folder = sotto__path(shards, j->shard[0].path, "shards", "") ? opendir(shards) : NULL;
    if (folder == NULL) {
        return sotto__fault(fault, "%.300s: %s", j->shard[0].path, strerror(errno));
    }
    for (struct dirent *entry; wrong == NULL && (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] != '.') wrong = join_file(j, out, entry->d_name, fault);
    }
    closedir(folder);
    return wrong;
}

const char *sotto__join(const char *const *folder, uint32_t folders_count, const char *out,
                        bool *foreign, char fault[SOTTO_FAULT_BYTES])
{
    joining j = {.shard = NULL};
    const char *wrong = NULL;
    sotto__folder made;
    *foreign = false;
    if (folders_count == 0) return sotto__fault(fault, "there is no folder to merge");
    for (uint32_t i = 0; wrong == NULL && i < folders_count; i++) {
        wrong = take_folder(&j, folder[0], folder[i], fault);
    }
    if (wrong == NULL) wrong = whole_fault(&j, fault);
    if (wrong == NULL) {
        char why[SOTTO_FAULT_BYTES];
        if (sotto__folder_open_as(&made, out, j.manifest, why) != NULL) {
            wrong = sotto__fault(fault, "%.*s: %.350s", PATH_DIGITS, out, why);
        } else {
            wrong = join_files(&j, out, fault);
        }
        *foreign = made.foreign;
        sotto__folder_close(&made);
    }
    free(j.shard);
    return wrong;
}
