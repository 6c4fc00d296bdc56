/* Floors, compared with slow computations and with a table computed independently. */
#include "draws.h"
#include "lab/floor/inner.h"
#include "lab/math/math.h"
#include "scenes.h"
#include "test.h"

#include <sotto/lab/floors.h>

static sotto_match shared(uint32_t dim, uint32_t arms, double epsilon, uint64_t horizon)
{
    return sphere_match(SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, dim, arms, epsilon, horizon);
}

static sotto_floor floor_of(const sotto_match *match)
{
    sotto_floor floor;
    assert_ok(sotto_floor_of(match, &floor));
    return floor;
}

TEST(matches_without_a_floor_have_none)
{
    sotto_match bad[12];
    const size_t count = sizeof bad / sizeof bad[0];
    static const double worth[3] = {1, 1, 1};
    for (size_t i = 0; i < count; i++) {
        bad[i] = shared(3, 3, 1, 100);
    }
    assert_true(floor_of(&bad[0]).proved > 0);
    bad[0].spec.delta = 1e-6;
    bad[1].environment.kind = SOTTO_ENVIRONMENT_BALL;
    bad[2].environment.noise = 0;
    bad[3].environment.law = SOTTO_LAW_NONE;
    bad[4].spec.dim = 1;
    bad[5].spec.arms = 1;
    bad[6].spec.epsilon = NAN;
    bad[7].spec.epsilon = INFINITY;
    bad[8].horizon = 0;
    bad[9].environment.theta_norm = NAN;
    bad[10].worth = worth;
    bad[11].environment.kind = SOTTO_ENVIRONMENT_DRIFT;
    for (size_t i = 0; i < count; i++) {
        sotto_floor floor = floor_of(&bad[i]);
        assert_true(isnan(floor.proved) && isnan(floor.local) && isnan(floor.start));
    }
}

TEST(a_bent_link_has_a_local_estimate_only)
{
    sotto_match match = sphere_match(SOTTO_PARAMETERS_SHARED, SOTTO_LINK_LOGIT, 3, 3, 1, 1000);
    sotto_floor floor = floor_of(&match);
    assert_true(isnan(floor.proved) && floor.local > 0 && isnan(floor.start));
    match.spec.parameters = SOTTO_PARAMETERS_PER_ARM;
    floor = floor_of(&match);
    assert_true(isnan(floor.proved) && isnan(floor.local) && isnan(floor.start));
    match = sphere_match(SOTTO_PARAMETERS_PER_ARM, SOTTO_LINK_IDENTITY, 3, 3, 1, 1000);
    floor = floor_of(&match);
    assert_true(isnan(floor.proved) && floor.local > 0 && floor.start > floor.local);
}

/* ---- the plane, slowly -------------------------------------------------------------------- */

#define ARMS 4
#define STEPS 300

/* The angle of the best of `arms` from theta*: |angle| is the smallest of so many uniform ones on [0, pi]. */
static double chance_of_angle(double angle, int arms)
{
    const double pi = acos(-1);
    return arms * pow(1 - angle / pi, arms - 1) / pi;
}

/* The best threshold on <u, S>/sqrt(m) = Z sin(angle)/(sd sqrt(m)) of the best of `arms`, which a report has
 * with chance m/K: its tail and mean by a plain sum over the angle. */
static double slow_root(double sd, double epsilon, int arms, double m, double k)
{
    const double pi = acos(-1);
    double more = expm1(epsilon) * m / k, best = 0, unit = 1 / (sd * sqrt(m));
    for (double threshold = 0; threshold < 6 * unit; threshold += 0.02 * unit) {
        double tail = 0, mean = 0;
        for (int i = 0; i < STEPS; i++) {
            double angle = pi * (i + 0.5) / STEPS, s = sin(angle) * unit, a = threshold / s;
            double weight = chance_of_angle(angle, arms) * pi / STEPS;
            tail += weight * erfc(a / sqrt(2)) / 2;
            mean += weight * s * exp(-a * a / 2) / sqrt(2 * pi);
        }
        double tells = more * mean / (1 + more * tail);
        if (tells < best) break; /* one maximum */
        best = tells;
    }
    return best;
}

static double slow_square(double sd, int arms)
{
    const double pi = acos(-1);
    double sum = 0;
    for (int i = 0; i < STEPS; i++) {
        double angle = pi * (i + 0.5) / STEPS, s = sin(angle) / sd;
        sum += chance_of_angle(angle, arms) * pi / STEPS * s * s;
    }
    return sum;
}

