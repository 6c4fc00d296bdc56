/* The system: clocks, randomness, log lines, directories above a directory, the supervisor, refusals, and ids as text. */
#include "directory.h"
#include "service/system/system.h"
#include "test.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* Time. */

static time_t wall;
time_t __wrap_time(time_t *out);
time_t __wrap_time(time_t *out)
{
    if (out != NULL) *out = wall;
    return wall;
}

TEST(a_wall_clock_before_1970_is_minute_0)
{
    wall = -1;
    assert_int_equal(clock_minute(), 0);
}

TEST(seconds_are_those_of_the_wall_clock)
{
    wall = -1;
    assert_int_equal(clock_wall_s(), 0);
    wall = 1763297999;
    assert_int_equal(clock_wall_s(), 1763297999);
}

TEST(a_run_of_the_machine_has_one_number)
{
    assert_true(clock_boot() != 0);
    assert_true(clock_boot() == clock_boot());
}

TEST(minutes_count_whole_minutes)
{
    wall = 1763297999;
    assert_int_equal(clock_minute(), 29388299);
    wall = 1763298000;
    assert_int_equal(clock_minute(), 29388300);
}

TEST(steady_time_does_not_follow_the_wall_clock)
{
    wall = 1763298000;
    uint64_t before = clock_steady_ms();
    struct timespec pause = {.tv_nsec = 3000000};
    nanosleep(&pause, NULL);
    wall = 1;
    assert_true(clock_steady_ms() >= before + 2);
}

TEST(milliseconds_and_microseconds_are_of_one_clock)
{
    uint64_t before_ms = clock_steady_ms(), us = clock_steady_us(), after_ms = clock_steady_ms();
    assert_in_range(us / 1000, before_ms, after_ms);
}

/* Randomness of the system. */

static int refusals; /* calls that fail next, with `reason` */
static int reason;
static size_t piece_max; /* bytes that one call gives at most */

ssize_t __real_getrandom(void *out, size_t bytes, unsigned flags);
ssize_t __wrap_getrandom(void *out, size_t bytes, unsigned flags);
ssize_t __wrap_getrandom(void *out, size_t bytes, unsigned flags)
{
    if (refusals > 0) {
        refusals--;
        errno = reason;
        return -1;
    }
    return __real_getrandom(out, bytes < piece_max ? bytes : piece_max, flags);
}

FIXTURE(start_entropy)
{
    refusals = 0;
    piece_max = SIZE_MAX;
}

TEST_WITH(without_randomness_nothing_is_left_in_the_buffer, start_entropy, NULL)
{
    uint8_t out[16], zero[16] = {0};
    memset(out, 0xa5, sizeof out);
    refusals = 1;
    reason = EIO;
    assert_false(entropy_draw(out, sizeof out));
    assert_memory_equal(out, zero, sizeof out);
}

TEST_WITH(an_interrupted_call_is_tried_again, start_entropy, NULL)
{
    uint8_t out[16];
    refusals = 3;
    reason = EINTR;
    assert_true(entropy_draw(out, sizeof out));
    assert_int_equal(refusals, 0);
}

TEST_WITH(all_bytes_are_drawn_though_they_come_in_pieces, start_entropy, NULL)
{
    /* A byte that is never drawn would be 0 in all 64 tries: a false alarm has probability 13 x
     * 256^-64. */
    uint8_t any[13] = {0};
    piece_max = 5;
    for (int i = 0; i < 64; i++) {
        uint8_t out[13] = {0};
        assert_true(entropy_draw(out, sizeof out));
        for (size_t j = 0; j < sizeof out; j++) {
            any[j] |= out[j];
        }
    }
    for (size_t j = 0; j < sizeof any; j++) {
        assert_int_not_equal(any[j], 0);
    }
}

/* Lists that grow. */

TEST(a_list_keeps_its_items_as_it_grows)
{
    uint32_t count = 0, room = 0, *list = NULL;
    for (; count < 1000; count++) {
        assert_true(list_grow(&list, count, &room, sizeof *list));
        assert_true(room > count);
        list[count] = count;
    }
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(list[i], i);
    }
    assert_int_equal(room, 1024);
    free(list);
}

