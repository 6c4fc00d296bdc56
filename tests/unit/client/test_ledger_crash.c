/*
 * kill -9 at random moments. A child does whole rounds on a ledger file and writes each frame to a
 * pipe once finish has returned; the parent kills it, opens the ledger again, and holds it to its
 * promise: it opens; every frame that came out is in it, byte for byte; no nonce has two final
 * frames; the cap holds; and after the restart a resend gives the last round's bytes. Every second and
 * third round is held, with a time, and then acknowledged or dropped: no held report stands without
 * its time before it. One child, two at once on one ledger, and kills while the ledger is made. A twin
 * that hands frames out before they are anchored is caught. SOTTO_SOAK=1 kills ten times as often.
 */
#include "client/client.h"
#include "client/inner.h"
#include "core/core.h"
#include "directory.h"
#include "lab/random/random.h"
#include "made.h"
#include "rounds.h"
#include "test.h"
#include "why.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FRAME_BYTES 42
#define CAP_ROUNDS 200
#define BYTES_MAX 131072
#define EPSILON 0.01
#define NOW UINT64_C(1790000000000)

/* One ledger's life: what came out of it so far. */
typedef struct life {
    directory f;
    sotto_terms terms;
    uint8_t frame[CAP_ROUNDS + 8][FRAME_BYTES];
    size_t frames;
    uint64_t kills, rounds, received, tails; /* over all ledgers */
    uint64_t dropped;                        /* the most of one ledger */
    uint64_t measured_ns;
} life;

static life l;
static sotto__seeded seeded;

static sotto_policy policy_of_test(void)
{
    sotto_policy policy = sotto_policy_default();
    policy.epsilon_lifetime = CAP_ROUNDS * EPSILON;
    policy.delta_lifetime = 0; /* the sum alone counts: exactly CAP_ROUNDS */
    return policy;
}

/* How long this machine takes to open a ledger and book ten times. */
static uint64_t measure_ns(void)
{
    struct timespec begun, done;
    uint64_t entry;
    assert_ok(sotto_ledger_file_create(l.f.file));
    clock_gettime(CLOCK_MONOTONIC, &begun);
    sotto_ledger *ledger = ledger_at(l.f.file);
    for (uint8_t i = 0; i < 10; i++) {
        assert_ok(round_book(ledger, 0xaa, i, EPSILON, 8, &entry));
    }
    clock_gettime(CLOCK_MONOTONIC, &done);
    sotto_ledger_free(ledger);
    unlink(l.f.file);
    return (uint64_t)(done.tv_sec - begun.tv_sec) * 1000000000 + (uint64_t)done.tv_nsec -
           (uint64_t)begun.tv_nsec;
}

FIXTURE(set_up)
{
    memset(&l, 0, sizeof l);
    l.f = directory_new();
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = 2, spec.arms = 2, spec.epsilon = EPSILON;
    assert_ok(sotto_spec_resolve(&spec, &l.terms));
    sotto__seeded_begin(&seeded, 99);
    l.measured_ns = measure_ns();
}

FIXTURE(tear_down)
{
    directory_free(&l.f);
}

static uint64_t kills_wanted(uint64_t kills)
{
    return getenv("SOTTO_SOAK") == NULL ? kills : 10 * kills;
}

/* ---- the child ---------------------------------------------------------------------------- */

/* The twin: a frame leaves before it is recorded. */
typedef struct hasty {
    sotto_ledger ledger; /* first, so that a pointer to it is a pointer to the whole */
    sotto_ledger *file;
    int pipe;
} hasty;

static sotto_status hasty_debit(sotto_ledger *ledger, const sotto__debit *debit, uint64_t *entry)
{
    hasty *h = (hasty *)ledger;
    return h->file->debit(h->file, debit, entry);
}

static sotto_status hasty_record(sotto_ledger *ledger, uint64_t entry, const uint8_t *frame,
                                 size_t frame_bytes)
{
    hasty *h = (hasty *)ledger;
    if (write(h->pipe, frame, frame_bytes) != (ssize_t)frame_bytes) _exit(9);
    return h->file->record(h->file, entry, frame, frame_bytes);
}

static sotto_status hasty_recall(sotto_ledger *ledger, const uint8_t *spec_id, uint8_t *frame,
                                 size_t frame_bytes, bool *found)
{
    hasty *h = (hasty *)ledger;
    return h->file->recall(h->file, spec_id, frame, frame_bytes, found);
}

