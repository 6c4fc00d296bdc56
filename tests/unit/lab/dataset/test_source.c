/* The bytes of a file: unreadable files are named, and nothing is lost between chunks. */
#include "lab/dataset/dataset.h"
#include "texts.h"
#include "why.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

TEST(what_cannot_be_read_is_named)
{
    HELD(directory) f = directory_new();
    sotto__source source;
    assert_says(WHY(sotto__source_open, &source, f.file), why_fault.sentence,
                "ledger: cannot be read: No");
    assert_says(WHY(sotto__source_open, &source, f.path), why_fault.sentence, "is a directory");
    text_file(&f, "a");
    chmod(f.file, 0);
    if (geteuid() != 0) {
        assert_says(WHY(sotto__source_open, &source, f.file), why_fault.sentence,
                    "cannot be read: Perm");
    }
    sotto__source_close(&source); /* it may be closed nevertheless */
}

TEST(a_pipe_cannot_be_read_twice)
{
    char path[32];
    int ends[2];
    sotto__source source;
    assert_int_equal(pipe(ends), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    assert_int_equal(write(ends[1], "abc", 3), 3);
    close(ends[1]);
    assert_silent(WHY(sotto__source_open, &source, path));
    assert_silent(WHY(sotto__source_fill, &source));
    assert_int_equal(source.to - source.from, 3);
    assert_says(WHY(sotto__source_rewind, &source), why_fault.sentence, "a second time");
    sotto__source_close(&source);
    close(ends[0]);
}

TEST(standard_input_is_a_dash_and_stays_open)
{
    HELD(directory) f = directory_new();
    sotto__source source;
    int keep = dup(STDIN_FILENO), fd = open(text_file(&f, "abc"), O_RDONLY);
    assert_true(dup2(fd, STDIN_FILENO) == STDIN_FILENO);
    assert_silent(WHY(sotto__source_open, &source, "-"));
    assert_silent(WHY(sotto__source_fill, &source));
    assert_memory_equal(source.buffer, "abc\n", 4);
    sotto__source_close(&source);
    assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0);
    if (keep >= 0) dup2(keep, STDIN_FILENO);
    close(keep);
    close(fd);
}

/* Packets, because a pipe might join them: a short read is not the end. */
TEST(short_reads_are_not_the_end)
{
    static const char *const packet[] = {"a", "bc", "d"};
    sotto__source source;
    int ends[2], keep = dup(STDIN_FILENO);
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(write(ends[1], packet[i], strlen(packet[i])), strlen(packet[i]));
    }
    close(ends[1]);
    assert_true(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
    assert_silent(WHY(sotto__source_open, &source, "-"));
    assert_silent(WHY(sotto__source_fill, &source));
    assert_true(source.end);
    assert_memory_equal(source.buffer, "abcd\n", 5);
    sotto__source_close(&source);
    if (keep >= 0) dup2(keep, STDIN_FILENO);
    close(keep);
    close(ends[0]);
}

/* Takes a few bytes less than all, again and again; every byte must come once and in order. */
TEST(chunks_join_without_a_seam)
{
    enum { BYTES = 700001 };
    HELD(directory) f = directory_new();
    FREED_BY(free_memory) char *bytes = malloc(BYTES + 1);
    assert_non_null(bytes);
    for (int i = 0; i < BYTES; i++) {
        bytes[i] = (char)('a' + i % 23);
    }
    bytes[BYTES] = '\0';
    FREED_BY(sotto__source_close) sotto__source source;
    assert_silent(WHY(sotto__source_open, &source, text_file(&f, bytes)));
    for (int pass = 0; pass < 2; pass++) {
        size_t taken = 0;
        while (!source.end) {
            assert_silent(WHY(sotto__source_fill, &source));
            assert_int_equal(source.buffer[source.to], '\n');
            size_t left = source.to - source.from;
            assert_memory_equal(source.buffer + source.from, bytes + taken, left);
            size_t take = source.end ? left : left - 7;
            taken += take;
            source.from += take;
        }
        assert_ints(taken, BYTES, source.bytes, BYTES, source.line, 1);
        assert_silent(WHY(sotto__source_rewind, &source));
        assert_int_equal(source.to - source.from, 0);
    }
}

