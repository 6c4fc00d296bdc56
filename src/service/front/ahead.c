/*
 * Bytes of a request are there before the answer to the one before in one of two ways.
 *
 * libmicrohttpd has read them: then the request begins in the round in which that answer was sent. In a round
 * libmicrohttpd reads from a connection before it sends, and not again.
 *
 * Or the system still has them when the one before is whole. That can be so if that one left no room for the whole first
 * line of another in the memory of the connection: it begins in a later round then. That was seen from 1,031 bytes of
 * a request on. To see it takes a system call, so short requests are not looked at, unless the connection has sent ahead.
 */
#include "ahead.h"

#include "head.h"
#include "phase.h"

#include <sys/ioctl.h>

#define LONG_BYTES (HEAD_CONNECTION_BYTES / 8u)

void ahead_begin(front_request *request)
{
    bool ahead = request->more || request->sent_round == request->front->round;
    request->more = false;
    if (ahead) {
        request->ahead++;
    } else if (request->ahead > 0) {
        request->ahead--;
    }
}

static bool is_long(const front_request *request)
{
    size_t head_bytes =
        MHD_get_connection_info(request->connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE)
            ->header_size;
    return head_bytes + request->received > LONG_BYTES;
}

void ahead_whole(front_request *request)
{
    int bytes = 0;
    if (request->ahead == 0 && !is_long(request)) return;
    request->more = ioctl(phase_socket(request), FIONREAD, &bytes) == 0 && bytes > 0;
}

void ahead_sent(front_request *request)
{
    request->sent_round = request->front->round;
}

bool ahead_ends(front_request *request)
{
    if (request->ahead < AHEAD_MAX) return false;
    request->front->counts.refused[FRONT_REFUSED_AHEAD]++;
    return true;
}
