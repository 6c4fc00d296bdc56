/* Rings of requests: each in the order in which they were added, and one request in several. */
#include "service/front/ring.h"
#include "test.h"

static sottod_front front;
static front_request request[4];

static int start(void **state)
{
    (void)state;
    front = (sottod_front){.fd = -1};
    for (uint32_t i = 0; i < 4; i++) {
        request[i] = (front_request){.front = &front};
        ring_add(&request[i], RING_WAITS);
    }
    return 0;
}

/* The places of those that are left, from the first on: 0 and 2 are 102. */
static uint32_t order(request_ring which)
{
    uint32_t places = 1;
    for (const front_request *one = front.ring[which]; one != NULL; one = ring_next(one, which)) {
        places = 10 * places + (uint32_t)(one - request);
    }
    return places;
}

static void the_first_that_was_added_is_the_first(void **state)
{
    (void)state;
    assert_int_equal(order(RING_WAITS), 10123);
    assert_int_equal(order(RING_READS), 1);
}

static void any_one_can_be_removed_and_added_again(void **state)
{
    (void)state;
    ring_remove(&request[1], RING_WAITS);
    assert_int_equal(order(RING_WAITS), 1023);
    ring_remove(&request[0], RING_WAITS);
    assert_int_equal(order(RING_WAITS), 123);
    ring_add(&request[1], RING_WAITS);
    assert_int_equal(order(RING_WAITS), 1231);
    ring_remove(&request[1], RING_WAITS);
    ring_remove(&request[3], RING_WAITS);
    ring_remove(&request[2], RING_WAITS);
    assert_int_equal(order(RING_WAITS), 1);
    ring_add(&request[3], RING_WAITS);
    assert_int_equal(order(RING_WAITS), 13);
}

static void a_request_is_in_each_ring_by_itself(void **state)
{
    (void)state;
    ring_add(&request[2], RING_READS);
    ring_add(&request[0], RING_READS);
    ring_remove(&request[2], RING_WAITS);
    assert_int_equal(order(RING_WAITS), 1013);
    assert_int_equal(order(RING_READS), 120);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_first_that_was_added_is_the_first, start),
        cmocka_unit_test_setup(any_one_can_be_removed_and_added_again, start),
        cmocka_unit_test_setup(a_request_is_in_each_ring_by_itself, start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
