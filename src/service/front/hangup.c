#include "inner.h"

#include <assert.h>
#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

/* ==== hangup ================================================================================= */

#define EVENTS_MAX 64u
/* As in netinet/tcp.h, which cannot be included with linux/tcp.h and has a shorter tcp_info. */
#define TCP_CLOSE_WAIT 8

int hangup_new(void)
{
    return epoll_create1(EPOLL_CLOEXEC);
}

bool hangup_watch(int watch, int socket, void *whose)
{
    struct epoll_event event = {.events = EPOLLRDHUP | EPOLLET, .data.ptr = whose};
    return epoll_ctl(watch, EPOLL_CTL_ADD, socket, &event) == 0;
}

size_t hangup_list(int watch, void *whose[], size_t max)
{
    assert(max > 0);
    struct epoll_event event[EVENTS_MAX];
    int count = epoll_wait(watch, event, (int)(max < EVENTS_MAX ? max : EVENTS_MAX), 0);
    for (int i = 0; i < count; i++) {
        whose[i] = event[i].data.ptr;
    }
    return count > 0 ? (size_t)count : 0;
}

bool hangup_all_read(int socket)
{
    char byte;
    ssize_t bytes = recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return bytes == 0 || (bytes < 0 && errno != EAGAIN && errno != EINTR);
}

/* All zeros if the system does not provide it. */
static struct tcp_info info_of(int socket)
{
    struct tcp_info info = {0};
    socklen_t bytes = sizeof info;
    (void)getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &bytes);
    return info;
}

bool hangup_came_first(int socket)
{
    return info_of(socket).tcpi_state == TCP_CLOSE_WAIT;
}

bool hangup_has_sent(int socket)
{
    return info_of(socket).tcpi_data_segs_out > 0;
}

/* ==== ahead ================================================================================== */

/*
 * There are two ways in which bytes of a request can arrive before the answer to the previous one.
 *
 * libmicrohttpd has read them: then the request begins in the pass in which that answer was sent. Within a pass,
 * libmicrohttpd reads from a connection before it sends, and not again.
 *
 * Or the system still holds them when the previous request is complete. This happens if that request left no room for
 * the next first line in the memory of the connection; the next request then begins in a later pass. We saw this from
 * 1,031 bytes per request on. Detecting it takes a system call, so short requests are not checked unless the connection
 * has sent ahead before. */

#define LONG_BYTES (HEAD_CONNECTION_BYTES / 8u)

void ahead_begin(front_request *request)
{
    bool ahead = request->more || request->sent_pass == request->front->pass;
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
    request->sent_pass = request->front->pass;
}

bool ahead_ends(front_request *request)
{
    if (request->ahead < AHEAD_MAX) return false;
    request->front->counts.refused[FRONT_REFUSED_AHEAD]++;
    return true;
}
