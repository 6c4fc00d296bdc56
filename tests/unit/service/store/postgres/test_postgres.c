/* A gateway's journal in PostgreSQL. */
#include "postgres_scene.h"

#include <poll.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

OWNED(sottod_folding, folding_free)

/* After a connection is lost, the next attempt is at least a second after the last. */
static void pass_a_second(void)
{
    nanosleep(&(struct timespec){.tv_sec = 1, .tv_nsec = 50000000}, NULL);
}

static sottod_journal *one;

static int start(void **state)
{
    scene_fresh(state);
    one = scene_gateway();
    return 0;
}

FIXTURE(end)
{
    journal_close(one);
}

static scene_text rows(void)
{
    return scene_sql(
        "SELECT string_agg(experiment || ':' || gateway || ':' || gseq || ':' || reports, "
        "' ' ORDER BY experiment, gateway, gseq) FROM journal");
}

/* ---- bad input */

TEST_WITH(a_closed_or_deleted_experiment_takes_nothing, start, end)
{
    sottod_journal *other = scene_gateway();
    scene_experiment(one, "one");
    scene_experiment(one, "two");
    journal_changed(other);
    scene_state(one, 1, JOURNAL_CLOSED);
    scene_state(one, 2, JOURNAL_DELETED);
    while (!journal_changed(other)) {
    }
    for (uint32_t number = 1; number <= 3; number++) { /* there is no third one */
        char words[40];
        snprintf(words, sizeof words, "experiment %u accepts no reports", number);
        assert_refused(other, scene_try_append(other, number, 1, 'a', 1), words);
        assert_true(journal_changed(other));
    }
    assert_string_equal(rows().text, "");
    journal_close(other);
}

TEST_WITH(one_row_that_is_refused_takes_the_whole_commit_back, start, end)
{
    journal_row row = {.experiment = 1, .epoch = 1};
    scene_experiment(one, "one");
    scene_append(one, 1, 1, 'a', 1);
    assert_done(one, journal_begin(one));
    assert_done(one, journal_append(one, &row));
    assert_int_equal(row.seq, 2);
    row.experiment = 2;
    assert_done(one, journal_append(one, &row));
    assert_refused(one, journal_commit(one), "experiment 2 accepts no reports");
    assert_false(journal_commit(one)); /* until the transaction is abandoned */
    assert_false(journal_append(one, &row));
    journal_abandon(one);
    assert_int_equal(journal_last(one), 1);
    scene_append(one, 1, 1, 'b', 3);
    assert_string_equal(rows().text, "1:1:1:1 1:1:2:3");
}

/* As after restoring another copy: publishers would not read its rows, or would refuse them. */
TEST_WITH(a_gateway_that_is_not_as_it_was_goes_on_as_a_new_one, start, end)
{
    scene_experiment(one, "one");
    scene_append(one, 1, 1, 'a', 1);
    scene_sql("DELETE FROM gateway");
    assert_refused(one, scene_try_append(one, 1, 1, 'b', 1),
                   "gateway 1 is missing from the tables");
    assert_int_equal(journal_fd(one), -1);
    pass_a_second();
    scene_append(one, 1, 1, 'b', 1);
    assert_string_equal(rows().text, "1:1:1:1 1:2:1:1");
    assert_string_equal(scene_sql("SELECT number::text FROM gateway").text, "2");
    scene_sql("UPDATE journal SET gseq = 2 WHERE gateway = 2"); /* a row unknown to it */
    assert_refused(one, scene_try_append(one, 1, 1, 'c', 1), "has other rows there");
    pass_a_second();
    scene_append(one, 1, 1, 'c', 1);
    assert_string_equal(rows().text, "1:1:1:1 1:2:2:1 1:3:1:1");
}

TEST_WITH(a_server_that_no_longer_keeps_what_it_acknowledges_is_noticed_with_the_next_row, start,
          end)
{
    static const char *const names[] = {"fsync", "full_page_writes"};
    scene_experiment(one, "one");
    for (int i = 0; i < 2; i++) {
        scene_append(one, 1, 1, 'a', 1);
        scene_turn(names[i], false);
        bool taken = scene_try_append(one, 1, 1, 'b', 1);
        scene_turn(names[i], true);
        assert_refused(one, taken, "fsync or full_page_writes off");
        pass_a_second();
    }
    scene_append(one, 1, 1, 'c', 1);
    scene_turn("synchronous_commit", false); /* for later connections */
    scene_append(one, 1, 1, 'd', 1);
    scene_turn("synchronous_commit", true);
    assert_string_equal(scene_sql("SELECT sum(reports) FROM journal").text, "4");
}

