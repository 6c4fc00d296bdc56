/* What a gzip file holds: no part of one passes for all of it, and members join without a seam. */
#include "lab/dataset/gunzip.h"
#include "texts.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#define ROWS "x,y\n1,a\n2,b\n"

/* As `gzip -9n` packs ROWS. */
static const uint8_t packed_rows[] = {
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xab, 0xd0, 0xa9, 0xe4, 0x32, 0xd4,
    0x49, 0xe4, 0x32, 0xd2, 0x49, 0xe2, 0x02, 0x00, 0x79, 0xa3, 0x6e, 0x5e, 0x0c, 0x00, 0x00, 0x00,
};

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
    folder f = folder_new();
    sotto__gunzip *gunzip;
    size_t got;
    file_write(f.file, file, bytes);
    int fd = open(f.file, O_RDONLY);
    assert_true(fd >= 0 && lseek(fd, (off_t)first, SEEK_SET) == (off_t)first);
    assert_int_equal(sotto__gunzip_new(fd, (const char *)file, first, &gunzip), SOTTO_OK);
    const char *wrong;
    *text_bytes = 0;
    do {
        wrong = sotto__gunzip_read(gunzip, text + *text_bytes, room, &got);
        *text_bytes += got;
    } while (wrong == NULL && got == room);
    sotto__gunzip_free(gunzip);
    close(fd);
    folder_free(&f);
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

static void a_file_that_was_cut_off_is_refused_wherever_that_was(void **state)
{
    (void)state;
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

/* A changed bit is found, or is one that does not matter to the text. */
static void a_damaged_file_gives_no_other_text(void **state)
{
    (void)state;
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

static void what_follows_is_padding_a_member_or_a_fault(void **state)
{
    (void)state;
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

static void a_file_that_cannot_be_read_says_why(void **state)
{
    (void)state;
    sotto__gunzip *gunzip;
    char text[16];
    size_t got = 7;
    assert_int_equal(sotto__gunzip_new(-1, "\x1F\x8B", 2, &gunzip), SOTTO_OK);
    const char *wrong = sotto__gunzip_read(gunzip, text, sizeof text, &got);
    assert_non_null(wrong);
    assert_non_null(strstr(wrong, "Bad file descriptor"));
    assert_int_equal(got, 0);
    sotto__gunzip_free(gunzip);
    sotto__gunzip_free(NULL);
}

static void gzip_is_told_by_two_bytes(void **state)
{
    (void)state;
    assert_false(sotto__is_gzip("", 0));
    assert_false(sotto__is_gzip("\x1F", 1));
    assert_false(sotto__is_gzip("x,y\n", 4));
    assert_false(sotto__is_gzip("\x1F\x8A", 2));
    assert_true(sotto__is_gzip("\x1F\x8B", 2));
    assert_true(sotto__is_gzip((const char *)packed_rows, sizeof packed_rows));
}

/* Members that are longer than a chunk, packed and unpacked; one is empty. */
static void long_members_join_without_a_seam(void **state)
{
    (void)state;
    enum { BYTES = 3000000 };
    char *text = malloc(BYTES), *back = malloc(BYTES + SOTTO__GUNZIP_CHUNK_BYTES);
    uint8_t *file = malloc(2 * BYTES);
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
    free(file);
    free(back);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_that_was_cut_off_is_refused_wherever_that_was),
        cmocka_unit_test(a_damaged_file_gives_no_other_text),
        cmocka_unit_test(what_follows_is_padding_a_member_or_a_fault),
        cmocka_unit_test(a_file_that_cannot_be_read_says_why),
        cmocka_unit_test(gzip_is_told_by_two_bytes),
        cmocka_unit_test(long_members_join_without_a_seam),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
