/*
 * The methods that ship, in the lab: their own client and server code, with seeded randomness and
 * without a network.
 *
 *   begin -> decide -> (reward) -> finish -> decode -> take -> publish
 *
 * Measure rounds are played as any other. The true sums are kept beside the server's.
 *
 * Each round is another person, so each has an empty ledger. A liar's device does everything that
 * an honest one does, and then sends another report.
 *
 * Without a clock and with epoch_lag_max = L, every report arrives L epochs late, the latest that
 * the server accepts; until then it waits in the tally of its epoch. With a clock, reports arrive
 * one by one, and an epoch ends as in a service (service/experiment/experiment.h), at
 *
 *     the later of: enough reports came since the last model    wanted by the schedule, at least 20
 *                   epoch_seconds_min have passed since then
 *
 * if nobody is waiting in line and there is room for all nonces.
 */
#include "client/client.h"
#include "core/core.h"
#include "inner.h"
#include "lab/random/random.h"
#include "server/server.h"

#include <sotto/client.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct shipped {
    sotto__player player;
    sotto_terms terms;
    sotto__fast_rng random;
    sotto_ledger ledger;
    sotto_client *client;
    sotto_round *round;
    sotto_learner *learner;
    sotto_report *report;
    uint8_t *frame;
    size_t frame_bytes;
    sotto__liar *liar;   /* NULL: nobody lies */
    const double *worth; /* as in sotto_match, as is the next */
    double growth;
    uint64_t mean_phase, warm_up; /* reports */
    uint64_t played;              /* learn rounds in the current epoch */
    uint32_t arm;                 /* of the current round */
    sotto__truth *truth;          /* NULL: no measure rounds */
    uint32_t lag;                 /* of all reports; 0 with a clock */
    sotto_tally **late_tally; /* lag + 1: reports that have not arrived, epoch e at e % (lag + 1) */
    uint64_t learn_reports, null_reports; /* of phases with nulls */
    uint64_t people, harm_at, served_at;  /* people in all, until the alarm, until the fallback */
    /* With a clock: */
    bool clocked;
    double epoch_ms_min, published_ms;
    uint64_t reports_min;
    uint64_t late, unsent, epochs;
    uint64_t learnt, epochs_late; /* as in sotto_run_delay */
} shipped;

/* A report that has not arrived; its frame follows. The true reward and role are only for
 * sotto__truth. */
typedef struct on_its_way {
    double reward;
    uint32_t arm;
    sotto_role role;
} on_its_way;

/* ---- the ledgers of a crowd: nobody takes part twice --------------------------------------- */

static sotto_status crowd_debit(sotto_ledger *ledger, const sotto__debit *debit, uint64_t *entry)
{
    (void)debit;
    *entry = ++ledger->spent.rounds;
    return SOTTO_OK;
}

static sotto_status crowd_record(sotto_ledger *ledger, uint64_t entry, const uint8_t *frame,
                                 size_t frame_bytes)
{
    (void)ledger, (void)entry, (void)frame, (void)frame_bytes;
    return SOTTO_OK;
}

static sotto_status crowd_recall(sotto_ledger *ledger, const uint8_t *spec_id, uint8_t *frame,
                                 size_t frame_bytes, bool *found)
{
    (void)ledger, (void)spec_id, (void)frame, (void)frame_bytes;
    *found = false;
    return SOTTO_OK;
}

/* ---- one round ---------------------------------------------------------------------------- */

static sotto_status decide(sotto__player *self, const double *context, uint32_t *arm)
{
    shipped *player = (shipped *)self;
    const sotto_spec *spec = &player->terms.spec;
    uint32_t rows = spec->parameters == SOTTO_PARAMETERS_SHARED ? spec->arms : 1;
    sotto_status status = sotto__round_begin(player->round, sotto_learner_model(player->learner));
    if (status != SOTTO_OK) return status;
    status = player->worth == NULL
                 ? sotto__round_decide(player->round, context, rows * spec->dim, arm)
                 : sotto__round_decide_worth(player->round, context, rows * spec->dim,
                                             player->worth, arm);
    player->arm = *arm;
    return status;
}

/* Counts learn reports and nulls; measure rounds have none. */
static void count_nulls(shipped *player)
{
    const sotto_terms *terms = &player->terms;
    const sotto_model *model = sotto_learner_model(player->learner);
    const sotto_codebook *codebook = &terms->codebook[model->phase];
    if (codebook->nulls == 0) return;
    bool followed = sotto__model_is_followed(&terms->spec, model);
    if (sotto__role_of(terms, player->report->nonce, followed) != SOTTO_ROLE_LEARN) return;
    player->learn_reports++;
    player->null_reports += (uint32_t)player->report->value[0] >= codebook->size;
}

