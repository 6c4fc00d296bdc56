#include "core/core.h"
#include "inner.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* connections that the system queues until we accept them; it may allow fewer */
#define BACKLOG 4096
/* Buffers of the system for a connection, inherited from the listening socket. Otherwise the system could hold
 * megabytes of bodies that were refused by their head and of answers that nobody reads. */
#define UNREAD_BYTES_MAX 131072
#define UNSENT_BYTES_MAX 65536
#define SENT_BYTES_MAX 131072 /* including bytes sent that may have to be sent again */
#define UNHEARD_MS_MAX                                                                             \
    60000 /* without acknowledgement or reading, after which the other side counts as gone */

typedef union socket_address {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
} socket_address;

/* The used bytes of *out; 0 if this is not an address. */
static socklen_t parse(const char *address, uint16_t port, socket_address *out)
{
    memset(out, 0, sizeof *out);
    if (inet_pton(AF_INET, address, &out->four.sin_addr) == 1) {
        out->four.sin_family = AF_INET;
        out->four.sin_port = htons(port);
        return sizeof out->four;
    }
    if (inet_pton(AF_INET6, address, &out->six.sin6_addr) == 1) {
        out->six.sin6_family = AF_INET6;
        out->six.sin6_port = htons(port);
        return sizeof out->six;
    }
    return 0;
}

sotto_status address_listen(const char *address, uint16_t port, int *out, sotto_fault *fault)
{
    socket_address at;
    socklen_t bytes = parse(address, port, &at);
    *out = -1;
    if (bytes == 0)
        return sotto__fault_at(
            fault, "address",
            "%.64s: allowed an IPv4 or IPv6 address in digits, such as 127.0.0.1 or ::1", address);

    int on = 1, unread = UNREAD_BYTES_MAX, unsent = UNSENT_BYTES_MAX;
    int sent = SENT_BYTES_MAX, unheard_ms = UNHEARD_MS_MAX;
    int fd = socket(at.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) goto fail;
    /* A port whose last owner has just stopped can be reused; a port in use cannot. */
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0) goto fail;
    if (at.any.sa_family == AF_INET6) {
        if (setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on) != 0) goto fail;
    }
    if (bind(fd, &at.any, bytes) != 0) goto fail;
    if (setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &unread, sizeof unread) != 0) goto fail;
    if (setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent, sizeof unsent) != 0) goto fail;
    if (setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &sent, sizeof sent) != 0) goto fail;
    if (setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &unheard_ms, sizeof unheard_ms) != 0)
        goto fail;
    if (listen(fd, BACKLOG) != 0) goto fail;
    *out = fd;
    return SOTTO_OK;

fail:
    sotto__refuse(fault, "cannot listen on port %u of %.64s: %s", (unsigned)port, address,
                  strerror(errno));
    if (fd >= 0) close(fd);
    return SOTTO_E_FAULT;
}

uint16_t address_port(int fd)
{
    socket_address at;
    socklen_t bytes = sizeof at;
    if (getsockname(fd, &at.any, &bytes) != 0) return 0;
    if (at.any.sa_family == AF_INET) return ntohs(at.four.sin_port);
    if (at.any.sa_family == AF_INET6) return ntohs(at.six.sin6_port);
    return 0;
}