/* Log lines. */

static int pipes[2];
static sottod_log *made;

FIXTURE(start)
{
    made = NULL;
    wall = 1763297999;
    assert_int_equal(pipe(pipes), 0);
}

FIXTURE(end)
{
    log_free(made);
    assert_int_equal(close(pipes[0]) | close(pipes[1]), 0);
}

/* What was written; empty if nothing was. */
static const char *written(char text[4096])
{
    assert_int_equal(write(pipes[1], "!", 1), 1);
    ssize_t bytes = read(pipes[0], text, 4096);
    assert_true(bytes > 0);
    text[bytes - 1] = '\0';
    return text;
}

TEST(a_missing_log_swallows_lines)
{
    log_write(NULL, LOG_ERROR, "started", NULL);
    log_record(NULL, LOG_ERROR, "started", NULL);
    log_set_level(NULL, LOG_ERROR);
    log_free(NULL);
}

TEST_WITH(lines_below_the_level_are_dropped, start, end)
{
    char text[4096];
    made = log_new(pipes[1], LOG_WARNING);
    log_write(made, LOG_INFO, "started", NULL);
    assert_string_equal(written(text), "");
    log_write(made, LOG_WARNING, "slow", NULL);
    assert_non_null(strstr(written(text), "\"level\":\"warning\",\"event\":\"slow\"}\n"));
}

TEST_WITH(the_level_can_change_and_what_is_on_record_heeds_none, start, end)
{
    char text[4096];
    made = log_new(pipes[1], LOG_ERROR);
    log_record(made, LOG_INFO, "admin", NULL);
    assert_non_null(strstr(written(text), "\"level\":\"info\",\"event\":\"admin\"}\n"));
    log_set_level(made, LOG_INFO);
    log_write(made, LOG_INFO, "started", NULL);
    assert_non_null(strstr(written(text), "\"event\":\"started\"}\n"));
    log_set_level(made, LOG_WARNING);
    log_write(made, LOG_INFO, "started", NULL);
    assert_string_equal(written(text), "");
}

TEST_WITH(a_line_is_an_object_with_the_minute_first, start, end)
{
    char text[4096];
    made = log_new(pipes[1], LOG_DEBUG);
    const log_value values[] = {{"experiment", "00ff", 0}, {"epoch", NULL, 4}, {NULL, NULL, 0}};
    log_write(made, LOG_INFO, "published", values);
    written(text);
    assert_memory_equal(text, "{\"time\":\"20", 11);
    assert_int_equal(text[11 + 14], 'Z'); /* no seconds */
    assert_string_equal(
        text + 11 + 14,
        "Z\",\"level\":\"info\",\"event\":\"published\",\"experiment\":\"00ff\",\"epoch\":4}\n");
}

TEST_WITH(what_json_cannot_have_is_escaped, start, end)
{
    char text[4096];
    made = log_new(pipes[1], LOG_DEBUG);
    const log_value values[] = {{"why", "a \"b\"\\\n\xc3", 0}, {NULL, NULL, 0}};
    log_write(made, LOG_INFO, "refused", values);
    assert_non_null(strstr(written(text), "\"why\":\"a \\u0022b\\u0022\\u005c\\u000a\\u00c3\"}\n"));
}

TEST_WITH(a_line_that_is_too_long_loses_values_and_stays_an_object, start, end)
{
    char text[4096], longest[2000];
    made = log_new(pipes[1], LOG_DEBUG);
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    log_value values[9] = {{NULL, NULL, 0}};
    for (int i = 0; i < 8; i++) {
        values[i] = (log_value){"why", longest, 0};
    }
    log_write(made, LOG_INFO, "refused", values);
    written(text);
    size_t bytes = strlen(text);
    assert_true(bytes <= 1024);
    assert_string_equal(text + bytes - 5, "aa\"}\n");
}

