/* The frontier, compared with rules played on random contexts. */
#include "draws.h"
#include "lab/floor/inner.h"
#include "lab/math/math.h"
#include "test.h"

#define DRAWS 20000
#define ARMS 5
#define BINS 400

/* A rule that is played: what it loses, E|S|^2, and how often it takes each |y|. */
typedef struct played {
    double lost, open;
    double share[BINS];
} played;

/* Takes the largest c + a |y|^power. */
static played play(const sotto__floor_score *score, uint32_t dim, double a, double power)
{
    played out = {0};
    state_of_draws = 3;
    for (int i = 0; i < DRAWS; i++) {
        double best = -2, best_key = -2, c_taken = 0, y_taken = 0;
        for (int arm = 0; arm < ARMS; arm++) {
            double c = normal(), y = normal(), squares = c * c + y * y;
            for (uint32_t j = 2; j < dim; j++) {
                double x = normal();
                squares += x * x;
            }
            c /= sqrt(squares);
            y = fabs(y) / sqrt(squares);
            double key = c + a * pow(y, power);
            best = fmax(best, c);
            if (key <= best_key) continue;
            best_key = key, c_taken = c, y_taken = y;
        }
        out.lost += (best - c_taken) / DRAWS;
        out.open += (1 - c_taken * c_taken) * sotto__score_square(score, c_taken) / DRAWS;
        out.share[(int)(y_taken * BINS) % BINS] += 1.0 / DRAWS;
    }
    return out;
}

/* rho of what it takes, by bisection. */
static double root_of(const played *rule, const sotto__floor_score *score, double epsilon)
{
    double low = 0, high = 1e3;
    for (int i = 0; i < 25; i++) {
        double rho = (low + high) / 2, sum = 0;
        for (int j = 0; j < BINS; j++) {
            sum += rule->share[j] * sotto__score_excess(score, 0, (j + 0.5) / BINS, rho);
        }
        if (expm1(epsilon) * sum > rho) {
            low = rho;
        } else {
            high = rho;
        }
    }
    return high;
}

static const sotto__floor_score score = {SOTTO_LINK_IDENTITY, SOTTO_LAW_GAUSSIAN, 0.2, 1};

TEST(no_rule_that_is_played_gets_above_the_frontier)
{
    const double epsilons[] = {0.5, 2, 5}, weights[] = {0, 0.5, 1, 3, 1000};
    for (uint32_t dim = 2; dim <= 4; dim += 2) {
        sotto__tradeoff frontier[3];
        double nearest[3] = {0};
        for (size_t e = 0; e < 3; e++) {
            assert_ok(sotto__tradeoff_make(&score, dim, ARMS, epsilons[e], &frontier[e]));
        }
        for (uint32_t i = 0; i < 10; i++) {
            double weight = weights[i / 2];
            played rule = play(&score, dim, weight, i % 2 + 1);
            for (size_t e = 0; e < 3; e++) {
                double root = root_of(&rule, &score, epsilons[e]);
                double got = fmin(root * root, rule.open);
                double most = sotto__tradeoff_at(&frontier[e], rule.lost);
                assert_true(got <= 1.012 * most);
                nearest[e] = fmax(nearest[e], weight == 1 ? got / most : 0);
            }
        }
        assert_true(nearest[0] > 0.9 && nearest[1] > 0.9); /* one in between is nearly as good */
    }
}

TEST(both_ends_are_what_one_knows)
{
    sotto__tradeoff frontier;
    for (uint32_t dim = 2; dim <= 12; dim += 5) {
        assert_ok(sotto__tradeoff_make(&score, dim, ARMS, 1, &frontier));
        FREED_BY(free_memory) sotto__cells *greedy = sotto__cells_greedy(dim, ARMS);
        assert_non_null(greedy);
        double root = sotto__information_root(greedy, &score, 1, 1, 1);
        assert_near(sotto__tradeoff_at(&frontier, 0), root * root, 1e-9 * root * root);
        /* Regret does not count: the arm with the largest |y|. */
        played curious = play(&score, dim, 1e6, 1);
        double told = root_of(&curious, &score, 1);
        double most = sotto__tradeoff_at(&frontier, sotto__sphere_max_mean(dim, ARMS));
        assert_near(most, told * told, 0.02 * most);
        assert_near(sotto__tradeoff_at(&frontier, 2), most, 1e-12 * most);
    }
}

/* At a large epsilon privacy is no limit: E|S|^2 is, of the greedy arm and, in the plane, of the largest |y|. */
TEST(without_privacy_rewards_are_the_limit)
{
    sotto__tradeoff frontier;
    for (uint32_t dim = 2; dim <= 7; dim += 5) {
        assert_ok(sotto__tradeoff_make(&score, dim, ARMS, 15, &frontier));
        played greedy = play(&score, dim, 0, 1), curious = play(&score, dim, 1e6, 1);
        double least = sotto__tradeoff_at(&frontier, 0), most = sotto__tradeoff_at(&frontier, 2);
        assert_near(least, greedy.open, 0.02 * least);
        assert_true(most >= 0.99 * curious.open);
        if (dim == 2) assert_near(most, curious.open, 0.01 * most);
        assert_true(most <= 1.001 * sotto__score_square(&score, 0)); /* of y = 1 */
    }
}

TEST(it_grows_and_bends_downwards)
{
    sotto__tradeoff frontier;
    const struct {
        uint32_t dim, arms;
        double epsilon;
    } of[] = {{6, ARMS, 0.01}, {6, ARMS, 0.3}, {6, ARMS, 9}, {2, 100, 2}, {2, 100, 3}};
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        assert_ok(sotto__tradeoff_make(&score, of[i].dim, of[i].arms, of[i].epsilon, &frontier));
        double step = 0.003, slope = INFINITY;
        for (double r = 0; r < 1; r += step) {
            double from = sotto__tradeoff_at(&frontier, r);
            double rise = sotto__tradeoff_at(&frontier, r + step) - from;
            assert_true(rise >= 0 && rise <= slope + 1e-9 * from);
            slope = rise;
        }
    }
}