TEST(a_byte_order_mark_is_passed_over_once)
{
    HELD(directory) f = directory_new();
    sotto__source source;
    assert_silent(WHY(sotto__source_open, &source, text_file(&f, "\xEF\xBB\xBF\xEF\xBB\xBFx")));
    assert_silent(WHY(sotto__source_fill, &source));
    assert_int_equal(source.to - source.from, 4);
    assert_silent(WHY(sotto__source_fill, &source));
    assert_int_equal(source.to - source.from, 4);
    sotto__source_close(&source);
    assert_silent(WHY(sotto__source_open, &source, text_file(&f, "\xEF\xBB")));
    assert_silent(WHY(sotto__source_fill, &source));
    assert_int_equal(source.to - source.from, 2);
    sotto__source_close(&source);
}

/* Old Macintosh: the returns become line feeds, in every chunk. */
TEST(carriage_returns_alone_end_lines)
{
    enum { BYTES = 600000 };
    HELD(directory) f = directory_new();
    FREED_BY(free_memory) char *bytes = malloc(BYTES + 1);
    assert_non_null(bytes);
    for (int i = 0; i < BYTES; i++) {
        bytes[i] = i % 7 == 6 ? '\r' : 'x';
    }
    bytes[BYTES] = '\0';
    FREED_BY(sotto__source_close) sotto__source source;
    assert_silent(WHY(sotto__source_open, &source, text_file(&f, bytes)));
    size_t taken = 0;
    while (!source.end) {
        assert_silent(WHY(sotto__source_fill, &source));
        for (; source.from < source.to; source.from++, taken++) {
            assert_int_equal(source.buffer[source.from], taken % 7 == 6 ? '\n' : 'x');
        }
    }
    assert_int_equal(taken, BYTES);
}

TEST(a_return_beside_a_line_feed_is_a_byte_like_others)
{
    HELD(directory) f = directory_new();
    FREED_BY(sotto__source_close) sotto__source source;
    assert_silent(WHY(sotto__source_open, &source, text_file(&f, "a\rb\nc\r\n")));
    assert_silent(WHY(sotto__source_fill, &source));
    assert_memory_equal(source.buffer, "a\rb\nc\r\n", 7);
}

/* A text as `gzip -9n` packs it. A byte-order mark and carriage returns are handled as usual. */
TEST(gzip_is_unpacked_again_and_again)
{
    static const uint8_t packed[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02,
                                     0x03, 0x7b, 0xbf, 0x7b, 0x7f, 0x85, 0x4e, 0x25, 0xaf,
                                     0xa1, 0x4e, 0x22, 0xaf, 0x91, 0x0e, 0x00, 0x5b, 0x69,
                                     0xfc, 0x83, 0x0d, 0x00, 0x00, 0x00};
    static const char text[] = "\xEF\xBB\xBFx,y\n1,a\n2,";
    HELD(directory) f = directory_new();
    sotto__source source;
    file_write(f.file, packed, sizeof packed);
    assert_silent(WHY(sotto__source_open, &source, f.file));
    for (int pass = 0; pass < 2; pass++) {
        assert_silent(WHY(sotto__source_fill, &source));
        assert_true(source.end);
        assert_ints(source.from, 3, source.to, strlen(text), source.bytes, strlen(text));
        assert_memory_equal(source.buffer, text, strlen(text));
        assert_silent(WHY(sotto__source_fill, &source));
        assert_int_equal(source.to - source.from, strlen(text) - 3);
        assert_silent(WHY(sotto__source_rewind, &source));
    }
    sotto__source_close(&source);
    file_write(f.file, packed, sizeof packed - 1);
    assert_silent(WHY(sotto__source_open, &source, f.file));
    assert_says(WHY(sotto__source_fill, &source), why_fault.sentence,
                "line 1: cannot be read: the gzip");
    sotto__source_close(&source);
}