static double slow_rate(double sd, double epsilon, int arms, double m, double k)
{
    double root = slow_root(sd, epsilon, arms, m, k);
    return fmin(root * root, slow_square(sd, arms));
}

static double slow_reach(int arms)
{
    const double pi = acos(-1);
    double sum = 0;
    for (int i = 0; i < STEPS; i++) {
        double angle = pi * (i + 0.5) / STEPS;
        sum += chance_of_angle(angle, arms) * pi / STEPS * cos(angle);
    }
    return sum;
}

/* What is lost of reach 1 at a given information. */
static double ignorance(double information)
{
    return 1 - sqrt(information / (1 + information));
}

/* sd^2/(sd^2 + P). */
static double slow_start(double sd, double information)
{
    double unknown = (1 - information / (1 + information)) / 2;
    return sd * sd / (sd * sd + unknown);
}

TEST(every_round_by_itself_gives_the_same_sum)
{
    const double epsilons[] = {0.5, 1.5, 6}, sd = 0.2;
    const uint64_t rounds = 3000;
    for (size_t i = 0; i < 3; i++) {
        sotto_match match = shared(2, ARMS, epsilons[i], rounds);
        match.environment.noise = sd;
        double rate = slow_rate(sd, epsilons[i], ARMS, 1, 1), reach = slow_reach(ARMS);
        double local = 0, start = 0, local_sum = 0, start_sum = 0;
        for (uint64_t t = 0; t < rounds; t++) {
            local_sum += reach * ignorance(local);
            start_sum += reach * ignorance(start);
            local += rate;
            start += rate * slow_start(sd, start);
        }
        sotto_floor floor = floor_of(&match);
        assert_near(floor.local, local_sum, 2e-3 * local_sum);
        assert_near(floor.start, start_sum, 2e-3 * start_sum);
    }
}

/* In space the rate is taken as it is (test_score.c); every round is summed, with (d - 1)^2. */
TEST(more_dimensions_need_more_information)
{
    const uint32_t dim = 7, rounds = 5000;
    sotto_match match = shared(dim, ARMS, 1, rounds);
    const sotto__floor_score score = {SOTTO_LINK_IDENTITY, SOTTO_LAW_GAUSSIAN,
                                      match.environment.noise, 1};
    sotto__cells *greedy = sotto__cells_greedy(dim, ARMS);
    assert_non_null(greedy);
    double rate = pow(sotto__information_root(greedy, &score, 1, 1, 1), 2);
    double reach = sotto__sphere_max_mean(dim, ARMS), sd = score.noise;
    double local = 0, start = 0, local_sum = 0, start_sum = 0;
    free(greedy);
    for (uint32_t t = 0; t < rounds; t++) {
        local_sum += reach * (1 - sqrt(local / (36 + local)));
        start_sum += reach * (1 - sqrt(start / (36 + start)));
        local += rate;
        start += rate * sd * sd / (sd * sd + (36 / (36 + start)) / 7);
    }
    sotto_floor floor = floor_of(&match);
    assert_near(floor.local, local_sum, 2e-3 * local_sum);
    assert_near(floor.start, start_sum, 2e-3 * start_sum);
}

/* The least regret of all plans, by the last round first. Information is known to one of PLACES, even in its
 * root; a plan chooses one of CHOICES each round. */
enum { PLACES = 400, CHOICES = 24 };

typedef struct choice {
    double regret, information;
} choice;

typedef choice choosing(const void *state, double information, double part);

static double slow_control(choosing *choose, const void *state, double most, uint32_t rounds)
{
    static double value[PLACES + 1], next[PLACES + 1];
    for (int i = 0; i <= PLACES; i++) {
        next[i] = 0;
    }
    for (uint32_t t = 0; t < rounds; t++) {
        for (int i = 0; i <= PLACES; i++) {
            double at = most * i / PLACES * i / PLACES;
            value[i] = INFINITY;
            for (int j = 0; j <= CHOICES; j++) {
                choice made = choose(state, at, (double)j / CHOICES);
                double place = PLACES * sqrt((at + made.information) / most);
                int low = place >= PLACES ? PLACES - 1 : (int)place;
                double over = fmin(1, place - low);
                double later = (1 - over) * next[low] + over * next[low + 1];
                value[i] = fmin(value[i], made.regret + later);
            }
        }
        for (int i = 0; i <= PLACES; i++) {
            next[i] = value[i];
        }
    }
    return value[0];
}

