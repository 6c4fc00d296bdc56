/* The cores of the machine. */
#include "cli/option/cores.h"
#include "test.h"

#include <sotto/lab/runs.h>

#include <unistd.h>

static long cores;

long __wrap_sysconf(int name);
long __wrap_sysconf(int name)
{
    assert_int_equal(name, _SC_NPROCESSORS_ONLN);
    return cores;
}

static void an_unknown_number_is_one(void **state)
{
    (void)state;
    cores = -1;
    assert_int_equal(machine_cores(), 1);
    cores = 0;
    assert_int_equal(machine_cores(), 1);
}

static void more_than_a_sweep_takes_are_as_many_as_it_takes(void **state)
{
    (void)state;
    cores = (long)SOTTO_THREADS_MAX + 1;
    assert_int_equal(machine_cores(), SOTTO_THREADS_MAX);
    cores = 3;
    assert_int_equal(machine_cores(), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unknown_number_is_one),
        cmocka_unit_test(more_than_a_sweep_takes_are_as_many_as_it_takes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
