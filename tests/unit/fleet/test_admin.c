#include "directory.h"
#include "fleet/fleet.h"
#include "stages.h"
#include "test.h"
#include "why.h"

OWNED(sotto__admin, sotto__admin_free)

#define ID "8118c3b0a336b961c099e541af3f96ab"
#define PATH "/v1/experiments/" ID

typedef struct scene {
    directory directory;
    site_server *server;
    sotto__admin *admin;
} scene;

static void scene_open(scene *s)
{
    const sotto_terms terms = stage_terms(0);
    s->directory = directory_new();
    s->server = site_server_start(&terms);
    file_write(s->directory.file, (const uint8_t *)"secret\n", 7);
    const char *fault =
        WHY(sotto__admin_new, site_server_root(s->server), s->directory.file, NULL, &s->admin);
    if (fault != NULL) fail_msg("%s", why_fault.sentence);
}

static void scene_close(scene *s)
{
    sotto__admin_free(s->admin);
    site_server_stop(s->server);
    directory_free(&s->directory);
}

static void assert_says(const char *fault, const char *word)
{
    assert_non_null(fault);
    if (strstr(why_fault.sentence, word) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", fault, word);
}

TEST(places_where_a_token_would_be_heard_by_others_are_refused)
{
    sotto__admin *admin;
    HELD(directory) f = directory_new();
    file_write(f.file, (const uint8_t *)"secret", 6);
    assert_says(WHY(sotto__admin_new, "http://example.org:8788", f.file, NULL, &admin), "admin: ");
    assert_null(admin);
    assert_says(WHY(sotto__admin_new, "", f.file, NULL, &admin), "admin");
    assert_says(WHY(sotto__admin_new, "file:///etc", f.file, NULL, &admin), "admin");
}

TEST(a_file_that_has_no_token_is_refused)
{
    OWN(sotto__admin) admin;
    HELD(directory) f = directory_new();
    static const char *const bad[] = {"", "\n", "two words", "a\nX-Header: b", "\x80"};
    uint8_t large[300];
    memset(large, 'a', sizeof large);
    const char *const server = "http://127.0.0.1:8788";
    assert_says(WHY(sotto__admin_new, server, f.file, NULL, &admin), f.file);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        file_write(f.file, (const uint8_t *)bad[i], strlen(bad[i]));
        assert_says(WHY(sotto__admin_new, server, f.file, NULL, &admin), "is not a token");
        assert_null(admin);
        remove(f.file);
    }
    file_write(f.file, large, sizeof large);
    assert_says(WHY(sotto__admin_new, server, f.file, NULL, &admin), "is not a token");
    large[200] = '\n'; /* the longest one, and something after it */
    file_write(f.file, large, sizeof large);
    assert_says(WHY(sotto__admin_new, server, f.file, NULL, &admin), "is not a token");
    file_write(f.file, large, 201);
    assert_null(WHY(sotto__admin_new, server, f.file, NULL, &admin));
}

TEST(answers_that_are_no_counts_are_told)
{
    static const struct {
        int status;
        const char *body, *word;
    } bad[] = {
        {401, "{}", "401: the token"},
        {404, "{}", "404: it has no such experiment"},
        {410, "{}", "410: the experiment was deleted"},
        {503, "", "503"},
        {302, "", "302"},
        {200, "", "not JSON"},
        {200, "<html>", "not JSON"},
        {200, "[]", "no counts"},
        {200, "{}", "no counts"},
        {200, "{\"reports\": 3}", "no counts"},
        {200, "{\"reports\": {\"folded\": 1, \"late\": 2, \"duplicate\": 3}}", "no counts"},
        {200, "{\"reports\": {\"folded\": -1, \"late\": 2, \"duplicate\": 3, \"conflicting\": 4}}",
         "no counts"},
        {200, "{\"reports\": {\"folded\": 1.5, \"late\": 2, \"duplicate\": 3, \"conflicting\": 4}}",
         "no counts"},
    };
    FREED_BY(scene_close) scene s;
    sotto__check_counts counts = {7, 7, 7, 7};
    scene_open(&s);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        site_server_set_page(s.server, PATH, bad[i].status, bad[i].body);
        assert_says(WHY(sotto__admin_counts, s.admin, ID, &counts), bad[i].word);
        assert_int_equal(counts.folded, 7);
    }
}

TEST(a_server_that_is_gone_is_told)
{
    HELD(directory) f = directory_new();
    OWN(sotto__admin) admin;
    sotto__check_counts counts;
    file_write(f.file, (const uint8_t *)"secret", 6);
    assert_null(WHY(sotto__admin_new, "http://127.0.0.1:1/", f.file, NULL, &admin));
    assert_says(WHY(sotto__admin_counts, admin, ID, &counts), "http://127.0.0.1:1: no answer");
    sotto__admin_free(NULL);
}

TEST(counts_are_read_and_the_token_is_shown)
{
    FREED_BY(scene_close) scene s;
    char token[100];
    sotto__check_counts counts;
    scene_open(&s);
    site_server_set_page(
        s.server, PATH, 200,
        "{\"id\": \"x\", \"reports\": {\"acknowledged\": 10, \"folded\": 1, \"late\": 2, "
        "\"duplicate\": 3, \"conflicting\": 4}}");
    for (uint32_t i = 0; i < 2; i++) {
        assert_null(WHY(sotto__admin_counts, s.admin, ID, &counts));
        assert_ints(counts.folded, 1, counts.late, 2, counts.duplicate, 3, counts.conflicting, 4);
    }
    site_server_token(s.server, token);
    assert_string_equal(token, "Bearer secret");
}

#define OPEN "{\"id\": \"" ID "\", \"state\": \"open\"}"
#define CLOSED "{\"id\": \"00000000000000000000000000000000\", \"state\": \"closed\"}"

static const char *only_of(scene *s, const char *experiments, char id[SOTTO__ID_CHARS + 1])
{
    site_server_set_page(s->server, "/v1/experiments", 200, experiments);
    return WHY(sotto__admin_only, s->admin, id);
}

TEST(the_only_open_experiment_is_found)
{
    FREED_BY(scene_close) scene s;
    char id[SOTTO__ID_CHARS + 1];
    scene_open(&s);
    assert_null(only_of(&s, "{\"experiments\": [" CLOSED ", " OPEN "]}", id));
    assert_string_equal(id, ID);
    assert_says(only_of(&s, "{\"experiments\": [" OPEN ", " OPEN "]}", id), "2 are open");
    assert_says(
        only_of(&s, "{\"experiments\": [" CLOSED ", {\"id\": 3, \"state\": \"open\"}, 1]}", id),
        "0 are open");
    assert_says(only_of(&s, "{}", id), "0 are open");
}
