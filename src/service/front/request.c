/* What a door can read from a request. */
#include "inner.h"

#include <string.h>

front_method front_request_method(const front_request *request)
{
    return request->method;
}

const char *front_request_path(const front_request *request)
{
    return request->path;
}

static const char *whole(const char *text, size_t bytes)
{
    return text == NULL || strlen(text) == bytes ? text : "%00";
}

const char *front_request_argument(const front_request *request, const char *name)
{
    const char *value = NULL;
    size_t bytes = 0;
    MHD_lookup_connection_value_n(request->connection, MHD_GET_ARGUMENT_KIND, name, strlen(name),
                                  &value, &bytes);
    return whole(value, bytes);
}

const char *front_request_header(const front_request *request, const char *name)
{
    return MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND, name);
}

const uint8_t *front_request_body(const front_request *request, size_t *bytes)
{
    *bytes = request->body.bytes;
    return request->body.at;
}

typedef struct argument_reader {
    bool (*take)(void *self, const char *name, const char *value);
    void *self;
} argument_reader;

static enum MHD_Result read_argument(void *self, enum MHD_ValueKind kind, const char *name,
                                     size_t name_bytes, const char *value, size_t value_bytes)
{
    const argument_reader *reader = self;
    (void)kind;
    return reader->take(reader->self, whole(name, name_bytes), whole(value, value_bytes)) ? MHD_YES
                                                                                          : MHD_NO;
}

void front_request_arguments(const front_request *request,
                             bool (*take)(void *self, const char *name, const char *value),
                             void *self)
{
    argument_reader reader = {.take = take, .self = self};
    MHD_get_connection_values_n(request->connection, MHD_GET_ARGUMENT_KIND, read_argument, &reader);
}
