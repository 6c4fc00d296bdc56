/* Digests, compared with those of Python's hashlib, written from the text at the head of the
 * file. */
#include "service/store/store.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static void assert_digest(const uint8_t digest[JOURNAL_DIGEST_BYTES], const char *wanted)
{
    char text[2 * JOURNAL_DIGEST_BYTES + 1];
    for (size_t i = 0; i < JOURNAL_DIGEST_BYTES; i++) {
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
    }
    assert_string_equal(text, wanted);
}

TEST(rows_have_the_digests_of_the_specification)
{
    uint8_t digest[JOURNAL_DIGEST_BYTES] = {0};
    const journal_row reports = {.seq = 5,
                                 .experiment = 2,
                                 .kind = JOURNAL_REPORTS,
                                 .epoch = 3,
                                 .late = 1,
                                 .duplicate = 2,
                                 .conflicting = 3,
                                 .frames = {(const uint8_t *)"abc", 3}};
    journal__digest_row(digest, &reports, digest);
    assert_digest(digest, "6e6a80b5f3114608a788139ef40cc2a688c44831766efe16af201f051fbd9869");
    const journal_row publish = {
        .seq = 6, .experiment = 2, .kind = JOURNAL_PUBLISH, .epoch = 4, .minute = 29388300};
    journal__digest_row(digest, &publish, digest);
    assert_digest(digest, "7b2ea724246eea2e480e398ec71a06fc3b425fa626d6b723c495269a1b70f258");
}

TEST(an_experiment_has_the_digest_of_the_specification)
{
    uint8_t digest[JOURNAL_DIGEST_BYTES];
    journal_experiment experiment = {.number = 2,
                                     .state = JOURNAL_PAUSED,
                                     .created_minute = 29388299,
                                     .epoch_seconds_min = 60,
                                     .epoch_reports_min = 20,
                                     .terms = {(const uint8_t *)"terms", 5},
                                     .start = {(const uint8_t *)"start", 5},
                                     .labels = "{}"};
    for (uint8_t i = 0; i < sizeof experiment.id; i++) {
        experiment.id[i] = i;
    }
    experiment.epoch_reports_expected = 5000;
    experiment.quarantine = true;
    journal__digest_experiment(&experiment, digest);
    assert_digest(digest, "6f45b861740fb13eca8c19c2a5f26bd3a6e5cbcf1c36781a18c1a3f727a5c749");
    experiment.has_report_key = true;
    memset(experiment.report_key, 0x33, sizeof experiment.report_key);
    journal__digest_experiment(&experiment, digest);
    assert_digest(digest, "68a2ff5d8081bb3c389303ca5c645fc369afaec2ad8e738bd6be505cfb19a213");
}

TEST(ends_have_the_digest_of_the_specification)
{
    uint8_t digest[JOURNAL_DIGEST_BYTES];
    journal_ends ends = {.anchor_seq = 4, .head_seq = 6};
    memset(ends.anchor, 0x11, sizeof ends.anchor);
    memset(ends.head, 0x22, sizeof ends.head);
    journal__digest_ends(2, &ends, digest);
    assert_digest(digest, "331befc1633b2b7d87d94789659b03b35a8650f9438e2108c1b066a4dd237ec3");
}

TEST(a_snapshot_has_the_digest_of_the_specification)
{
    uint8_t digest[JOURNAL_DIGEST_BYTES];
    const journal_snapshot snapshot = {
        .experiment = 2,
        .seq = 6,
        .counts = {.folded = 7, .late = 8, .duplicate = 9, .conflicting = 10},
        .learner = {(const uint8_t *)"learner", 7}};
    journal__digest_snapshot(&snapshot, digest);
    assert_digest(digest, "af7f2f53f51de0350aa09711a08ea801d81a1b73ccccdac4dcd8062cfba551d5");
}

TEST(history_has_the_digest_of_the_specification)
{
    uint8_t digest[JOURNAL_DIGEST_BYTES];
    const journal_history history = {.experiment = 2,
                                     .epoch = 4,
                                     .minute = 29388300,
                                     .publishes = 1,
                                     .learn = 100,
                                     .control = 10,
                                     .follow = 20,
                                     .control_sum = -3,
                                     .follow_sum = 5,
                                     .late = 2,
                                     .duplicate = 3,
                                     .conflicting = 4,
                                     .alarms = 5};
    journal__digest_history(&history, digest);
    assert_digest(digest, "4d33879875131077e48cbd35734e80df5db36230e8564c357989cb61cfbf686c");
}

TEST(a_recovery_has_the_digest_of_the_specification)
{
    uint8_t digest[JOURNAL_DIGEST_BYTES];
    const journal_recovery recovery = {.number = 1, .kept_to = 56, .last = 99};
    journal__digest_recovery(&recovery, digest);
    assert_digest(digest, "4addc22cda9d60dda3124ff3dc809c72bd796f83312b1b0d8d8011d6262a3a8b");
}
