/*
 * The constants of lattice noise.
 *
 * A statistic f of diameter Delta is rounded to a grid of step g, coordinate by coordinate. Each
 * coordinate of a difference f - f' moves by g at most, so the rounded diameter is at most
 * Delta + g sqrt(D) in the L2 norm and Delta + g D in the L1 norm. The noise is scaled to that.
 */
#include "core.h"

#include <math.h>

#define SCALE_TICKS_MIN (1u << 10)
#define SCALE_TICKS_MAX (1u << 24)

sotto_status sotto__lattice_promise_fault(sotto_noise_law law, uint32_t dim, double epsilon,
                                          double delta, bool allow_weak_delta, sotto_fault *fault)
{
    if (law == SOTTO_NOISE_LAPLACE) {
        /* In the L1 norm, rounding each number to the grid adds dim/epsilon ticks to b. Before, b
         * is at most 2^23; with these and one to spare it stays within 2^24. */
        double epsilon_min = dim / (0x1p23 - 2);
        if (epsilon >= epsilon_min) return SOTTO_OK;
        return sotto__fault_at(fault, "epsilon",
                               "%.15g: laplace noise on %u numbers needs at least %.4g", epsilon,
                               dim, epsilon_min);
    }
    if (!(delta >= 1e-12)) {
        return sotto__fault_at(fault, "delta", "%.15g: allowed 1e-12 to 0.5 for gaussian noise",
                               delta);
    }
    if (delta > 1e-6 && !allow_weak_delta) {
        return sotto__fault_at(fault, "delta", "%.15g: above 1e-6 only with `allow_weak_delta`",
                               delta);
    }
    return SOTTO_OK;
}

/* How far rounding to a grid of step 1 can move two statistics apart. */
static double rounding(const sotto__lattice_need *need)
{
    return need->law == SOTTO_NOISE_LAPLACE ? need->dim : sqrt(need->dim);
}

double sotto__lattice_diameter(const sotto__lattice_need *need, double grid)
{
    return need->diameter + grid * rounding(need);
}

double sotto__lattice_scale(const sotto__lattice_need *need, double grid)
{
    double diameter = sotto__lattice_diameter(need, grid);
    /* Like that of sotto_gaussian_sigma, a margin of 1e-9 covers the last bits of every statistic. */
    if (need->law == SOTTO_NOISE_LAPLACE) return diameter / need->epsilon * (1 + 1e-9);
    return sotto_gaussian_sigma(need->epsilon, need->delta, diameter);
}

double sotto__lattice_clip(const sotto__lattice_need *need, double grid)
{
    return ceil(need->coordinate_max / grid);
}

/* Gaussian: clip + 7.5 sigma. Laplace: clip + b ln(D/1e-9). */
double sotto__lattice_tick_max(const sotto_lattice *lattice, sotto_noise_law law)
{
    double scales = law == SOTTO_NOISE_LAPLACE ? log(lattice->dim / 1e-9) : 7.5;
    return lattice->clip_ticks + scales * lattice->scale_ticks;
}

/* The grid is the power of two that makes the noise 2^16 to 2^17 ticks wide. It is finer, up to
 * 2^22 to 2^23 ticks, if rounding would otherwise add more than a thousandth to the diameter. */
static int32_t choose_grid_log2(const sotto__lattice_need *need)
{
    int noise = ilogb(sotto__lattice_scale(need, 0));
    int fine = ilogb(need->diameter / rounding(need)) - 10;
    int grid = noise - 16 < fine ? noise - 16 : fine;
    return grid > noise - 22 ? grid : noise - 22;
}

sotto_lattice sotto__lattice_constants(const sotto__lattice_need *need)
{
    int32_t grid_log2 = choose_grid_log2(need);
    double grid = ldexp(1, grid_log2);
    return (sotto_lattice){
        .dim = need->dim,
        .grid_log2 = grid_log2,
        .scale_ticks = (uint32_t)ceil(sotto__lattice_scale(need, grid) / grid) + 1,
        .clip_ticks = (uint32_t)sotto__lattice_clip(need, grid),
    };
}

sotto_status sotto__lattice_check(const sotto_lattice *lattice, const sotto__lattice_need *need,
                                  sotto_fault *fault)
{
    double grid = ldexp(1, lattice->grid_log2);
    double clip = sotto__lattice_clip(need, grid);
    double needed = ceil(sotto__lattice_scale(need, grid) / grid);
    sotto_status status = SOTTO_E_FAULT;
    if (lattice->grid_log2 < -60 || lattice->grid_log2 > 60) {
        sotto__fault_at(fault, "grid_log2", "%d: allowed -60 to 60", lattice->grid_log2);
    } else if (lattice->scale_ticks < SCALE_TICKS_MIN || lattice->scale_ticks > SCALE_TICKS_MAX) {
        sotto__fault_at(fault, "scale_ticks", "%u: allowed 2^10 to 2^24", lattice->scale_ticks);
    } else if (clip > INT32_MAX / 2.0) {
        sotto__fault_at(fault, "grid_log2", "%d: ticks up to %.15g overflow 32 bits",
                        lattice->grid_log2, clip);
    } else if (lattice->clip_ticks != clip) {
        sotto__fault_at(fault, "clip_ticks", "%u: must be %.15g", lattice->clip_ticks, clip);
    } else if (lattice->scale_ticks < needed) {
        sotto__fault_at(fault, "scale_ticks", "%u: epsilon %.15g needs at least %.15g",
                        lattice->scale_ticks, need->epsilon, needed);
        status = SOTTO_E_WEAK;
    } else {
        return SOTTO_OK;
    }
    sotto__fault_within(fault, "lattice ");
    return status;
}
