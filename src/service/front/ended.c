#include "ended.h"

#include "gate.h"
#include "hangup.h"
#include "phase.h"
#include "service/system/clock.h"

#define CLOCKS_MS 50u /* that libmicrohttpd's clock, a coarse one, may differ from ours */

static bool is_quiet_for_long(const front_request *request)
{
    return clock_steady_ms() - request->since_ms + CLOCKS_MS >= request->front->idle_ms_max;
}

/* Whether the other side was still there: it may go as soon as it hears that we end. */
static bool was_idle(const front_request *request)
{
    return is_quiet_for_long(request) && !request->went;
}

/* Whether it was answered, or the other side is still there. Of those who asked before, it cannot be told. */
static bool was_unreadable(const front_request *request)
{
    if (request->served || is_quiet_for_long(request)) return false;
    int fd = phase_socket(request);
    return hangup_was_told(fd) || !hangup_all_read(fd);
}

void ended_idle(front_request *request)
{
    if (request->cut) return;
    request->front->counts.refused[FRONT_REFUSED_IDLE]++;
    request->ended = true;
}

void ended_count(front_request *request)
{
    sottod_front *front = request->front;
    if (request->cut || request->ended || request->step != STEP_HEAD) return;
    if (was_idle(request)) {
        ended_idle(request);
    } else if (was_unreadable(request)) {
        front->counts.refused[FRONT_REFUSED_HEAD]++;
        (void)gate_charge(request);
    }
}
