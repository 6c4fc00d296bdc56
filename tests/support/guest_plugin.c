/* The guests as a shared object. The environment variables METHOD_MISDEED, ENVIRONMENT_MISDEED and
 * MECHANISM_MISDEED set what each does wrong in round 50; LOAD_MISDEED sets what goes wrong when it
 * is loaded. */
#include "guests.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

static void read_misdeed(const char *variable, guest *user)
{
    const char *name = getenv(variable);
    user->round = 50;
    for (uint32_t i = 0; name != NULL && i < MISDEEDS; i++) {
        if (strcmp(name, misdeed_name[i]) == 0) user->misdeed = (misdeed)i;
    }
}

__attribute__((constructor)) static void load(void)
{
    guest user = {0};
    read_misdeed("LOAD_MISDEED", &user);
    if (user.misdeed == MISDEED_CRASHES) raise(SIGSEGV);
    if (user.misdeed == MISDEED_EXITS) exit(3);
}

const sotto_plugin *sotto_plugin_get(void)
{
    static guest user[3];
    static sotto_player_table player;
    static sotto_environment_table environment;
    static sotto_mechanism_table mechanism;
    static const sotto_plugin plugin = {SOTTO_TABLE(sotto_plugin), &player, &environment,
                                        &mechanism};
    read_misdeed("METHOD_MISDEED", &user[0]);
    read_misdeed("ENVIRONMENT_MISDEED", &user[1]);
    read_misdeed("MECHANISM_MISDEED", &user[2]);
    player = guest_player(&user[0]);
    environment = guest_environment(&user[1]);
    mechanism = guest_mechanism(&user[2]);
    const char *name = getenv("METHOD_NAME");
    if (name != NULL) player.name = name;
    const char *without = getenv("METHOD_WITHOUT");
    if (without != NULL && strcmp(without, "decide") == 0) player.decide = NULL;
    return &plugin;
}
