/* Tokens of the admin port. */
#include "directory.h"
#include "service/api/api.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

OWNED(sottod_auth, auth_free)

#define TODAY 20270131u

static directory made;
static char path[256];
static bool no_randomness;
static uid_t other_user;
static bool changing; /* true while a token is being added or removed */
static uint32_t locked_steps;
static sotto_fault fault; /* the last one */

/* While tokens change, the directory is locked. */
static void look_at_lock(void)
{
    if (!changing) return;
    int fd = open(made.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(fd >= 0);
    if (flock(fd, LOCK_SH | LOCK_NB) == 0) fail_msg("the directory is not locked");
    assert_int_equal(errno, EWOULDBLOCK);
    close(fd);
    locked_steps++;
}

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
    look_at_lock(); /* a file is read */
    return __real_geteuid() + other_user;
}

/* Files synced since they were opened, and files renamed. */
typedef struct sync_log {
    uint32_t fails_at, calls, renames, count;
    ino_t file[32];
    bool directory_stale; /* a file was renamed after the last sync of the directory */
} sync_log;
static sync_log syncs;

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __wrap_fsync(int fd)
{
    struct stat s;
    assert_int_equal(fstat(fd, &s), 0);
    if (++syncs.calls == syncs.fails_at) {
        errno = EIO;
        return -1;
    }
    if (S_ISDIR(s.st_mode)) syncs.directory_stale = false;
    if (S_ISREG(s.st_mode) && s.st_size > 0 && syncs.count < 32)
        syncs.file[syncs.count++] = s.st_ino;
    return __real_fsync(fd);
}

int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to)
{
    struct stat s;
    bool synced = false;
    look_at_lock(); /* a file is written */
    assert_int_equal(stat(from, &s), 0);
    for (uint32_t i = 0; i < syncs.count; i++) {
        synced = synced || syncs.file[i] == s.st_ino;
    }
    if (!synced) fail_msg("%s was not synced before it got its name", to);
    if (strstr(to, "token-hashes") != NULL && syncs.directory_stale)
        fail_msg("the names of the tokens were not synced before %s", to);
    syncs.directory_stale = true;
    syncs.renames++;
    return __real_rename(from, to);
}

int __real_unlink(const char *name);
int __wrap_unlink(const char *name);
int __wrap_unlink(const char *name)
{
    int done = __real_unlink(name);
    if (done == 0) syncs.directory_stale = true;
    return done;
}

FIXTURE(start)
{
    made = directory_new();
    no_randomness = changing = false;
    other_user = locked_steps = 0;
    syncs = (sync_log){.fails_at = 0};
}

FIXTURE(end)
{
    directory_free(&made);
}

static const char *file(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", made.path, name);
    return path;
}

static void refuses(sotto_status status, const char *wanted)
{
    assert_int_equal(status, SOTTO_E_FAULT);
    if (strstr(fault.sentence, wanted) == NULL)
        fail_msg("\"%s\" has no \"%s\"", fault.sentence, wanted);
}

static sottod_auth *open_good(void)
{
    sottod_auth *auth;
    if (auth_open(made.path, TODAY, &auth, &fault) != SOTTO_OK) fail_msg("%s", fault.sentence);
    return auth;
}

static void assert_fault(const char *wanted)
{
    sottod_auth *auth;
    refuses(auth_open(made.path, TODAY, &auth, &fault), wanted);
    assert_null(auth);
}

static auth_role who(const sottod_auth *auth, const char *authorization)
{
    return auth_who(auth, authorization, TODAY).role;
}

/* "Bearer " and the content of the file. */
static void bearer(const char *name, char out[128])
{
    uint8_t bytes[100];
    size_t count = file_read(file(name), bytes, sizeof bytes);
    assert_ints(count, 65, bytes[64], '\n');
    snprintf(out, 128, "Bearer %.64s", (const char *)bytes);
}

TEST_WITH(a_directory_that_is_not_there_is_refused, start, end)
{
    sottod_auth *auth;
    refuses(auth_open("/no/such/directory", TODAY, &auth, &fault),
            "/no/such/directory/admin.token.new: No such file");
}

TEST_WITH(without_randomness_there_are_no_tokens, start, end)
{
    no_randomness = true;
    assert_fault("no randomness");
    assert_int_equal(directory_count(&made), 0);
}

