#include "hangup.h"

#include <assert.h>
#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#define EVENTS_MAX 64u

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

bool hangup_was_told(int socket)
{
    struct tcp_info info = {0};
    socklen_t bytes = sizeof info;
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &bytes) != 0) return false;
    return info.tcpi_data_segs_out > 0; /* stays 0 on a system that does not say */
}
