/* The contexts and rewards of the rounds. Made-up ones are for demonstration and belong to
 * nobody. */
#include "client/client.h"
#include "inner.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BLANKS " \t\r\n"

/* Reads the numbers of the next round from a line, separated by blanks or commas. False, with a
 * sentence, unless the line has exactly as many as a round needs. */
static bool parse_line(const command_line *line, join_inputs *inputs, const char *text,
                       uint64_t number)
{
    uint32_t count = 0;
    double *out = inputs->number + (size_t)inputs->rounds * inputs->stride;
    for (const char *at = text + strspn(text, BLANKS ","); *at != '\0';) {
        char *end;
        double value = strtod(at, &end);
        if (end == at || strchr(BLANKS ",", *end) == NULL) {
            return option_say(line, "--context: line %" PRIu64 ", number %u is not a number",
                              number, count + 1);
        }
        if (count < inputs->stride) out[count] = value;
        count++;
        at = end + strspn(end, BLANKS ",");
    }
    inputs->rounds++;
    return count == inputs->stride ||
           option_say(line,
                      "--context: line %" PRIu64 " has %u numbers: allowed %u, %u of a context%s",
                      number, count, inputs->stride, inputs->cells,
                      inputs->with_reward ? " and a reward" : "");
}

static bool read_lines(const command_line *line, FILE *file, join_inputs *inputs)
{
    char *text = NULL;
    size_t capacity = 0;
    ssize_t length;
    bool good = true;
    for (uint64_t n = 1; good && (length = getline(&text, &capacity, file)) > 0; n++) {
        if (strlen(text) != (size_t)length) {
            good = option_say(line, "--context: line %" PRIu64 " contains a zero byte", n);
        } else if (text[strspn(text, BLANKS)] == '\0') {
            continue;
        } else if (inputs->rounds == JOIN_ROUNDS_MAX) {
            good = option_say(line, "--context: line %" PRIu64 ": more than %d rounds", n,
                              JOIN_ROUNDS_MAX);
        } else {
            good = parse_line(line, inputs, text, n);
        }
    }
    if (good && ferror(file)) good = option_say(line, "--context: %s", strerror(errno));
    free(text);
    return good;
}

static bool read_file(const command_line *line, const char *path, join_inputs *inputs)
{
    bool standard = strcmp(path, "-") == 0;
    FILE *file = standard ? stdin : fopen(path, "r");
    if (file == NULL) return option_say(line, "--context %s: %s", path, strerror(errno));
    bool good = read_lines(line, file, inputs);
    if (!standard) fclose(file);
    return good;
}

bool join_inputs_open(const command_line *line, const join_options *options,
                      const sotto_terms *terms, join_inputs *out)
{
    const sotto_spec *spec = &terms->spec;
    uint64_t seed;
    memset(out, 0, sizeof *out);
    out->spec = spec;
    out->cells = spec->parameters == SOTTO_PARAMETERS_SHARED ? spec->dim * spec->arms : spec->dim;
    out->read = options->context_file != NULL;
    out->with_reward = options->with_reward;
    out->stride = out->cells + out->with_reward;
    /* This seed is not for privacy: the device draws the randomness for its noise itself. */
    sotto_rng system = sotto__system_rng();
    if (sotto__draw_u64(&system, &seed) != SOTTO_OK) seed = (uint64_t)time(NULL);
    sotto__seeded_begin(&out->random, seed);
    out->context = malloc(out->cells * sizeof(double));
    if (out->read) out->number = calloc((size_t)JOIN_ROUNDS_MAX * out->stride, sizeof(double));
    if (out->context == NULL || (out->read && out->number == NULL)) {
        return option_say(line, "%s", sotto_status_text(SOTTO_E_MEMORY));
    }
    return !out->read || read_file(line, options->context_file, out);
}

void join_inputs_close(join_inputs *inputs)
{
    free(inputs->number);
    free(inputs->context);
    inputs->number = inputs->context = NULL;
}

static double draw(join_inputs *inputs)
{
    return sotto__uniform(sotto__seeded_next(&inputs->random));
}

/* Made-up contexts are uniform in a cube inside the ball of allowed contexts. */
const double *join_inputs_context(join_inputs *inputs, uint32_t i)
{
    if (inputs->read) return inputs->number + (size_t)i * inputs->stride;
    double size = inputs->spec->context_norm_max / sqrt(inputs->spec->dim);
    for (uint32_t k = 0; k < inputs->cells; k++) {
        inputs->context[k] = size * (2 * draw(inputs) - 1);
    }
    return inputs->context;
}

double join_inputs_reward(join_inputs *inputs, uint32_t i)
{
    const sotto_spec *spec = inputs->spec;
    if (inputs->with_reward) return inputs->number[(size_t)i * inputs->stride + inputs->cells];
    double reward = spec->reward_lo + draw(inputs) * (spec->reward_hi - spec->reward_lo);
    return spec->reward_kind == SOTTO_REWARD_CONTINUOUS ? reward : rint(reward);
}
