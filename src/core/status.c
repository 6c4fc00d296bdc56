/* The sentence of every status. */
#include <sotto/core.h>

const char *sotto_status_text(sotto_status status)
{
    static const char *const sentence[] = {
#define SENTENCE(name, text) text,
        SOTTO_STATUS_MAP(SENTENCE)
#undef SENTENCE
    };
    if ((size_t)status >= sizeof sentence / sizeof sentence[0]) return "an unknown status";
    return sentence[status];
}

const char *sotto_version(void)
{
    return SOTTO_VERSION;
}
