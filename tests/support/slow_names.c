/* A network on which names do not resolve, to be loaded before the C library's (LD_PRELOAD):
 * `getaddrinfo` fails after a number of seconds. */
#include <netdb.h>
#include <unistd.h>

#define SECONDS 60

__attribute__((visibility("default"))) int getaddrinfo(const char *node, const char *service,
                                                       const struct addrinfo *hints,
                                                       struct addrinfo **out)
{
    (void)node, (void)service, (void)hints, (void)out;
    sleep(SECONDS);
    return EAI_AGAIN;
}
