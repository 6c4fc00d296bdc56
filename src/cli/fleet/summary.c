/* The results: lines for people, or one JSON object. */
#include "inner.h"

#include "cli/print/print.h"
#include "text/text.h"

#include <math.h>

static double part(uint64_t of, uint64_t all)
{
    return all == 0 ? NAN : (double)of / (double)all;
}

static void print_people(facts *list, const sotto__sight *sight)
{
    fact_natural(list, "people", sight->people, "took part, one round each");
    fact_natural(list, "liars", sight->liars, "of them");
    fact_natural(list, "rewards_missing", sight->missing, "of them: no reward came");
    if (sight->served > 0)
        fact_natural(list, "served", sight->served,
                     "of them: got the fallback, and sent no report");
    fact_real(list, "seconds", sight->seconds, "from the first person to the last answer");
    fact_natural(list, "acknowledged", sight->sent.acknowledged, "reports that the server has");
    fact_natural(list, "dropped", sight->dropped, "reports that were dropped");
    fact_natural(list, "under_way", sight->under_way,
                 "reports that were still under way at the end");
    fact_natural(list, "put_off", sight->put_off, "how often a report had to be sent again");
    fact_real(list, "share_default", part(sight->sent_default, sight->sent.acknowledged),
              "of these reports: no reward came in time");
}

static void print_pace(facts *list, const sotto__pace *pace)
{
    fact_real(list, "reports_per_s", pace->reports_per_s, "acknowledged, over the whole run");
    fact_real(list, "latency_p50_ms", pace->p50_ms, "from a request to its answer: median");
    fact_real(list, "latency_p90_ms", pace->p90_ms, "90th percentile");
    fact_real(list, "latency_p99_ms", pace->p99_ms, "99th percentile");
}

static void print_regret(facts *list, const sotto__sight *sight, const sotto__pace *pace)
{
    fact_natural(list, "epoch", sight->epoch, "of the newest model");
    fact_natural(list, "epochs_seen", sight->publishes,
                 "newer models that were published meanwhile");
    fact_real(list, "regret", sight->regret,
              "the best arm's mean reward less that of the chosen arm, summed over people");
    fact_real(list, "regret_random", sight->regret_random, "if everybody had got a random arm");
    fact_real(list, "regret_oracle", 0, "if everybody had got the best arm");
    fact_real(list, "regret_per_person", pace->regret, "on average");
    fact_real(list, "random_per_person", pace->regret_random, "with random arms");
}

/* The blocks of 1,000 people: only the rebound in words, every block in JSON. */
static void print_blocks(facts *list, const sotto__blocks *blocks)
{
    char text[SOTTO__BLOCKS_TEXT];
    sotto__blocks_text(blocks, text);
    fact_text(list, "loss", text, "");
    fact_real(
        list, "rebound", blocks->rebound,
        "largest rise of the loss between blocks of 1,000 people; 1: the loss of random arms");
    if (list->json)
        fact_vector(list, "loss_by_1000", blocks->share, sotto__blocks_kept(blocks), "");
}

static void print_policy_value(facts *list, const sotto__policy_value_seen *value)
{
    if (!value->there) return;
    fact_natural(list, "measured_follow", value->follow_count,
                 "measure rounds that followed the model");
    fact_natural(list, "measured_control", value->control_count, "and with a random arm");
    fact_real(list, "uplift", value->uplift.value,
              "mean reward of the former less that of the latter, by reports");
    fact_real(list, "uplift_lo", value->uplift.lo, "lower end of its 95 % interval");
    fact_real(list, "uplift_hi", value->uplift.hi, "upper end");
    fact_real(list, "uplift_true", value->truth,
              "the true value for the same people, which only a simulation knows");
}

static void print_verdict(const sotto__check *check, const sotto__blocks *blocks)
{
    sotto__fleet_verdict verdict = sotto__fleet_verdict_of(check, blocks);
    verdict_tone tone = !check->holds ? VERDICT_BAD : verdict.good ? VERDICT_GOOD : VERDICT_OPEN;
    verdict_print(stdout, verdict.text, tone, text_columns_of_output());
    putchar('\n');
}

void fleet_summary_print(const char *url, const sotto_match *match, const sotto__sight *sight,
                         const sotto__check *check, bool json)
{
    static const sotto__sight start;
    sotto__pace pace = sotto__pace_between(&start, sight);
    if (!json) print_verdict(check, &sight->blocks);
    facts list = facts_begin(json);
    fact_text(&list, "url", url, "");
    fact_text(&list, "environment", sotto_environment_kind_name(match->environment.kind), "");
    print_people(&list, sight);
    print_pace(&list, &pace);
    print_regret(&list, sight, &pace);
    print_blocks(&list, &sight->blocks);
    print_policy_value(&list, &sight->value);
    fact_flag(&list, "check_exact", check->exact,
              check->exact ? "by the server's own counts" : "no: only by its public models");
    fact_flag(&list, "check_holds", check->holds, "");
    if (json) fact_text(&list, "check", check->text, "");
    facts_end(&list);
    if (!json) fleet_chart_print(&sight->steps);
}
