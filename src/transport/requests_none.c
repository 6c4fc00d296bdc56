/* For systems without HTTP: the host program makes the requests. */
#include "inner.h"

const char *sotto__requests_missing(void)
{
    return "requests is missing: this library was built without libcurl";
}

sotto_status sotto__requests_new(const sotto_wire_options *options, sotto_requests *out)
{
    (void)options, (void)out;
    return SOTTO_E_FAULT;
}

void sotto__requests_free(void *state)
{
    (void)state;
}
