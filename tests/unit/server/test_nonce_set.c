/* A set of nonces tells new, same and other apart, in open epochs, up to its capacity, and forgets
 * what is closed: compared with a plain list over random histories. */
#include "tape.h"
#include "test.h"

#include <sotto/server.h>

#include <string.h>

static const uint8_t key[SOTTO_NONCE_KEY_BYTES] = {1, 2, 3};

static sotto_terms terms_of(uint32_t lag)
{
    sotto_terms terms;
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.epoch_lag_max = lag;
    assert_ok(sotto_spec_resolve(&spec, &terms));
    return terms;
}

static sotto_nonce_set *set_of(uint32_t lag, uint32_t capacity)
{
    sotto_nonce_set *set;
    const sotto_terms terms = terms_of(lag);
    assert_ok(sotto_nonce_set_new(&terms, key, capacity, &set));
    return set;
}

static sotto_report report_of(uint32_t epoch, uint32_t number)
{
    sotto_report report = {.epoch = epoch};
    memcpy(report.nonce, &number, sizeof number);
    return report;
}

/* The frame of a report is here its content alone. */
static sotto_status see(sotto_nonce_set *set, uint32_t epoch, uint32_t number, uint8_t content,
                        sotto_seen *seen)
{
    const sotto_report report = report_of(epoch, number);
    return sotto_nonce_set_see(set, &report, &content, 1, seen);
}

#define assert_seen(set, epoch, number, content, wanted)                                           \
    do {                                                                                           \
        sotto_seen found_;                                                                         \
        assert_ok(see(set, epoch, number, content, &found_));                                      \
        assert_string_equal(sotto_seen_name(found_), sotto_seen_name(wanted));                     \
    } while (0)

static void settings_out_of_range_are_refused(void **state)
{
    (void)state;
    sotto_terms terms = terms_of(2);
    sotto_nonce_set *set;
    assert_status(sotto_nonce_set_new(&terms, key, 0, &set), SOTTO_E_FAULT);
    assert_status(sotto_nonce_set_new(&terms, key, SOTTO_NONCES_MAX + 1, &set), SOTTO_E_FAULT);
    assert_null(set);
    terms.codebook[1].weight_top *= 2;
    assert_status(sotto_nonce_set_new(&terms, key, 1, &set), SOTTO_E_WEAK);
    assert_int_equal(sotto_nonce_set_bytes(0), 0);
    assert_int_equal(sotto_nonce_set_bytes(SOTTO_NONCES_MAX + 1), 0);
    /* 32 bytes per entry and 4 per bucket, of which there are up to twice as many. */
    assert_true(sotto_nonce_set_bytes(1000000) <= 1000000 * 32 + 4 * 1048576 + 1000);
    assert_null(sotto_seen_name((sotto_seen)3));
}

static void epochs_that_are_not_open_are_refused(void **state)
{
    (void)state;
    sotto_seen seen;
    sotto_nonce_set *set = set_of(2, 10);
    assert_status(see(set, 1, 7, 0, &seen), SOTTO_E_EPOCH);
    assert_ok(sotto_nonce_set_advance(set, 5));
    assert_status(see(set, 2, 7, 0, &seen), SOTTO_E_EPOCH);
    assert_status(see(set, 6, 7, 0, &seen), SOTTO_E_EPOCH);
    assert_status(sotto_nonce_set_advance(set, 4), SOTTO_E_EPOCH);
    assert_int_equal(sotto_nonce_set_count(set), 0);
    assert_seen(set, 3, 7, 0, SOTTO_SEEN_NEW);
    assert_ok(sotto_nonce_set_advance(set, UINT32_MAX));
    assert_int_equal(sotto_nonce_set_count(set), 0);
    assert_seen(set, UINT32_MAX - 2, 7, 0, SOTTO_SEEN_NEW);
    sotto_nonce_set_free(set);
}

static void a_full_set_keeps_nothing_new_and_knows_the_old(void **state)
{
    (void)state;
    sotto_seen seen = SOTTO_SEEN_SAME;
    sotto_nonce_set *set = set_of(0, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_seen(set, 0, i, 0, SOTTO_SEEN_NEW);
    }
    assert_status(see(set, 0, 3, 0, &seen), SOTTO_E_FULL);
    assert_seen(set, 0, 1, 0, SOTTO_SEEN_SAME);
    assert_seen(set, 0, 1, 9, SOTTO_SEEN_OTHER);
    const sotto_report first = report_of(0, 1);
    sotto_nonce_set_remove(set, &first);
    assert_seen(set, 0, 3, 0, SOTTO_SEEN_NEW);
    assert_int_equal(sotto_nonce_set_count(set), 3);
    sotto_nonce_set_free(set);
}

static void a_nonce_of_another_epoch_is_the_same_nonce(void **state)
{
    (void)state;
    sotto_nonce_set *set = set_of(1, 3);
    assert_ok(sotto_nonce_set_advance(set, 1));
    assert_seen(set, 0, 7, 0, SOTTO_SEEN_NEW);
    assert_seen(set, 1, 7, 1, SOTTO_SEEN_OTHER);
    const sotto_report elsewhere = report_of(1, 7), closed = report_of(9, 7);
    sotto_nonce_set_remove(set, &elsewhere); /* it is not kept under epoch 1 */
    sotto_nonce_set_remove(set, &closed);
    assert_seen(set, 0, 7, 0, SOTTO_SEEN_SAME);
    sotto_nonce_set_free(set);
}