/* Explores beyond what ignorance costs, by a part of the rest. */
typedef struct exploring {
    const sotto__tradeoff *tradeoff;
    double reach;
} exploring;

static choice explore(const void *state, double information, double part)
{
    const exploring *of = state;
    double least = of->reach * ignorance(information);
    double regret = least + (of->reach - least) * part * part;
    return (choice){regret, sotto__tradeoff_at(of->tradeoff, regret)};
}

TEST(no_plan_of_exploring_is_below_what_is_proved)
{
    const double epsilons[] = {0.3, 1, 3}, noise[] = {0.5, 1, 2};
    const uint32_t rounds = 60;
    for (size_t i = 0; i < 3; i++) {
        sotto_match match = shared(2, ARMS, epsilons[i], rounds);
        match.environment.noise = noise[i];
        const sotto__floor_score score = {SOTTO_LINK_IDENTITY, SOTTO_LAW_GAUSSIAN, noise[i], 1};
        sotto__tradeoff tradeoff;
        assert_ok(sotto__tradeoff_make(&score, 2, ARMS, epsilons[i], &tradeoff));
        const exploring of = {&tradeoff, slow_reach(ARMS)};
        double most = sotto__tradeoff_at(&tradeoff, of.reach) * rounds;
        double least = slow_control(explore, &of, most, rounds);
        double proved = floor_of(&match).proved;
        assert_true(proved <= least && proved >= 0.95 * least);
    }
}

/* ---- space, with random contexts ----------------------------------------------------------- */

/* F1 from random people, without lab/floor: G by the rules that take the largest c + a |y|. Other
 * rules reveal a little more, so the proved floor is a little lower. */
enum { PEOPLE = 6000, CROWD = 10, RULES = 20 };

typedef struct context {
    double along, across; /* c = <x, theta*> and |y| = |<x, u>| */
} context;

static context drawn[PEOPLE][CROWD];

static void draw_people(uint32_t dim)
{
    state_of_draws = 11;
    for (int i = 0; i < PEOPLE * CROWD; i++) {
        double along = normal(), across = normal(), squares = along * along + across * across;
        for (uint32_t j = 2; j < dim; j++) {
            squares += pow(normal(), 2);
        }
        drawn[i / CROWD][i % CROWD] =
            (context){along / sqrt(squares), fabs(across) / sqrt(squares)};
    }
}

/* E[(|y| Z/sd - rho)_+] of the arms that were taken. */
static double excess(const context *taken, double sd, double rho)
{
    const double pi = acos(-1);
    double sum = 0;
    for (int i = 0; i < PEOPLE; i++) {
        double s = taken[i].across / sd, a = rho / s;
        sum += s * exp(-a * a / 2) / sqrt(2 * pi) - rho * erfc(a / sqrt(2)) / 2;
    }
    return sum / PEOPLE;
}

/* What a rule loses and reveals: min(rho^2, E|S|^2), with |S|^2 = (1 - c^2)/sd^2 in the mean. */
static choice rule(double weight, double sd, double epsilon)
{
    static context taken[PEOPLE];
    double lost = 0, open = 0, low = 0, high = 10 / sd;
    for (int i = 0; i < PEOPLE; i++) {
        double best = -1;
        taken[i] = drawn[i][0];
        for (int j = 0; j < CROWD; j++) {
            const context *x = &drawn[i][j];
            best = fmax(best, x->along);
            if (x->along + weight * x->across > taken[i].along + weight * taken[i].across)
                taken[i] = *x;
        }
        lost += (best - taken[i].along) / PEOPLE;
        open += (1 - taken[i].along * taken[i].along) / (sd * sd) / PEOPLE;
    }
    for (int i = 0; i < 30; i++) {
        double rho = (low + high) / 2;
        *(expm1(epsilon) * excess(taken, sd, rho) > rho ? &low : &high) = rho;
    }
    return (choice){lost, fmin(high * high, open)};
}

/* G between two rules: a person has the one or the other by chance. */
static double told(const choice *frontier, double regret)
{
    int i = 1;
    while (i < RULES && frontier[i].regret < regret) {
        i++;
    }
    const choice *from = &frontier[i - 1], *to = &frontier[i];
    double part = fmin(1, (regret - from->regret) / (to->regret - from->regret));
    return from->information + part * (to->information - from->information);
}