TEST_WITH(files_that_others_may_read_are_refused, start, end)
{
    static const char *const names[] = {"admin.token", "reader.token", "token-hashes"};
    OWN(sottod_auth) auth = open_good();
    for (size_t i = 0; i < 3; i++) {
        for (mode_t bit = 1; bit <= 0040; bit *= 2) {
            assert_int_equal(chmod(file(names[i]), 0600 | bit), 0);
            assert_fault("other users have access to it; run chmod 600 on it");
            refuses(auth_reload(auth, TODAY, &fault),
                    "other users have access to it; run chmod 600 on it");
        }
        assert_int_equal(chmod(file(names[i]), 0600), 0);
        assert_ok(auth_reload(auth, TODAY, &fault));
    }
}

TEST_WITH(files_of_another_user_are_refused, start, end)
{
    auth_free(open_good());
    other_user = 1;
    assert_fault("admin.token: belongs to another user");
}

TEST_WITH(what_is_no_plain_file_is_refused, start, end)
{
    assert_int_equal(mkdir(file("admin.token"), 0700), 0);
    assert_fault("admin.token: is not a regular file");
    assert_ints(rmdir(file("admin.token")), 0, symlink("/dev/null", file("admin.token")), 0);
    assert_fault("admin.token: Too many levels of symbolic links");
    unlink(file("admin.token"));
    assert_int_equal(symlink("/dev/null", file("token-hashes")), 0);
    assert_fault("token-hashes: Too many levels of symbolic links");
}

TEST_WITH(hashes_that_are_damaged_are_refused, start, end)
{
    uint8_t bytes[300];
    auth_free(open_good());
    size_t count = file_read(file("token-hashes"), bytes, sizeof bytes);
    assert_int_equal(count, 5 + 1 + 64 + 1 + 6 + 1 + 64 + 1);
    for (size_t kept = 0; kept < count; kept += 7) {
        unlink(file("token-hashes"));
        file_write(file("token-hashes"), bytes, kept);
        assert_fault(kept <= 70 ? "token-hashes:1: " : "token-hashes:2: ");
    }
    bytes[20] = 'G';
    file_write(file("token-hashes"), bytes, count);
    assert_fault("token-hashes:1: hash: allowed");
    bytes[20] = 'a';
    bytes[count] = 'x';
    file_write(file("token-hashes"), bytes, count + 1);
    assert_fault("token-hashes:3: the line does not end in a newline");
    bytes[count] = '\0';
    file_write(file("token-hashes"), bytes, count + 1);
    assert_fault("token-hashes:3: the line does not end in a newline");
    static const uint8_t large[TOKEN_LIST_BYTES + 1];
    file_write(file("token-hashes"), large, sizeof large);
    assert_fault("token-hashes: too long");
}

TEST_WITH(tokens_are_drawn_once, start, end)
{
    char admin[128], again[128], reader[128];
    file_write(file("admin.token.new"), (const uint8_t *)"cut", 3); /* by an interrupted start */
    sottod_auth *auth = open_good();
    assert_true(auth_is_new(auth));
    assert_string_equal(auth_token_file(auth), file("admin.token"));
    bearer("admin.token", admin);
    bearer("reader.token", reader);
    for (size_t i = 7; i < 71; i += 8) { /* every part of a token */
        assert_memory_not_equal(admin + i, reader + i, 8);
    }
    auth_free(auth);
    auth = open_good();
    assert_false(auth_is_new(auth));
    bearer("admin.token", again);
    assert_string_equal(admin, again);
    assert_ints(who(auth, admin), AUTH_ADMIN, who(auth, reader), AUTH_READER);
    auth_free(auth);
    assert_int_equal(directory_count(&made), 3);
}

TEST_WITH(files_are_for_their_owner_alone, start, end)
{
    static const char *const names[] = {"admin.token", "reader.token", "token-hashes"};
    mode_t before = umask(0377); /* nor too few rights for their owner */
    auth_free(open_good());
    umask(before);
    for (size_t i = 0; i < 3; i++) {
        struct stat s;
        assert_ints(stat(file(names[i]), &s), 0, s.st_mode & 0777, 0600);
    }
}

TEST_WITH(no_token_is_in_the_hashes, start, end)
{
    uint8_t bytes[300] = {0};
    char admin[128];
    auth_free(open_good());
    bearer("admin.token", admin);
    file_read(file("token-hashes"), bytes, sizeof bytes - 1);
    assert_null(strstr((const char *)bytes, admin + 7));
}

