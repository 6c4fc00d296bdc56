/* What other rooms may use of this one. */
#ifndef SOTTO_SERVICE_PAGES_ROOM_H
#define SOTTO_SERVICE_PAGES_ROOM_H

#include <stddef.h>
#include <stdint.h>

/* ---- pages ---------------------------------------------------------------------------------- */

/* Files for browsers that are part of the program (CMakeLists.txt): the dashboard, and openapi.json. They are the same for
 * everybody and hold nothing of an experiment, so that reading them needs no token. */

typedef struct page_file {
    const char *path; /* "/", "/openapi.json", "/dashboard.js" */
    const char *type;
    const char *tag; /* an ETag, of the bytes */
    const uint8_t *bytes;
    size_t bytes_count;
} page_file;

/* The file of a path; NULL: there is none. */
const page_file *pages_find(const char *path);

/* What a page of ours may do: it runs no code that is not a file of this port, talks to no other place, and stands in no
 * frame. WebAssembly runs in workers. */
#define PAGES_POLICY                                                                               \
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; "                \
    "style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "  \
    "frame-ancestors 'none'"

#endif
