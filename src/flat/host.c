/* Calls to the host program, which stores the ledger and makes the requests. */
#include "inner.h"

#include <sotto/host.h>

static sotto_status load(void *state, uint8_t anchor[SOTTO_LEDGER_ANCHOR_BYTES], bool *found)
{
    (void)state;
    int32_t answer = sotto_host_ledger_load(anchor);
    *found = answer == 1;
    return answer >= 0 ? SOTTO_OK : SOTTO_E_LEDGER;
}

static sotto_status read(void *state, uint64_t sequence, size_t offset, uint8_t *bytes,
                         size_t count)
{
    (void)state;
    int32_t answer =
        sotto_host_ledger_read((double)sequence, (uint32_t)offset, bytes, (uint32_t)count);
    return answer == 1 ? SOTTO_OK : SOTTO_E_LEDGER;
}

static sotto_status append(void *state, const uint8_t *before, const uint8_t *after,
                           uint64_t sequence, const uint8_t *entry, size_t entry_bytes,
                           bool *stored)
{
    (void)state;
    int32_t answer =
        sotto_host_ledger_append(before, after, (double)sequence, entry, (uint32_t)entry_bytes);
    *stored = answer == 1;
    return answer >= 0 ? SOTTO_OK : SOTTO_E_LEDGER;
}

sotto_ledger_calls sotto__host_ledger(void)
{
    return (sotto_ledger_calls){
        .version = SOTTO_LEDGER_CALLS_VERSION, .load = load, .read = read, .append = append};
}

static sotto_status start(void *state, sotto_request *request)
{
    (void)state;
    double epoch = request->has_epoch ? request->epoch : -1.;
    return sotto_host_request(request, request->url, request->body, (uint32_t)request->body_bytes,
                              request->report_key, epoch, (uint32_t)request->answer_bytes_max,
                              request->timeout_ms) != 0
               ? SOTTO_OK
               : SOTTO_E_MEMORY;
}

static void stop(void *state, sotto_request *request)
{
    (void)state;
    sotto_host_request_stop(request);
}

sotto_requests sotto__host_requests(void)
{
    return (sotto_requests){.version = SOTTO_REQUESTS_VERSION, .start = start, .stop = stop};
}
