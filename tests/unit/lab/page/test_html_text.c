/* Text inside HTML stays text. */
#include "lab/page/html_text.h"
#include "test.h"

static void becomes(const char *text, const char *wanted)
{
    char got[200] = "";
    FILE *out = fmemopen(got, sizeof got, "w");
    assert_non_null(out);
    sotto__html_put_text(out, text);
    fclose(out);
    assert_string_equal(got, wanted);
}

static void nothing_of_it_is_markup(void **state)
{
    (void)state;
    becomes("<script>alert('1' & \"2\")</script>",
            "&lt;script&gt;alert(&#39;1&#39; &amp; &quot;2&quot;)&lt;/script&gt;");
    becomes("&amp;", "&amp;amp;");
}

static void other_text_is_as_it_was(void **state)
{
    (void)state;
    becomes("", "");
    becomes("mean ± error, 10 %; a-b_c = 1/2\n", "mean ± error, 10 %; a-b_c = 1/2\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_of_it_is_markup),
        cmocka_unit_test(other_text_is_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
