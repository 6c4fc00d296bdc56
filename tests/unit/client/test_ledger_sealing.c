/*
 * Send, crash, replace, send: impossible. A child plays one held round on a ledger file and kills
 * itself with SIGKILL at a system call: before it, in the middle of a write, or after it; each call
 * in its turn. What it sends goes into a pipe. Then another process opens the ledger. As one that
 * still had the secret would, it tries to put another report in place of what is unsent, before or
 * after it sends; and it sends all that is unsent. Of a round never two different reports leave, and
 * one leaves if one was kept, at the time that was booked before there was a secret. Or it gives the
 * report up, and then none leaves any more. A twin that sends before it has sealed is caught.
 */
#include "client/client.h"
#include "directory.h"
#include "made.h"
#include "test.h"
#include "why.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define FRAME_BYTES 42
#define NOW UINT64_C(1790000000000)

/* ---- the system calls --------------------------------------------------------------------- */

typedef enum moment { BEFORE, HALF_WAY, AFTER, MOMENTS } moment;

static uint64_t calls, kill_at; /* kill_at 0: never */
static moment kill_moment;

/* The linker sends these here. */
ssize_t __real_pwrite(int fd, const void *bytes, size_t count, off_t at);
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t count, off_t at);
int __wrap_fsync(int fd);

static void die_if(moment now)
{
    if (kill_at != 0 && calls == kill_at && kill_moment == now) raise(SIGKILL);
}

ssize_t __wrap_pwrite(int fd, const void *bytes, size_t count, off_t at)
{
    calls++;
    die_if(BEFORE);
    bool half = calls == kill_at && kill_moment == HALF_WAY;
    ssize_t put = __real_pwrite(fd, bytes, half ? count / 2 : count, at);
    die_if(HALF_WAY);
    die_if(AFTER);
    return put;
}

/* A killed process loses nothing that it wrote: the disk need not be asked. */
int __wrap_fsync(int fd)
{
    (void)fd;
    calls++;
    die_if(BEFORE);
    die_if(HALF_WAY);
    die_if(AFTER);
    return 0;
}

/* ---- the child ---------------------------------------------------------------------------- */

/* The twin: sends the last report kept, and then seals it. */
typedef struct hasty {
    sotto_ledger ledger; /* first, so that a pointer to it is a pointer to the whole */
    sotto_ledger *file;
    int pipe;
    uint8_t frame[FRAME_BYTES];
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
    memcpy(h->frame, frame, sizeof h->frame);
    return h->file->record(h->file, entry, frame, frame_bytes);
}

static sotto_status hasty_due(sotto_ledger *ledger, uint64_t entry, const sotto__due *due)
{
    hasty *h = (hasty *)ledger;
    return h->file->due(h->file, entry, due);
}

static sotto_status hasty_hold(sotto_ledger *ledger, uint64_t entry, const uint8_t *frame,
                               size_t frame_bytes)
{
    hasty *h = (hasty *)ledger;
    memcpy(h->frame, frame, sizeof h->frame);
    return h->file->hold(h->file, entry, frame, frame_bytes);
}

static sotto_status hasty_seal(sotto_ledger *ledger, uint64_t entry, uint8_t *frame,
                               size_t capacity_bytes)
{
    hasty *h = (hasty *)ledger;
    if (write(h->pipe, h->frame, sizeof h->frame) != sizeof h->frame) _exit(9);
    return h->file->seal(h->file, entry, frame, capacity_bytes);
}

static sotto_status hasty_acknowledge(sotto_ledger *ledger, uint64_t entry)
{
    hasty *h = (hasty *)ledger;
    return h->file->acknowledge(h->file, entry);
}

static sotto_status hasty_recall(sotto_ledger *ledger, const uint8_t *spec_id, uint8_t *frame,
                                 size_t frame_bytes, bool *found)
{
    hasty *h = (hasty *)ledger;
    return h->file->recall(h->file, spec_id, frame, frame_bytes, found);
}

static directory f;
static sotto_terms terms;