TEST(levels_have_names)
{
    assert_strings(log_level_name(LOG_DEBUG), "debug", log_level_name(LOG_ERROR), "error");
    assert_null(log_level_name((log_level)4));
}

/* A pipe has room for 64 KiB, on this system or another for less than this. */
TEST_WITH(a_log_that_nobody_reads_stops_nobody, start, end)
{
    made = log_new(pipes[1], LOG_DEBUG);
    alarm(100); /* a line that blocks ends the test */
    for (int i = 0; i < 30000; i++) {
        log_write(made, LOG_INFO, "event", NULL);
    }
    alarm(0);
}

/* The directories above a directory. */

static directory above;
static char path[2 * DIRECTORY_PATH_BYTES];

FIXTURE(make_directory)
{
    above = directory_new();
}

FIXTURE(remove_directory)
{
    snprintf(path, sizeof path, "%s/a/b", above.path);
    rmdir(path);
    snprintf(path, sizeof path, "%s/a", above.path);
    rmdir(path);
    directory_free(&above);
}

static const char *under(const char *rest)
{
    snprintf(path, sizeof path, "%s%s", above.path, rest);
    return path;
}

/* The mode of a directory; 0 if there is none. */
static mode_t mode_of(const char *rest)
{
    struct stat about;
    if (stat(under(rest), &about) != 0) return 0;
    return S_ISDIR(about.st_mode) ? about.st_mode & 0777 : 0;
}

TEST(a_path_that_is_too_long_is_refused)
{
    static char longest[PATH_MAX + 1];
    memset(longest, 'a', PATH_MAX);
    assert_false(parents_make(longest));
    assert_int_equal(errno, ENAMETOOLONG);
}

TEST_WITH(names_are_made_durable_in_directories_alone, make_directory, remove_directory)
{
    file_write(above.file, (const uint8_t *)"x", 1);
    assert_false(names_sync(above.file));
    assert_int_equal(errno, ENOTDIR);
    assert_true(names_sync(above.path));
}

TEST_WITH(a_file_in_the_way_is_refused, make_directory, remove_directory)
{
    file_write(above.file, (const uint8_t *)"x", 1);
    assert_false(parents_make(under("/ledger/a/b")));
    assert_int_equal(errno, ENOTDIR);
}

TEST_WITH(the_directories_above_are_made_for_their_owner_and_the_last_is_not, make_directory,
          remove_directory)
{
    assert_true(parents_make(under("/a/b/c")));
    assert_ints(mode_of("/a"), 0700, mode_of("/a/b"), 0700, mode_of("/a/b/c"), 0);
}

TEST_WITH(slashes_at_the_end_and_in_pairs_do_not_count, make_directory, remove_directory)
{
    assert_true(parents_make(under("//a//b//")));
    assert_ints(mode_of("/a"), 0700, mode_of("/a/b"), 0);
}

TEST_WITH(directories_that_are_there_stay_as_they_are, make_directory, remove_directory)
{
    assert_ints(mkdir(under("/a"), 0755), 0, chmod(under("/a"), 0755), 0);
    assert_true(parents_make(under("/a/b")));
    assert_int_equal(mode_of("/a"), 0755);
}

TEST(paths_without_parents_need_none)
{
    assert_true(parents_make(""));
    assert_true(parents_make("/"));
    assert_true(parents_make("//"));
    assert_true(parents_make("/a"));
    assert_true(parents_make("a"));
}

/* Why a request was refused. */

TEST(no_text_is_an_empty_text)
{
    sottod_refusal why;
    memset(&why, 'x', sizeof why);
    refusal_set(&why, 404, "there is no such experiment", NULL, NULL, NULL);
    assert_int_equal(why.status, 404);
    assert_strings(why.fault.sentence, "there is no such experiment", why.fault.field, "",
                   why.fault.value, "");
    assert_string_equal(why.fault.allowed, "");
    assert_int_equal(why.lacks, LACK_NOTHING);
}