TEST(drawn_people_lose_as_much_as_is_proved)
{
    const uint32_t dim = 8, rounds = 30000;
    const double epsilons[] = {0.5, 1, 2};
    draw_people(dim);
    double reach = 0;
    for (int i = 0; i < PEOPLE; i++) {
        double best = -1;
        for (int j = 0; j < CROWD; j++) {
            best = fmax(best, drawn[i][j].along);
        }
        reach += best / PEOPLE;
    }
    for (size_t e = 0; e < 3; e++) {
        sotto_match match = shared(dim, CROWD, epsilons[e], rounds);
        choice frontier[RULES + 1];
        for (int i = 0; i <= RULES; i++) {
            double weight = i < RULES ? 2.0 * i / (RULES - i) : 1e6;
            frontier[i] = rule(weight, match.environment.noise, epsilons[e]);
        }
        double information = 0, slow = 0;
        for (uint32_t t = 0; t < rounds; t++) {
            double lost = reach * (1 - sqrt(information / ((dim - 1) * (dim - 1) + information)));
            slow += lost;
            information += told(frontier, lost);
        }
        double proved = floor_of(&match).proved;
        assert_true(proved <= 1.01 * slow && proved >= 0.97 * slow);
    }
}

/* ---- per-arm ------------------------------------------------------------------------------- */

/* Makes the arm public in a part of a round. */
typedef struct publishing {
    double sd, known, hidden, reach;
    bool start;
} publishing;

static choice publish(const void *state, double information, double part)
{
    const publishing *of = state;
    double rate = part * of->known + (1 - part) * of->hidden;
    double lost = part + (1 - part) * ignorance(information / (ARMS - 1));
    if (of->start) rate *= slow_start(of->sd, information / ARMS);
    return (choice){of->reach * lost, rate};
}

TEST(no_plan_of_publishing_arms_is_below_the_floor_per_arm)
{
    const double epsilons[] = {0.5, 1, 3}, noise[] = {0.1, 0.3, 0.3};
    const uint32_t rounds = 60;
    for (size_t i = 0; i < 3; i++) {
        sotto_match match = sphere_match(SOTTO_PARAMETERS_PER_ARM, SOTTO_LINK_IDENTITY, 2, ARMS,
                                         epsilons[i], rounds);
        match.environment.noise = noise[i];
        publishing of = {.sd = noise[i], .reach = slow_reach(ARMS)};
        of.known = slow_rate(noise[i], epsilons[i], 1, 1, 1);
        for (int m = 1; m <= ARMS; m++) {
            of.hidden = fmax(of.hidden, slow_rate(noise[i], epsilons[i], 1, m, ARMS));
        }
        sotto_floor floor = floor_of(&match);
        double local = slow_control(publish, &of, of.known * rounds, rounds);
        of.start = true;
        double start = slow_control(publish, &of, of.known * rounds, rounds);
        assert_near(floor.local, local, 5e-3 * local);
        assert_near(floor.start, start, 5e-3 * start);
    }
}

/* At a small epsilon a hidden arm reveals most if u is spread over all arms. Every n, every
 * round. */
TEST(among_many_arms_all_of_them_count)
{
    enum { MANY = 21, ROUNDS = 2000 };
    const double sd = 0.1, epsilon = 0.3;
    sotto_match match =
        sphere_match(SOTTO_PARAMETERS_PER_ARM, SOTTO_LINK_IDENTITY, 2, MANY, epsilon, ROUNDS);
    match.environment.noise = sd;
    double known = slow_rate(sd, epsilon, 1, 1, 1), least = INFINITY;
    double hidden = slow_rate(sd, epsilon, 1, MANY, MANY);
    assert_true(hidden > 1.02 * slow_rate(sd, epsilon, 1, MANY - 1, MANY));
    for (int n = 0; n < ROUNDS; n += 5) {
        double information = 0, regret = 0;
        for (int t = 0; t < ROUNDS; t++) {
            regret += t < n ? 1 : ignorance(information / (MANY - 1));
            information += t < n ? known : hidden;
        }
        least = fmin(least, slow_reach(MANY) * regret);
    }
    assert_near(floor_of(&match).local, least, 3e-3 * least);
}