TEST_WITH(a_server_that_no_longer_keeps_what_it_acknowledges_gets_no_change, start, end)
{
    static const char *const names[] = {"fsync", "full_page_writes"};
    scene_experiment(one, "one");
    for (int i = 0; i < 2; i++) {
        char words[40];
        snprintf(words, sizeof words, "%s = off", names[i]);
        scene_turn(names[i], false);
        assert_done(one, journal_begin(one));
        bool paused = journal_set_state(one, 1, JOURNAL_PAUSED);
        scene_turn(names[i], true);
        assert_refused(one, paused, words);
        journal_abandon(one);
    }
    assert_string_equal(scene_sql("SELECT state FROM experiment").text, "0");
    assert_committed(one, journal_set_state(one, 1, JOURNAL_PAUSED));
    assert_string_equal(scene_sql("SELECT state FROM experiment").text, "1");
}

TEST_WITH(what_a_gateway_may_not_do_is_refused, start, end)
{
    bool (*const none)(void *, const journal_row *) = NULL;
    journal_row publish = {.experiment = 1, .kind = JOURNAL_PUBLISH, .epoch = 1};
    journal_row nobody = {.experiment = 0};
    const journal_snapshot snapshot = {.experiment = 1};
    scene_experiment(one, "one");
    assert_refused(one, journal_append(one, &publish), "outside of a transaction");
    assert_refused(one, journal_read_rows(one, 1, 0, none, NULL), "pg_dump");
    assert_refused(one, journal_scrub(one), "only the publisher can");
    assert_done(one, journal_begin(one));
    assert_refused(one, journal_begin(one), "open already");
    assert_refused(one, journal_append(one, &publish), "kind 1: allowed 0");
    journal_abandon(one);
    assert_refused_within(one, journal_append(one, &nobody), "no experiment 0");
    assert_refused_within(one, journal_put_snapshot(one, &snapshot), "only the publisher can");
    assert_refused_within(one, journal_tidy(one, 1, NULL), "only the publisher can");
    assert_refused_within(one, journal_remove_rows(one, 1, 1), "only the publisher can");
    assert_string_equal(rows().text, "");
}

TEST_WITH(a_number_whose_lock_is_held_is_passed_over, start, end)
{
    PGconn *pg = PQconnectdb(scene.url);
    PQclear(PQexec(pg, "SELECT pg_advisory_lock(1397707847, 2), pg_advisory_lock(1397707847, 3)"));
    sottod_journal *other = scene_gateway();
    assert_string_equal(scene_sql("SELECT string_agg(number::text, ' ') FROM gateway").text, "1 4");
    journal_close(other);
    PQfinish(pg);
}

/* ---- faults */

TEST_WITH(a_connection_that_is_cut_is_made_again_as_a_new_gateway, start, end)
{
    scene_experiment(one, "one");
    scene_append(one, 1, 1, 'a', 1);
    journal_row row = {.experiment = 1};
    assert_done(one, journal_begin(one));
    assert_done(one, journal_append(one, &row));
    scene_sql("SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity WHERE "
              "application_name = 'sottod'");
    assert_false(journal_commit(one));
    journal_abandon(one);
    assert_int_equal(journal_fd(one), -1);
    pass_a_second();
    assert_true(journal_changed(one));
    scene_append(one, 1, 1, 'b', 1);
    assert_true(journal_fd(one) >= 0);
    assert_true(journal_changed(one)); /* changes made while there was no connection */
    assert_false(journal_changed(one));
    assert_string_equal(rows().text, "1:1:1:1 1:2:1:1");
}

TEST_WITH(a_gateway_notices_between_commits_that_it_is_cut, start, end)
{
    scene_sql("SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity WHERE "
              "application_name = 'sottod'");
    struct pollfd poll_one = {.fd = journal_fd(one), .events = POLLIN};
    assert_int_equal(poll(&poll_one, 1, 60000), 1);
    journal_changed(one);
    assert_int_equal(journal_fd(one), -1);
}

