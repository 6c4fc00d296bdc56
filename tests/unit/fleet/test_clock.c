#include "fleet/clock.h"
#include "test.h"

static void it_goes_on_and_never_back(void **state)
{
    (void)state;
    double start_s = sotto__fleet_clock_s(), last_s = start_s;
    for (uint32_t i = 0; i < 1000000 || last_s == start_s; i++) {
        double now_s = sotto__fleet_clock_s();
        assert_true(now_s >= last_s);
        last_s = now_s;
        if (now_s > start_s + 0.01) return;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_goes_on_and_never_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
