/* Waiting rows, and rows in the order in which they count. */
#include "two_gateways_scene.h"

static const folding_cut none;

static folding_cut copy_of(const folding_cut *cut, folding_place place[4])
{
    assert_true(cut->places <= 4);
    memcpy(place, cut->place, cut->places * sizeof *place);
    return (folding_cut){.place = place, .places = cut->places, .capacity = 4};
}

/* ---- bad input */

TEST_WITH(an_altered_row_is_refused, start, end)
{
    static const char *const alter[] = {
        "UPDATE journal SET frames = 'x' || substr(frames, 2) WHERE gateway = 1 AND gseq = 2",
        "UPDATE journal SET late = 7 WHERE gateway = 1 AND gseq = 2",
        "UPDATE journal SET duplicate = 7 WHERE gateway = 1 AND gseq = 2",
        "UPDATE journal SET conflicting = 7 WHERE gateway = 1 AND gseq = 2",
        "UPDATE journal SET epoch = 7 WHERE gateway = 1 AND gseq = 2",
        "UPDATE journal SET digest = sha256(digest) WHERE gateway = 1 AND gseq = 2",
        "UPDATE journal SET digest = '' WHERE gateway = 1 AND gseq = 2",
        "UPDATE journal SET late = -1 WHERE gateway = 1 AND gseq = 2",
    };
    for (char letter = 'a'; letter <= 'c'; letter++) {
        scene_append(one, 1, 1, letter, 1);
    }
    const folding_cut *to = scene_waiting(folding, 1, &none, 3);
    scene_save("journal");
    for (size_t i = 0; i < sizeof alter / sizeof alter[0]; i++) {
        scene_text out = {.text = ""};
        scene_restore("journal");
        scene_change(alter[i]);
        assert_not_folded(folding,
                          folding_read_rows(folding, 1, &none, to, scene_take_row, out.text),
                          "is damaged: row 2 of gateway 1, experiment 1,");
        assert_string_equal(out.text, "1:a1 ");
    }
}

/* After the repair, the row is read again. */
TEST_WITH(a_row_that_was_repaired_is_read, start, end)
{
    scene_text out = {.text = ""};
    scene_append(one, 1, 1, 'a', 1);
    scene_save("journal");
    scene_change("UPDATE journal SET digest = sha256(digest)");
    const folding_cut *to = scene_waiting(folding, 1, &none, 1);
    assert_not_folded(folding, folding_read_rows(folding, 1, &none, to, scene_take_row, out.text),
                      "has a wrong digest");
    scene_restore("journal");
    to = scene_waiting(folding, 1, &none, 1);
    assert_folded(folding, folding_read_rows(folding, 1, &none, to, scene_take_row, out.text));
    assert_string_equal(out.text, "1:a1 ");
}

TEST_WITH(a_missing_row_is_refused, start, end)
{
    uint64_t reports;
    const folding_cut *to, *again;
    scene_text out = {.text = ""};
    for (char letter = 'a'; letter <= 'c'; letter++) {
        scene_append(one, 1, 1, letter, 1);
    }
    to = scene_waiting(folding, 1, &none, 3);
    scene_change("DELETE FROM journal WHERE gseq = 2");
    assert_not_folded(folding, folding_read_rows(folding, 1, &none, to, scene_take_row, out.text),
                      "row 2 of gateway 1, experiment 1, is missing");
    scene_change("DELETE FROM journal WHERE gseq = 3");
    assert_not_folded(folding, folding_read_rows(folding, 1, &none, to, scene_take_row, out.text),
                      "row 2 of gateway 1, experiment 1, is missing");
    scene_append(one, 1, 1, 'd', 1);
    sottod_folding *other = scene_folding();
    assert_not_folded(other, folding_waiting(other, 1, &none, &again, &reports),
                      "or one of those before it, is missing");
    folding_free(other);
}

TEST_WITH(rows_that_do_not_end_where_the_cut_says_are_refused, start, end)
{
    folding_place place[4];
    scene_text out = {.text = ""};
    scene_append(one, 1, 1, 'a', 1);
    folding_cut to = copy_of(scene_waiting(folding, 1, &none, 1), place);
    place[0].digest[0] ^= 1;
    assert_not_folded(folding, folding_read_rows(folding, 1, &none, &to, scene_take_row, out.text),
                      "differs from the one that the model has counted");
    place[0].digest[0] ^= 1;
    place[0].gseq = 2;
    assert_not_folded(folding, folding_read_rows(folding, 1, &none, &to, scene_take_row, out.text),
                      "row 2 of gateway 1, experiment 1, is missing");
}

TEST_WITH(an_experiment_that_there_cannot_be_is_refused, start, end)
{
    uint64_t reports;
    const folding_cut *cut;
    assert_not_folded(folding, folding_waiting(folding, 0, &none, &cut, &reports),
                      "no experiment 0");
    assert_not_folded(folding, folding_waiting(folding, UINT32_MAX, &none, &cut, &reports),
                      "no experiment");
    assert_int_equal(scene_waiting(folding, 77, &none, 0)->places, 0);
}

static bool take_one(void *self, const journal_row *row)
{
    (void)row;
    (*(int *)self)++;
    return false;
}

TEST_WITH(who_takes_no_more_gets_no_more, start, end)
{
    int taken = 0;
    for (int i = 0; i < 5; i++) {
        scene_append(one, 1, 1, 'a', 1);
    }
    const folding_cut *to = scene_waiting(folding, 1, &none, 5);
    assert_false(folding_read_rows(folding, 1, &none, to, take_one, &taken));
    assert_int_equal(taken, 1);
    assert_int_equal(strlen(scene_rows(folding, 1, &none, to).text), 5 * 5); /* all, once more */
}