/* ---- what must hold ------------------------------------------------------------------------ */

TEST(the_first_person_loses_all)
{
    sotto_match match = shared(5, 7, 1, 1);
    sotto_floor floor = floor_of(&match);
    double reach = sotto__sphere_max_mean(5, 7);
    assert_near(floor.proved, reach, 1e-9);
    assert_nears(1e-6, floor.local, reach, floor.start, reach);
}

TEST(proved_is_below_local_and_local_below_start)
{
    const double epsilons[] = {0.1, 1, 5};
    const uint32_t dims[] = {2, 30};
    for (size_t i = 0; i < 2; i++) {
        double before = INFINITY;
        for (size_t j = 0; j < 3; j++) {
            sotto_match match = shared(dims[i], 6, epsilons[j], 20000);
            sotto_floor floor = floor_of(&match);
            assert_true(floor.proved <= floor.local && floor.local <= floor.start);
            assert_true(floor.proved < before); /* privacy costs less at a larger epsilon */
            before = floor.proved;
        }
        sotto_match longer = shared(dims[i], 6, epsilons[2], 40000);
        assert_true(floor_of(&longer).proved > before);
    }
}

/* theta* of length D with noise sd is D times theta* of length 1 with noise sd/D. */
TEST(a_longer_parameter_scales)
{
    for (int per_arm = 0; per_arm < 2; per_arm++) {
        sotto_match one = sphere_match(per_arm ? SOTTO_PARAMETERS_PER_ARM : SOTTO_PARAMETERS_SHARED,
                                       SOTTO_LINK_IDENTITY, 4, 3, 1, 5000);
        sotto_match two = one;
        one.environment.noise = 0.1;
        two.environment.noise = 0.25, two.environment.theta_norm = 2.5;
        sotto_floor a = floor_of(&one), b = floor_of(&two);
        if (!per_arm) assert_near(b.proved, 2.5 * a.proved, 1e-6 * b.proved);
        assert_near(b.local, 2.5 * a.local, 1e-6 * b.local);
        assert_near(b.start, 2.5 * a.start, 1e-6 * b.start);
    }
}

/* Computed independently, with other grids, by rho^2 alone: therefore not at epsilon 5, where
 * E|S|^2 is less. */
TEST(a_table_made_elsewhere_agrees)
{
    const struct {
        sotto_parameters parameters;
        sotto_link link;
        uint32_t dim, arms;
        double epsilon, local, start;
    } row[] = {
        {SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, 2, 10, 0.5, 17, 110},
        {SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, 20, 20, 0.5, 2436, 5750},
        {SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, 20, 20, 2, 206, 386},
        {SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, 20, 20, 5, 27, 45},
        {SOTTO_PARAMETERS_SHARED, SOTTO_LINK_LOGIT, 2, 10, 0.5, 590, NAN},
        {SOTTO_PARAMETERS_SHARED, SOTTO_LINK_LOGIT, 2, 10, 1, 181, NAN},
        {SOTTO_PARAMETERS_SHARED, SOTTO_LINK_LOGIT, 20, 20, 0.5, 7880, NAN},
        {SOTTO_PARAMETERS_SHARED, SOTTO_LINK_LOGIT, 20, 20, 5, 1334, NAN},
        {SOTTO_PARAMETERS_SHARED, SOTTO_LINK_LOG, 2, 10, 0.5, 1005, NAN},
        {SOTTO_PARAMETERS_SHARED, SOTTO_LINK_LOG, 2, 10, 1, 283, NAN},
        {SOTTO_PARAMETERS_PER_ARM, SOTTO_LINK_IDENTITY, 20, 3, 0.5, 3185, 7198},
        {SOTTO_PARAMETERS_PER_ARM, SOTTO_LINK_IDENTITY, 20, 3, 2, 357, 770},
        {SOTTO_PARAMETERS_PER_ARM, SOTTO_LINK_IDENTITY, 10, 10, 1, 3235, 8572},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        sotto_match match = sphere_match(row[i].parameters, row[i].link, row[i].dim, row[i].arms,
                                         row[i].epsilon, 100000);
        sotto_floor floor = floor_of(&match);
        assert_near(floor.local, row[i].local, 0.025 * row[i].local);
        if (!isnan(row[i].start)) assert_near(floor.start, row[i].start, 0.025 * row[i].start);
    }
}
