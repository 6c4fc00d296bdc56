/* The self-normalised score, for any mean model: muh = clip(mu(x . theta), lo, hi),
 * psi = (muh - r)/max(muh - lo, hi - muh), which is within [-1, 1] for every reward in range. */
#include "core/link.h"
#include "core/secret.h"
#include "score_rows.h"

void sotto__score_self(const sotto__scored *scored, double *v)
{
    const sotto_spec *spec = scored->spec;
    double mean = sotto__link_mean(spec->link, sotto__score_prediction(scored));
    mean = sotto__within(mean, spec->reward_lo, spec->reward_hi);
    double largest = sotto__at_least(mean - spec->reward_lo, spec->reward_hi - mean);
    sotto__score_along(scored, (mean - scored->reward) / largest, v);
}