/* Gzip files: no part of one is accepted as a whole, and members join without a gap. */

#define ROWS "x,y\n1,a\n2,b\n"

/* As `gzip -9n` packs ROWS. */
static const uint8_t packed_rows[] = {
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xab, 0xd0, 0xa9, 0xe4, 0x32, 0xd4,
    0x49, 0xe4, 0x32, 0xd2, 0x49, 0xe2, 0x02, 0x00, 0x79, 0xa3, 0x6e, 0x5e, 0x0c, 0x00, 0x00, 0x00};

/* Packs as a member of its own; returns how many bytes that is. */
static size_t pack(const char *text, size_t bytes, uint8_t *to, size_t room)
{
    z_stream stream = {0};
    assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY),
                     Z_OK);
    stream.next_in = (unsigned char *)(uintptr_t)text;
    stream.avail_in = (uInt)bytes;
    stream.next_out = to;
    stream.avail_out = (uInt)room;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    size_t count = room - stream.avail_out;
    deflateEnd(&stream);
    return count;
}

/* Unpacks a file of these bytes, of which `first` are known already, in pieces of `room` bytes. */
static const char *unpack(const uint8_t *file, size_t bytes, size_t first, size_t room, char *text,
                          size_t *text_bytes)
{
    directory f = directory_new();
    sotto__gunzip *gunzip;
    size_t got;
    file_write(f.file, file, bytes);
    int fd = open(f.file, O_RDONLY);
    assert_true(fd >= 0 && lseek(fd, (off_t)first, SEEK_SET) == (off_t)first);
    assert_int_equal(sotto__gunzip_new(fd, (const char *)file, first, &gunzip), SOTTO_OK);
    const char *wrong;
    *text_bytes = 0;
    do {
        wrong = WHY(sotto__gunzip_read, gunzip, text + *text_bytes, room, &got);
        *text_bytes += got;
    } while (wrong == NULL && got == room);
    sotto__gunzip_free(gunzip);
    close(fd);
    directory_free(&f);
    return wrong;
}

static void assert_refuses(const uint8_t *file, size_t bytes, const char *words)
{
    char text[4096];
    size_t count;
    const char *wrong = unpack(file, bytes, bytes < 2 ? bytes : 2, 1000, text, &count);
    if (wrong == NULL) fail_msg("nothing said of %zu bytes, wanted \"%s\"", bytes, words);
    if (strstr(wrong, words) == NULL) fail_msg("\"%s\" does not say \"%s\"", wrong, words);
}

TEST(a_file_that_was_cut_off_is_refused_wherever_that_was)
{
    for (size_t bytes = 0; bytes < sizeof packed_rows; bytes++) {
        assert_refuses(packed_rows, bytes, "ends too early: the file was cut off");
    }
    uint8_t twice[2 * sizeof packed_rows];
    memcpy(twice, packed_rows, sizeof packed_rows);
    memcpy(twice + sizeof packed_rows, packed_rows, sizeof packed_rows);
    for (size_t bytes = sizeof packed_rows + 1; bytes < sizeof twice; bytes++) {
        assert_refuses(twice, bytes, "ends too early");
    }
}