/* One held round; what it sends goes into the pipe. Exits 0 if it was not killed. */
static void live(int pipe, bool finishes, bool is_hasty)
{
    const double context[4] = {0.1, 0.2, 0.3, 0.4};
    sotto_policy policy = sotto_policy_default();
    hasty h = {.ledger = {.debit = hasty_debit,
                          .record = hasty_record,
                          .replace = hasty_record,
                          .due = hasty_due,
                          .hold = hasty_hold,
                          .seal = hasty_seal,
                          .acknowledge = hasty_acknowledge,
                          .recall = hasty_recall},
               .pipe = pipe};
    sotto_client *client;
    sotto_round *round;
    sotto_model *model;
    uint8_t frame[FRAME_BYTES];
    uint32_t arm;
    uint64_t send_at_ms;
    if (sotto_ledger_file_open(f.file, &h.file) != SOTTO_OK) _exit(1);
    if (sotto_client_new(&policy, is_hasty ? &h.ledger : h.file, &client) != SOTTO_OK) _exit(2);
    if (sotto_round_new(client, &terms, &round) != SOTTO_OK) _exit(3);
    if (sotto_model_new(&terms, &model) != SOTTO_OK) _exit(4);
    model->phase = SOTTO_PHASE_MAIN;
    if (sotto_round_begin(round, model) != SOTTO_OK) _exit(5);
    if (sotto_round_hold_at(round, NOW, &send_at_ms) != SOTTO_OK) _exit(6);
    if (sotto_round_decide(round, context, 4, &arm) != SOTTO_OK) _exit(7);
    if (finishes && sotto_round_finish(round, 0.5, frame, sizeof frame) != SOTTO_OK) _exit(8);
    if (sotto_round_seal(round, frame, sizeof frame) != SOTTO_OK) _exit(10);
    if (!is_hasty && write(pipe, frame, sizeof frame) != sizeof frame) _exit(11);
    if (sotto_round_acknowledge(round) != SOTTO_OK) _exit(12);
    _exit(0);
}

/* ---- the parent --------------------------------------------------------------------------- */

/* What has left of the one round. */
typedef struct sent {
    uint8_t frame[FRAME_BYTES];
    uint32_t count;
    bool twice;
} sent;

static void add(sent *out, const uint8_t *frame)
{
    if (out->count > 0 && memcmp(out->frame, frame, FRAME_BYTES) != 0) out->twice = true;
    memcpy(out->frame, frame, FRAME_BYTES);
    out->count++;
}

/* Runs the child; false if it lived to its end. */
static bool killed(uint64_t call, moment when, bool finishes, bool is_hasty, sent *out)
{
    int ends[2], code;
    uint8_t frame[FRAME_BYTES];
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        calls = 0;
        kill_at = call;
        kill_moment = when;
        live(ends[1], finishes, is_hasty);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &code, 0), child);
    if (WIFEXITED(code)) assert_int_equal(WEXITSTATUS(code), 0);
    close(ends[1]);
    for (ssize_t got; (got = read(ends[0], frame, sizeof frame)) != 0;) {
        assert_int_equal(got, sizeof frame);
        add(out, frame);
    }
    close(ends[0]);
    return WIFSIGNALED(code);
}

/* Another draw of the same round, as the secret would give it. */
static sotto_status replace(sotto_ledger *ledger, uint64_t entry, const uint8_t *frame)
{
    uint8_t second[FRAME_BYTES];
    memcpy(second, frame, sizeof second);
    second[40] ^= 1;
    return ledger->record(ledger, entry, second, sizeof second);
}

/* A process that gives the report up: nothing leaves after that, from anybody. */
static void drop_the_rest(sotto_ledger *ledger, const sotto_unsent *unsent)
{
    uint8_t frame[FRAME_BYTES] = "STR1";
    sotto_unsent next;
    assert_ok(sotto_ledger_drop(ledger, unsent->entry));
    OWN(sotto_ledger) again = ledger_at(f.file);
    memcpy(frame + 4, unsent->spec_id, sizeof unsent->spec_id);
    memcpy(frame + 24, unsent->nonce, sizeof unsent->nonce);
    sotto_ledger *both[2] = {ledger, again};
    for (int i = 0; i < 2; i++) {
        assert_status(replace(both[i], unsent->entry, frame), SOTTO_E_LEDGER);
        assert_status(sotto_ledger_seal(both[i], unsent->entry, frame, sizeof frame),
                      SOTTO_E_LEDGER);
        assert_status(sotto_ledger_acknowledge(both[i], unsent->entry), SOTTO_E_LEDGER);
        assert_status(sotto_ledger_drop(both[i], unsent->entry), SOTTO_E_LEDGER);
        assert_ok(sotto_ledger_unsent(both[i], 0, &next));
        assert_ints(next.entry, 0, sotto_ledger_dropped(both[i]), 1);
    }
}

