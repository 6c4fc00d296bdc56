/* A temporary directory for one test. */
#include "directory.h"
#include "test.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Uses a file system in memory if there is one, where fsync costs nothing. TMPDIR overrides it. */
directory directory_new(void)
{
    directory f;
    const char *base = getenv("TMPDIR");
    if (base == NULL) base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(f.path, sizeof f.path, "%s/sotto-XXXXXX", base);
    assert_non_null(mkdtemp(f.path));
    snprintf(f.file, sizeof f.file, "%s/ledger", f.path);
    snprintf(f.other, sizeof f.other, "%s/other", f.path);
    return f;
}

/* Visits each name in the directory; removes it if `removes`. */
static size_t visit(const directory *f, int removes)
{
    char path[DIRECTORY_PATH_BYTES + 300];
    size_t count = 0;
    DIR *dir = opendir(f->path);
    assert_non_null(dir);
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        count++;
        snprintf(path, sizeof path, "%s/%s", f->path, entry->d_name);
        if (removes && unlink(path) != 0) rmdir(path);
    }
    closedir(dir);
    return count;
}

void directory_free(const directory *f)
{
    visit(f, 1);
    rmdir(f->path);
}

size_t directory_count(const directory *f)
{
    return visit(f, 0);
}

size_t file_read(const char *path, uint8_t *bytes, size_t capacity)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t count = fread(bytes, 1, capacity, file);
    assert_int_equal(fgetc(file), EOF);
    fclose(file);
    return count;
}

void file_write(const char *path, const uint8_t *bytes, size_t count)
{
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_true(write(fd, bytes, count) == (ssize_t)count);
    close(fd);
}
