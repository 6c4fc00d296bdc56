/* What the head of a request says, and whether anybody could serve it. */
#ifndef SERVICE_FRONT_HEAD_H
#define SERVICE_FRONT_HEAD_H

#include "front.h"

#include <microhttpd.h>

#define HEAD_CONNECTION_BYTES 4096u /* memory of a connection: a head, and that of its answer */
#define HEAD_RECORD_BYTES 64u       /* of it, for each header and argument: or less */
#define HEAD_ANSWER_BYTES 600u      /* of it, for the head of the answer: or less */

typedef struct request_head {
    size_t bytes;
    size_t records;     /* headers, arguments and cookies */
    const char *length; /* Content-Length; NULL: not said */
    bool length_twice;
    bool coded;   /* Transfer-Encoding */
    bool expects; /* waits for 100 before it sends the body */
    bool odd;     /* a header that others might take for another one */
    bool host;
    bool host_twice;
    bool first;    /* HTTP/1.0 */
    bool path_cut; /* longer than what is kept of it */
} request_head;

front_method head_method(const char *name);
/* Fills *out, but for path_cut, which stays. */
void head_read(struct MHD_Connection *connection, const char *version, request_head *out);
/* A sentence, and a status, if it must be refused; otherwise NULL. */
const char *head_fault(const request_head *head, uint32_t *status);
/* Of the body; 0 if it is not said. libmicrohttpd has refused what is no number. */
uint64_t head_length(const request_head *head);

#endif