/* ---- good input */

TEST_WITH(rows_come_by_gateway_and_number_whatever_came_first, start, end)
{
    folding_place place[4];
    scene_append(two, 1, 1, 'x', 1);
    scene_append(one, 1, 1, 'a', 2);
    scene_append(two, 1, 1, 'y', 0);
    scene_append(one, 2, 1, 'p', 9); /* of another experiment */
    scene_append(one, 1, 1, 'b', 3);
    folding_cut first = copy_of(scene_waiting(folding, 1, &none, 6), place);
    assert_string_equal(scene_rows(folding, 1, &none, &first).text, "1:a2 2:b3 1:x1 2:-0 ");
    scene_append(two, 1, 1, 'z', 4);
    scene_append(one, 1, 1, 'c', 1);
    const folding_cut *second = scene_waiting(folding, 1, &first, 5);
    assert_string_equal(scene_rows(folding, 1, &first, second).text, "3:c1 3:z4 ");
    assert_string_equal(scene_rows(folding, 1, &none, second).text,
                        "1:a2 2:b3 3:c1 1:x1 2:-0 3:z4 ");
    assert_string_equal(scene_rows(folding, 1, second, &first).text, "");
}

TEST_WITH(what_waits_grows_with_what_comes, start, end)
{
    folding_place place[4];
    assert_int_equal(scene_waiting(folding, 1, &none, 0)->places, 0);
    scene_append(one, 1, 1, 'a', 2);
    scene_waiting(folding, 1, &none, 2);
    scene_waiting(folding, 1, &none, 2);
    scene_append(one, 1, 1, 'b', 1);
    scene_append(two, 1, 1, 'c', 5);
    folding_cut first = copy_of(scene_waiting(folding, 1, &none, 8), place);
    assert_int_equal(first.places, 2);
    scene_waiting(folding, 1, &first, 0);
    scene_append(two, 1, 1, 'd', 1);
    scene_waiting(folding, 1, &first, 1);
    scene_waiting(folding, 1, &none, 9); /* from elsewhere again */
}

TEST_WITH(many_rows_come_in_pieces, start, end)
{
    char *text = test_calloc(1, 1 << 16);
    for (int i = 0; i < 300; i++) {
        journal_row row = {.experiment = 1};
        if (i % 100 == 0) assert_done(one, journal_begin(one));
        assert_done(one, journal_append(one, &row));
        if (i % 100 == 99) assert_done(one, journal_commit(one));
    }
    const folding_cut *to = scene_waiting(folding, 1, &none, 0);
    assert_int_equal(to->place[0].gseq, 300);
    assert_folded(folding, folding_read_rows(folding, 1, &none, to, scene_take_row, text));
    test_free(text);
}

TEST_WITH(a_gateway_that_died_is_read_to_its_end, start, end)
{
    sottod_journal *third = scene_gateway();
    scene_append(third, 1, 1, 'q', 2);
    journal_row row = {.experiment = 1};
    assert_done(third, journal_begin(third));
    assert_done(third, journal_append(third, &row));
    journal_close(third); /* in the middle of a commit */
    const folding_cut *to = scene_waiting(folding, 1, &none, 2);
    assert_int_equal(to->places, 1);
    assert_string_equal(scene_rows(folding, 1, &none, to).text, "1:q2 ");
}

/* The statements of packaging/check_journal.sql, which share no code with the service. Returns the
 * number of rows that they name. */
static int wrong_by_the_manual(void)
{
    static char text[1 << 16];
    FILE *file = fopen(SOTTO_PROJECT_DIR "/packaging/check_journal.sql", "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    PGconn *pg = PQconnectdb(scene.url);
    PGresult *result = PQexec(pg, text);
    if (PQresultStatus(result) != PGRES_TUPLES_OK) fail_msg("%s", PQresultErrorMessage(result));
    int rows = PQntuples(result);
    PQclear(result);
    PQfinish(pg);
    return rows;
}

TEST_WITH(the_statements_of_the_manual_find_what_was_altered, start, end)
{
    static const struct {
        const char *table, *sql;
    } alter[] = {
        {"journal", "UPDATE journal SET frames = 'x' WHERE gateway = 1 AND gseq = 2"},
        {"journal", "UPDATE journal SET late = late + 1 WHERE gateway = 2"},
        {"journal", "DELETE FROM journal WHERE gateway = 1 AND gseq = 2"},
        {"model", "UPDATE model SET minute = minute + 1"},
        {"experiment", "UPDATE experiment SET labels = 'x' WHERE number = 2"},
    };
    const folding_retention rule = {.slab_s_max = 0, .slab_bytes_max = UINT64_MAX};
    scene_append(one, 1, 1, 'a', 1);
    const folding_cut *cut = scene_waiting(folding, 1, &none, 1);
    assert_true(scene_publish(folding, 1, 1, cut));
    assert_folded(folding, folding_retain(folding, 1, &rule, cut, 9, 0)); /* drops row 1 */
    for (char letter = 'b'; letter < 'e'; letter++) {
        scene_append(one, 1, 1, letter, 1);
        scene_append(two, 1, 1, letter, 2);
    }
    for (size_t i = 0; i < sizeof alter / sizeof alter[0]; i++) {
        assert_int_equal(wrong_by_the_manual(), 0);
        scene_save(alter[i].table);
        scene_change(alter[i].sql);
        assert_true(wrong_by_the_manual() > 0);
        scene_restore(alter[i].table);
    }
}