/* Rounds without an end but the budget's. Exits 0 for that, and not 0 for any other failure. */
static void live(int pipe, bool is_hasty)
{
    sotto_policy policy = policy_of_test();
    hasty h = {.ledger = {.debit = hasty_debit, .record = hasty_record, .recall = hasty_recall},
               .pipe = pipe};
    sotto_client *client;
    sotto_round *round;
    sotto_model *model;
    uint64_t send_at_ms;
    if (sotto_ledger_file_open(l.f.file, &h.file) != SOTTO_OK) _exit(2);
    if (sotto_client_new(&policy, is_hasty ? &h.ledger : h.file, &client) != SOTTO_OK) _exit(3);
    if (sotto_round_new(client, &l.terms, &round) != SOTTO_OK) _exit(4);
    if (sotto_model_new(&l.terms, &model) != SOTTO_OK) _exit(5);
    model->phase = SOTTO_PHASE_MAIN;
    int way = is_hasty ? 0 : (int)(l.kills % 3);
    for (;; way += !is_hasty) { /* the twin is not held */
        const double context[4] = {0.1, 0.2, 0.3, 0.4};
        uint8_t frame[FRAME_BYTES];
        uint32_t arm;
        sotto_status status = sotto_round_begin(round, model);
        if (status == SOTTO_E_BUDGET) _exit(0);
        if (status != SOTTO_OK) _exit(6);
        bool held = way % 3 != 0;
        if (held && sotto_round_hold_at(round, NOW, &send_at_ms) != SOTTO_OK) _exit(10);
        if (sotto_round_decide(round, context, 4, &arm) != SOTTO_OK) _exit(7);
        if (sotto_round_finish(round, 0.5, frame, sizeof frame) != SOTTO_OK) _exit(8);
        if (!is_hasty && write(pipe, frame, sizeof frame) != sizeof frame) _exit(9);
        if (!held) continue;
        if (sotto_round_seal(round, frame, sizeof frame) != SOTTO_OK) _exit(11);
        if (way % 3 == 1 && sotto_round_acknowledge(round) != SOTTO_OK) _exit(12);
        if (way % 3 == 2 && sotto_ledger_drop(h.file, sotto_round_entry(round)) != SOTTO_OK) {
            _exit(13);
        }
    }
}

/* ---- the parent --------------------------------------------------------------------------- */

/* From a 4096th of the time measured to 32 times of it, but at most 400 ms; each power of two as
 * likely as the others. */
static void wait_a_moment(void)
{
    uint64_t word = sotto__seeded_next(&seeded);
    uint64_t least = l.measured_ns * 32 >> word % 18;
    uint64_t moment = least / 2 + (word >> 8) % (least / 2 + 1);
    if (moment > 400000000) moment = 400000000;
    nanosleep(&(struct timespec){.tv_nsec = (long)moment}, NULL);
}

/* Lets `children` live for a moment and kills them; every second time the moment begins when a frame
 * has come out, however slow the machine is. Takes in their frames. True if one of them had spent the
 * budget. */
static bool kill_children(int children, bool is_hasty)
{
    int ends[2];
    pid_t child[2];
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    for (int i = 0; i < children; i++) {
        child[i] = fork();
        if (child[i] == 0) live(ends[1], is_hasty);
        assert_true(child[i] > 0);
    }
    close(ends[1]);
    if (sotto__seeded_next(&seeded) % 2 == 0)
        poll(&(struct pollfd){.fd = ends[0], .events = POLLIN}, 1, 60000);
    wait_a_moment();
    bool spent = false;
    for (int i = 0; i < children; i++) {
        kill(child[i], SIGKILL);
    }
    for (int i = 0; i < children; i++) {
        int code;
        assert_int_equal(waitpid(child[i], &code, 0), child[i]);
        if (WIFEXITED(code)) assert_int_equal(WEXITSTATUS(code), 0);
        spent |= WIFEXITED(code);
        l.kills += WIFSIGNALED(code);
    }
    for (ssize_t got; (got = read(ends[0], l.frame[l.frames], FRAME_BYTES)) != 0;) {
        assert_int_equal(got, FRAME_BYTES);
        l.frames++;
        l.received++;
        assert_true(l.frames <= CAP_ROUNDS);
    }
    close(ends[0]);
    return spent;
}

/* What the log says, read by a hand of its own. */
typedef struct log_read {
    const uint8_t *frame[CAP_ROUNDS + 1]; /* of the rounds that have one, the last of each */
    uint64_t debit[CAP_ROUNDS + 1];       /* of each */
    size_t reports;
    bool due[8 * CAP_ROUNDS]; /* whether this debit has a time */
    uint64_t dropped;
    uint64_t last;             /* the last debit */
    const uint8_t *last_frame; /* its report, unless it is over or may still change */
    uint64_t end;
} log_read;