/* Delivers the report to the server, now or with the others of its epoch. */
static sotto_status deliver(shipped *player)
{
    if (player->lag == 0) return sotto_learner_take(player->learner, player->report);
    return sotto_tally_fold(player->late_tally[player->report->epoch % (player->lag + 1)],
                            player->report);
}

/* Delivers the reports of the epoch L before the current one, just before it ends. */
static sotto_status receive_late(shipped *player)
{
    uint32_t epoch = sotto_learner_model(player->learner)->epoch;
    if (player->lag == 0 || epoch < player->lag) return SOTTO_OK;
    return sotto_learner_merge(player->learner,
                               player->late_tally[(epoch - player->lag) % (player->lag + 1)]);
}

/* Records when harm was first detected and when a fallback was first served. */
static void keep_harm(shipped *player)
{
    const sotto__harm *harm = &player->learner->harm;
    if (harm->epoch > 0 && player->harm_at == 0) player->harm_at = player->people;
    if (harm->served_epoch > 0 && player->served_at == 0) player->served_at = player->people;
}

/* Adds the truth about the reports that were published when this epoch ended. With a clock these
 * are the reports of all open epochs. */
static void keep_truth(shipped *player, uint32_t epoch)
{
    if (player->truth == NULL) return;
    uint32_t lag = player->terms.spec.epoch_lag_max, from = epoch < lag ? 0 : epoch - lag;
    if (!player->clocked && epoch < lag) return;
    for (uint32_t e = from; e <= (player->clocked ? epoch : from); e++) {
        sotto__truth_arrive(player->truth, e);
    }
}

static sotto_status end_epoch(shipped *player)
{
    uint32_t epoch = sotto_learner_model(player->learner)->epoch;
    sotto_status status = receive_late(player);
    if (status != SOTTO_OK) return status;
    status = sotto_learner_publish(player->learner);
    if (status != SOTTO_OK) return status;
    keep_truth(player, epoch);
    keep_harm(player);
    player->played = 0;
    player->epochs++;
    if (player->lag == 0) return SOTTO_OK;
    const sotto_model *model = sotto_learner_model(player->learner);
    sotto_tally *late = player->late_tally[model->epoch % (player->lag + 1)];
    sotto__tally_begin(late, model->epoch, model->phase,
                       sotto__model_is_followed(&player->terms.spec, model));
    sotto__tally_share(late, model->shares);
    late->served = model->served > 0;
    return SOTTO_OK;
}

/* Replaces the decoded honest frame by another one if the person lies. */
static sotto_status lie(shipped *player)
{
    if (player->liar == NULL || !sotto__liar_comes(player->liar)) return SOTTO_OK;
    sotto__liar_forge(player->liar, sotto_learner_model(player->learner), player->report);
    sotto_status status =
        sotto_report_encode(&player->terms, player->report, player->frame, player->frame_bytes);
    if (status != SOTTO_OK) return status;
    return sotto_report_decode(&player->terms, player->frame, player->frame_bytes, player->report);
}

/* How many reports the current epoch needs. Plain geometric growth: n = max(1, floor(G t)) after t
 * reports. An epoch never spans two phases. */
static uint64_t wanted(const shipped *player)
{
    bool served = sotto_learner_model(player->learner)->served > 0;
    if (player->growth == 0 || served) return sotto_learner_wanted(player->learner);
    uint64_t t = sotto_learner_model(player->learner)->reports;
    double most = (double)player->terms.spec.epoch_reports_max;
    uint64_t grown = (uint64_t)fmin(most, fmax(1, floor(player->growth * (double)t)));
    uint64_t end = player->mean_phase + (t < player->mean_phase ? 0 : player->warm_up);
    return t < end && grown > end - t ? end - t : grown;
}

/* Makes what the device sends, as a frame and decoded; *role is that of the round. SOTTO_E_SERVED:
 * the device sends nothing, in a learn round under a fallback. */
static sotto_status make_report(shipped *player, double reward, sotto_role *role)
{
    sotto_status status =
        sotto__round_finish(player->round, reward, player->frame, player->frame_bytes);
    player->people++;
    if (status != SOTTO_OK) return status;
    status =
        sotto_report_decode(&player->terms, player->frame, player->frame_bytes, player->report);
    if (status != SOTTO_OK) return status;
    status = lie(player);
    if (status != SOTTO_OK) return status;
    count_nulls(player);
    bool followed =
        sotto__model_is_followed(&player->terms.spec, sotto_learner_model(player->learner));
    *role = sotto__role_of(&player->terms, player->report->nonce, followed);
    return SOTTO_OK;
}