/* What the next process does with what is unsent. */
typedef enum next_life { REPLACES, SENDS, DROPS, LIVES } next_life;

/* The next process. The frame of a held report is made up from its head: nobody gives it. */
static void send_the_rest(sotto_ledger *ledger, next_life life, sent *out)
{
    sotto_unsent next;
    uint8_t frame[FRAME_BYTES];
    assert_ok(sotto_ledger_unsent(ledger, 0, &next));
    if (next.entry == 0) return;
    assert_int_equal(next.begun_ms, NOW);
    assert_in_range(next.send_at_ms, NOW + 60000, NOW + 120000);
    if (life == DROPS) {
        drop_the_rest(ledger, &next);
        return;
    }
    memcpy(frame, "STR1", 4);
    memcpy(frame + 4, next.spec_id, sizeof next.spec_id);
    memset(frame + 20, 0, 4);
    memcpy(frame + 24, next.nonce, sizeof next.nonce);
    memset(frame + 40, 0xff, 2); /* no index that a codebook has */
    if (life == SENDS) {
        assert_ok(sotto_ledger_seal(ledger, next.entry, frame, sizeof frame));
        add(out, frame);
    }
    sotto_status status = replace(ledger, next.entry, frame);
    bool may = next.held && !next.sealed && life != SENDS;
    assert_status(status, may ? SOTTO_OK : SOTTO_E_LEDGER);
    assert_ok(sotto_ledger_seal(ledger, next.entry, frame, sizeof frame));
    add(out, frame);
    assert_ok(sotto_ledger_acknowledge(ledger, next.entry));
    assert_status(replace(ledger, next.entry, frame), SOTTO_E_LEDGER);
    assert_ok(sotto_ledger_unsent(ledger, 0, &next));
    assert_int_equal(next.entry, 0);
}

/* One life and the next. *alive says whether the call was never made. True if it went well. */
static bool one_report_leaves(uint64_t call, moment when, int way, bool is_hasty, bool *alive)
{
    sent out = {.count = 0};
    unlink(f.file);
    assert_ok(sotto_ledger_file_create(f.file));
    *alive = !killed(call, when, way % 2 == 1, is_hasty, &out);
    if (WHY(sotto_ledger_file_fault, f.file) != NULL) {
        assert_int_equal(when, HALF_WAY); /* of a head block: nothing more leaves */
        assert_non_null(strstr(why_fault.sentence, "wrong checksum"));
        return !out.twice;
    }
    sotto_ledger *ledger = ledger_at(f.file);
    send_the_rest(ledger, (next_life)(way / 2), &out);
    bool left = out.count > 0 || sotto_ledger_dropped(ledger) > 0;
    assert_int_equal(left, sotto_ledger_reports(ledger));
    assert_true(sotto_ledger_rounds(ledger) <= 1);
    sotto_ledger_free(ledger);
    return !out.twice;
}

/* The first call at which two reports left, over all moments; 0: at none. */
static uint64_t first_failure(bool is_hasty, uint64_t *kills)
{
    for (int way = 0; way < 2 * LIVES; way++) { /* with a reward or not; and the next life */
        for (int when = BEFORE; when < MOMENTS; when++) {
            bool alive = false;
            for (uint64_t call = 1; !alive; call++) {
                if (!one_report_leaves(call, (moment)when, way, is_hasty, &alive)) return call;
                *kills += !alive;
            }
        }
    }
    return 0;
}

FIXTURE(set_up)
{
    f = directory_new();
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = 2, spec.arms = 2, spec.reward_window_s = spec.send_spread_s = 60;
    assert_ok(sotto_spec_resolve(&spec, &terms));
}

FIXTURE(tear_down)
{
    directory_free(&f);
}

TEST_WITH(no_kill_lets_a_second_report_leave, set_up, tear_down)
{
    uint64_t kills = 0, call = first_failure(false, &kills);
    if (call != 0) fail_msg("two reports left after a kill at call %d", (int)call);
    print_message("%d kills\n", (int)kills);
    assert_true(kills > 200);
}

TEST_WITH(a_twin_that_sends_before_the_seal_is_caught, set_up, tear_down)
{
    uint64_t kills = 0;
    assert_true(first_failure(true, &kills) > 0);
}
