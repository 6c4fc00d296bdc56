/* Tokens of the admin port. */
#include "folder.h"
#include "service/api/auth.h"
#include "test.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static folder made;
static char path[256];
static bool no_randomness;
static uid_t other_user;

bool __real_entropy_draw(void *out, size_t bytes);
bool __wrap_entropy_draw(void *out, size_t bytes);
bool __wrap_entropy_draw(void *out, size_t bytes)
{
    if (no_randomness) return false;
    return __real_entropy_draw(out, bytes);
}

uid_t __real_geteuid(void);
uid_t __wrap_geteuid(void);
uid_t __wrap_geteuid(void)
{
    return __real_geteuid() + other_user;
}

static int start(void **state)
{
    (void)state;
    made = folder_new();
    no_randomness = false;
    other_user = 0;
    return 0;
}

static int end(void **state)
{
    (void)state;
    folder_free(&made);
    return 0;
}

static const char *file(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", made.path, name);
    return path;
}

static sottod_auth *open_good(void)
{
    char fault[FRONT_FAULT_BYTES] = "";
    sottod_auth *auth = auth_open(made.path, fault);
    if (auth == NULL) fail_msg("%s", fault);
    return auth;
}

static void assert_fault(const char *wanted)
{
    char fault[FRONT_FAULT_BYTES] = "";
    assert_null(auth_open(made.path, fault));
    if (strstr(fault, wanted) == NULL) fail_msg("\"%s\" has no \"%s\"", fault, wanted);
}

/* "Bearer " and what the file has. */
static void bearer(const char *name, char out[128])
{
    uint8_t bytes[100];
    size_t count = file_read(file(name), bytes, sizeof bytes);
    assert_int_equal(count, 65);
    assert_int_equal(bytes[64], '\n');
    snprintf(out, 128, "Bearer %.64s", (const char *)bytes);
}

static void a_folder_that_is_not_there_is_refused(void **state)
{
    (void)state;
    char fault[FRONT_FAULT_BYTES] = "";
    assert_null(auth_open("/no/such/folder", fault));
    assert_non_null(strstr(fault, "/no/such/folder/admin.token.new: No such file"));
}

static void without_randomness_there_are_no_tokens(void **state)
{
    (void)state;
    no_randomness = true;
    assert_fault("no randomness");
    assert_int_equal(folder_count(&made), 0);
}

static void files_that_others_may_read_are_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"admin.token", "reader.token", "token-hashes"};
    auth_free(open_good());
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(chmod(file(names[i]), 0640), 0);
        assert_fault("others may read it: chmod 600 it");
        assert_int_equal(chmod(file(names[i]), 0600), 0);
    }
    auth_free(open_good());
}

static void files_of_another_user_are_refused(void **state)
{
    (void)state;
    auth_free(open_good());
    other_user = 1;
    assert_fault("admin.token: belongs to another user");
}

static void what_is_no_plain_file_is_refused(void **state)
{
    (void)state;
    assert_int_equal(mkdir(file("admin.token"), 0700), 0);
    assert_fault("admin.token: is no plain file");
    assert_int_equal(rmdir(file("admin.token")), 0);
    assert_int_equal(symlink("/dev/null", file("token-hashes")), 0);
    assert_fault("token-hashes: Too many levels of symbolic links");
}

static void hashes_that_are_damaged_are_refused(void **state)
{
    (void)state;
    uint8_t bytes[300];
    auth_free(open_good());
    size_t count = file_read(file("token-hashes"), bytes, sizeof bytes);
    assert_int_equal(count, 5 + 1 + 64 + 1 + 6 + 1 + 64 + 1);
    for (size_t kept = 0; kept < count; kept += 7) {
        unlink(file("token-hashes"));
        file_write(file("token-hashes"), bytes, kept);
        assert_fault("token-hashes: is damaged");
    }
    bytes[20] = 'G';
    file_write(file("token-hashes"), bytes, count);
    assert_fault("token-hashes: is damaged");
    bytes[20] = 'a';
    bytes[count] = 'x';
    file_write(file("token-hashes"), bytes, count + 1);
    assert_fault("token-hashes: is damaged");
}

static void tokens_are_drawn_once(void **state)
{
    (void)state;
    char admin[128], again[128], reader[128];
    sottod_auth *auth = open_good();
    assert_true(auth_is_new(auth));
    assert_string_equal(auth_token_file(auth), file("admin.token"));
    bearer("admin.token", admin);
    bearer("reader.token", reader);
    assert_string_not_equal(admin, reader);
    auth_free(auth);
    auth = open_good();
    assert_false(auth_is_new(auth));
    bearer("admin.token", again);
    assert_string_equal(admin, again);
    assert_int_equal(auth_who(auth, admin), AUTH_ADMIN);
    assert_int_equal(auth_who(auth, reader), AUTH_READER);
    auth_free(auth);
    assert_int_equal(folder_count(&made), 3);
}