TEST_WITH(tokens_may_be_moved_away_and_are_drawn_anew_without_hashes, start, end)
{
    char admin[128], again[128];
    auth_free(open_good());
    bearer("admin.token", admin);
    unlink(file("admin.token"));
    sottod_auth *auth = open_good();
    assert_false(auth_is_new(auth));
    assert_int_equal(who(auth, admin), AUTH_ADMIN);
    auth_free(auth);
    unlink(file("token-hashes"));
    auth = open_good();
    assert_true(auth_is_new(auth));
    assert_int_equal(who(auth, admin), AUTH_NOBODY);
    bearer("admin.token", again);
    assert_int_equal(who(auth, again), AUTH_ADMIN);
    auth_free(auth);
}

TEST_WITH(what_is_no_token_is_nobody, start, end)
{
    char admin[128], text[200];
    OWN(sottod_auth) auth = open_good();
    bearer("admin.token", admin);
    assert_ints(who(auth, NULL), AUTH_NOBODY, who(auth, ""), AUTH_NOBODY);
    assert_ints(who(auth, "Bearer "), AUTH_NOBODY, who(auth, admin + 7), AUTH_NOBODY);
    snprintf(text, sizeof text, "Basic %s", admin + 7);
    assert_int_equal(who(auth, text), AUTH_NOBODY);
    snprintf(text, sizeof text, "Bearer:%s", admin + 7);
    assert_int_equal(who(auth, text), AUTH_NOBODY);
    snprintf(text, sizeof text, "%s ", admin);
    assert_int_equal(who(auth, text), AUTH_NOBODY);
    for (size_t i = 7; i < 71; i++) { /* every digit is compared */
        memcpy(text, admin, 72);
        text[i] = text[i] == '0' ? '1' : '0';
        assert_int_equal(who(auth, text), AUTH_NOBODY);
    }
    snprintf(text, sizeof text, "bearer %s", admin + 7);
    assert_int_equal(who(auth, text), AUTH_ADMIN);
}

/* A token whose hash is wrong in any one bit is refused. */
TEST_WITH(every_bit_of_a_hash_counts, start, end)
{
    static const char digits[] = "0123456789abcdef";
    char admin[128];
    uint8_t bytes[300];
    auth_free(open_good());
    bearer("admin.token", admin);
    size_t count = file_read(file("token-hashes"), bytes, sizeof bytes);
    for (uint32_t bit = 0; bit < 256; bit++) {
        uint8_t *at = &bytes[6 + bit / 4], before = *at;
        uint32_t value = (uint32_t)(strchr(digits, before) - digits);
        *at = (uint8_t)digits[value ^ 1u << (3 - bit % 4)];
        file_write(file("token-hashes"), bytes, count);
        sottod_auth *auth = open_good();
        if (who(auth, admin) != AUTH_NOBODY) fail_msg("bit %u does not count", bit);
        auth_free(auth);
        *at = before;
    }
    file_write(file("token-hashes"), bytes, count);
    sottod_auth *auth = open_good();
    assert_int_equal(who(auth, admin), AUTH_ADMIN);
    auth_free(auth);
}

TEST(a_reader_changes_nothing)
{
    sottod_refusal why;
    const auth_caller nobody = {.role = AUTH_NOBODY}, reader = {.role = AUTH_READER},
                      admin = {.role = AUTH_ADMIN}, late = {.role = AUTH_NOBODY, .expired = true};
    assert_false(auth_admits(&nobody, AUTH_READER, &why));
    assert_int_equal(why.status, 401);
    assert_string_equal(why.fault.value, "");
    assert_false(auth_admits(&late, AUTH_READER, &why));
    assert_int_equal(why.status, 401);
    assert_string_equal(why.fault.sentence, "The token has expired.");
    assert_false(auth_admits(&reader, AUTH_ADMIN, &why));
    assert_int_equal(why.status, 403);
    assert_true(auth_admits(&nobody, AUTH_NOBODY, &why));
    assert_true(auth_admits(&reader, AUTH_READER, &why));
    assert_true(auth_admits(&admin, AUTH_READER, &why));
    assert_true(auth_admits(&admin, AUTH_ADMIN, &why));
}

/* ---- several tokens */

