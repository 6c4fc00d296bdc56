/* The log lines that record who did what on the admin port. */
#include "service/api/inner.h"
#include "test.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char line[1100];

/* The line, at the least severe level. */
static const char *written(const auth_caller *who, const api_route *route, const char *experiment,
                           uint32_t status)
{
    int end[2];
    assert_int_equal(pipe(end), 0);
    sottod_log *log = log_new(end[1], LOG_ERROR);
    audit_write(log, who, route, experiment, status);
    ssize_t bytes = read(end[0], line, sizeof line - 1);
    assert_true(bytes > 0);
    line[bytes] = '\0';
    log_free(log);
    close(end[0]);
    close(end[1]);
    return strstr(line, "\"level\"");
}

TEST(what_is_unknown_is_on_record)
{
    const auth_caller nobody = {.role = AUTH_NOBODY};
    assert_string_equal(written(&nobody, NULL, NULL, 401),
                        "\"level\":\"warning\",\"event\":\"admin\",\"action\":\"unknown\","
                        "\"experiment\":\"\",\"token\":\"\",\"role\":\"nobody\",\"status\":401}\n");
}

TEST(an_action_has_the_name_of_its_token)
{
    const auth_caller ops = {.role = AUTH_ADMIN, .name = "ops"};
    const api_route route = {.method = FRONT_POST, .path = "/v1/experiments/{id}/pause"};
    assert_string_equal(
        written(&ops, &route, "5f", 200),
        "\"level\":\"info\",\"event\":\"admin\",\"action\":\"pause\","
        "\"experiment\":\"5f\",\"token\":\"ops\",\"role\":\"admin\",\"status\":200}\n");
}

/* A new route's action is named by the last part of its path. */
TEST(every_route_that_changes_something_has_an_action)
{
    static const char *const wanted[] = {"create",     "delete",  "open",    "pause",       "close",
                                         "quarantine", "release", "discard", "end-fallback"};
    const route_table table = api_admin_routes();
    char all[400] = "";
    size_t used = 0;
    for (size_t i = 0; i < table.count; i++) {
        const api_route *route = &table.route[i];
        assert_int_equal(audit_is_due(route->method), route->access == ROUTE_ADMIN);
        if (route->access != ROUTE_ADMIN) continue;
        used += (size_t)snprintf(all + used, sizeof all - used, " %s ", audit_action(route));
    }
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        char word[40];
        snprintf(word, sizeof word, " %s ", wanted[i]);
        if (strstr(all, word) == NULL) fail_msg("%s is not in%s", wanted[i], all);
    }
    assert_false(audit_is_due(FRONT_OPTIONS));
    assert_true(audit_is_due(FRONT_OTHER));
}
