/*
 * The audit of reports with nulls: it passes the client's door, shared, per-arm with signs and per-arm
 * with tags, and it catches twins, each in the layer that is there to catch it.
 *
 * What each layer can see. A twin that has more nulls for some secrets than for others breaks the
 * claim: layer 3 sees it in the chances of null, layer 1 in the law. One that has fewer breaks it too,
 * but where the law says that all nulls are alike, layer 3 takes them together and sees nothing: that
 * is for layer 1. A twin that is silent for the wrong scores keeps epsilon, because k heavy indices of
 * M + k are private whichever they are; it is wrong as an estimate, and layer 1 alone sees it. A null
 * with one unit of weight too much is beyond any sample: test_nulls_law.c catches it, in integers.
 */
#include "broken_nulls.h"
#include "test.h"

static bool caught_in(const sotto_audit_result *result, uint32_t layer)
{
    for (uint32_t i = 0; i < result->rows_count; i++) {
        if (result->row[i].layer == layer && !result->row[i].passed) return true;
    }
    return false;
}

static void assert_passes(nulls_kind kind, nulls_fault fault, uint64_t trials, uint64_t seed)
{
    sotto_audit_result result;
    double epsilon = nulls_terms(kind).spec.epsilon;
    assert_ok(nulls_audit(kind, fault, trials, seed, &result));
    for (uint32_t r = 0; r < result.rows_count; r++) {
        if (result.row[r].passed) continue;
        fail_msg("kind %d: %s: %g, allowed %g, p = %g", kind, result.row[r].name,
                 result.row[r].statistic, result.row[r].bound, result.row[r].p_value);
    }
    assert_int_equal(result.verdict, SOTTO_AUDIT_NO_VIOLATION);
    assert_true(result.epsilon_lower > 0.5 * epsilon && result.epsilon_lower <= epsilon);
}

TEST(reports_with_nulls_pass)
{
    for (int kind = 0; kind < NULLS_KINDS; kind++) {
        assert_passes((nulls_kind)kind, NULLS_NONE, 20000, 30 + (uint64_t)kind);
    }
}

/* The slow choice is the same mechanism; if it failed, every twin of it would fail too. */
TEST(the_faithful_twin_passes)
{
    for (int kind = 0; kind < NULLS_KINDS; kind += 2) {
        assert_passes((nulls_kind)kind, NULLS_FAITHFUL, 10000, 40 + (uint64_t)kind);
    }
}

TEST(every_twin_is_caught_in_its_layer)
{
    static const struct {
        nulls_fault fault;
        uint64_t trials;
        uint32_t layer;
    } rows[] = {
        {NULLS_HEAVY, 60000, 1},         {NULLS_BY_SIGN, 2000, 1},
        {NULLS_ALL_HEARD, 2000, 1},      {NULLS_FEWER_BY_SECRET, 5000, 1},
        {NULLS_MORE_BY_SECRET, 5000, 1}, {NULLS_MORE_BY_SECRET, 30000, 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (int kind = NULLS_SHARED; kind <= NULLS_TAGS; kind += NULLS_TAGS) {
            sotto_audit_result result;
            assert_ok(
                nulls_audit((nulls_kind)kind, rows[i].fault, rows[i].trials, 50 + i, &result));
            if (result.verdict != SOTTO_AUDIT_VIOLATION) {
                fail_msg("twin %d, kind %d: not caught", rows[i].fault, kind);
            }
            if (!caught_in(&result, rows[i].layer)) {
                fail_msg("twin %d, kind %d: not caught in layer %u", rows[i].fault, kind,
                         rows[i].layer);
            }
        }
    }
}