TEST_WITH(a_server_that_is_killed_keeps_what_was_committed_and_nothing_else, start, end)
{
    scene_experiment(one, "one");
    scene_append(one, 1, 1, 'a', 2);
    journal_row row = {.experiment = 1};
    assert_done(one, journal_begin(one));
    assert_done(one, journal_append(one, &row));
    postgres_server_kill(&scene);
    assert_false(journal_commit(one));
    journal_abandon(one);
    assert_refused(one, journal_begin(one), ""); /* at once: only one attempt per second */
    pass_a_second();
    assert_refused(one, journal_probe(one), "cannot be reached");
    postgres_server_again(&scene, NULL);
    assert_string_equal(rows().text, "1:1:1:2");
    pass_a_second();
    assert_done(one, journal_probe(one));
    scene_append(one, 1, 1, 'b', 1);
    /* A number of a gateway is not used again; the server skips some after a crash. */
    assert_string_equal(scene_sql("SELECT string_agg((gateway > 1)::text || ':' || gseq || ':' || "
                                  "reports, ' ' ORDER BY gateway) FROM journal")
                            .text,
                        "false:1:2 true:1:1");
}

/* A change of a few bytes succeeds, as on a full disk, and a row does not. */
TEST_WITH(a_probe_tells_that_rows_are_refused, start, end)
{
    scene_experiment(one, "one");
    scene_append(one, 1, 1, 'a', 1);
    scene_sql("CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE "
              "EXCEPTION 'No space left on device' USING ERRCODE = '53100'; END $$");
    scene_sql("CREATE TRIGGER full_disk BEFORE INSERT ON journal FOR EACH ROW EXECUTE FUNCTION "
              "full_disk()");
    assert_done(one, journal_probe(one)); /* nothing was refused yet */
    assert_refused(one, scene_try_append(one, 1, 1, 'b', 2), "No space left on device");
    for (int times = 0; times < 2; times++) {
        assert_refused(one, journal_probe(one), "No space left on device");
        assert_string_equal(journal_reason(one), "the disk of its database is full");
    }
    scene_sql("DROP TRIGGER full_disk ON journal");
    assert_done(one, journal_probe(one));
    assert_string_equal(rows().text, "1:1:1:1"); /* the row of the probe is not there */
    scene_append(one, 1, 1, 'b', 2);
    assert_string_equal(rows().text, "1:1:1:1 1:1:2:2");
}

/* In another process, after so many milliseconds. */
static pid_t kill_server_later(long after_ms)
{
    pid_t pid = fork();
    if (pid != 0) return pid;
    nanosleep(&(struct timespec){.tv_nsec = after_ms * 1000000}, NULL);
    postgres_server_kill(&scene);
    _exit(0);
}

TEST_WITH(rows_that_were_acknowledged_outlive_a_server_killed_in_the_middle_of_commits, start, end)
{
    uint64_t acknowledged = 0, waiting;
    const folding_cut none = {.places = 0}, *cut;
    scene_text out = {.text = ""};
    scene_experiment(one, "one");
    pid_t killer = kill_server_later(150);
    while (scene_try_append(one, 1, 1, 'a', 1)) {
        acknowledged++;
    }
    waitpid(killer, NULL, 0);
    waitpid(scene.pid, NULL, 0);
    postgres_server_again(&scene, NULL);
    OWN(sottod_folding) folding = scene_publisher();
    assert_folded(folding, folding_waiting(folding, 1, &none, &cut, &waiting));
    assert_true(acknowledged > 0);
    assert_true(waiting == acknowledged || waiting == acknowledged + 1); /* the last may be there */
    assert_folded(folding, folding_read_rows(folding, 1, &none, cut, scene_take_row, out.text));
}

TEST_WITH(a_server_that_stands_still_is_given_up_in_time, start, end)
{
    sottod_journal *hasty;
    sotto_fault fault;
    postgres_settings settings = {.url = scene.url, .timeout_ms = 1000};
    scene_experiment(one, "one");
    if (postgres_journal_open(&settings, &hasty, &fault) != SOTTO_OK)
        fail_msg("%s", fault.sentence);
    scene_append(hasty, 1, 1, 'a', 1);
    postgres_server_freeze(&scene, true);
    assert_refused(hasty, scene_try_append(hasty, 1, 1, 'b', 1), "did not answer within 1000 ms");
    postgres_server_freeze(&scene, false);
    pass_a_second();
    scene_append(hasty, 1, 1, 'c', 3);
    /* The row whose answer did not come may be there or not. */
    assert_words(rows().text, "1:2:1:1");
    assert_words(rows().text, "1:3:1:3");
    journal_close(hasty);
}

/* ---- what is kept */

