/* A request and its answer, one at a time. requests_*.c carries the bytes. */
#include "core/core.h"
#include "inner.h"

#define RETRY_AFTER_MAX_MS 86400000u

void sotto__request_make(sotto__request *request, sotto_wire *wire,
                         void (*done)(sotto__request *, const sotto_answer *))
{
    *request = (sotto__request){.wire = wire, .done = done};
}

static void end(sotto__request *request)
{
    request->running = false;
    request->wire->under_way--;
}

void sotto__request_stop(sotto__request *request)
{
    if (!request->running) return;
    const sotto_requests *requests = &request->wire->requests;
    requests->stop(requests->state, &request->asked);
    sotto__floats_again();
    end(request);
}

/* Starts a request. `asked` has everything except the URL and the timeout. */
static sotto_status start(sotto__request *request, const sotto__url *url, const char *leaf,
                          sotto_request asked)
{
    const sotto_requests *requests = &request->wire->requests;
    sotto__format(request->url, sizeof request->url, "%s/%s", url->text, leaf);
    request->asked = asked;
    request->asked.url = request->url;
    request->asked.timeout_ms = request->wire->options.timeout_ms;
    request->running = true;
    request->wire->under_way++;
    sotto_status status = requests->start(requests->state, &request->asked);
    sotto__floats_again();
    if (status == SOTTO_OK) return SOTTO_OK;
    end(request);
    return SOTTO_E_MEMORY; /* temporary: the caller tries again */
}

sotto_status sotto__request_get(sotto__request *request, const sotto__url *url, const char *leaf,
                                size_t body_max, const uint32_t *epoch)
{
    return start(request, url, leaf,
                 (sotto_request){.answer_bytes_max = body_max,
                                 .has_epoch = epoch != NULL,
                                 .epoch = epoch != NULL ? *epoch : 0});
}

sotto_status sotto__request_post(sotto__request *request, const sotto__url *url,
                                 const char *report_key, const uint8_t *frames, size_t bytes)
{
    return start(request, url, "reports",
                 (sotto_request){.body = frames,
                                 .body_bytes = bytes,
                                 .report_key = report_key,
                                 .answer_bytes_max = SOTTO__ANSWER_BYTES_MAX});
}

/* The reason may contain text from the server, such as the name in a certificate, so characters
 * that a terminal would obey are replaced. */
static const char *printable(sotto__request *request, const char *why)
{
    if (why == NULL) return NULL;
    sotto__format(request->why, sizeof request->why, "%s", why);
    for (char *at = request->why; *at != '\0'; at++) {
        if (*at < ' ' || *at > '~') *at = '?';
    }
    return request->why;
}

/* The number comes from the server's status line, and may be anything. */
static bool is_status(long status)
{
    return status >= 100 && status <= 999;
}

static void take(sotto__request *request, const sotto_answer *given)
{
    const sotto_request *asked = &request->asked;
    sotto_answer answer = *given;
    if (!is_status(given->status)) {
        answer.status = 0;
        answer.retry_after_ms = 0;
        if (given->why == NULL) answer.why = "its first line has no status";
    }
    if (answer.body == NULL || answer.body_bytes > asked->answer_bytes_max) {
        answer.too_long = answer.too_long || answer.body_bytes > asked->answer_bytes_max;
        answer.body_bytes = 0;
    }
    if (answer.retry_after_ms > RETRY_AFTER_MAX_MS) answer.retry_after_ms = RETRY_AFTER_MAX_MS;
    answer.why = printable(request, answer.why);
    request->wire->answered++;
    end(request);
    request->done(request, &answer);
}

void sotto_request_answer(sotto_request *request, const sotto_answer *answer)
{
    SOTTO__DEFAULT_FLOATS;
    if (request == NULL || answer == NULL) return;
    sotto__request *self = (sotto__request *)request;
    if (self->running) SOTTO__UNSEEN(take)(self, answer);
}
