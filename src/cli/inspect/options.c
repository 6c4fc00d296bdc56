/* The options of `sotto inspect`. */
#include "cli/option/option.h"
#include "core/core.h"
#include "inner.h"

#include <math.h>

#define SPEC INSPECT_SPEC
#define TERMS "terms of a spec, by default as `sotto inspect spec` prints them"
#define FIELD(member) OPTION_FIELD(inspect_options, member)
#define TERM(member, subjects) OPTION_FIELD_OF(inspect_options, spec.member, subjects)
#define FIELD_OF(member, subjects) OPTION_FIELD_OF(inspect_options, member, subjects)

/* Terms that are not given come from sotto_spec_default(). */
const option inspect_table[] = {
    {"dim", TERM(dim, SPEC | INSPECT_CODEWORD), OPTION_NUMBER(NULL, 1, SOTTO_DIM_MAX), TERMS,
     "numbers per context vector; codeword: needed"},
    {"arms", TERM(arms, SPEC), OPTION_NUMBER(NULL, 2, SOTTO_ARMS_MAX), TERMS,
     "number of arms to choose from"},
    {"epsilon", TERM(epsilon, SPEC | INSPECT_CALIBRATION), OPTION_NUMBER(NULL, 0.01, 50), TERMS,
     "of one report, with codebooks at most 8; calibration: claimed"},
    {"delta", TERM(delta, SPEC | INSPECT_SPEC_FILE | INSPECT_LEDGER | INSPECT_CALIBRATION),
     OPTION_NUMBER(NULL, 0, 0.5), TERMS,
     "of gaussian noise, or of --shuffle; ledger: in all, default 1e-5; calibration: claimed"},
    {"allow-weak-delta", TERM(allow_weak_delta, SPEC), OPTION_FLAG, TERMS,
     "allow delta above 1e-6"},
    {"parameters", TERM(parameters, SPEC), OPTION_NAME(NULL, names_of_parameters), TERMS,
     "one parameter for all arms, or one per arm"},
    {"link", TERM(link, SPEC), OPTION_NAME(NULL, names_of_link), TERMS,
     "from x.theta to the mean reward"},
    {"reward-kind", TERM(reward_kind, SPEC), OPTION_NAME("continuous", names_of_reward_kind), TERMS,
     "sets range, score and link, unless they are given"},
    {"reward-range", FIELD_OF(reward_range, SPEC), OPTION_NUMBER(NULL, -1e6, 1e6), TERMS,
     "LO,HI: rewards are clamped to it"},
    {"reward-rate", TERM(reward_rate, SPEC), OPTION_NUMBER(NULL, 0, 1), TERMS,
     "typical reward, as a fraction of its range; 0: unknown"},
    {"method", TERM(method, SPEC), OPTION_NAME(NULL, names_of_method), TERMS, "how to learn"},
    {"score", TERM(score, SPEC), OPTION_NAME(NULL, names_of_score), TERMS, "what a report carries"},
    {"huber-tau", TERM(huber_tau, SPEC), OPTION_NUMBER(NULL, 1e-6, 1e6), TERMS, "of score huber"},
    {"split", TERM(split, SPEC), OPTION_NAME(NULL, names_of_split), TERMS,
     "of method ldp-sgd with per-arm parameters"},
    {"noise-law", TERM(noise_law, SPEC), OPTION_NAME(NULL, names_of_noise_law), TERMS,
     "of methods with lattice noise"},
    {"context-norm-max", TERM(context_norm_max, SPEC | INSPECT_CALIBRATION),
     OPTION_NUMBER(NULL, 1e-6, 1e6), TERMS, "longer vectors are scaled down; calibration: C_B"},
    {"theta-norm-max", TERM(theta_norm_max, SPEC), OPTION_NUMBER(NULL, 1e-6, 1e6), TERMS,
     "bound on the true parameter"},
    {"epoch-reports-max", TERM(epoch_reports_max, SPEC), OPTION_NUMBER(NULL, 1, SOTTO_REPORTS_MAX),
     TERMS, "ends an epoch"},
    {"window", TERM(window_reports, SPEC), OPTION_NUMBER(NULL, 0, SOTTO_REPORTS_MAX), TERMS,
     "reports remembered under drift; 0: all"},
    {"lag", TERM(epoch_lag_max, SPEC), OPTION_NUMBER(NULL, 0, 16), TERMS,
     "by how many epochs a report may be late"},
    {"measure", FIELD_OF(measure_share, SPEC), OPTION_NUMBER(NULL, 0, 0.5), TERMS,
     "share of rounds that report the reward; 0, or 0.001 to 0.5"},
    {"series", TERM(series, SPEC), OPTION_NUMBER(NULL, 0, UINT32_MAX), TERMS,
     "a number that tells runs of the same terms apart"},
    {"reward-window", TERM(reward_window_s, SPEC), OPTION_NUMBER(NULL, 0, 31536000), TERMS,
     "seconds that a device waits for a reward"},
    {"send-spread", TERM(send_spread_s, SPEC), OPTION_NUMBER(NULL, 0, 31536000), TERMS,
     "seconds over which devices send after that"},
    {"shuffle", FIELD_OF(shuffle, SPEC | INSPECT_SPEC_FILE),
     OPTION_NUMBER(NULL, 1, SOTTO_SHUFFLE_REPORTS_MAX), "shuffling",
     "number of reports of one epoch that a party other than the server shuffles: prints what the "
     "server then learns about one person, at --delta, default 1e-6"},
    {"out", FIELD_OF(out_file, SPEC | INSPECT_SPEC_FILE), OPTION_FILE, "files",
     "spec: FILE to write its bytes to"},
    {"spec", FIELD_OF(spec_file, INSPECT_FRAME), OPTION_FILE, "files",
     "report, model, tally: FILE of their spec, needed"},
    {"spec-id", FIELD_OF(spec_id, INSPECT_CODEWORD), OPTION_TEXT(NULL), "codeword",
     "32 hexadecimal digits, needed"},
    {"nonce", FIELD_OF(nonce, INSPECT_CODEWORD), OPTION_TEXT(NULL), "codeword",
     "32 hexadecimal digits, needed"},
    {"codebook-size", FIELD_OF(codebook_size, INSPECT_CODEWORD),
     OPTION_NUMBER(NULL, 2, SOTTO_CODEBOOK_SIZE_MAX), "codeword", "even, needed"},
    {"index", FIELD_OF(index, INSPECT_CODEWORD),
     OPTION_NUMBER(NULL, 0, SOTTO_CODEBOOK_SIZE_MAX - 1), "codeword", "of the codeword, needed"},
    {"arm", FIELD_OF(arm, INSPECT_CODEWORD), OPTION_NUMBER("0", 0, SOTTO_ARMS_MAX - 1), "codeword",
     "under split per-arm"},
    {"json", FIELD(json), OPTION_FLAG, "output", "one JSON object or list"},
    {"quiet", FIELD(quiet), OPTION_FLAG, "output", "no effect: inspect prints only facts"},
    OPTION_END,
};

sotto_spec inspect_options_spec(const command_line *line, const inspect_options *options)
{
    sotto_spec spec = sotto_spec_default(options->spec.reward_kind);
    command_line_copy_given(line, offsetof(inspect_options, spec), sizeof spec, &spec);
    bool own_score = !OPTION_GIVEN(line, inspect_options, spec.score);
    bool misfit = spec.score == SOTTO_SCORE_CENTRED && spec.link != SOTTO_LINK_LOG;
    if (own_score && misfit) spec.score = SOTTO_SCORE_SELF;
    if (own_score) sotto__set_only_score(&spec);
    if (OPTION_GIVEN(line, inspect_options, reward_range)) {
        spec.reward_lo = spec.reward_default = options->reward_range[0];
        spec.reward_hi = options->reward_range[1];
    }
    if (OPTION_GIVEN(line, inspect_options, measure_share)) {
        spec.measure = (uint32_t)rint(options->measure_share * 0x1p32);
    }
    /* A missing reward counts as 0 if the range contains 0. */
    if (spec.reward_lo <= 0 && spec.reward_hi >= 0) spec.reward_default = 0;
    return spec;
}