TEST(a_lack_of_ours_is_a_503)
{
    sottod_refusal why;
    memset(&why, 'x', sizeof why);
    refusal_set_lack(&why, LACK_JOURNAL, "the disk is full");
    assert_ints(why.status, 503, why.lacks, LACK_JOURNAL);
    assert_strings(why.fault.sentence, "the disk is full", why.fault.field, "");
}

TEST(long_texts_are_cut)
{
    sottod_refusal why;
    char text[1000];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    refusal_set(&why, 400, text, text, text, text);
    assert_ints(strlen(why.fault.sentence), sizeof why.fault.sentence - 1, strlen(why.fault.field),
                sizeof why.fault.field - 1);
    assert_int_equal(strlen(why.fault.value), sizeof why.fault.value - 1);
    assert_int_equal(strlen(why.fault.allowed), sizeof why.fault.allowed - 1);
}

/* A spec id as text. */

static bool reads(const char *text, uint8_t id[SOTTO_SPEC_ID_BYTES])
{
    return spec_id_read(text, strlen(text), id);
}

TEST(anything_but_32_digits_is_refused)
{
    uint8_t id[SOTTO_SPEC_ID_BYTES];
    assert_false(reads("", id));
    assert_false(reads("00", id));
    assert_false(reads("0123456789abcdef0123456789abcde", id));
    assert_false(reads("0123456789abcdef0123456789abcdef0", id));
    assert_false(reads("0123456789abcdef0123456789abcdeg", id));
    assert_false(reads(" 123456789abcdef0123456789abcdef", id));
    assert_false(reads("0123456789ABCDEF0123456789abcdef", id));
    assert_false(reads("0x23456789abcdef0123456789abcdef", id));
}

TEST(what_is_printed_is_read)
{
    const uint8_t wanted[SOTTO_SPEC_ID_BYTES] = {0x00, 0x01, 0x9a, 0xff, 0xc0, 5,  6,   7,
                                                 8,    9,    10,   11,   12,   13, 0xe, 0xf0};
    uint8_t id[SOTTO_SPEC_ID_BYTES];
    char text[SPEC_ID_TEXT_BYTES];
    spec_id_print(wanted, text);
    assert_string_equal(text, "00019affc005060708090a0b0c0d0ef0");
    assert_true(reads(text, id));
    assert_memory_equal(id, wanted, sizeof id);
}

/* The supervisor. */

static int listening(const char *name)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    memcpy(at.sun_path, name, strlen(name));
    if (name[0] == '@') at.sun_path[0] = '\0';
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    socklen_t bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name));
    assert_int_equal(bind(fd, (const struct sockaddr *)&at, bytes), 0);
    assert_int_equal(setenv("NOTIFY_SOCKET", name, 1), 0);
    return fd;
}

static void assert_told(int fd, const char *state)
{
    char got[64] = "";
    assert_true(supervisor_tell(state));
    assert_int_equal(recv(fd, got, sizeof got - 1, 0), (ssize_t)strlen(state));
    assert_string_equal(got, state);
    close(fd);
    unsetenv("NOTIFY_SOCKET");
}

TEST(a_supervisor_that_cannot_be_reached_is_a_failure)
{
    char longer[200];
    memset(longer, '/', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    const char *const names[] = {"", "relative", longer, "/nowhere/at/all"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(setenv("NOTIFY_SOCKET", names[i], 1), 0);
        assert_false(supervisor_tell("READY=1"));
        assert_int_equal(errno, i < 3 ? EINVAL : ENOENT);
    }
    unsetenv("NOTIFY_SOCKET");
}

TEST(without_a_supervisor_nothing_is_told)
{
    unsetenv("NOTIFY_SOCKET");
    assert_true(supervisor_tell("READY=1"));
}

TEST(a_supervisor_is_told_in_one_datagram)
{
    char name[80];
    snprintf(name, sizeof name, "@sotto-test-%ld", (long)getpid());
    assert_told(listening(name), "READY=1");
    snprintf(name, sizeof name, "/tmp/sotto-test-%ld", (long)getpid());
    unlink(name);
    assert_told(listening(name), "STOPPING=1");
    unlink(name);
}
