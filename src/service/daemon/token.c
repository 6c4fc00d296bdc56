/* sottod add-token and remove-token: who may use the admin port. */
#include "daemon.h"
#include "service/api/api.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static int wrong(const char *what, const char *value, const char *allowed)
{
    fprintf(stderr, "sottod: %s %s: allowed %s\n", what, value, allowed);
    return 2;
}

static int done(bool fine, const char *fault)
{
    if (!fine) {
        fprintf(stderr, "sottod: %s\n", fault);
        return 1;
    }
    if (fault[0] != '\0') fprintf(stderr, "sottod: %s\n", fault);
    fprintf(stderr,
            "sottod: a running service reads the change at SIGHUP (systemctl reload sottod)\n");
    return 0;
}

int directory_add_token(const sottod_config *config, int words, char **word)
{
    char path[PATH_MAX], fault[FRONT_FAULT_BYTES] = "";
    token_row row = {.role = token_role_read(word[1], strlen(word[1]))};
    if (!token_name_fits(word[0], strlen(word[0])))
        return wrong("name", word[0],
                     "1 to 32 of a-z, 0-9, '.', '_', '-', the first a letter or a digit");
    if (row.role == AUTH_NOBODY) return wrong("role", word[1], "admin or reader");
    if (words > 2) row.last_day = token_day_read(word[2], strlen(word[2]));
    if (words > 2 && row.last_day == 0)
        return wrong("last day", word[2], "a date such as 2027-01-31");
    snprintf(row.name, sizeof row.name, "%s", word[0]);
    bool fine = auth_add(config->data, &row, token_today(), path, sizeof path, fault);
    if (fine) printf("token  %s\n", path);
    return done(fine, fault);
}

int directory_remove_token(const sottod_config *config, const char *name)
{
    char fault[FRONT_FAULT_BYTES];
    return done(auth_remove(config->data, name, token_today(), fault), fault);
}
