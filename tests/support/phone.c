#include "phone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

phone the_phone;

void phone_request_free(phone_request *request)
{
    free(request->body);
    request->body = NULL;
}

void phone_reset(uint32_t tape)
{
    for (uint32_t i = 0; i < the_phone.entries; i++) {
        free(the_phone.entry[i]);
    }
    for (uint32_t i = 0; i < the_phone.requests; i++) {
        phone_request_free(&the_phone.request[i]);
    }
    memset(&the_phone, 0, sizeof the_phone);
    the_phone.tape = tape;
    the_phone.day_ms = 1790000000000;
    the_phone.steady_ms = 1000;
}

static void take_out(uint32_t i)
{
    the_phone.requests--;
    memmove(&the_phone.request[i], &the_phone.request[i + 1],
            (the_phone.requests - i) * sizeof the_phone.request[0]);
}

phone_request phone_take(void)
{
    phone_request first = the_phone.request[0];
    if (the_phone.requests == 0) abort();
    take_out(0);
    return first;
}

bool sotto_host_random(void *out, size_t bytes)
{
    uint8_t *at = out;
    uint32_t x = the_phone.tape;
    if (x == 0) return false;
    for (size_t i = 0; i < bytes; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        at[i] = (uint8_t)x;
    }
    the_phone.tape = x;
    return true;
}

double sotto_host_day_ms(void)
{
    return the_phone.day_ms;
}

double sotto_host_steady_ms(void)
{
    return the_phone.steady_ms;
}

int32_t sotto_host_ledger_load(uint8_t *anchor)
{
    if (the_phone.store_fails) return -1;
    if (the_phone.has_anchor) memcpy(anchor, the_phone.anchor, sizeof the_phone.anchor);
    return the_phone.has_anchor;
}

int32_t sotto_host_ledger_read(double sequence, uint32_t offset, uint8_t *bytes, uint32_t count)
{
    uint32_t i = (uint32_t)sequence - 1;
    if (the_phone.store_fails || i >= the_phone.entries) return -1;
    if (offset + count > the_phone.entry_bytes[i]) return -1;
    memcpy(bytes, the_phone.entry[i] + offset, count);
    return 1;
}

int32_t sotto_host_ledger_append(const uint8_t *before, const uint8_t *after, double sequence,
                                 const uint8_t *entry, uint32_t entry_bytes)
{
    if (the_phone.store_fails) return -1;
    if ((before != NULL) != the_phone.has_anchor) return 0;
    if (before != NULL && memcmp(before, the_phone.anchor, sizeof the_phone.anchor) != 0) return 0;
    if (sequence > 0) {
        uint32_t i = the_phone.entries;
        if (sequence != i + 1 || i == PHONE_ENTRIES_MAX) return -1;
        the_phone.entry[i] = malloc(entry_bytes);
        if (the_phone.entry[i] == NULL) return -1;
        memcpy(the_phone.entry[i], entry, entry_bytes);
        the_phone.entry_bytes[i] = entry_bytes;
        the_phone.entries++;
    }
    memcpy(the_phone.anchor, after, sizeof the_phone.anchor);
    the_phone.has_anchor = true;
    return 1;
}

int32_t sotto_host_request(void *request, const char *url, const uint8_t *body, uint32_t body_bytes,
                           const char *report_key, double epoch, uint32_t answer_bytes_max,
                           uint32_t timeout_ms)
{
    if (the_phone.refuses || the_phone.requests == PHONE_REQUESTS_MAX) return 0;
    phone_request *one = &the_phone.request[the_phone.requests++];
    *one = (phone_request){.handle = request,
                           .body_bytes = body_bytes,
                           .epoch = epoch,
                           .answer_bytes_max = answer_bytes_max,
                           .timeout_ms = timeout_ms};
    snprintf(one->url, sizeof one->url, "%s", url);
    snprintf(one->report_key, sizeof one->report_key, "%s", report_key != NULL ? report_key : "");
    if (body != NULL) {
        one->body = malloc(body_bytes);
        if (one->body == NULL) abort();
        memcpy(one->body, body, body_bytes);
    }
    return 1;
}

void sotto_host_request_stop(void *request)
{
    for (uint32_t i = 0; i < the_phone.requests; i++) {
        if (the_phone.request[i].handle != request) continue;
        phone_request_free(&the_phone.request[i]);
        take_out(i);
        the_phone.stopped++;
        return;
    }
}
