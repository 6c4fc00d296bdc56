/* SHA-256 gives the published digests, however the message is cut. */
#include "test.h"

#include "core/digest.h"

#include <stdio.h>
#include <string.h>

static void assert_digest(sotto__digest *digest, const char *wanted)
{
    uint8_t out[SOTTO__DIGEST_BYTES];
    char hex[2 * SOTTO__DIGEST_BYTES + 1];
    sotto__digest_end(digest, out);
    for (size_t i = 0; i < sizeof out; i++) {
        snprintf(hex + 2 * i, 3, "%02x", out[i]);
    }
    assert_string_equal(hex, wanted);
}

static void an_empty_message_and_empty_pieces_have_the_empty_digest(void **state)
{
    (void)state;
    const char *empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    sotto__digest digest;
    sotto__digest_begin(&digest);
    assert_digest(&digest, empty);
    sotto__digest_begin(&digest);
    sotto__digest_add(&digest, NULL, 0);
    sotto__digest_add(&digest, "", 0);
    assert_digest(&digest, empty);
}

/* FIPS 180-4 examples: 24, 448 and 896 bits, cut in two at every place. */
static void nist_messages_have_their_digests_wherever_they_are_cut(void **state)
{
    (void)state;
    static const struct {
        const char *message, *digest;
    } nist[] = {
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno"
         "ijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
         "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
    };
    for (size_t i = 0; i < sizeof nist / sizeof nist[0]; i++) {
        size_t length = strlen(nist[i].message);
        for (size_t cut = 0; cut <= length; cut++) {
            sotto__digest digest;
            sotto__digest_begin(&digest);
            sotto__digest_add(&digest, nist[i].message, cut);
            sotto__digest_add(&digest, nist[i].message + cut, length - cut);
            assert_digest(&digest, nist[i].digest);
        }
    }
}

static void a_million_letters_have_their_digest_in_pieces_of_any_size(void **state)
{
    (void)state;
    char letters[1000];
    memset(letters, 'a', sizeof letters);
    static const size_t piece[] = {1, 63, 64, 65, 1000};
    for (size_t i = 0; i < sizeof piece / sizeof piece[0]; i++) {
        sotto__digest digest;
        sotto__digest_begin(&digest);
        for (size_t done = 0; done < 1000000;) {
            size_t left = 1000000 - done;
            size_t take = left < piece[i] ? left : piece[i];
            sotto__digest_add(&digest, letters, take);
            done += take;
        }
        assert_digest(&digest, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }
}

/* Lengths around the place where padding needs another block; digests by Python's hashlib. */
static void messages_that_nearly_fill_a_block_are_padded_right(void **state)
{
    (void)state;
    static const struct {
        size_t length;
        const char *digest;
    } zeros[] = {
        {55, "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7"},
        {56, "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb"},
        {63, "c7723fa1e0127975e49e62e753db53924c1bd84b8ac1ac08df78d09270f3d971"},
        {64, "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b"},
        {65, "98ce42deef51d40269d542f5314bef2c7468d401ad5d85168bfab4c0108f75f7"},
        {119, "f616b0d54e78571a9611f343c9f8e022e859e920381ab0e4d3da01e193a7bd7e"},
        {120, "6edd9f6f9cc92cded36e6c4a580933f9c9f1b90562b46903b806f21902a1a54f"},
        {128, "38723a2e5e8a17aa7950dc008209944e898f69a7bd10a23c839d341e935fd5ca"},
    };
    static const uint8_t zero[128];
    for (size_t i = 0; i < sizeof zeros / sizeof zeros[0]; i++) {
        sotto__digest digest;
        sotto__digest_begin(&digest);
        sotto__digest_add(&digest, zero, zeros[i].length);
        assert_digest(&digest, zeros[i].digest);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_message_and_empty_pieces_have_the_empty_digest),
        cmocka_unit_test(nist_messages_have_their_digests_wherever_they_are_cut),
        cmocka_unit_test(a_million_letters_have_their_digest_in_pieces_of_any_size),
        cmocka_unit_test(messages_that_nearly_fill_a_block_are_padded_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