/* Each changed bit is detected, or does not affect the text. */
TEST(a_damaged_file_gives_no_other_text)
{
    uint32_t refused = 0;
    for (size_t i = 0; i < 8 * sizeof packed_rows; i++) {
        uint8_t file[sizeof packed_rows];
        char text[4096];
        size_t count;
        memcpy(file, packed_rows, sizeof file);
        file[i / 8] ^= (uint8_t)(1u << i % 8);
        const char *wrong = unpack(file, sizeof file, 2, 1000, text, &count);
        refused += wrong != NULL;
        if (wrong == NULL) assert_int_equal(count, strlen(ROWS));
        if (wrong == NULL) assert_memory_equal(text, ROWS, count);
    }
    assert_true(refused > 8 * (sizeof packed_rows - 8)); /* of the header, time and system */
    uint8_t file[sizeof packed_rows];
    memcpy(file, packed_rows, sizeof file);
    file[sizeof file - 8] ^= 1;
    assert_refuses(file, sizeof file, "the gzip data is damaged");
}

TEST(what_follows_is_padding_a_member_or_a_fault)
{
    uint8_t file[600] = {0};
    char text[4096];
    size_t count;
    memcpy(file, packed_rows, sizeof packed_rows);
    assert_null(unpack(file, sizeof file, 2, 1000, text, &count));
    assert_int_equal(count, strlen(ROWS));
    memcpy(file + 100, packed_rows, sizeof packed_rows);
    assert_null(unpack(file, sizeof file, 2, 1000, text, &count));
    assert_int_equal(count, 2 * strlen(ROWS));
    assert_memory_equal(text, ROWS ROWS, count);
    memcpy(file + 200, "3,c\n", 4);
    assert_refuses(file, sizeof file, "something that is not gzip follows the gzip data");
}

TEST(a_file_that_cannot_be_read_says_why)
{
    sotto__gunzip *gunzip;
    char text[16];
    size_t got = 7;
    assert_int_equal(sotto__gunzip_new(-1, "\x1F\x8B", 2, &gunzip), SOTTO_OK);
    const char *wrong = WHY(sotto__gunzip_read, gunzip, text, sizeof text, &got);
    assert_non_null(wrong);
    assert_non_null(strstr(wrong, "Bad file descriptor"));
    assert_int_equal(got, 0);
    sotto__gunzip_free(gunzip);
    sotto__gunzip_free(NULL);
}

TEST(gzip_is_told_by_two_bytes)
{
    assert_false(sotto__is_gzip("", 0) || sotto__is_gzip("\x1F", 1) || sotto__is_gzip("x,y\n", 4));
    assert_false(sotto__is_gzip("\x1F\x8A", 2));
    assert_true(sotto__is_gzip("\x1F\x8B", 2));
    assert_true(sotto__is_gzip((const char *)packed_rows, sizeof packed_rows));
}

/* Members that are longer than a chunk, packed and unpacked; one is empty. */
TEST(long_members_join_without_a_seam)
{
    enum { BYTES = 3000000 };
    char *text = malloc(BYTES), *back = malloc(BYTES + SOTTO__GUNZIP_CHUNK_BYTES);
    FREED_BY(free_memory) uint8_t *file = malloc(2 * BYTES);
    assert_true(text != NULL && back != NULL && file != NULL);
    uint32_t noise = 1;
    for (size_t i = 0; i < BYTES; i++) {
        noise = noise * 1664525u + 1013904223u;
        text[i] = (char)('0' + (noise >> 24) % 64);
    }
    size_t bytes = pack(text, BYTES / 3, file, 2 * BYTES);
    bytes += pack(text, 0, file + bytes, 2 * BYTES - bytes);
    bytes += pack(text + BYTES / 3, BYTES - BYTES / 3, file + bytes, 2 * BYTES - bytes);
    assert_true(bytes > 4 * (size_t)SOTTO__GUNZIP_CHUNK_BYTES);
    static const size_t first[] = {2, 1000, SOTTO__GUNZIP_CHUNK_BYTES};
    static const size_t room[] = {SOTTO__GUNZIP_CHUNK_BYTES, 77777, 4096};
    for (int i = 0; i < 3; i++) {
        size_t count;
        assert_null(unpack(file, bytes, first[i], room[i], back, &count));
        assert_int_equal(count, BYTES);
        assert_memory_equal(text, back, BYTES);
    }
    free(back);
    free(text);
}
