#include "borrowed.h"
#include "test.h"

enum { BORROWED_MAX = 1 << 16 };

static struct {
    void (*release)(void *);
    void *it;
} borrowed[BORROWED_MAX];
static size_t count;

void after_test(void (*how)(void *), void *it)
{
    assert_true(count < BORROWED_MAX);
    borrowed[count].release = how;
    borrowed[count++].it = it;
}

void release(void *it)
{
    size_t at = count;
    while (at > 0 && borrowed[at - 1].it != it) {
        at--;
    }
    if (at == 0) fail_msg("nobody borrowed %p", it);
    borrowed[at - 1].release(it);
    for (count--; at - 1 < count; at++) {
        borrowed[at - 1] = borrowed[at];
    }
}

void release_all(void)
{
    while (count > 0) {
        count--;
        borrowed[count].release(borrowed[count].it);
    }
}