/* Measure rounds are compared only if the model of their epoch decides. */
static void add_truth(shipped *player, sotto_role role, uint32_t arm, double reward)
{
    const sotto__open_epoch *open = sotto__learner_epoch(player->learner, player->report->epoch);
    bool decides = open != NULL && open->tally->decides;
    if (role == SOTTO_ROLE_LEARN || !decides) return;
    sotto__truth_add(player->truth, player->report->epoch, role, arm,
                     sotto__clip_reward(&player->terms.spec, reward));
}

static sotto_status learn(sotto__player *self, double reward)
{
    shipped *player = (shipped *)self;
    sotto_role role;
    sotto_status status = make_report(player, reward, &role);
    if (status == SOTTO_E_SERVED) return SOTTO_OK;
    if (status != SOTTO_OK) return status;
    add_truth(player, role, player->arm, reward);
    status = deliver(player);
    if (status == SOTTO_E_TICK) { /* an honest report, once in 10^9: the server drops it */
        status = SOTTO_OK;
    }
    if (status != SOTTO_OK) return status;
    /* Measure rounds count for the epoch only under a fallback, which has no other rounds. */
    bool served = sotto_learner_model(player->learner)->served > 0;
    player->played += role == SOTTO_ROLE_LEARN || served;
    return player->played < wanted(player) ? SOTTO_OK : end_epoch(player);
}

/* ---- with a clock ------------------------------------------------------------------------- */

static sotto_status send(sotto__player *self, double reward, void *sent)
{
    shipped *player = (shipped *)self;
    on_its_way *to = sent;
    sotto_status status = make_report(player, reward, &to->role);
    player->unsent += status == SOTTO_E_SERVED;
    if (status != SOTTO_OK) return status;
    to->reward = reward;
    to->arm = player->arm;
    memcpy(to + 1, player->frame, player->frame_bytes);
    return SOTTO_OK;
}

/* True if only the clock keeps the epoch from ending. */
static bool has_enough(const shipped *player)
{
    uint64_t taken = sotto_learner_taken(player->learner);
    return taken >= player->reports_min && taken >= wanted(player);
}

static sotto_status wake(sotto__player *self, double now_ms)
{
    shipped *player = (shipped *)self;
    double due_ms = player->published_ms + player->epoch_ms_min;
    if (due_ms > now_ms || !has_enough(player)) return SOTTO_OK;
    player->published_ms = due_ms; /* the reports it needed came before */
    return end_epoch(player);
}

/* Counts a report that the server took. */
static void count_taken(shipped *player, const on_its_way *sent)
{
    add_truth(player, sent->role, sent->arm, sent->reward);
    if (sent->role != SOTTO_ROLE_LEARN) return;
    player->learnt++;
    player->epochs_late += sotto_learner_model(player->learner)->epoch - player->report->epoch;
}

static sotto_status receive(sotto__player *self, const void *sent, double now_ms)
{
    shipped *player = (shipped *)self;
    const on_its_way *from = sent;
    sotto_status status = sotto_report_decode(&player->terms, (const uint8_t *)(from + 1),
                                              player->frame_bytes, player->report);
    if (status != SOTTO_OK) return status;
    status = sotto_learner_take(player->learner, player->report);
    if (status == SOTTO_E_EPOCH) player->late++;
    if (status == SOTTO_OK) count_taken(player, from);
    bool goes_on = status == SOTTO_OK || status == SOTTO_E_EPOCH || status == SOTTO_E_TICK;
    if (!goes_on) return status;
    if (now_ms < player->published_ms + player->epoch_ms_min || !has_enough(player)) {
        return SOTTO_OK;
    }
    player->published_ms = now_ms;
    return end_epoch(player);
}

static void delayed(const sotto__player *self, sotto_run_delay *out)
{
    const shipped *player = (const shipped *)self;
    out->late = player->late;
    out->unsent = player->unsent;
    out->epochs = player->epochs;
    out->learnt = player->learnt;
    out->epochs_late = player->epochs_late;
}

static const double *estimate(const sotto__player *self)
{
    return sotto__deciding_estimate(sotto_learner_model(((const shipped *)self)->learner));
}

static uint64_t repairs(const sotto__player *self)
{
    return sotto_learner_repairs(((const shipped *)self)->learner);
}

static sotto_status measure(const sotto__player *self, sotto_run_measurement *out)
{
    const shipped *player = (const shipped *)self;
    if (player->truth == NULL) return SOTTO_OK;
    sotto_status status = sotto__truth_measure(player->truth, player->learner, out);
    out->harm_at = player->harm_at;
    out->served_at = player->served_at;
    return status == SOTTO_OK ? sotto_learner_harm(player->learner, &out->harm) : status;
}

void sotto__player_shipped_reports(const sotto__player *player, uint64_t *learn, uint64_t *null)
{
    const shipped *self = (const shipped *)player;
    bool ships = player->decide == decide;
    *learn = ships ? self->learn_reports : 0;
    *null = ships ? self->null_reports : 0;
}

