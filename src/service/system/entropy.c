/* Randomness only from the system. */
#include "system.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <sys/types.h>

bool entropy_draw(void *out, size_t bytes)
{
    size_t have = 0;
    while (have < bytes) {
        ssize_t got = getrandom((char *)out + have, bytes - have, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) {
            memset(out, 0, bytes);
            return false;
        }
        have += (size_t)got;
    }
    return true;
}
