/*
 * What the host program provides if this library cannot call the operating system: in WebAssembly and on
 * phones (the build option SOTTO_HOST). Define these functions; nothing else changes.
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
 * getrandom. Never use anything weaker. Returns false if it cannot; then no round begins. */
SOTTO_HOST_GIVES(random) bool sotto_host_random(void *out, size_t bytes);

/* Milliseconds since 1970 by the clock that people set: Date.now(). */
SOTTO_HOST_GIVES(day_ms) double sotto_host_day_ms(void);
/* Milliseconds, at least 1, by a clock that never goes back: performance.now(). If it stops while the
 * machine sleeps, reports leave late. */
SOTTO_HOST_GIVES(steady_ms) double sotto_host_steady_ms(void);

/* The rest is only for sotto/flat.h. */

/* The ledger's store, with the contracts of sotto_ledger_calls. Each returns 1 for yes, 0 for no, -1 for a
 * failure. `load` copies the anchor of 128 bytes, if there is one. `read` copies bytes of an entry. `append`
 * compares and swaps. If `before` is NULL, there must be no anchor; sequence 0 means that there is no entry.
 * What `append` stores must be durable before a request begins or a decision is returned. */
SOTTO_HOST_GIVES(ledger_load) int32_t sotto_host_ledger_load(uint8_t *anchor);
SOTTO_HOST_GIVES(ledger_read)
int32_t sotto_host_ledger_read(double sequence, uint32_t offset, uint8_t *bytes, uint32_t count);
SOTTO_HOST_GIVES(ledger_append)
int32_t sotto_host_ledger_append(const uint8_t *before, const uint8_t *after, double sequence,
                                 const uint8_t *entry, uint32_t entry_bytes);

/* Begins a request; 0 if it cannot. sotto_flat_answer ends it; call that outside of all calls into this
 * library. The request is a POST of `body` as application/octet-stream, or a GET if body is NULL. report_key
 * is the header Sotto-Report-Key, or NULL. epoch is the header If-None-Match: "EPOCH", or -1. Send no cookie,
 * no referrer and no other header, and follow no redirect. Read at most answer_bytes_max bytes. */
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