/* ---- made and freed ----------------------------------------------------------------------- */

static void release(sotto__player *self)
{
    shipped *player = (shipped *)self;
    for (uint32_t e = 0; player->late_tally != NULL && e <= player->lag; e++) {
        sotto_tally_free(player->late_tally[e]);
    }
    free(player->late_tally);
    sotto__liar_free(player->liar);
    sotto__truth_free(player->truth);
    free(player->frame);
    sotto_report_free(player->report);
    sotto_learner_free(player->learner);
    sotto_round_free(player->round);
    sotto_client_free(player->client);
    free(player);
}

/* Makes a device that accepts everything that can be simulated. */
static sotto_status make_client(shipped *player, bool exact_noise)
{
    sotto_policy policy = sotto_policy_default();
    policy.epsilon_per_report_max = 50;
    policy.delta_max = 0.5;
    policy.measure_share_max = 0.5;
    player->ledger =
        (sotto_ledger){.debit = crowd_debit, .record = crowd_record, .recall = crowd_recall};
    sotto_status status = sotto_client_new(&policy, &player->ledger, &player->client);
    if (status != SOTTO_OK) return status;
    player->client->rng = &player->random.seeded.rng;
    if (!exact_noise) player->client->noise = sotto__fast_noise;
    return sotto_round_new(player->client, &player->terms, &player->round);
}

static sotto_status make_late(shipped *player)
{
    player->lag = player->clocked ? 0 : player->terms.spec.epoch_lag_max;
    if (player->lag == 0) return SOTTO_OK;
    player->late_tally = calloc(player->lag + 1, sizeof player->late_tally[0]);
    if (player->late_tally == NULL) return SOTTO_E_MEMORY;
    sotto_phase phase = sotto_learner_model(player->learner)->phase;
    sotto_status status = SOTTO_OK;
    for (uint32_t e = 0; e <= player->lag && status == SOTTO_OK; e++) {
        status = sotto__tally_new(&player->terms, e, phase, false, &player->late_tally[e]);
    }
    return status;
}

static void set_clock(shipped *player, const sotto_match *match)
{
    player->clocked = match->people_per_second > 0;
    player->epoch_ms_min = 1000.0 * match->epoch_seconds_min;
    player->reports_min = match->epoch_seconds_min > 0 ? SOTTO__EPOCH_REPORTS_MIN : 1;
}

static sotto_status make_server(shipped *player, const sotto_learning *learning)
{
    sotto_status status = sotto_learner_new(&player->terms, learning, &player->learner);
    if (status != SOTTO_OK) return status;
    status = sotto_report_new(&player->terms, &player->report);
    if (status != SOTTO_OK) return status;
    player->frame_bytes = sotto_report_bytes(&player->terms);
    player->player.sent_bytes = sizeof(on_its_way) + player->frame_bytes;
    player->frame = malloc(player->frame_bytes);
    if (player->frame == NULL) return SOTTO_E_MEMORY;
    status = make_late(player);
    if (status != SOTTO_OK || player->terms.spec.measure == 0) return status;
    return sotto__truth_new(player->terms.spec.arms, player->terms.spec.epoch_lag_max,
                            &player->truth);
}

sotto_status sotto__player_shipped_new(const sotto_match *match, uint64_t seed,
                                       const sotto__world *world, sotto__player **out)
{
    *out = NULL;
    shipped *player = calloc(1, sizeof *player);
    if (player == NULL) return SOTTO_E_MEMORY;
    player->player = (sotto__player){
        .decide = decide,
        .learn = learn,
        .estimate = estimate,
        .repairs = repairs,
        .free = release,
        .measure = measure,
        .send = send,
        .receive = receive,
        .wake = wake,
        .delayed = delayed,
    };
    set_clock(player, match);
    player->worth = match->worth;
    player->growth = match->growth;
    player->mean_phase = match->learning.mean_phase;
    player->warm_up = match->learning.warm_up;
    sotto__stream_begin(&player->random.seeded, seed, SOTTO__PURPOSE_PRIVACY);
    sotto__ziggurat_begin(&player->random.ziggurat);
    sotto_status status = sotto_spec_resolve(&match->spec, &player->terms);
    if (status == SOTTO_OK) status = make_client(player, match->exact_noise);
    if (status == SOTTO_OK) status = make_server(player, &match->learning);
    if (status == SOTTO_OK && match->liars > 0) {
        status = sotto__liar_new(match, &player->terms, seed, world, &player->liar);
    }
    if (status != SOTTO_OK) {
        release(&player->player);
        return status;
    }
    *out = &player->player;
    return SOTTO_OK;
}