static sotto_status add(const char *name, auth_role role, uint32_t last_day)
{
    char where[300];
    token_row row = {.role = role, .last_day = last_day};
    snprintf(row.name, sizeof row.name, "%s", name);
    sotto_status status = auth_add(made.path, &row, TODAY, where, sizeof where, &fault);
    if (status == SOTTO_OK) {
        char wanted[40];
        snprintf(wanted, sizeof wanted, "%s.token", name);
        assert_string_equal(where, file(wanted));
    }
    return status;
}

static sotto_status take_out(const char *name, uint32_t today, bool is_done)
{
    bool done;
    sotto_status status = auth_remove(made.path, name, today, &done, &fault);
    assert_int_equal(done, is_done);
    return status;
}

TEST_WITH(bad_changes_are_refused_and_change_nothing, start, end)
{
    uint8_t before[300], after[300];
    refuses(add("ops", AUTH_ADMIN, 0), "token-hashes: does not exist");
    auth_free(open_good());
    size_t count = file_read(file("token-hashes"), before, sizeof before);
    refuses(add("admin", AUTH_READER, 0), "token admin: a token with this name");
    refuses(add("ops", AUTH_ADMIN, TODAY - 1), "token ops: the last day is in the past");
    no_randomness = true;
    refuses(add("ops", AUTH_ADMIN, 0), "token ops: the system provided no randomness");
    refuses(take_out("ops", TODAY, false), "token ops: no token has this name");
    refuses(take_out("admin", TODAY, false), "token admin: it is the last valid admin");
    other_user = 1;
    refuses(take_out("reader", TODAY, false), "belongs to another user");
    other_user = 0;
    bool done;
    assert_status(auth_remove("/no/such/directory", "reader", TODAY, &done, NULL), SOTTO_E_FAULT);
    assert_false(done);
    assert_int_equal(file_read(file("token-hashes"), after, sizeof after), count);
    assert_memory_equal(before, after, count);
    assert_int_equal(directory_count(&made), 3);
}

TEST_WITH(there_are_64_tokens_at_most, start, end)
{
    char text[TOKEN_LIST_BYTES];
    token_list list = {.count = TOKEN_LIST_MAX - 1};
    for (uint32_t i = 0; i < list.count; i++) {
        list.row[i].role = AUTH_ADMIN;
        list.row[i].hash[0] = (uint8_t)i;
        snprintf(list.row[i].name, TOKEN_NAME_BYTES, "t%u", i % 100);
    }
    const size_t bytes = token_list_write(&list, text);
    file_write(file("token-hashes"), (const uint8_t *)text, bytes);
    assert_int_equal(chmod(file("token-hashes"), 0600), 0);
    assert_ok(add("last", AUTH_READER, 0));
    refuses(add("more", AUTH_READER, 0), "token more: there are 64 tokens already");
    assert_int_equal(directory_count(&made), 2);
}

TEST_WITH(a_bad_file_leaves_the_old_tokens_in_force, start, end)
{
    char admin[128];
    uint8_t bytes[300];
    OWN(sottod_auth) auth = open_good();
    bearer("admin.token", admin);
    size_t count = file_read(file("token-hashes"), bytes, sizeof bytes);
    memcpy(bytes + count, "reader x\n", 9);
    file_write(file("token-hashes"), bytes, count + 9);
    refuses(auth_reload(auth, TODAY, &fault), "/token-hashes:3: hash: allowed");
    assert_int_equal(who(auth, admin), AUTH_ADMIN);
    unlink(file("token-hashes"));
    refuses(auth_reload(auth, TODAY, &fault), "/token-hashes: does not exist");
    assert_ints(who(auth, admin), AUTH_ADMIN, auth_count(auth), 2);
}

TEST_WITH(an_old_and_a_new_token_are_valid_side_by_side, start, end)
{
    char admin[128], ops[128];
    OWN(sottod_auth) auth = open_good();
    bearer("admin.token", admin);
    assert_ok(add("ops", AUTH_ADMIN, 0));
    bearer("ops.token", ops);
    assert_int_equal(who(auth, ops), AUTH_NOBODY);
    assert_ok(auth_reload(auth, TODAY, &fault));
    assert_int_equal(auth_count(auth), 3);
    assert_string_equal(auth_who(auth, ops, TODAY).name, "ops");
    assert_ints(who(auth, ops), AUTH_ADMIN, who(auth, admin), AUTH_ADMIN);
    assert_ok(take_out("admin", TODAY, true));
    assert_int_not_equal(access(file("admin.token"), F_OK), 0);
    assert_ok(auth_reload(auth, TODAY, &fault));
    assert_int_equal(who(auth, admin), AUTH_NOBODY);
    assert_null(auth_who(auth, admin, TODAY).name);
    assert_int_equal(who(auth, ops), AUTH_ADMIN);
}

