/*
 * The power goes: what was not made durable is forgotten.
 *
 * The state that a disk must keep is held in memory: of each file its bytes at its last sync, of the directory its
 * names at the last sync of the directory, and what was done since, in order. When the power goes, the files are
 * made what the disk may hold then, and the process ends as by kill -9.
 *
 *     POWER_CUT_AT      the power goes before this event, or when SIGPWR comes; 0, or more than there are: when
 *                       the program ends
 *     POWER_CUT_KEEPS   "nothing": all that was not synced is gone. "some": each sector that was written, each
 *                       new length of a file may be kept, in any order; of changes of names a first part, as by
 *                       file systems that keep their order, or any
 *     POWER_CUT_SECTOR  bytes, 512 or 4096
 *     POWER_CUT_SEED    of the choice
 *
 * Without POWER_CUT_AT there is no such disk. What a file has when it is first opened counts as durable: each
 * life of a program under test ends in a cut. A file whose name ends in -shm is mapped: it has the bytes that it
 * had last, and its name, like others, may be there or not.
 */
#define _GNU_SOURCE
#include "calls.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NAMES_MAX 512u
#define NO_FILE (-1)

/* A write, or (bytes is NULL) a new length. */
typedef struct change {
    off_t at;
    size_t count;
    uint8_t *bytes;
} change;

typedef struct image {
    uint8_t *bytes; /* as on the disk for sure */
    size_t count;
    change *change; /* since */
    size_t changes, changes_room;
} image;

/* A name of the directory; the empty one is the directory's own. */
typedef struct entry {
    char path[FAULTS_PATH_BYTES];
    int durable; /* the file that has it; NO_FILE */
    int final;   /* as it is after the cut */
} entry;

/* From operation `operation` on, this name is that of this file. */
typedef struct naming {
    uint64_t operation;
    uint32_t name;
    int file;
} naming;

static struct {
    bool is_set, keeps_some, is_cut;
    uint64_t at, seed;
    size_t sector;
    double chance; /* that a sector is kept */
    image image[FAULTS_FILES_MAX];
    uint32_t names;
    entry name[NAMES_MAX];
    naming *naming;
    size_t namings, namings_room;
    uint64_t operations;
    uint64_t lost_bytes, lost_names; /* by this cut */
} disk;

static void require(bool condition, const char *what)
{
    if (condition) return;
    faults_say("power_cut cannot go on: %s", what);
    abort();
}

static void *grow(void *list, size_t count, size_t *room, size_t bytes)
{
    if (count < *room) return list;
    *room = *room < 64 ? 64 : *room * 2;
    list = realloc(list, *room * bytes);
    require(list != NULL, "no memory");
    return list;
}

/* ---- chance -------------------------------------------------------------------------------- */

