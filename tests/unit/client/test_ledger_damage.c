/* A damaged ledger is refused: every byte, every length, several bytes at once. Bytes that no head
 * block anchors count for nothing, damaged or not. */
#include "client/inner.h"
#include "directory.h"
#include "golden.h"
#include "lab/random/random.h"
#include "made.h"
#include "rounds.h"
#include "test.h"
#include "why.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define BYTES_MAX 16384
#define TAIL_BYTES 100

/* The linker sends fsync here: tens of thousands of files need not reach the disk. */
int __wrap_fsync(int file);

int __wrap_fsync(int file)
{
    (void)file;
    return 0;
}

static directory f;
static uint8_t whole[BYTES_MAX];
static size_t end; /* of what is anchored */
static int fd;

/* The golden ledger with an unfinished entry behind its end. */
FIXTURE(set_up)
{
    f = directory_new();
    end = golden_read("ledger_composed.bin", whole, sizeof whole);
    memset(whole + end, 0x5a, TAIL_BYTES);
    file_write(f.file, whole, end + TAIL_BYTES);
    fd = open(f.file, O_RDWR);
    assert_true(fd >= 0);
}

FIXTURE(tear_down)
{
    close(fd);
    directory_free(&f);
}

static void put(size_t at, uint8_t byte)
{
    assert_true(pwrite(fd, &byte, 1, (off_t)at) == 1);
}

static void assert_unchanged(void)
{
    uint8_t frame[ROUND_FRAME_BYTES];
    bool found;
    OWN(sotto_ledger) ledger = ledger_at(f.file);
    assert_ints(sotto_ledger_rounds(ledger), 3, sotto_ledger_reports(ledger), 2);
    assert_true(sotto_ledger_epsilon(ledger) == 2.5);
    assert_ok(round_recall(ledger, 0xaa, frame, &found));
    assert_false(found);
}

static void assert_refused(size_t at)
{
    if (WHY(sotto_ledger_file_fault, f.file) == NULL) fail_msg("accepted at byte %zu", at);
}

TEST_WITH(any_flipped_byte_is_refused, set_up, tear_down)
{
    for (size_t at = 0; at < end + TAIL_BYTES; at++) {
        for (int bit = 0; bit < 8; bit += at % 512 == 0 || at > 8192 ? 1 : 8) {
            put(at, whole[at] ^ (uint8_t)(1 << ((size_t)bit + at) % 8));
            if (at < end) {
                assert_refused(at);
            } else {
                assert_unchanged();
            }
        }
        put(at, whole[at]);
    }
    assert_unchanged();
}

TEST_WITH(any_shorter_file_is_refused, set_up, tear_down)
{
    for (size_t length = end + TAIL_BYTES; length-- > 0;) {
        assert_int_equal(ftruncate(fd, (off_t)length), 0);
        if (length >= end) {
            assert_unchanged();
        } else {
            assert_refused(length);
        }
    }
}

/* Of the entries that came last: times, and reports that were given up. */
TEST_WITH(a_changed_time_or_drop_is_refused, set_up, tear_down)
{
    end = golden_read("ledger_due.bin", whole, sizeof whole);
    file_write(f.file, whole, end);
    for (size_t at = SOTTO__HEAD_BYTES; at < end; at++) {
        for (int bit = 0; bit < 8; bit++) {
            put(at, whole[at] ^ (uint8_t)(1 << bit));
            assert_refused(at);
        }
        put(at, whole[at]);
    }
    sotto_ledger *ledger = ledger_at(f.file);
    assert_int_equal(sotto_ledger_dropped(ledger), 2);
    sotto_ledger_free(ledger);
    for (size_t length = end; length-- > SOTTO__HEAD_BYTES;) {
        assert_int_equal(ftruncate(fd, (off_t)length), 0);
        assert_refused(length);
    }
}

TEST_WITH(several_flipped_bytes_are_refused, set_up, tear_down)
{
    sotto__seeded seeded;
    sotto__seeded_begin(&seeded, 20);
    for (int trial = 0; trial < 2000; trial++) {
        size_t at[6], count = 2 + sotto__seeded_next(&seeded) % 5;
        for (size_t i = 0; i < count; i++) {
            uint64_t word = sotto__seeded_next(&seeded);
            at[i] = (word >> 8) % end;
            put(at[i], whole[at[i]] ^ (uint8_t)(1 + word % 255));
        }
        assert_refused(at[0]);
        for (size_t i = 0; i < count; i++) {
            put(at[i], whole[at[i]]);
        }
    }
    assert_unchanged();
}

