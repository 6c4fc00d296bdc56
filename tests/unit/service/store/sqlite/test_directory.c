/* The directory of a journal: refused with a sentence that names it. */
#include "journals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static journals test;
static uid_t another_user; /* 0: the current user */

uid_t __real_geteuid(void);
uid_t __wrap_geteuid(void);
uid_t __wrap_geteuid(void)
{
    return another_user != 0 ? another_user : __real_geteuid();
}

FIXTURE(start)
{
    another_user = 0;
    test = journals_new();
}

FIXTURE(end)
{
    another_user = 0;
    journals_free(&test);
}

static void assert_open_refused(const char *words)
{
    assert_false(journals_try(&test, 0));
    assert_null(test.journal);
    assert_words(test.fault.sentence, words);
    assert_words(test.fault.sentence, test.path);
}

static mode_t mode_of(const char *path)
{
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    return about.st_mode & 0777;
}

/* ---- names */

TEST_WITH(a_directory_without_a_name_is_refused, start, end)
{
    const journal_settings none = {.directory = NULL}, empty = {.directory = ""};
    assert_status(journal_open(&none, &test.journal, &test.fault), SOTTO_E_FAULT);
    assert_words(test.fault.sentence, "empty name");
    assert_status(journal_open(&empty, &test.journal, &test.fault), SOTTO_E_FAULT);
    assert_words(test.fault.sentence, "empty name");
}

TEST_WITH(a_name_that_is_too_long_is_refused, start, end)
{
    char name[2000];
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    const journal_settings settings = {.directory = name};
    assert_status(journal_open(&settings, &test.journal, &test.fault), SOTTO_E_FAULT);
    assert_words(test.fault.sentence, "1999 bytes: allowed at most 1036");
}

TEST_WITH(a_directory_that_cannot_be_made_is_refused, start, end)
{
    strcat(test.path, "/deeper");
    assert_open_refused("cannot be made: No such file or directory");
}

TEST_WITH(a_file_in_place_of_the_directory_is_refused, start, end)
{
    file_write(test.path, (const uint8_t *)"x", 1);
    assert_open_refused("is not a directory");
    unlink(test.path);
}

/* ---- owners and modes */

TEST_WITH(a_directory_of_another_user_is_refused, start, end)
{
    char words[64];
    journals_open(&test);
    journals_close(&test);
    snprintf(words, sizeof words, "belongs to user %lu", (unsigned long)__real_geteuid());
    another_user = 4242;
    assert_open_refused(words);
    assert_words(test.fault.sentence, "runs as user 4242");
}

TEST_WITH(a_directory_that_others_can_write_to_is_refused, start, end)
{
    assert_int_equal(mkdir(test.path, 0700), 0);
    const mode_t modes[] = {0777, 0770, 0702};
    for (size_t i = 0; i < 3; i++) {
        char words[32];
        snprintf(words, sizeof words, "has mode %03o", modes[i]);
        assert_int_equal(chmod(test.path, modes[i]), 0);
        assert_open_refused(words);
        assert_words(test.fault.sentence, "allowed 700, 750, 755");
    }
    assert_int_equal(chmod(test.path, 0755), 0);
    journals_open(&test);
}

/* The superuser may write anywhere, so the test runs as nobody for a while. */
TEST_WITH(a_directory_that_is_read_only_is_refused, start, end)
{
    bool is_root = __real_geteuid() == 0;
    assert_ints(mkdir(test.path, 0700), 0, chmod(test.home.path, 0755), 0);
    if (is_root) assert_int_equal(chown(test.path, 65534, 65534), 0);
    assert_int_equal(chmod(test.path, 0500), 0);
    if (is_root) assert_int_equal(seteuid(65534), 0);
    bool opened = journals_try(&test, 0);
    if (is_root) assert_int_equal(seteuid(0), 0);
    chmod(test.path, 0700);
    assert_false(opened);
    assert_words(test.fault.sentence, "cannot be written to: Permission denied");
    assert_words(test.fault.sentence, test.path);
}

TEST_WITH(what_is_made_is_for_its_owner_alone, start, end)
{
    char path[sizeof test.path + 32];
    const char *names[] = {"journal.sqlite", "journal.sqlite-wal", "journal.sqlite-shm", "lock"};
    mode_t before = umask(0);
    journals_open(&test);
    journals_experiment(&test, "one");
    umask(before);
    assert_int_equal(mode_of(test.path), 0700);
    for (size_t i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/%s", test.path, names[i]);
        assert_int_equal(mode_of(path), 0600);
    }
}

TEST_WITH(a_file_that_others_can_read_is_closed_to_them, start, end)
{
    journals_open(&test);
    journals_close(&test);
    assert_int_equal(chmod(test.file, 0644), 0);
    journals_open(&test);
    assert_int_equal(mode_of(test.file), 0600);
}

