/* From the status of an answer to what a device does. */
#include "answer.h"
#include "core/fault.h"

#include <string.h>

/* Whether the JSON of an error has this field: `"field": "epoch"`. A device needs no more of it. */
static bool names_field(const sotto__answer *answer, const char *field)
{
    static const char key[] = "\"field\"";
    size_t length = strlen(field);
    const char *at = (const char *)answer->body, *end = at + answer->body_bytes;
    for (; at != NULL && (size_t)(end - at) > sizeof key; at++) {
        if (memcmp(at, key, sizeof key - 1) != 0) continue;
        for (at += sizeof key - 1; at < end && (*at == ' ' || *at == ':'); at++) {
        }
        return (size_t)(end - at) > length + 1 && at[0] == '"' &&
               memcmp(at + 1, field, length) == 0 && at[length + 1] == '"';
    }
    return false;
}

const char *sotto__answer_fault(const sotto__answer *answer, const char *what,
                                char text[SOTTO_FAULT_BYTES])
{
    if (answer->status == 0) return sotto__fault(text, "%s: no answer: %s", what, answer->why);
    if (answer->status < 300 && answer->too_long)
        return sotto__fault(text, "%s: the answer (%ld) is longer than any right one", what,
                            answer->status);
    if (answer->status >= 300 && answer->status < 400 && answer->status != 304)
        return sotto__fault(
            text, "%s: the server answered %ld, a redirect, which a device does not follow", what,
            answer->status);
    if (answer->status == 403)
        return sotto__fault(text, "%s: the server wants another report key (403)", what);
    if (answer->status == 404)
        return sotto__fault(text, "%s: the server has no such experiment (404)", what);
    if (answer->status == 409)
        return sotto__fault(text, "%s: the experiment is paused (409)", what);
    if (answer->status == 410)
        return sotto__fault(text, "%s: the experiment has ended (410)", what);
    if (answer->status == 429)
        return sotto__fault(text, "%s: the server takes no more from this address now (429)", what);
    if (answer->status == 503)
        return sotto__fault(text, "%s: the server cannot take requests now (503)", what);
    return sotto__fault(text, "%s: the server answered %ld", what, answer->status);
}

sotto__verdict sotto__answer_judge(const sotto__answer *answer, char text[SOTTO_FAULT_BYTES])
{
    if (answer->status == 204 && !answer->too_long) return SOTTO__TAKEN;
    sotto__answer_fault(answer, "report", text);
    switch (answer->status) {
    case 400: break;
    case 404:
    case 410: return SOTTO__LOST;
    case 409: return SOTTO__PAUSED;
    default: return SOTTO__AGAIN;
    }
    if (names_field(answer, "epoch")) {
        sotto__fault(text, "report: its epoch has not begun at the server (400): it was restored "
                           "from an older copy");
        return SOTTO__NOT_YET;
    }
    sotto__fault(text, "report: the server refuses it (400)");
    return SOTTO__REFUSED;
}