static void files_are_for_their_owner_alone(void **state)
{
    (void)state;
    static const char *const names[] = {"admin.token", "reader.token", "token-hashes"};
    mode_t before = umask(0);
    auth_free(open_good());
    umask(before);
    for (size_t i = 0; i < 3; i++) {
        struct stat s;
        assert_int_equal(stat(file(names[i]), &s), 0);
        assert_int_equal(s.st_mode & 0777, 0600);
    }
}

static void no_token_is_in_the_hashes(void **state)
{
    (void)state;
    uint8_t bytes[300] = {0};
    char admin[128];
    auth_free(open_good());
    bearer("admin.token", admin);
    file_read(file("token-hashes"), bytes, sizeof bytes - 1);
    assert_null(strstr((const char *)bytes, admin + 7));
}

static void tokens_may_be_moved_away_and_are_drawn_anew_without_hashes(void **state)
{
    (void)state;
    char admin[128], again[128];
    auth_free(open_good());
    bearer("admin.token", admin);
    unlink(file("admin.token"));
    sottod_auth *auth = open_good();
    assert_false(auth_is_new(auth));
    assert_int_equal(auth_who(auth, admin), AUTH_ADMIN);
    auth_free(auth);
    unlink(file("token-hashes"));
    auth = open_good();
    assert_true(auth_is_new(auth));
    assert_int_equal(auth_who(auth, admin), AUTH_NOBODY);
    bearer("admin.token", again);
    assert_int_equal(auth_who(auth, again), AUTH_ADMIN);
    auth_free(auth);
}

static void what_is_no_token_is_nobody(void **state)
{
    (void)state;
    char admin[128], text[200];
    sottod_auth *auth = open_good();
    bearer("admin.token", admin);
    assert_int_equal(auth_who(auth, NULL), AUTH_NOBODY);
    assert_int_equal(auth_who(auth, ""), AUTH_NOBODY);
    assert_int_equal(auth_who(auth, "Bearer "), AUTH_NOBODY);
    assert_int_equal(auth_who(auth, admin + 7), AUTH_NOBODY);
    snprintf(text, sizeof text, "Basic %s", admin + 7);
    assert_int_equal(auth_who(auth, text), AUTH_NOBODY);
    snprintf(text, sizeof text, "%s ", admin);
    assert_int_equal(auth_who(auth, text), AUTH_NOBODY);
    for (size_t i = 7; i < 71; i++) { /* each digit counts */
        memcpy(text, admin, 72);
        text[i] = text[i] == '0' ? '1' : '0';
        assert_int_equal(auth_who(auth, text), AUTH_NOBODY);
    }
    snprintf(text, sizeof text, "bearer %s", admin + 7);
    assert_int_equal(auth_who(auth, text), AUTH_ADMIN);
    auth_free(auth);
}

static void a_reader_changes_nothing(void **state)
{
    (void)state;
    sottod_refusal why;
    assert_false(auth_admits(AUTH_NOBODY, AUTH_READER, &why));
    assert_int_equal(why.status, 401);
    assert_string_equal(why.value, "");
    assert_false(auth_admits(AUTH_READER, AUTH_ADMIN, &why));
    assert_int_equal(why.status, 403);
    assert_true(auth_admits(AUTH_NOBODY, AUTH_NOBODY, &why));
    assert_true(auth_admits(AUTH_READER, AUTH_READER, &why));
    assert_true(auth_admits(AUTH_ADMIN, AUTH_READER, &why));
    assert_true(auth_admits(AUTH_ADMIN, AUTH_ADMIN, &why));
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, start, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_folder_that_is_not_there_is_refused),
        IN_FOLDER(without_randomness_there_are_no_tokens),
        IN_FOLDER(files_that_others_may_read_are_refused),
        IN_FOLDER(files_of_another_user_are_refused),
        IN_FOLDER(what_is_no_plain_file_is_refused),
        IN_FOLDER(hashes_that_are_damaged_are_refused),
        IN_FOLDER(tokens_are_drawn_once),
        IN_FOLDER(files_are_for_their_owner_alone),
        IN_FOLDER(no_token_is_in_the_hashes),
        IN_FOLDER(tokens_may_be_moved_away_and_are_drawn_anew_without_hashes),
        IN_FOLDER(what_is_no_token_is_nobody),
        cmocka_unit_test(a_reader_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
