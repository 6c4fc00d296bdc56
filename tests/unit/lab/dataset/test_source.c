/* The bytes of a file: what cannot be read is named, and nothing is lost between chunks. */
#include "lab/dataset/source.h"
#include "texts.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static char fault[SOTTO_FAULT_BYTES];

static void what_cannot_be_read_is_named(void **state)
{
    (void)state;
    folder f = folder_new();
    sotto__source source;
    assert_says(sotto__source_open(&source, f.file, fault), fault, "ledger: cannot be read: No");
    assert_says(sotto__source_open(&source, f.path, fault), fault, "is a folder");
    text_file(&f, "a");
    chmod(f.file, 0);
    if (geteuid() != 0) {
        assert_says(sotto__source_open(&source, f.file, fault), fault, "cannot be read: Perm");
    }
    sotto__source_close(&source); /* may be closed all the same */
    folder_free(&f);
}

static void a_pipe_cannot_be_read_twice(void **state)
{
    (void)state;
    char path[32];
    int ends[2];
    sotto__source source;
    assert_int_equal(pipe(ends), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    assert_int_equal(write(ends[1], "abc", 3), 3);
    close(ends[1]);
    assert_silent(sotto__source_open(&source, path, fault));
    assert_silent(sotto__source_fill(&source, fault));
    assert_int_equal(source.to - source.from, 3);
    assert_says(sotto__source_rewind(&source, fault), fault, "a second time");
    sotto__source_close(&source);
    close(ends[0]);
}

static void standard_input_is_a_dash_and_stays_open(void **state)
{
    (void)state;
    folder f = folder_new();
    sotto__source source;
    int keep = dup(STDIN_FILENO), fd = open(text_file(&f, "abc"), O_RDONLY);
    assert_true(dup2(fd, STDIN_FILENO) == STDIN_FILENO);
    assert_silent(sotto__source_open(&source, "-", fault));
    assert_silent(sotto__source_fill(&source, fault));
    assert_memory_equal(source.buffer, "abc\n", 4);
    sotto__source_close(&source);
    assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0);
    if (keep >= 0) dup2(keep, STDIN_FILENO);
    close(keep);
    close(fd);
    folder_free(&f);
}

/* Packets, since a pipe might join them: a read that gives little is not the end. */
static void short_reads_are_not_the_end(void **state)
{
    (void)state;
    static const char *const packet[] = {"a", "bc", "d"};
    sotto__source source;
    int ends[2], keep = dup(STDIN_FILENO);
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(write(ends[1], packet[i], strlen(packet[i])), strlen(packet[i]));
    }
    close(ends[1]);
    assert_true(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
    assert_silent(sotto__source_open(&source, "-", fault));
    assert_silent(sotto__source_fill(&source, fault));
    assert_true(source.end);
    assert_memory_equal(source.buffer, "abcd\n", 5);
    sotto__source_close(&source);
    if (keep >= 0) dup2(keep, STDIN_FILENO);
    close(keep);
    close(ends[0]);
}

/* Takes a few bytes less than all, again and again; every byte must come once and in order. */
static void chunks_join_without_a_seam(void **state)
{
    (void)state;
    enum { BYTES = 700001 };
    folder f = folder_new();
    char *bytes = malloc(BYTES + 1);
    assert_non_null(bytes);
    for (int i = 0; i < BYTES; i++) {
        bytes[i] = (char)('a' + i % 23);
    }
    bytes[BYTES] = '\0';
    sotto__source source;
    assert_silent(sotto__source_open(&source, text_file(&f, bytes), fault));
    for (int pass = 0; pass < 2; pass++) {
        size_t taken = 0;
        while (!source.end) {
            assert_silent(sotto__source_fill(&source, fault));
            assert_int_equal(source.buffer[source.to], '\n');
            size_t left = source.to - source.from;
            assert_memory_equal(source.buffer + source.from, bytes + taken, left);
            size_t take = source.end ? left : left - 7;
            taken += take;
            source.from += take;
        }
        assert_int_equal(taken, BYTES);
        assert_int_equal(source.bytes, BYTES);
        assert_int_equal(source.line, 1);
        assert_silent(sotto__source_rewind(&source, fault));
        assert_int_equal(source.to - source.from, 0);
    }
    sotto__source_close(&source);
    free(bytes);
    folder_free(&f);
}

