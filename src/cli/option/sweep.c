/* Options of all that compares methods. */
#include "sweep.h"
#include "lab/run/comparison.h"
#include "names.h"
#include "words.h"

#include <unistd.h>

bool sweep_methods(const char *program, const char *list, sotto_player player[SOTTO_PLAYERS],
                   uint32_t *count)
{
    char word[WORD_BYTES];
    uint32_t value, seen = 0;
    *count = 0;
    while (word_next(&list, word)) {
        if (!option_find_name(program, "--method", word, names_of_player, &value)) return false;
        if (seen >> value & 1) return word_refuse(program, "method", word, "each method once");
        seen |= 1u << value;
        player[(*count)++] = (sotto_player)value;
    }
    return true;
}

bool sweep_points(const char *program, const char *list, uint64_t horizon, uint64_t *at,
                  uint32_t *count)
{
    char word[WORD_BYTES];
    *count = list == NULL ? sotto__usual_points(horizon, at) : 0;
    while (word_next(&list, word)) {
        uint64_t t;
        if (!word_whole(word, &t) || t < 1 || t > horizon) {
            return word_refuse(program, "checkpoints", word, "rounds 1 to the horizon");
        }
        if (*count > 0 && t <= at[*count - 1]) {
            return word_refuse(program, "checkpoints", word, "growing rounds");
        }
        if (*count == SOTTO_POINTS_MAX - 1) {
            return word_refuse(program, "checkpoints", word, "at most 4095 rounds");
        }
        at[(*count)++] = t;
    }
    if (*count == 0 || at[*count - 1] < horizon) at[(*count)++] = horizon;
    return true;
}

uint32_t sweep_cores(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    if (count < 1) return 1;
    return count > (long)SOTTO_THREADS_MAX ? SOTTO_THREADS_MAX : (uint32_t)count;
}