/* Pieces of ledgers put together: each piece valid, the whole never was. */
TEST_WITH(blocks_and_entries_of_another_time_are_refused, set_up, tear_down)
{
    static uint8_t later[BYTES_MAX];
    uint64_t entry;
    sotto_ledger *ledger = ledger_at(f.file);
    assert_ok(round_book(ledger, 0xaa, 9, 1, 8, &entry));
    assert_ok(round_book(ledger, 0xaa, 10, 1, 8, &entry));
    sotto_ledger_free(ledger);
    size_t count = file_read(f.file, later, sizeof later);
    assert_true(pwrite(fd, whole, 4096, 0) == 4096); /* head block 0 of entry 4 beside 7 */
    assert_refused(0);
    file_write(f.file, later, count);
    assert_true(pwrite(fd, later, 4096, 4096) == 4096); /* the same block twice */
    assert_refused(4096);
    file_write(f.file, later, count);
    assert_true(pwrite(fd, later + 8192, 80, 8192 + 80 + 82) == 80); /* entry 1 in place of 3 */
    assert_refused(8354);
}

/* The golden ledger's two states, as the specification has them. */
static void golden_states(sotto__log_state *newer, sotto__log_state *older)
{
    uint8_t block[SOTTO__HEAD_BLOCK_BYTES];
    sotto__log log;
    sotto__log_begin(&log, whole + 8);
    *newer = log.state;
    newer->sequence = 5;
    newer->end = end;
    newer->reports = 2;
    newer->spent = (sotto__spent){3, 2.5, 1e-6, 1, 1e-6, 2};
    memcpy(newer->chain, whole + end - SOTTO__CHAIN_BYTES, SOTTO__CHAIN_BYTES);
    *older = *newer;
    older->sequence = 4;
    older->end = end - 92;
    older->reports = 1;
    memcpy(older->chain, whole + older->end - SOTTO__CHAIN_BYTES, SOTTO__CHAIN_BYTES);
    sotto__head_encode(newer, 1, block);
    assert_memory_equal(block, whole + sizeof block, sizeof block);
    sotto__head_encode(older, 0, block);
    assert_memory_equal(block, whole, sizeof block);
}

/* Head blocks whose own checksum is right, but who say something else than the log. */
TEST_WITH(head_blocks_that_lie_are_refused, set_up, tear_down)
{
    uint8_t bytes[SOTTO__HEAD_BLOCK_BYTES];
    sotto__log_state truth[2], lie;
    golden_states(&truth[1], &truth[0]);
#define LIE(change)                                                                                \
    for (uint32_t block = 0; block < 2; block++) {                                                 \
        lie = truth[block];                                                                        \
        change;                                                                                    \
        sotto__head_encode(&lie, block, bytes);                                                    \
        assert_true(pwrite(fd, bytes, sizeof bytes, block * sizeof bytes) == sizeof bytes);        \
        assert_refused(block * sizeof bytes);                                                      \
        assert_true(pwrite(fd, whole, SOTTO__HEAD_BYTES, 0) == SOTTO__HEAD_BYTES);                 \
    }
    LIE(lie.id[3] ^= 1)
    LIE(lie.sequence -= 2)
    LIE(lie.sequence += 2)
    LIE(lie.sequence = 0)
    LIE(lie.sequence = UINT64_MAX - (1 - block))
    LIE(lie.end -= 1)
    LIE(lie.end += 1)
    LIE(lie.end = 0)
    LIE(lie.end = UINT64_MAX)
    LIE(lie.chain[0] ^= 1)
    LIE(lie.reports -= 1)
    LIE(lie.spent.rounds -= 1)
    LIE(lie.spent.epsilon -= 1)
    LIE(lie.spent.delta = 0)
    LIE(lie.spent.epsilon_max = 0.5)
    LIE(lie.spent.delta_max = 0)
    LIE(lie.spent.composed_at = 0)
    LIE(lie.spent.composed_at = 1)
    assert_unchanged();
}
