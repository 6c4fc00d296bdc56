/* Bodies and the memory for them. */
#include "service/front/inner.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static uint32_t mallocs; /* calls */
static bool no_memory;

void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes)
{
    mallocs++;
    return no_memory ? NULL : __real_malloc(bytes);
}

#define MUCH_BYTES 300000u

static void fill(uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bytes[i] = (uint8_t)(i * 7u + i / 251u);
    }
}

TEST(a_body_above_the_bound_of_all_is_refused_and_stays_as_it_was)
{
    uint8_t bytes[2048];
    fill(bytes, sizeof bytes);
    body_store store;
    body_store_init(&store, 1024);
    front_body body = {0};
    assert_true(body_add(&store, &body, bytes, 200, 2048));
    assert_false(body_add(&store, &body, bytes + 200, 1800, 2048));
    assert_int_equal(body.bytes, 200);
    assert_memory_equal(body.at, bytes, 200);
    body_clear(&store, &body);
    body_store_clear(&store);
}

TEST(bodies_share_the_bound)
{
    uint8_t bytes[512] = {0};
    body_store store;
    body_store_init(&store, 1024);
    front_body first = {0}, second = {0}, third = {0};
    assert_true(body_add(&store, &first, bytes, 512, 512));
    assert_true(body_fits(&store, 512));
    assert_true(body_add(&store, &second, bytes, 512, 512));
    assert_false(body_fits(&store, 1));
    assert_false(body_add(&store, &third, bytes, 1, 512));
    body_clear(&store, &first);
    assert_true(body_add(&store, &third, bytes, 1, 512));
    body_clear(&store, &second);
    body_clear(&store, &third);
    assert_int_equal(store.used_bytes, 0);
    body_store_clear(&store);
}

TEST(without_memory_a_body_stays_as_it_was)
{
    uint8_t bytes[512] = {0};
    body_store store;
    body_store_init(&store, 1u << 20);
    front_body body = {0};
    no_memory = true;
    bool added = body_add(&store, &body, bytes, 512, 512);
    no_memory = false;
    assert_false(added);
    assert_null(body.at);
    assert_int_equal(store.used_bytes, 0);
    body_store_clear(&store);
}

TEST(pieces_of_any_size_make_the_whole)
{
    static uint8_t bytes[MUCH_BYTES];
    fill(bytes, sizeof bytes);
    static const size_t pieces[] = {1, 42, 255, 256, 4000, 65536, 100001};
    for (size_t p = 0; p < sizeof pieces / sizeof *pieces; p++) {
        body_store store;
        body_store_init(&store, 1u << 20);
        front_body body = {0};
        for (size_t at = 0; at < MUCH_BYTES; at += pieces[p]) {
            size_t count = MUCH_BYTES - at < pieces[p] ? MUCH_BYTES - at : pieces[p];
            assert_true(body_add(&store, &body, bytes + at, count, MUCH_BYTES));
        }
        assert_int_equal(body.bytes, MUCH_BYTES);
        assert_memory_equal(body.at, bytes, MUCH_BYTES);
        assert_true(body.capacity <= MUCH_BYTES);
        body_clear(&store, &body);
        assert_int_equal(store.used_bytes, 0);
        body_store_clear(&store);
    }
}

TEST(a_promised_length_takes_no_room)
{
    body_store store;
    body_store_init(&store, 1u << 20);
    front_body body = {0};
    assert_true(body_add(&store, &body, "x", 1, 1u << 20));
    assert_int_equal(store.used_bytes, BODY_KEPT_BYTES);
    body_clear(&store, &body);
    body_store_clear(&store);
}

TEST(memory_is_used_again)
{
    static uint8_t bytes[60000];
    body_store store;
    body_store_init(&store, 1u << 20);
    for (uint32_t i = 0; i < 100; i++) {
        if (i == 1) mallocs = 0; /* from the second round on */
        front_body first = {0}, second = {0};
        assert_true(body_add(&store, &first, bytes, 42, 42));
        for (size_t at = 0; at < sizeof bytes; at += 600) {
            assert_true(body_add(&store, &second, bytes + at, 600, sizeof bytes));
        }
        body_clear(&store, &first);
        body_clear(&store, &second);
    }
    assert_int_equal(mallocs, 0);
    body_store_clear(&store);
}

TEST(what_is_kept_makes_room_for_another_size)
{
    static uint8_t bytes[4096];
    body_store store;
    body_store_init(&store, 4096);
    front_body body[16] = {0};
    for (uint32_t i = 0; i < 16; i++) {
        assert_true(body_add(&store, &body[i], bytes, 200, 200));
    }
    for (uint32_t i = 0; i < 16; i++) {
        body_clear(&store, &body[i]);
    }
    assert_int_equal(store.kept_bytes, 4096);
    assert_true(body_add(&store, &body[0], bytes, 4096, 4096));
    assert_true(store.used_bytes + store.kept_bytes <= 4096);
    body_clear(&store, &body[0]);
    body_store_clear(&store);
    assert_int_equal(store.kept_bytes, 0);
}