/* splitmix64 */
static uint64_t draw(void)
{
    uint64_t z = disk.seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static bool keeps(void)
{
    return disk.keeps_some && (double)(draw() >> 11) * 0x1p-53 < disk.chance;
}

/* ---- names --------------------------------------------------------------------------------- */

static uint32_t name_at(const char *path, int durable)
{
    for (uint32_t i = 0; i < disk.names; i++) {
        if (strcmp(disk.name[i].path, path) == 0) return i;
    }
    require(disk.names < NAMES_MAX && strlen(path) < FAULTS_PATH_BYTES, "too many names");
    entry *added = &disk.name[disk.names];
    snprintf(added->path, sizeof added->path, "%s", path);
    added->durable = durable;
    return disk.names++;
}

static void name_changes(const char *path, int file)
{
    uint32_t name = name_at(path, NO_FILE);
    disk.naming = grow(disk.naming, disk.namings, &disk.namings_room, sizeof *disk.naming);
    disk.naming[disk.namings++] =
        (naming){.operation = disk.operations, .name = name, .file = file};
}

/* Names of this directory are durable now: that of ours, if it is the directory above. */
static void settle_names(int directory)
{
    bool is_ours = directory == faults_find(faults_directory());
    size_t left = 0;
    for (size_t i = 0; i < disk.namings; i++) {
        entry *name = &disk.name[disk.naming[i].name];
        bool is_inner = strcmp(name->path, faults_directory()) != 0;
        if (is_inner == is_ours) {
            name->durable = disk.naming[i].file;
        } else {
            disk.naming[left++] = disk.naming[i];
        }
    }
    disk.namings = left;
}

/* ---- bytes --------------------------------------------------------------------------------- */

static void set_length(image *of, size_t count)
{
    uint8_t *bytes = realloc(of->bytes, count + 1);
    require(bytes != NULL, "no memory");
    if (count > of->count) memset(bytes + of->count, 0, count - of->count);
    of->bytes = bytes;
    of->count = count;
}

static void forget_changes(image *of)
{
    for (size_t i = 0; i < of->changes; i++) {
        free(of->change[i].bytes);
    }
    of->changes = 0;
}

static void settle_bytes(int file)
{
    image *of = &disk.image[file];
    for (size_t i = 0; i < of->changes; i++) {
        const change *c = &of->change[i];
        if (c->bytes == NULL) {
            set_length(of, (size_t)c->at);
            continue;
        }
        if ((size_t)c->at + c->count > of->count) set_length(of, (size_t)c->at + c->count);
        memcpy(of->bytes + c->at, c->bytes, c->count);
    }
    forget_changes(of);
}

static void bytes_change(int file, off_t at, const void *bytes, size_t count)
{
    image *of = &disk.image[file];
    change made = {.at = at, .count = count};
    if (bytes != NULL) {
        made.bytes = malloc(count + 1);
        require(made.bytes != NULL, "no memory");
        memcpy(made.bytes, bytes, count);
    }
    of->change = grow(of->change, of->changes, &of->changes_room, sizeof *of->change);
    of->change[of->changes++] = made;
}

/* ---- the cut ------------------------------------------------------------------------------- */

static void put(int fd, const uint8_t *bytes, size_t count, off_t at)
{
    while (count > 0) {
        ssize_t done = syscall(SYS_pwrite64, fd, bytes, count, at);
        require(done > 0, "a file cannot be put back");
        bytes += done, count -= (size_t)done, at += done;
    }
}

static void put_sectors(int fd, const change *c)
{
    for (size_t from = 0; from < c->count;) {
        size_t to = (((size_t)c->at + from) / disk.sector + 1) * disk.sector - (size_t)c->at;
        if (to > c->count) to = c->count;
        if (keeps()) {
            put(fd, c->bytes + from, to - from, c->at + (off_t)from);
        } else {
            disk.lost_bytes += to - from;
        }
        from = to;
    }
}

/* What the disk has for sure; then what it may have besides. */
static void put_image(int fd, const image *of)
{
    put(fd, of->bytes, of->count, 0);
    require(syscall(SYS_ftruncate, fd, (off_t)of->count) == 0, "a file cannot be cut");
    for (size_t i = 0; i < of->changes; i++) {
        const change *c = &of->change[i];
        if (c->bytes != NULL) {
            put_sectors(fd, c);
        } else if (keeps()) {
            require(syscall(SYS_ftruncate, fd, c->at) == 0, "a file cannot be cut");
        }
    }
}

static bool is_mapped(const char *path)
{
    size_t bytes = strlen(path);
    return bytes > 4 && strcmp(path + bytes - 4, "-shm") == 0;
}

/* The bytes that it has now. */
static void put_copy(int fd, int from)
{
    uint8_t bytes[4096];
    ssize_t got;
    for (off_t at = 0; (got = pread(from, bytes, sizeof bytes, at)) > 0; at += got) {
        put(fd, bytes, (size_t)got, at);
    }
    require(got == 0, "a file cannot be read");
}

static void put_name(const entry *name)
{
    struct stat about;
    const char *path = name->path;
    bool is_there = lstat(path, &about) == 0;
    if (name->final == NO_FILE) {
        if (is_there)
            syscall(SYS_unlinkat, AT_FDCWD, path, S_ISDIR(about.st_mode) ? AT_REMOVEDIR : 0);
        return;
    }
    const faults_file *file = faults_at(name->final);
    if (file->is_directory) return;
    int fd = file->own;
    if (!is_there || about.st_ino != file->inode) {
        syscall(SYS_unlinkat, AT_FDCWD, path, 0);
        fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        require(fd >= 0, "a name cannot be put back");
        if (is_mapped(path)) put_copy(fd, file->own);
    }
    if (!is_mapped(path)) put_image(fd, &disk.image[name->final]);
}

/* Which changes of names are kept: the first `kept`, or any. Both halves of a rename are, or none. */
static void choose_names(void)
{
    uint64_t first = disk.namings > 0 ? disk.naming[0].operation : disk.operations;
    uint64_t kept = disk.keeps_some ? first + draw() % (disk.operations - first + 2) : 0;
    bool in_order = draw() % 2 == 0, is_kept = false;
    for (uint32_t i = 0; i < disk.names; i++) {
        disk.name[i].final = disk.name[i].durable;
    }
    for (size_t i = 0; i < disk.namings; i++) {
        const naming *made = &disk.naming[i];
        bool is_new = i == 0 || disk.naming[i - 1].operation != made->operation;
        if (in_order) {
            is_kept = made->operation < kept;
        } else if (is_new) {
            is_kept = keeps();
        }
        if (is_kept) {
            disk.name[made->name].final = made->file;
        } else if (!is_mapped(disk.name[made->name].path)) {
            disk.lost_names++;
        }
    }
}

static void cut(const char *when, uint64_t number)
{
    static const double chances[] = {0.1, 0.5, 0.9, 0.99};
    const entry *directory = NULL;
    disk.is_cut = true;
    disk.chance = chances[draw() % 4];
    choose_names();
    for (uint32_t i = 0; i < disk.names; i++) {
        if (strcmp(disk.name[i].path, faults_directory()) == 0) directory = &disk.name[i];
    }
    bool is_gone = directory != NULL && directory->final == NO_FILE;
    for (uint32_t i = 0; i < disk.names; i++) {
        entry *name = &disk.name[i];
        if (name == directory) continue;
        if (is_gone) name->final = NO_FILE;
        put_name(name);
    }
    if (is_gone) put_name(directory);
    faults_say("cut before event %llu (%s): %llu bytes and %llu names are lost",
               (unsigned long long)number, when, (unsigned long long)disk.lost_bytes,
               (unsigned long long)disk.lost_names);
    syscall(SYS_kill, getpid(), SIGKILL);
    for (;;) {
        pause();
    }
}

/* ---- the events ---------------------------------------------------------------------------- */

bool power_begin(void)
{
    const char *at = faults_setting("POWER_CUT_AT"), *sector = faults_setting("POWER_CUT_SECTOR");
    if (at[0] == '\0') return false;
    disk.is_set = true;
    disk.at = strtoull(at, NULL, 10);
    disk.keeps_some = strcmp(faults_setting("POWER_CUT_KEEPS"), "some") == 0;
    disk.seed = strtoull(faults_setting("POWER_CUT_SEED"), NULL, 10);
    disk.sector = sector[0] == '\0' ? 512 : strtoul(sector, NULL, 10);
    require(disk.sector > 0, "POWER_CUT_SECTOR = 0");
    return true;
}

void power_see(int file, const char *path, bool is_new)
{
    struct stat about;
    const faults_file *of = faults_at(file);
    if (!disk.is_set) return;
    if (faults_is_inside(path)) name_at(path, is_new ? NO_FILE : file);
    if (of->is_directory || is_new || is_mapped(path)) return;
    require(fstat(of->own, &about) == 0, "a file cannot be read");
    image *seen = &disk.image[file];
    set_length(seen, (size_t)about.st_size);
    for (size_t at = 0; at < seen->count;) {
        ssize_t got = pread(of->own, seen->bytes + at, seen->count - at, (off_t)at);
        require(got > 0, "a file cannot be read");
        at += (size_t)got;
    }
}

/* What is about to lose its name is looked at first. */
void power_before(const faults_call *call)
{
    if (!disk.is_set) return;
    if (call->number == disk.at) cut(faults_kind_name(call->kind), call->number);
    if (call->kind == FAULTS_RENAME || call->kind == FAULTS_UNLINK) faults_find(call->path);
    if (call->kind == FAULTS_RENAME) faults_find(call->to);
}

static int file_of(const char *path)
{
    for (size_t i = disk.namings; i-- > 0;) {
        if (strcmp(disk.name[disk.naming[i].name].path, path) == 0) return disk.naming[i].file;
    }
    return disk.name[name_at(path, NO_FILE)].durable;
}

void power_after(const faults_call *call, ssize_t answer)
{
    if (!disk.is_set || answer < 0) return;
    switch (call->kind) {
    case FAULTS_OPEN:
        if (!call->creates) return;
        disk.operations++;
        name_changes(call->path, call->file);
        return;
    case FAULTS_MKDIR:
        disk.operations++;
        name_changes(call->path, call->file);
        return;
    case FAULTS_WRITE: bytes_change(call->file, call->at, call->bytes, (size_t)answer); return;
    case FAULTS_TRUNCATE: bytes_change(call->file, call->at, NULL, 0); return;
    case FAULTS_SYNC: settle_bytes(call->file); return;
    case FAULTS_SYNC_DIRECTORY: settle_names(call->file); return;
    case FAULTS_RENAME:
        disk.operations++;
        name_changes(call->to, file_of(call->path));
        name_changes(call->path, NO_FILE);
        return;
    case FAULTS_UNLINK:
        disk.operations++;
        name_changes(call->path, NO_FILE);
        return;
    case FAULTS_KINDS: return;
    }
}

void power_lost(int file)
{
    if (!disk.is_set) return;
    image *of = &disk.image[file];
    size_t left = 0;
    for (size_t i = 0; i < of->changes; i++) {
        if (of->change[i].bytes == NULL)
            of->change[left++] = of->change[i];
        else
            free(of->change[i].bytes);
    }
    of->changes = left;
}

void power_now(void)
{
    cut("a signal", 0);
}

void power_end(void)
{
    if (disk.is_set && !disk.is_cut) cut("the end", 0);
}
