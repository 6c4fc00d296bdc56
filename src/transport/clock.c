#include "transport.h"

/* ==== clock ================================================================================== */

uint64_t sotto__clock_left_ms(uint64_t now_ms, uint64_t begun_ms, uint64_t send_at_ms)
{
    if (begun_ms == 0 || send_at_ms <= now_ms) return 0;
    return send_at_ms - (now_ms < begun_ms ? begun_ms : now_ms);
}

/* ==== backoff ================================================================================ */

/* Waits that double, plus a random part. */

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

uint64_t sotto__backoff_next(sotto__backoff *backoff, uint64_t first_ms, uint64_t least_ms,
                             sotto_rng *rng)
{
    uint64_t part = 0, wait = larger(larger(first_ms, least_ms), 2 * backoff->wait_ms);
    if (wait > SOTTO__BACKOFF_MAX_MS) wait = SOTTO__BACKOFF_MAX_MS;
    backoff->wait_ms = wait;
    if (sotto__draw_below(rng, wait / 2 + 1, &part) != SOTTO_OK) part = 0;
    return wait + part;
}

void sotto__backoff_reset(sotto__backoff *backoff)
{
    backoff->wait_ms = 0;
}

/* ==== due ==================================================================================== */

/* The steady clock of a wire, and how many alarms may be set on it at once. */

uint64_t sotto__wire_now_ms(const sotto_wire *wire)
{
    return wire->clock.steady_ms(wire->clock.state);
}

sotto_status sotto__wire_add_alarms(sotto_wire *wire, size_t count)
{
    sotto_status status = sotto__alarms_reserve(&wire->alarms, wire->alarms_wanted + count);
    if (status == SOTTO_OK) wire->alarms_wanted += count;
    return status;
}

void sotto__wire_remove_alarms(sotto_wire *wire, size_t count)
{
    wire->alarms_wanted -= count;
}
