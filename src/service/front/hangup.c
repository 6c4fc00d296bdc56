#include "hangup.h"

#include <assert.h>
#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#define EVENTS_MAX 64u
/* As in netinet/tcp.h, which cannot be together with linux/tcp.h and has less in tcp_info. */
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

/* All of it is 0 if the system does not say. */
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

bool hangup_was_told(int socket)
{
    return info_of(socket).tcpi_data_segs_out > 0;
}
