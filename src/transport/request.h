/* One request at a time, and its answer. */
#ifndef SOTTO_TRANSPORT_REQUEST_H
#define SOTTO_TRANSPORT_REQUEST_H

#include "parts.h"

#define SOTTO__ANSWER_BYTES_MAX 4096u /* of an answer to reports */

SOTTO_CHECK sotto_status sotto__request_make(sotto__request *request, sotto_wire *wire,
                                             void (*done)(sotto__request *, const sotto__answer *));
/* Ends what is under way, without a call of `done`. */
void sotto__request_stop(sotto__request *request);
void sotto__request_free(sotto__request *request);

/* GET url/leaf, and no more than body_max bytes of its body; if epoch is not NULL, only if the server
 * has another one. `done` is called within a later turn. */
SOTTO_CHECK sotto_status sotto__request_get(sotto__request *request, const sotto__url *url,
                                            const char *leaf, size_t body_max,
                                            const uint32_t *epoch);
/* Headers of a request with reports, without a key (NULL) or with one. NULL: no memory. */
void *sotto__request_headers(const char *report_key);
void sotto__request_headers_free(void *headers);
/* POST url/reports. The headers and the frames must stay until `done`. */
SOTTO_CHECK sotto_status sotto__request_post(sotto__request *request, const sotto__url *url,
                                             void *headers, const uint8_t *frames, size_t bytes);

/* libcurl's handle has ended, with its code. */
void sotto__request_end(void *easy, int code);

#endif