TEST_WITH(rows_of_gateways_are_numbered_each_for_itself, start, end)
{
    uint64_t last_us;
    sottod_journal *other = scene_gateway();
    scene_experiment(one, "one");
    scene_experiment(one, "two");
    scene_append(one, 1, 1, 'a', 1);
    scene_append(other, 1, 1, 'b', 2);
    scene_append(one, 2, 1, 'c', 3);
    scene_append(one, 1, 1, 'd', 0);
    assert_string_equal(rows().text, "1:1:1:1 1:1:2:0 1:2:1:2 2:1:1:3");
    assert_ints(journal_last(one), 3, journal_commits(one, &last_us), 5);
    assert_true(last_us > 0);
    journal_close(other);
}

TEST_WITH(a_transaction_that_is_abandoned_leaves_nothing, start, end)
{
    uint8_t terms[SOTTO_TERMS_BYTES];
    journal_experiment experiment = scene_experiment_of("two", terms);
    scene_experiment(one, "one");
    journal_row row = {.experiment = 1};
    assert_done(one, journal_begin(one));
    assert_done(one, journal_append(one, &row));
    assert_done(one, journal_add_experiment(one, &experiment));
    assert_done(one, journal_set_state(one, 1, JOURNAL_PAUSED));
    journal_abandon(one);
    assert_string_equal(rows().text, "");
    assert_string_equal(scene_sql("SELECT count(*) || ' ' || sum(state) FROM experiment").text,
                        "1 0");
    assert_int_equal(journal_last(one), 0);
    scene_append(one, 1, 1, 'a', 1);
    assert_string_equal(rows().text, "1:1:1:1");
}

static bool take_snapshot(void *self, const journal_snapshot *snapshot)
{
    scene_text *out = self;
    snprintf(out->text, sizeof out->text, "%u %llu %llu %.*s", snapshot->experiment,
             (unsigned long long)snapshot->seq, (unsigned long long)snapshot->counts.folded,
             (int)snapshot->learner.bytes, (const char *)snapshot->learner.at);
    return true;
}

static bool take_history(void *self, const journal_history *history)
{
    return scene_add(self, "%u:%lld:%u ", history->epoch, (long long)history->control_sum,
                     history->alarms);
}

TEST_WITH(the_snapshot_is_the_last_publish, start, end)
{
    bool found = true;
    scene_text text = {.text = ""}, history = {.text = ""};
    const folding_cut none = {.places = 0};
    OWN(sottod_folding) folding = scene_publisher();
    scene_experiment(one, "one");
    assert_done(one, journal_read_snapshot(one, 1, take_snapshot, &text, &found));
    assert_false(found);
    journal_changed(one);
    assert_false(journal_changed(one));
    assert_true(scene_publish(folding, 1, 1, &none));
    assert_true(scene_publish(folding, 1, 2, &none));
    struct pollfd poll_one = {.fd = journal_fd(one), .events = POLLIN};
    uint32_t named = 0;
    assert_int_equal(poll(&poll_one, 1, 60000), 1); /* it wakes and learns which one changed */
    assert_false(journal_changed(one));
    assert_true(journal_changed_one(one, &named));
    assert_int_equal(named, 1);
    assert_done(one, journal_read_snapshot(one, 1, take_snapshot, &text, &found));
    assert_true(found);
    assert_string_equal(text.text, "1 2 14 the-learner");
    assert_done(one, journal_read_history(one, 1, take_history, &history));
    assert_string_equal(history.text, "1:-3:2 2:-3:4 ");
}

static bool take_experiment(void *self, const journal_experiment *experiment)
{
    return scene_add(self, "%u %s %s ", experiment->number, (const char *)experiment->id,
                     journal_state_name(experiment->state));
}

TEST_WITH(experiments_states_and_history_are_those_that_were_written, start, end)
{
    scene_text text = {.text = ""}, history = {.text = ""};
    const journal_history row = {.experiment = 1, .epoch = 4, .control_sum = 5, .alarms = 6};
    scene_experiment(one, "one");
    scene_experiment(one, "two");
    scene_state(one, 2, JOURNAL_PAUSED);
    assert_committed(one, journal_set_quarantine(one, 1, false) && journal_add_history(one, &row));
    assert_done(one, journal_read_experiments(one, take_experiment, &text));
    assert_string_equal(text.text, "1 one open 2 two paused ");
    assert_done(one, journal_read_history(one, 1, take_history, &history));
    assert_string_equal(history.text, "4:5:6 ");
    assert_true(journal_disk_bytes(one) > 100000);
    assert_false(journal_publishes_here(one));
    assert_false(journal_changed(one) && journal_changed(one)); /* its own changes */
}
