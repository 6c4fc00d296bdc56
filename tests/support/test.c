#include "test.h"
#include "borrowed.h"

#include <assert.h>

enum { TESTS_MAX = 200 };

static struct CMUnitTest tests[TESTS_MAX];
static size_t count;
static CMFixtureFunction before_all, after_all;

void test_register(struct CMUnitTest test)
{
    assert(count < TESTS_MAX);
    tests[count++] = test;
}

void test_group(CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
    before_all = set_up;
    after_all = tear_down;
}

int test_end(void **state, CMFixtureFunction tear_down)
{
    release_all();
    return tear_down == NULL ? 0 : tear_down(state);
}

/* PROGRAM [PATTERN]: runs all tests, or those whose name matches. */
int main(int argc, char **argv)
{
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return _cmocka_run_group_tests(argv[0], tests, count, before_all, after_all);
}