static void a_byte_order_mark_is_passed_over_once(void **state)
{
    (void)state;
    folder f = folder_new();
    sotto__source source;
    assert_silent(sotto__source_open(&source, text_file(&f, "\xEF\xBB\xBF\xEF\xBB\xBFx"), fault));
    assert_silent(sotto__source_fill(&source, fault));
    assert_int_equal(source.to - source.from, 4);
    assert_silent(sotto__source_fill(&source, fault));
    assert_int_equal(source.to - source.from, 4);
    sotto__source_close(&source);
    assert_silent(sotto__source_open(&source, text_file(&f, "\xEF\xBB"), fault));
    assert_silent(sotto__source_fill(&source, fault));
    assert_int_equal(source.to - source.from, 2);
    sotto__source_close(&source);
    folder_free(&f);
}

/* Old Macintosh: the returns become line feeds, in every chunk. */
static void carriage_returns_alone_end_lines(void **state)
{
    (void)state;
    enum { BYTES = 600000 };
    folder f = folder_new();
    char *bytes = malloc(BYTES + 1);
    assert_non_null(bytes);
    for (int i = 0; i < BYTES; i++) {
        bytes[i] = i % 7 == 6 ? '\r' : 'x';
    }
    bytes[BYTES] = '\0';
    sotto__source source;
    assert_silent(sotto__source_open(&source, text_file(&f, bytes), fault));
    size_t taken = 0;
    while (!source.end) {
        assert_silent(sotto__source_fill(&source, fault));
        for (; source.from < source.to; source.from++, taken++) {
            assert_int_equal(source.buffer[source.from], taken % 7 == 6 ? '\n' : 'x');
        }
    }
    assert_int_equal(taken, BYTES);
    sotto__source_close(&source);
    free(bytes);
    folder_free(&f);
}

static void a_return_beside_a_line_feed_is_a_byte_like_others(void **state)
{
    (void)state;
    folder f = folder_new();
    sotto__source source;
    assert_silent(sotto__source_open(&source, text_file(&f, "a\rb\nc\r\n"), fault));
    assert_silent(sotto__source_fill(&source, fault));
    assert_memory_equal(source.buffer, "a\rb\nc\r\n", 7);
    sotto__source_close(&source);
    folder_free(&f);
}

/* A text as `gzip -9n` packs it. A byte-order mark and returns count as ever. */
static void gzip_is_unpacked_again_and_again(void **state)
{
    (void)state;
    static const uint8_t packed[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02,
                                     0x03, 0x7b, 0xbf, 0x7b, 0x7f, 0x85, 0x4e, 0x25, 0xaf,
                                     0xa1, 0x4e, 0x22, 0xaf, 0x91, 0x0e, 0x00, 0x5b, 0x69,
                                     0xfc, 0x83, 0x0d, 0x00, 0x00, 0x00};
    static const char text[] = "\xEF\xBB\xBFx,y\n1,a\n2,";
    folder f = folder_new();
    sotto__source source;
    file_write(f.file, packed, sizeof packed);
    assert_silent(sotto__source_open(&source, f.file, fault));
    for (int pass = 0; pass < 2; pass++) {
        assert_silent(sotto__source_fill(&source, fault));
        assert_true(source.end);
        assert_int_equal(source.from, 3);
        assert_int_equal(source.to, strlen(text));
        assert_int_equal(source.bytes, strlen(text));
        assert_memory_equal(source.buffer, text, strlen(text));
        assert_silent(sotto__source_fill(&source, fault));
        assert_int_equal(source.to - source.from, strlen(text) - 3);
        assert_silent(sotto__source_rewind(&source, fault));
    }
    sotto__source_close(&source);
    file_write(f.file, packed, sizeof packed - 1);
    assert_silent(sotto__source_open(&source, f.file, fault));
    assert_says(sotto__source_fill(&source, fault), fault, "line 1: cannot be read: the gzip");
    sotto__source_close(&source);
    folder_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_read_is_named),
        cmocka_unit_test(a_pipe_cannot_be_read_twice),
        cmocka_unit_test(standard_input_is_a_dash_and_stays_open),
        cmocka_unit_test(short_reads_are_not_the_end),
        cmocka_unit_test(chunks_join_without_a_seam),
        cmocka_unit_test(a_byte_order_mark_is_passed_over_once),
        cmocka_unit_test(carriage_returns_alone_end_lines),
        cmocka_unit_test(a_return_beside_a_line_feed_is_a_byte_like_others),
        cmocka_unit_test(gzip_is_unpacked_again_and_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