static void read_report(log_read *log, uint64_t debit, const uint8_t *entry)
{
    const uint8_t *frame = entry + 24;
    size_t place = log->reports;
    for (size_t i = 0; i < log->reports; i++) { /* no nonce twice, but for a held round's */
        if (log->debit[i] == debit) place = i;
        if (log->debit[i] == debit) continue;
        assert_memory_not_equal(log->frame[i] + 24, frame + 24, SOTTO_NONCE_BYTES);
    }
    if (entry[0] == SOTTO__ENTRY_HELD) assert_true(log->due[debit]);
    if (entry[0] == SOTTO__ENTRY_REPORT && place < log->reports) {
        assert_int_equal(log->frame[place][-24], SOTTO__ENTRY_HELD);
    }
    assert_true(place < CAP_ROUNDS);
    log->reports += place == log->reports;
    log->frame[place] = frame;
    log->debit[place] = debit;
    if (debit == log->last) log->last_frame = entry[0] == SOTTO__ENTRY_HELD ? NULL : frame;
}

static log_read read_log(const uint8_t *bytes, size_t count)
{
    uint64_t end = sotto__get_u64(bytes + 32), other_end = sotto__get_u64(bytes + 4096 + 32);
    log_read log = {.end = other_end > end ? other_end : end};
    for (size_t at = 8192; at < log.end; at += 80 + sotto__get_u32(bytes + at + 4)) {
        const uint8_t *entry = bytes + at;
        uint64_t debit = sotto__get_u64(entry + 16);
        switch (entry[0]) {
        case SOTTO__ENTRY_DEBIT:
            log.last = sotto__get_u64(entry + 8);
            log.last_frame = NULL;
            break;
        case SOTTO__ENTRY_REPORT:
        case SOTTO__ENTRY_HELD: read_report(&log, debit, entry); break;
        case SOTTO__ENTRY_DUE: log.due[debit] = true; break;
        case SOTTO__ENTRY_SEALED: break;
        case SOTTO__ENTRY_DROPPED: log.dropped++; /* fall through */
        case SOTTO__ENTRY_ACKNOWLEDGED:
            if (debit == log.last) log.last_frame = NULL;
            break;
        default: fail_msg("kind %d", entry[0]);
        }
    }
    l.tails += count > log.end;
    return log;
}

static bool holds(const uint8_t *bytes, uint64_t end, const uint8_t *frame)
{
    for (size_t at = 8192; at < end; at += 80 + sotto__get_u32(bytes + at + 4)) {
        if (bytes[at] == SOTTO__ENTRY_REPORT && memcmp(bytes + at + 24, frame, FRAME_BYTES) == 0) {
            return true;
        }
    }
    return false;
}

/* Holds the ledger to its promise; false if a frame came out that it does not count. */
static bool promise_kept(void)
{
    static uint8_t bytes[BYTES_MAX];
    sotto_policy policy = policy_of_test();
    sotto_client *client;
    sotto_round *round;
    uint8_t again[FRAME_BYTES];
    if (WHY(sotto_ledger_file_fault, l.f.file) != NULL) fail_msg("%s", why_fault.sentence);
    OWN(sotto_ledger) ledger = ledger_at(l.f.file);
    size_t count = file_read(l.f.file, bytes, sizeof bytes);
    log_read log = read_log(bytes, count);
    const uint8_t *last = log.last_frame;
    assert_int_equal(sotto_ledger_reports(ledger), log.reports);
    assert_int_equal(sotto_ledger_dropped(ledger), log.dropped);
    if (log.dropped > l.dropped) l.dropped = log.dropped;
    assert_true(sotto_ledger_rounds(ledger) <= CAP_ROUNDS);
    assert_true(sotto_ledger_epsilon(ledger) <= policy.epsilon_lifetime * (1 + 1e-12));
    bool kept = log.reports >= l.frames;
    for (size_t i = 0; i < l.frames && kept; i++) {
        kept = holds(bytes, log.end, l.frame[i]);
    }
    assert_ok(sotto_client_new(&policy, ledger, &client));
    assert_ok(sotto_round_new(client, &l.terms, &round));
    assert_status(sotto_round_resend(round, again, sizeof again),
                  last == NULL ? SOTTO_E_ORDER : SOTTO_OK);
    if (last != NULL) assert_memory_equal(again, last, FRAME_BYTES);
    sotto_round_free(round);
    sotto_client_free(client);
    l.rounds = sotto_ledger_rounds(ledger);
    return kept;
}

