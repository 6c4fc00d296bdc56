/* Who may send reports, stored after the labels. */
#include "service/store/store.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HASH "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1eff"

TEST(what_is_no_origin_is_refused)
{
    static const char *const bad[] = {
        "",
        "null",
        "*",
        "shop.example",
        "//shop.example",
        "https:",
        "https:/shop.example",
        "https://",
        "https://shop.example/",
        "https://shop.example/page",
        "https://shop.example?a",
        "https://shop.example#a",
        "https://a:b@shop.example",
        "https://Shop.example",
        "HTTPS://shop.example",
        "https://shop.example:",
        "https://shop.example:0",
        "https://shop.example:08",
        "https://shop.example:65536",
        "https://shop.example:1000000",
        "https://shop.example:8o",
        "https://shop.example:443",
        "http://shop.example:80",
        "https://*.example",
        "https://shop example",
        " https://shop.example",
        "https://shop.example ",
        "https://sh\xc3\xb6p.example",
        "https://[::1",
        "https://[]",
        "https://::1",
        "1http://shop.example",
        "https://shop.example,https://other.example",
    };
    char text[400];
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (access_origin_fits(bad[i], strlen(bad[i]))) fail_msg("%s", bad[i]);
    }
    assert_false(access_origin_fits("https://shop\0example", 20));
    snprintf(text, sizeof text, "https://%0254d", 0);
    assert_false(access_origin_fits(text, strlen(text)));
    snprintf(text, sizeof text, "https://%0253d", 0);
    assert_true(access_origin_fits(text, strlen(text)));
    memset(text, 'a', 280);
    memcpy(text + 280, "://a", 5);
    assert_false(access_origin_fits(text, 284));
}

TEST(origins_are_as_browsers_send_them)
{
    static const char *const good[] = {
        "https://shop.example",  "http://localhost:8080",  "https://a.b-c.example:8443",
        "http://[::1]:3000",     "https://xn--shp-0qa.de", "capacitor://localhost",
        "https://my_host",       "http://127.0.0.1",       "http://shop.example:443",
        "chrome-extension://abc"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        if (!access_origin_fits(good[i], strlen(good[i]))) fail_msg("%s", good[i]);
    }
}

TEST(lists_that_cannot_be_are_refused)
{
    char many[ACCESS_ORIGINS_BYTES + 40] = "";
    size_t used = 0;
    assert_false(access_origins_fit(" "));
    assert_false(access_origins_fit("* https://a"));
    assert_false(access_origins_fit("https://a *"));
    assert_false(access_origins_fit("https://a  https://b"));
    assert_false(access_origins_fit("https://a "));
    assert_false(access_origins_fit("https://a https://b https://a"));
    assert_true(access_origins_fit(""));
    assert_true(access_origins_fit("*"));
    assert_true(access_origins_fit("https://a https://ab https://b"));
    for (uint32_t i = 0; i < 33; i++) {
        used += (size_t)sprintf(many + used, "%shttps://a%u", i > 0 ? " " : "", i);
        assert_true(access_origins_fit(many) == (i < 32));
    }
}

TEST(a_page_is_listed_as_a_whole_or_not_at_all)
{
    static const char list[] = "https://a.example https://b.example:81";
    assert_true(access_origins_have(list, "https://a.example", 17));
    assert_true(access_origins_have(list, "https://b.example:81", 20));
    assert_false(access_origins_have(list, "https://b.example", 17));
    assert_false(access_origins_have(list, "https://a.example.evil", 22));
    assert_false(access_origins_have(list, "https://a", 9));
    assert_false(access_origins_have(list, "", 0));
    assert_false(access_origins_have("", "", 0));
}

TEST(what_is_damaged_behind_the_labels_is_refused)
{
    static const char *const bad[] = {
        "{}\norigins ",
        "{}\norigins null",
        "{}\norigins https://a\n",
        "{}\norigins https://a https://a",
        "{}\norigins  https://a",
        "{}\norigins https://a\norigins https://b",
        "{}\nkey " HASH "0",
        "{}\nkey 00",
        "{}\nkey " HASH "\n",
        "{}\nkey " HASH "\norigins https://a",
        "{}\nkey AA" HASH,
    };
    FREED_BY(free_memory) access_text *text = malloc(sizeof *text);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (access_text_read(bad[i], text)) fail_msg("%s", bad[i]);
    }
}

/* A label may contain anything: a JSON string has no line feed. */
TEST(labels_alone_are_as_before)
{
    static const char *const plain[] = {"{}", "", "{\"a\":\"\\norigins x\"}",
                                        "{\n\"key\": \"a\"\n}", "{\n\"origins\":\n\"a\"}"};
    FREED_BY(free_memory) access_text *text = malloc(sizeof *text);
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        assert_true(access_text_read(plain[i], text));
        assert_int_equal(text->labels_bytes, strlen(plain[i]));
        assert_string_equal(text->origins, "");
        assert_false(text->has_key);
    }
}

/* The golden bytes. */
TEST(what_is_written_is_read)
{
    static const char golden[] = "{\"a\":\"b\"}\norigins https://a http://b:81\nkey " HASH;
    char behind[ACCESS_TEXT_BYTES], all[ACCESS_TEXT_BYTES + 20];
    FREED_BY(free_memory) access_text *text = malloc(sizeof *text);
    assert_true(access_text_read(golden, text));
    assert_int_equal(text->labels_bytes, 9);
    assert_string_equal(text->origins, "https://a http://b:81");
    assert_true(text->has_key);
    assert_ints(text->key[1], 1, text->key[31], 0xff);
    assert_int_equal(access_text_write(text->origins, text->key, behind), strlen(golden) - 9);
    snprintf(all, sizeof all, "{\"a\":\"b\"}%s", behind);
    assert_string_equal(all, golden);
    assert_int_equal(access_text_write("", NULL, behind), 0);
    assert_string_equal(behind, "");
    access_text_write("*", NULL, behind);
    assert_string_equal(behind, "\norigins *");
    access_text_write("", text->key, behind);
    assert_string_equal(behind, "\nkey " HASH);
}