static void a_set_grows_and_knows_all_it_knew(void **state)
{
    (void)state;
    sotto_seen seen;
    sotto_nonce_set *set = set_of(1, 3);
    assert_ok(sotto_nonce_set_advance(set, 1));
    assert_status(sotto_nonce_set_grow(set, 2), SOTTO_E_FAULT);
    assert_status(sotto_nonce_set_grow(set, SOTTO_NONCES_MAX + 1), SOTTO_E_FAULT);
    assert_int_equal(sotto_nonce_set_capacity(set), 3);
    uint32_t known = 0;
    for (uint32_t capacity = 3; capacity <= 3000; capacity *= 10) {
        assert_ok(sotto_nonce_set_grow(set, capacity));
        assert_int_equal(sotto_nonce_set_capacity(set), capacity);
        for (uint32_t i = 0; i < known; i++) {
            assert_seen(set, i % 2, i, 0, SOTTO_SEEN_SAME);
        }
        for (; known < capacity; known++) {
            assert_seen(set, known % 2, known, 0, SOTTO_SEEN_NEW);
        }
        assert_status(see(set, 0, known, 0, &seen), SOTTO_E_FULL);
        assert_int_equal(sotto_nonce_set_count(set), capacity);
    }
    const sotto_report gone = report_of(1, 7);
    sotto_nonce_set_remove(set, &gone);
    assert_seen(set, 1, 7, 5, SOTTO_SEEN_NEW);
    assert_ok(sotto_nonce_set_advance(set, 2)); /* epoch 0 closes */
    assert_int_equal(sotto_nonce_set_count(set), 1500);
    assert_seen(set, 1, 9, 0, SOTTO_SEEN_SAME);
    assert_seen(set, 1, 8, 0, SOTTO_SEEN_NEW);
    sotto_nonce_set_free(set);
}

/* ---- random histories ---------------------------------------------------------------------- */

#define CAPACITY 40u /* at the end; the set begins with less, and grows */
#define NUMBERS 64u

/* The same in the plainest way. */
typedef struct plain {
    bool kept[NUMBERS];
    uint32_t epoch[NUMBERS];
    uint8_t content[NUMBERS];
    uint32_t count;
} plain;

static void plain_forget(plain *p, uint32_t before)
{
    for (uint32_t i = 0; i < NUMBERS; i++) {
        if (!p->kept[i] || p->epoch[i] >= before) continue;
        p->kept[i] = false;
        p->count--;
    }
}

static void see_as_plain(sotto_nonce_set *set, plain *p, uint32_t epoch, uint32_t number,
                         uint8_t content)
{
    sotto_seen seen;
    if (p->kept[number]) {
        bool same = p->content[number] == content;
        assert_seen(set, epoch, number, content, same ? SOTTO_SEEN_SAME : SOTTO_SEEN_OTHER);
    } else if (p->count == sotto_nonce_set_capacity(set)) {
        assert_status(see(set, epoch, number, content, &seen), SOTTO_E_FULL);
    } else {
        assert_seen(set, epoch, number, content, SOTTO_SEEN_NEW);
        p->kept[number] = true;
        p->epoch[number] = epoch;
        p->content[number] = content;
        p->count++;
    }
}

static void random_histories_are_those_of_a_plain_list(void **state)
{
    (void)state;
    tape random = tape_seeded(5);
    for (uint32_t lag = 0; lag <= 16; lag += 4) {
        sotto_nonce_set *set = set_of(lag, 10);
        plain p = {0};
        uint32_t current = 0;
        for (uint32_t step = 0; step < 20000; step++) {
            uint8_t byte[4];
            if (step % 4000 == 3999) {
                assert_ok(sotto_nonce_set_grow(set, 10 + (CAPACITY - 10) * (step / 4000 + 1) / 5));
            }
            assert_ok(random.rng.fill(&random.rng, byte, sizeof byte));
            uint32_t number = byte[1] % NUMBERS, back = byte[2] % (lag + 1);
            uint32_t epoch = back <= current ? current - back : 0;
            if (byte[0] < 6) {
                current += byte[0] == 0 ? 40 : 1; /* sometimes all epochs close at once */
                assert_ok(sotto_nonce_set_advance(set, current));
                plain_forget(&p, current < lag ? 0 : current - lag);
            } else if (byte[0] < 40) {
                const sotto_report report = report_of(epoch, number);
                sotto_nonce_set_remove(set, &report);
                if (p.kept[number] && p.epoch[number] == epoch) {
                    p.kept[number] = false;
                    p.count--;
                }
            } else {
                see_as_plain(set, &p, epoch, number, byte[3] % 2);
            }
            assert_int_equal(sotto_nonce_set_count(set), p.count);
        }
        sotto_nonce_set_free(set);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_out_of_range_are_refused),
        cmocka_unit_test(epochs_that_are_not_open_are_refused),
        cmocka_unit_test(a_full_set_keeps_nothing_new_and_knows_the_old),
        cmocka_unit_test(a_nonce_of_another_epoch_is_the_same_nonce),
        cmocka_unit_test(a_set_grows_and_knows_all_it_knew),
        cmocka_unit_test(random_histories_are_those_of_a_plain_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
