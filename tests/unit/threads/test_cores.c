/* Cores: those that the process may run on, and at least one. */
#define _GNU_SOURCE /* cpu_set_t */
#include "test.h"
#include "threads/threads.h"

#include <errno.h>
#include <sched.h>
#include <unistd.h>

static int bound_to; /* cores; 0: the set is too small to say */
static long online;

int __wrap_sched_getaffinity(pid_t pid, size_t bytes, cpu_set_t *set);
long __wrap_sysconf(int name);

int __wrap_sched_getaffinity(pid_t pid, size_t bytes, cpu_set_t *set)
{
    assert_ints(pid, 0, bytes, sizeof *set);
    for (int i = 0; i < bound_to; i++) {
        CPU_SET((size_t)i, set);
    }
    return bound_to > 0 ? 0 : -1;
}

long __wrap_sysconf(int name)
{
    assert_int_equal(name, _SC_NPROCESSORS_ONLN);
    return online;
}

TEST(a_machine_that_says_nothing_has_one_core)
{
    bound_to = 0;
    online = -1;
    assert_int_equal(cores_count(8192), 1);
    online = 0;
    assert_int_equal(cores_count(8192), 1);
}

TEST(a_machine_with_more_cores_than_a_set_holds_has_all_of_them)
{
    bound_to = 0;
    online = 4096;
    assert_int_equal(cores_count(8192), 4096);
}

TEST(cores_that_the_process_is_not_bound_to_do_not_count)
{
    online = 64;
    for (bound_to = 1; bound_to < 10; bound_to++) {
        assert_int_equal(cores_count(8192), bound_to);
    }
}

TEST(more_cores_than_a_caller_can_use_are_as_many_as_it_can)
{
    bound_to = 9;
    assert_ints(cores_count(9), 9, cores_count(8), 8, cores_count(1), 1);
    bound_to = 0;
    online = 4096;
    assert_int_equal(cores_count(256), 256);
}
