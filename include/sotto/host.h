/*
 * What the host program provides where this library knows no system: in WebAssembly and on phones (the
 * build option SOTTO_HOST). Define these functions; everything else stays as it is.
 *
 * A page gives them as imports of the module "sotto", by the name after "sotto_host_".
 */
#ifndef SOTTO_HOST_H
#define SOTTO_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __wasm__
#define SOTTO_HOST_GIVES(name) __attribute__((import_module("sotto"), import_name(#name)))
#else
#define SOTTO_HOST_GIVES(name)
#endif

/* Fills `out` with the system's randomness for secrets: crypto.getRandomValues, SecRandomCopyBytes,
 * getrandom. False if it cannot: then no round begins. Never fill it with anything weaker. */
SOTTO_HOST_GIVES(random) bool sotto_host_random(void *out, size_t bytes);

/* Milliseconds since 1970, as people set the clock: Date.now(). */
SOTTO_HOST_GIVES(day_ms) double sotto_host_day_ms(void);
/* Milliseconds by a clock that never goes back, from 1 on: performance.now(). If it stops while the
 * machine sleeps, reports leave late. */
SOTTO_HOST_GIVES(steady_ms) double sotto_host_steady_ms(void);

/* The rest is only for sotto/flat.h. */

/* The ledger's store, as sotto_ledger_calls: each returns 1 for yes, 0 for no, -1 if it fails. `load` copies the
 * anchor of 128 bytes, if there is one. `read` copies bytes of an entry. `append` compares and swaps; no
 * `before`: there must be no anchor; sequence 0: there is no entry. What `append` stored must be durable
 * before a request begins or a decision is returned. */
SOTTO_HOST_GIVES(ledger_load) int32_t sotto_host_ledger_load(uint8_t *anchor);
SOTTO_HOST_GIVES(ledger_read)
int32_t sotto_host_ledger_read(double sequence, uint32_t offset, uint8_t *bytes, uint32_t count);
SOTTO_HOST_GIVES(ledger_append)
int32_t sotto_host_ledger_append(const uint8_t *before, const uint8_t *after, double sequence,
                                 const uint8_t *entry, uint32_t entry_bytes);

/* Begins a request; sotto_flat_answer ends it, from outside of all calls into this library. A POST of `body`
 * as application/octet-stream, or a GET if body is NULL. report_key: the header Sotto-Report-Key, or NULL.
 * epoch: the header If-None-Match: "EPOCH", or -1. No cookie, no referrer, no other header of its own, no
 * redirect. More than answer_bytes_max need not be read. 0 if it cannot begin. */
SOTTO_HOST_GIVES(request)
int32_t sotto_host_request(void *request, const char *url, const uint8_t *body, uint32_t body_bytes,
                           const char *report_key, double epoch, uint32_t answer_bytes_max,
                           uint32_t timeout_ms);
/* The library does not want the answer any more: do not deliver it. */
SOTTO_HOST_GIVES(request_stop) void sotto_host_request_stop(void *request);

#ifdef __cplusplus
}
#endif
#endif
