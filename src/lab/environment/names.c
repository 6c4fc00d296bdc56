/* The names of environments and of reward laws, from the lists that number them. */
#include <sotto/lab/environments.h>

#include <string.h>

#define NAME(name, text) text,

const char *sotto_environment_kind_name(sotto_environment_kind value)
{
    static const char *const name[] = {SOTTO_ENVIRONMENT_MAP(NAME)};
    return (uint32_t)value < sizeof name / sizeof name[0] ? name[value] : NULL;
}

bool sotto_environment_kind_from_name(const char *name, sotto_environment_kind *out)
{
    for (uint32_t i = 0; name != NULL && out != NULL && sotto_environment_kind_name(i) != NULL;
         i++) {
        if (strcmp(name, sotto_environment_kind_name(i)) != 0) continue;
        *out = (sotto_environment_kind)i;
        return true;
    }
    return false;
}

const char *sotto_reward_law_name(sotto_reward_law value)
{
    static const char *const name[] = {SOTTO_LAW_MAP(NAME)};
    return (uint32_t)value < sizeof name / sizeof name[0] ? name[value] : NULL;
}