/* Kills until there were `kills`; false at the first broken promise. */
static bool survives(int children, bool is_hasty, uint64_t kills)
{
    uint64_t rounds = 0;
    bool spent = true;
    while (l.kills < kills) {
        if (spent) {
            rounds += l.rounds;
            l.frames = l.rounds = 0;
            unlink(l.f.file);
            assert_ok(sotto_ledger_file_create(l.f.file));
        }
        spent = kill_children(children, is_hasty);
        if (!promise_kept()) return false;
    }
    print_message("%llu kills, %llu rounds, %llu frames received, %llu unfinished entries\n",
                  (unsigned long long)l.kills, (unsigned long long)(rounds + l.rounds),
                  (unsigned long long)l.received, (unsigned long long)l.tails);
    assert_true(l.received > kills / 4); /* the children got to work */
    assert_true(is_hasty || l.dropped > 5);
    return true;
}

TEST_WITH(a_ledger_survives_kills_of_one_process, set_up, tear_down)
{
    assert_true(survives(1, false, kills_wanted(250)));
}

TEST_WITH(a_ledger_survives_kills_of_two_processes, set_up, tear_down)
{
    assert_true(survives(2, false, kills_wanted(250)));
}

TEST_WITH(a_ledger_that_hands_out_before_it_anchors_is_caught, set_up, tear_down)
{
    assert_false(survives(1, true, 1000));
}

/* Books without an end, and tells of the first time. */
static void book_as_child(int pipe)
{
    sotto_ledger *ledger;
    uint64_t entry;
    if (sotto_ledger_file_open(l.f.file, &ledger) != SOTTO_OK) _exit(1);
    for (uint8_t nonce = 0;; nonce++) {
        if (round_book(ledger, 0xbb, nonce, 1e-6, 8, &entry) != SOTTO_OK) _exit(2);
        if (nonce == 0 && write(pipe, "", 1) != 1) _exit(3);
    }
}

/* What a killed process leaves is no roll-back to one that has the ledger open, and all it booked counts. */
TEST_WITH(an_open_ledger_takes_no_kill_for_a_roll_back, set_up, tear_down)
{
    uint64_t entry, kills = kills_wanted(100), before = 0, tails = 0;
    assert_ok(sotto_ledger_file_create(l.f.file));
    OWN(sotto_ledger) ledger = ledger_at(l.f.file);
    for (uint64_t i = 0; i < kills; i++) {
        int ends[2];
        char byte;
        assert_int_equal(pipe(ends), 0);
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) book_as_child(ends[1]);
        assert_int_equal(read(ends[0], &byte, 1), 1);
        wait_a_moment();
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, NULL, 0), child);
        close(ends[0]);
        close(ends[1]);
        OWN(sotto_ledger) again = ledger_at(l.f.file);
        uint64_t anchored = sotto_ledger_rounds(again);
        if (round_book(ledger, 0xaa, 1, 1e-6, 8, &entry) != SOTTO_OK) {
            fail_msg("kill %llu: %s", (unsigned long long)i, WHY(sotto_ledger_fault, ledger));
        }
        uint64_t rounds = sotto_ledger_rounds(ledger);
        assert_true(anchored > before && rounds > anchored && rounds <= anchored + 2);
        tails += rounds == anchored + 2;
        before = rounds;
    }
    print_message("%llu kills beside one that lives on, %llu whole entries taken in\n",
                  (unsigned long long)kills, (unsigned long long)tails);
}

TEST_WITH(a_kill_while_it_is_made_leaves_a_whole_ledger_or_none, set_up, tear_down)
{
    uint64_t whole = 0, none = 0, kills = kills_wanted(100);
    for (uint64_t i = 0; i < kills; i++) {
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            sotto_status status = sotto_ledger_file_create(l.f.file);
            pause();
            _exit(status == SOTTO_OK ? 0 : 1);
        }
        wait_a_moment();
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, NULL, 0), child);
        if (access(l.f.file, F_OK) == 0) {
            if (WHY(sotto_ledger_file_fault, l.f.file) != NULL) fail_msg("%s", why_fault.sentence);
            whole++;
        } else {
            none++;
        }
        unlink(l.f.file);
    }
    print_message("%llu kills: %llu times a whole ledger, %llu times none, %zu unfinished ones\n",
                  (unsigned long long)kills, (unsigned long long)whole, (unsigned long long)none,
                  directory_count(&l.f));
}