/* Two processes that add a token each at the same time lose neither. */
TEST_WITH(the_directory_is_locked_while_tokens_change, start, end)
{
    auth_free(open_good());
    changing = true;
    assert_ok(add("ops", AUTH_ADMIN, 0));
    assert_int_equal(locked_steps, 3 + 2); /* 3 reads and 2 writes */
    assert_ok(take_out("ops", TODAY, true));
    assert_int_equal(locked_steps, 5 + 4 + 1);
}

/* An operator may leave only a token with a last day, and return after that day. */
TEST_WITH(an_admin_that_expired_is_none, start, end)
{
    OWN(sottod_auth) auth = open_good();
    assert_ok(add("ops", AUTH_ADMIN, TODAY));
    refuses(take_out("admin", TODAY + 1, false), "token admin: it is the last valid admin token");
    assert_ok(take_out("admin", TODAY, true));
    refuses(auth_reload(auth, TODAY + 1, &fault), "/token-hashes: no admin token is valid");
    assert_int_equal(auth_count(auth), 2);
    sottod_auth *late;
    refuses(auth_open(made.path, TODAY + 1, &late, &fault), "sottod add-token NAME admin");
    assert_ok(add("late", AUTH_ADMIN, 0));
    assert_ok(auth_reload(auth, TODAY + 1, &fault));
    assert_int_equal(auth_count(auth), 3);
}

/* Only the last valid token needs a warning. */
TEST_WITH(what_expired_can_be_taken_out, start, end)
{
    auth_free(open_good());
    assert_ok(add("ops", AUTH_ADMIN, TODAY));
    assert_ok(add("old", AUTH_ADMIN, TODAY));
    assert_ok(take_out("admin", TODAY, true));
    refuses(take_out("old", TODAY + 1, true),
            "no admin token is valid; make one: sottod add-token");
    refuses(take_out("ops", TODAY + 1, true), "no admin token is valid");
    assert_fault("token-hashes: no admin token is valid");
    refuses(take_out("reader", TODAY + 1, false),
            "token reader: it is the last token; add an admin token first");
    assert_ok(add("late", AUTH_ADMIN, 0));
    assert_ok(take_out("reader", TODAY + 1, true));
}

TEST_WITH(a_token_is_valid_until_its_last_day_is_over, start, end)
{
    char ops[128];
    auth_free(open_good());
    assert_ok(add("ops", AUTH_READER, TODAY));
    bearer("ops.token", ops);
    sottod_auth *auth = open_good();
    assert_int_equal(auth_who(auth, ops, TODAY).role, AUTH_READER);
    auth_caller late = auth_who(auth, ops, TODAY + 70);
    assert_int_equal(late.role, AUTH_NOBODY);
    assert_true(late.expired);
    assert_string_equal(late.name, "ops");
    auth_free(auth);
    assert_int_equal(chmod(file("ops.token"), 0644), 0);
    assert_fault("ops.token: other users have access to it");
}

/* ---- what is durable */

/* Each file is synced before it is renamed; the directory is synced before the hashes are renamed, and at the end. */
TEST_WITH(nothing_gets_its_name_before_it_is_durable, start, end)
{
    syncs = (sync_log){.directory_stale = false};
    auth_free(open_good());
    assert_int_equal(syncs.renames, 3);
    assert_false(syncs.directory_stale);
    assert_ok(add("ops", AUTH_ADMIN, 0));
    assert_int_equal(syncs.renames, 5);
    assert_false(syncs.directory_stale);
    assert_ok(take_out("ops", TODAY, true));
    assert_int_equal(syncs.renames, 6);
    assert_false(syncs.directory_stale);
}

TEST_WITH(what_cannot_be_made_durable_is_refused, start, end)
{
    for (uint32_t nth = 1; nth <= 5; nth++) {
        syncs = (sync_log){.fails_at = nth};
        assert_fault("Input/output error");
        unlink(file("token-hashes"));
    }
    syncs = (sync_log){.fails_at = 6};
    auth_free(open_good());
}
