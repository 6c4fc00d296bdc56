/* Cuts, in memory and as bytes. */
#include "service/store/postgres/inner.h"
#include "test.h"
#include "why.h"

#include <stdlib.h>
#include <string.h>

static folding_cut cut_of(const uint32_t *gateway, const uint64_t *gseq, uint32_t places)
{
    folding_cut cut = {.places = 0};
    for (uint32_t i = 0; i < places; i++) {
        folding_place place = {.gateway = gateway[i], .gseq = gseq[i]};
        memset(place.digest, (int)(gateway[i] + gseq[i]), sizeof place.digest);
        assert_true(postgres__cut_add(&cut, &place));
    }
    return cut;
}

static folding_cut three(void)
{
    return cut_of((const uint32_t[]){2, 5, 9}, (const uint64_t[]){1, 1u << 30, 7}, 3);
}

/* ---- bad input */

TEST(bytes_that_are_no_cut_are_refused)
{
    uint8_t bytes[3 * 44];
    HELD(folding_cut) cut = three(), out = {.places = 0};
    postgres__cut_encode(&cut, bytes);
    for (size_t length = 1; length < sizeof bytes; length++) {
        bool whole = length % 44 == 0;
        assert_int_equal(postgres__cut_decode((journal_bytes){bytes, length}, &out), whole);
        assert_int_equal(out.places, whole ? length / 44 : 0);
    }
    const struct {
        size_t at;
        uint8_t byte;
    } wrong[] = {{0, 0}, {0, 5}, {44, 2}, {88, 5}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        postgres__cut_encode(&cut, bytes);
        bytes[wrong[i].at] = wrong[i].byte;
        assert_false(postgres__cut_decode((journal_bytes){bytes, sizeof bytes}, &out));
    }
    postgres__cut_encode(&cut, bytes);
    bytes[4] = 0; /* gseq 1 is 0 now */
    assert_false(postgres__cut_decode((journal_bytes){bytes, sizeof bytes}, &out));
}

TEST(a_cut_that_is_not_in_order_has_a_fault)
{
    HELD(folding_cut) twice = cut_of((const uint32_t[]){2, 2}, (const uint64_t[]){1, 2}, 2);
    HELD(folding_cut) nobody = cut_of((const uint32_t[]){0}, (const uint64_t[]){1}, 1);
    HELD(folding_cut) nothing = cut_of((const uint32_t[]){1}, (const uint64_t[]){0}, 1);
    assert_non_null(WHY(postgres__cut_fault, &twice));
    assert_non_null(WHY(postgres__cut_fault, &nobody));
    assert_non_null(WHY(postgres__cut_fault, &nothing));
}

/* ---- good input */

TEST(bytes_are_those_of_the_specification)
{
    uint8_t bytes[44], wanted[44] = {1, 2, 0, 0, 3, 0, 0, 0, 0, 0, 0, 1};
    HELD(folding_cut)
    cut = cut_of((const uint32_t[]){513}, (const uint64_t[]){(1ull << 56) + 3}, 1);
    memset(wanted + 12, (int)((513 + (1ull << 56) + 3) & 0xff), 32);
    assert_int_equal(postgres__cut_bytes(&cut), 44);
    postgres__cut_encode(&cut, bytes);
    assert_memory_equal(bytes, wanted, sizeof wanted);
}

TEST(a_cut_comes_back_from_its_bytes)
{
    uint8_t bytes[3 * 44];
    folding_cut cut = three(), out = {.places = 0}, none = {.places = 0};
    assert_null(WHY(postgres__cut_fault, &cut));
    postgres__cut_encode(&cut, bytes);
    assert_true(postgres__cut_decode((journal_bytes){bytes, sizeof bytes}, &out));
    assert_true(postgres__cut_is_same(&cut, &out));
    out.place[1].digest[31] ^= 1;
    assert_false(postgres__cut_is_same(&cut, &out));
    assert_false(postgres__cut_is_same(&cut, &none));
    assert_true(postgres__cut_decode((journal_bytes){NULL, 0}, &out));
    assert_true(postgres__cut_is_same(&out, &none));
    folding_cut_free(&cut);
    folding_cut_free(&out);
}

TEST(a_gateway_is_found_if_it_is_there)
{
    HELD(folding_cut) cut = three();
    for (uint32_t gateway = 0; gateway < 12; gateway++) {
        const folding_place *place = postgres__cut_find(&cut, gateway);
        bool there = gateway == 2 || gateway == 5 || gateway == 9;
        assert_int_equal(place != NULL, there);
        if (there) assert_int_equal(place->gateway, gateway);
    }
}

TEST(lists_are_as_the_database_reads_them)
{
    folding_cut cut = three(), none = {.places = 0};
    FREED_BY(free_memory)
    char *gateways = postgres__cut_gateways(&cut), *gseqs = postgres__cut_gseqs(&cut);
    FREED_BY(free_memory) char *empty = postgres__cut_gseqs(&none);
    assert_string_equal(gateways, "{2,5,9}");
    assert_string_equal(gseqs, "{1,1073741824,7}");
    assert_string_equal(empty, "{}");
    folding_cut_free(&cut);
}
