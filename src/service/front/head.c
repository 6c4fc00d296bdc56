#include "head.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

front_method head_method(const char *name)
{
    static const struct {
        const char *name;
        front_method method;
    } methods[] = {
        {"POST", FRONT_POST}, {"GET", FRONT_GET},       {"HEAD", FRONT_GET},
        {"PUT", FRONT_PUT},   {"DELETE", FRONT_DELETE}, {"OPTIONS", FRONT_OPTIONS},
    };
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        if (strcmp(methods[i].name, name) == 0) return methods[i].method;
    }
    return FRONT_OTHER;
}

/* Whether others could read another header in it: it has a byte that no name has, such as a blank before
 * the colon; or it is a name that matters with the rest of a folded line, which libmicrohttpd 0.9.75 puts
 * behind the name. */
static bool is_odd(const char *name)
{
    static const char *const framing[] = {MHD_HTTP_HEADER_CONTENT_LENGTH,
                                          MHD_HTTP_HEADER_TRANSFER_ENCODING};
    for (size_t i = 0; i < sizeof framing / sizeof *framing; i++) {
        size_t bytes = strlen(framing[i]);
        if (strncasecmp(name, framing[i], bytes) == 0 && name[bytes] != '\0') return true;
    }
    for (; *name != '\0'; name++) {
        unsigned char c = (unsigned char)*name;
        bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!plain && strchr("!#$%&'*+-.^_`|~", c) == NULL) return true;
    }
    return false;
}

static enum MHD_Result read_record(void *self, enum MHD_ValueKind kind, const char *name,
                                   const char *value)
{
    request_head *head = self;
    head->records++;
    if (kind != MHD_HEADER_KIND) return MHD_YES;
    if (is_odd(name)) head->odd = true;
    if (strcasecmp(name, MHD_HTTP_HEADER_CONTENT_LENGTH) == 0) {
        head->length_twice = head->length != NULL;
        head->length = value;
    } else if (strcasecmp(name, MHD_HTTP_HEADER_TRANSFER_ENCODING) == 0) {
        head->coded = true;
    } else if (strcasecmp(name, MHD_HTTP_HEADER_EXPECT) == 0) {
        head->expects = true;
    } else if (strcasecmp(name, MHD_HTTP_HEADER_HOST) == 0) {
        head->host_twice = head->host;
        head->host = true;
    }
    return MHD_YES;
}

void head_read(struct MHD_Connection *connection, const char *version, request_head *out)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    *out = (request_head){.bytes = info != NULL ? info->header_size : 0,
                          .first = strcmp(version, MHD_HTTP_VERSION_1_0) == 0,
                          .path_cut = out->path_cut};
    MHD_get_connection_values(connection, MHD_HEADER_KIND | MHD_GET_ARGUMENT_KIND | MHD_COOKIE_KIND,
                              read_record, out);
}

const char *head_fault(const request_head *head, uint32_t *status)
{
    if (head->coded) {
        *status = MHD_HTTP_LENGTH_REQUIRED;
        return "A body must come with its Content-Length, and without Transfer-Encoding.";
    }
    if (head->length_twice) {
        *status = MHD_HTTP_BAD_REQUEST;
        return "There is more than one Content-Length.";
    }
    if (head->odd) {
        *status = MHD_HTTP_BAD_REQUEST;
        return "The name of a header is no name, or its line is folded.";
    }
    if (head->host_twice) {
        *status = MHD_HTTP_BAD_REQUEST;
        return "There is more than one Host.";
    }
    if (!head->host && !head->first) {
        *status = MHD_HTTP_BAD_REQUEST;
        return "There is no Host.";
    }
    if (head->path_cut) {
        *status = MHD_HTTP_URI_TOO_LONG;
        return "The path is longer than any that there is.";
    }
    size_t room = HEAD_CONNECTION_BYTES - HEAD_ANSWER_BYTES;
    if (head->bytes + head->records * HEAD_RECORD_BYTES > room) {
        *status = MHD_HTTP_REQUEST_HEADER_FIELDS_TOO_LARGE;
        return "The head leaves no room for that of an answer.";
    }
    return NULL;
}

uint64_t head_length(const request_head *head)
{
    return head->length != NULL ? strtoull(head->length, NULL, 10) : 0;
}
