/* What heads say. That they are read is tested over real sockets, in test_front.c and test_bad.c. */
#include "service/front/head.h"
#include "test.h"

static const request_head good = {.bytes = 100, .records = 3, .length = "42", .host = true};

static uint32_t status_of(const request_head *head)
{
    uint32_t status = 0;
    const char *fault = head_fault(head, &status);
    assert_int_equal(fault != NULL, status != 0);
    return status;
}

static void what_nobody_can_serve_is_refused(void **state)
{
    (void)state;
    request_head head = good;
    head.coded = true;
    assert_int_equal(status_of(&head), 411);
    head = good;
    head.length_twice = true;
    assert_int_equal(status_of(&head), 400);
    head = good;
    head.odd = true;
    assert_int_equal(status_of(&head), 400);
    head = good;
    head.host_twice = true;
    assert_int_equal(status_of(&head), 400);
    head = good;
    head.host = false;
    assert_int_equal(status_of(&head), 400);
    head = good;
    head.path_cut = true;
    assert_int_equal(status_of(&head), 414);
    head = good;
    head.bytes = HEAD_CONNECTION_BYTES - HEAD_ANSWER_BYTES - 3u * HEAD_RECORD_BYTES + 1u;
    assert_int_equal(status_of(&head), 431);
    head.bytes--;
    assert_int_equal(status_of(&head), 0);
    head.records++;
    assert_int_equal(status_of(&head), 431);
}

static void http_1_0_needs_no_host(void **state)
{
    (void)state;
    request_head head = good;
    head.host = false;
    head.first = true;
    assert_int_equal(status_of(&head), 0);
}

static void lengths_of_64_bits_are_read(void **state)
{
    (void)state;
    request_head head = good;
    assert_int_equal(head_length(&head), 42);
    head.length = "18446744073709551615";
    assert_true(head_length(&head) == UINT64_MAX);
    head.length = NULL;
    assert_int_equal(head_length(&head), 0);
}

static void methods_are_told_by_their_whole_name(void **state)
{
    (void)state;
    assert_int_equal(head_method("POST"), FRONT_POST);
    assert_int_equal(head_method("HEAD"), FRONT_GET);
    assert_int_equal(head_method("post"), FRONT_OTHER);
    assert_int_equal(head_method("POSTS"), FRONT_OTHER);
    assert_int_equal(head_method(""), FRONT_OTHER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_nobody_can_serve_is_refused),
        cmocka_unit_test(http_1_0_needs_no_host),
        cmocka_unit_test(lengths_of_64_bits_are_read),
        cmocka_unit_test(methods_are_told_by_their_whole_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
