#include "core/core.h"
#include "inner.h"

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

/* Whether others could take the name for a different one: it has a byte that no name may have, such as a blank before
 * the colon. */
static bool is_odd(const char *name)
{
    for (; *name != '\0'; name++) {
        unsigned char c = (unsigned char)*name;
        bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!plain && strchr("!#$%&'*+-.^_`|~", c) == NULL) return true;
    }
    return false;
}

/* No text in a head may have a control character. */
static bool has_control(const char *text)
{
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if ((c < ' ' && c != '\t') || c == 0x7f) return true;
    }
    return false;
}

head_target head_target_of(const char *uri)
{
    static const struct {
        const char *name, *port;
    } schemes[] = {{"http://", ":80"}, {"https://", ":443"}};
    head_target target = {.begin = uri, .end = uri + strlen(uri), .control = has_control(uri)};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        size_t bytes = strlen(schemes[i].name);
        if (strncasecmp(uri, schemes[i].name, bytes) != 0) continue;
        target.port = schemes[i].port;
        target.authority = uri + bytes;
        target.authority_bytes = strcspn(target.authority, "/?#");
        uri = target.authority + target.authority_bytes;
    }
    target.path = uri;
    target.path_bytes = strcspn(uri, "?");
    if (target.authority == NULL || target.path_bytes > 0) return target;
    target.path = "/";
    target.path_bytes = 1;
    return target;
}

/*
 * libmicrohttpd before 1.0 reads a line up to its first NUL, and takes a line that begins with NUL for the end of the
 * head. It also writes NULs into the memory of the head: one over the colon, one over each byte of a line end. So
 * nothing was cut if each name begins right after the previous line, and the head ends right after an empty line. A NUL
 * right before a LF looks like CR LF; it hides nothing. */
typedef struct head_walk {
    request_head *head;
    const char *at; /* the end of the previous line: a NUL */
    bool whole;
} head_walk;

/* Between method and target there are only blanks, and libmicrohttpd's one NUL after each of them. */
static bool is_whole_line(const char *method, const head_target *target, const char *version)
{
    const char *blanks = method + strlen(method) + 1;
    return blanks + strspn(blanks, " ") == target->begin && version == target->end + 1;
}

static enum MHD_Result read_record(void *self, enum MHD_ValueKind kind, const char *name,
                                   const char *value)
{
    head_walk *walk = self;
    request_head *head = walk->head;
    head->records++;
    if (kind != MHD_HEADER_KIND) return MHD_YES;
    walk->whole =
        walk->whole && (name == walk->at + 1 || (name == walk->at + 2 && walk->at[1] == '\0'));
    walk->at = value + strlen(value);
    if (is_odd(name)) head->odd = true;
    if (has_control(value)) head->control = true;
    if (strcasecmp(name, MHD_HTTP_HEADER_CONTENT_LENGTH) == 0) {
        head->length_twice = head->length != NULL;
        head->length = value;
    } else if (strcasecmp(name, MHD_HTTP_HEADER_TRANSFER_ENCODING) == 0) {
        head->coded = true;
    } else if (strcasecmp(name, MHD_HTTP_HEADER_EXPECT) == 0) {
        head->expects = true;
    } else if (strcasecmp(name, MHD_HTTP_HEADER_HOST) == 0) {
        head->host_twice = head->host != NULL;
        head->host = value;
    } else if (strcasecmp(name, MHD_HTTP_HEADER_AUTHORIZATION) == 0) {
        head->authorizations++;
    } else if (strcasecmp(name, MHD_HTTP_HEADER_ORIGIN) == 0) {
        head->origins++;
    }
    return MHD_YES;
}

/* Exactly two line ends: `at` is where the last line with text ends. */
static bool ends_head(const char *at, const char *end)
{
    static const char nuls[4];
    size_t bytes = (size_t)(end - at);
    return bytes >= 2 && bytes <= sizeof nuls && memcmp(at, nuls, bytes) == 0;
}

/* The length of the host without the default port of its scheme, which may be given, empty or absent. */
static size_t bytes_without(const char *port, const char *host, size_t bytes)
{
    size_t port_bytes = strlen(port);
    if (bytes > 0 && host[bytes - 1] == ':') return bytes - 1;
    bool said = bytes >= port_bytes && memcmp(host + bytes - port_bytes, port, port_bytes) == 0;
    return said ? bytes - port_bytes : bytes;
}

static bool is_host_of(const head_target *target, const char *host)
{
    size_t bytes = bytes_without(target->port, host, strlen(host));
    return bytes == bytes_without(target->port, target->authority, target->authority_bytes) &&
           strncasecmp(host, target->authority, bytes) == 0;
}

void head_read(struct MHD_Connection *connection, const head_target *target, const char *method,
               const char *version, request_head *out)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    *out = (request_head){.bytes = info != NULL ? info->header_size : 0,
                          .first = strcmp(version, MHD_HTTP_VERSION_1_0) == 0,
                          .control = target->control,
                          .path_cut = out->path_cut};
    head_walk walk = {.head = out, .at = version + strlen(version), .whole = true};
    walk.whole = is_whole_line(method, target, version);
    MHD_get_connection_values(connection, MHD_HEADER_KIND | MHD_GET_ARGUMENT_KIND | MHD_COOKIE_KIND,
                              read_record, &walk);
    out->cut = strncmp(MHD_get_version(), "0.", 2) == 0 &&
               !(walk.whole && ends_head(walk.at, method + out->bytes));
    out->host_other =
        target->authority != NULL && out->host != NULL && !is_host_of(target, out->host);
}

sotto_status head_fault(const request_head *head, uint32_t *status, sotto_fault *fault)
{
    const size_t room = HEAD_CONNECTION_BYTES - HEAD_ANSWER_BYTES;
    const bool is_long = head->bytes + head->records * HEAD_RECORD_BYTES > room;
    const struct {
        bool found;
        uint32_t status;
        const char *sentence;
    } faults[] = {
        {head->coded, MHD_HTTP_LENGTH_REQUIRED,
         "A body needs a Content-Length. Transfer-Encoding is not supported."},
        {head->cut || head->control, MHD_HTTP_BAD_REQUEST,
         "The head has a control character, such as NUL or a bare CR, or a folded line."},
        {head->length_twice, MHD_HTTP_BAD_REQUEST, "The request has more than one Content-Length."},
        {head->odd, MHD_HTTP_BAD_REQUEST, "The name of a header is not valid."},
        {head->host_twice, MHD_HTTP_BAD_REQUEST, "The request has more than one Host."},
        {head->authorizations > 1, MHD_HTTP_BAD_REQUEST,
         "The request has more than one Authorization."},
        {head->origins > 1, MHD_HTTP_BAD_REQUEST, "The request has more than one Origin."},
        {head->host_other, MHD_HTTP_BAD_REQUEST, "Host differs from the host in the URL."},
        {head->host == NULL && !head->first, MHD_HTTP_BAD_REQUEST, "The request has no Host."},
        {head->path_cut, MHD_HTTP_URI_TOO_LONG, "The path is longer than every known path."},
        {is_long, MHD_HTTP_REQUEST_HEADER_FIELDS_TOO_LARGE, "The head of the request is too long."},
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        if (!faults[i].found) continue;
        *status = faults[i].status;
        return sotto__refuse(fault, "%s", faults[i].sentence);
    }
    return SOTTO_OK;
}

uint64_t head_length(const request_head *head)
{
    return head->length != NULL ? strtoull(head->length, NULL, 10) : 0;
}
