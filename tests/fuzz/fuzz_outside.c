/*
 * Whatever a program prints that is audited: all answers are taken, as finite numbers and as many each time, or a reason
 * that a terminal can show. There is no program: the linker sends what would read from it here. The first byte says how
 * many questions there are, the second how many bytes come at a time.
 */
#include "core/core.h"
#include "lab/audit/inner.h"
#include "specs.h"
#include "text/text.h"

#include <math.h>
#include <string.h>

#define TRIALS_MAX 15u

static const uint8_t *left;
static size_t left_bytes, piece_bytes;

sotto_status __wrap_sotto__outside_start(const char *command, sotto__outside *out);
bool __wrap_sotto__outside_send(sotto__outside *program, const char *bytes, size_t count,
                                size_t *sent);
void __wrap_sotto__outside_close(sotto__outside *program);
bool __wrap_sotto__outside_receive(sotto__outside *program, char *bytes, size_t capacity,
                                   size_t *got);
bool __wrap_sotto__outside_wait(const sotto__outside *program, bool to_write, double timeout_s);
int __wrap_sotto__outside_end(sotto__outside *program, double timeout_s);

sotto_status __wrap_sotto__outside_start(const char *command, sotto__outside *out)
{
    (void)command;
    *out = (sotto__outside){.in = 0, .out = 0};
    return SOTTO_OK;
}

bool __wrap_sotto__outside_send(sotto__outside *program, const char *bytes, size_t count,
                                size_t *sent)
{
    (void)program, (void)bytes;
    *sent = count;
    return true;
}

void __wrap_sotto__outside_close(sotto__outside *program)
{
    program->in = -1;
}

bool __wrap_sotto__outside_receive(sotto__outside *program, char *bytes, size_t capacity,
                                   size_t *got)
{
    (void)program;
    *got = left_bytes < piece_bytes ? left_bytes : piece_bytes;
    if (*got > capacity) *got = capacity;
    memcpy(bytes, left, *got);
    left += *got;
    left_bytes -= *got;
    return *got > 0;
}

bool __wrap_sotto__outside_wait(const sotto__outside *program, bool to_write, double timeout_s)
{
    (void)program, (void)to_write, (void)timeout_s;
    return true;
}

int __wrap_sotto__outside_end(sotto__outside *program, double timeout_s)
{
    (void)program, (void)timeout_s;
    return 0;
}

typedef struct listener {
    sotto__taker taker;
    uint64_t taken;
    uint32_t count;
} listener;

static sotto_status take(sotto__taker *taker, uint64_t t, const sotto__subject_answer *answer)
{
    listener *all = (listener *)taker;
    fuzz_require(t == all->taken && answer->count > 0);
    fuzz_require(t == 0 || answer->count == all->count);
    for (uint32_t i = 0; i < answer->count; i++) {
        fuzz_require(isfinite(answer->value[i]));
    }
    all->count = answer->count;
    all->taken++;
    return SOTTO_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const double input[] = {1, 10, 2, 20};
    static const uint8_t coins[] = {0x5a, 0x5a};
    if (size < 2) return 0;
    sotto__subject subject = {.claim = {.family = SOTTO__OUTSIDE, .dim = 2}, .timeout_s = 1};
    sotto__script script = {
        .dim = 2, .pairs = 1, .trials = 1 + data[0] % TRIALS_MAX, .input = input, .coins = coins};
    listener all = {{take}, 0, 0};
    left = data + 2;
    left_bytes = size - 2;
    piece_bytes = 1u + 16u * data[1];
    fuzz_require(sotto__ask_outside(&subject, &script, &all.taker) == SOTTO_OK);
    fuzz_require(all.taken <= script.trials);
    const char *says = subject.fault.sentence;
    fuzz_require(all.taken == script.trials || says[0] != '\0');
    size_t bytes = strlen(says), length;
    for (size_t at = 0; at < bytes; at += length) {
        uint32_t character = sotto__character(says + at, bytes - at, &length);
        fuzz_require(!sotto__is_obeyed(character));
    }
    return 0;
}