/* ---- one process */

TEST_WITH(a_second_process_is_refused, start, end)
{
    journals_open(&test);
    pid_t child = fork();
    if (child == 0) {
        sotto_fault fault;
        sottod_journal *second;
        const journal_settings settings = {.directory = test.path};
        bool opened = journal_open(&settings, &second, &fault) == SOTTO_OK;
        _exit(opened || strstr(fault.sentence, "in use by another process") == NULL);
    }
    int status;
    assert_ints(waitpid(child, &status, 0), child, status, 0);
    journals_experiment(&test, "one");
    journals_reopen(&test);
}

TEST_WITH(a_lock_that_is_a_link_is_refused, start, end)
{
    char path[sizeof test.path + 32];
    assert_int_equal(mkdir(test.path, 0700), 0);
    snprintf(path, sizeof path, "%s/lock", test.path);
    assert_int_equal(symlink("/dev/null", path), 0);
    assert_open_refused("/lock cannot be opened");
}

/* ---- the file */

TEST_WITH(a_file_that_is_no_journal_is_refused_and_left_as_it_is, start, end)
{
    static uint8_t text[5000], after[5000];
    memset(text, 'x', sizeof text);
    assert_int_equal(mkdir(test.path, 0700), 0);
    file_write(test.file, text, sizeof text);
    assert_open_refused("is not a journal");
    assert_int_equal(file_read(test.file, after, sizeof after), sizeof text);
    assert_memory_equal(text, after, sizeof text);
}

TEST_WITH(a_file_that_is_a_link_or_a_directory_is_refused, start, end)
{
    assert_ints(mkdir(test.path, 0700), 0, symlink("/etc/passwd", test.file), 0);
    assert_open_refused("cannot be opened");
    unlink(test.file);
    assert_int_equal(mkdir(test.file, 0700), 0);
    assert_open_refused("is not a regular file");
}

/* The four bytes at `offset` in the head of the file. */
static void set_head(off_t offset, uint8_t last)
{
    const uint8_t bytes[4] = {0, 0, 0, last};
    int fd = open(test.file, O_RDWR);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, bytes, 4, offset), 4);
    close(fd);
}

TEST_WITH(a_file_of_another_program_is_refused, start, end)
{
    journals_open(&test);
    journals_close(&test);
    set_head(68, 7);
    assert_open_refused("its application_id is 7, but a journal has 1397707844");
}

TEST_WITH(another_format_is_refused, start, end)
{
    journals_open(&test);
    journals_close(&test);
    set_head(60, 3);
    assert_open_refused("has format 3, and this program reads only format 2: use the program that "
                        "wrote it, or choose another directory");
    set_head(60, 1);
    assert_open_refused("has format 1, and this program reads only format 2");
    set_head(60, 0);
    assert_open_refused("has format 0, and this program reads only format 2");
}

TEST_WITH(a_file_that_was_cut_to_nothing_is_refused, start, end)
{
    journals_open(&test);
    journals_close(&test);
    assert_int_equal(truncate(test.file, 0), 0);
    assert_open_refused("it has 0 bytes");
    assert_int_equal(truncate(test.file, 99), 0);
    assert_open_refused("it has 99 bytes");
}

TEST_WITH(a_journal_that_is_gone_is_missed, start, end)
{
    journals_open(&test);
    journals_close(&test);
    unlink(test.file);
    assert_open_refused("is missing, although the directory had one");
    char log[sizeof test.path + 32];
    snprintf(log, sizeof log, "%s/journal.sqlite-wal", test.path);
    file_write(log, (const uint8_t *)"x", 1);
    assert_open_refused("but its log");
}

TEST_WITH(a_journal_that_was_never_whole_is_made_again, start, end)
{
    char path[sizeof test.path + 32];
    assert_int_equal(mkdir(test.path, 0700), 0);
    snprintf(path, sizeof path, "%s/journal.sqlite.new", test.path);
    file_write(path, (const uint8_t *)"half", 4);
    snprintf(path, sizeof path, "%s/lock", test.path);
    file_write(path, (const uint8_t *)"", 0);
    journals_open(&test);
    assert_int_equal(journals_experiment(&test, "one"), 1);
}

TEST_WITH(a_reader_makes_nothing, start, end)
{
    const journal_settings settings = {.directory = test.path, .read_only = true};
    assert_status(journal_open(&settings, &test.journal, &test.fault), SOTTO_E_FAULT);
    assert_words(test.fault.sentence, "cannot be used as the data directory");
    assert_ints(directory_count(&test.home), 0, mkdir(test.path, 0700), 0);
    assert_status(journal_open(&settings, &test.journal, &test.fault), SOTTO_E_FAULT);
    assert_words(test.fault.sentence, "does not exist");
}
