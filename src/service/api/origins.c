#include "inner.h"

#include <stdio.h>
#include <string.h>

#define ALLOW "Access-Control-Allow-Origin"
#define EXPOSE "Access-Control-Expose-Headers"
#define EXPOSED "ETag, Retry-After, " ORIGINS_REPORTS_HEADER

static const char allowed[] =
    "[\"*\"], or at most 32 origins as browsers send them, such as https://shop.example or "
    "http://localhost:8080: small letters, no path, no port 80 of http or 443 of https";

/* ---- the list ----------------------------------------------------------------------------- */

static bool refuse(sottod_refusal *why, const char *error, size_t index, const json_t *value)
{
    char path[32];
    snprintf(path, sizeof path, "origins[%zu]", index);
    return json_read_refuse(why, error, path, value, allowed);
}

bool origins_read(const json_t *list, char out[ACCESS_ORIGINS_BYTES], sottod_refusal *why)
{
    size_t used = 0, count = json_array_size(list);
    out[0] = '\0';
    if (list == NULL) return true;
    if (!json_is_array(list) || count > ACCESS_ORIGINS_MAX)
        return json_read_refuse(why, "This is not a list of origins.", "origins", list, allowed);
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_array_get(list, i);
        const char *text = json_is_string(value) ? json_string_value(value) : "";
        size_t bytes = json_is_string(value) ? json_string_length(value) : 0;
        bool any = count == 1 && bytes == 1 && text[0] == '*';
        if (!any && !access_origin_fits(text, bytes))
            return refuse(why, "This is not the origin of a web page.", i, value);
        if (access_origins_have(out, text, bytes))
            return refuse(why, "This origin appears twice.", i, value);
        if (i > 0) out[used++] = ' ';
        /* there is room for the largest number of longest origins */
        memcpy(out + used, text, bytes);
        used += bytes;
        out[used] = '\0';
    }
    return true;
}

bool origins_read_body(const void *body, size_t bytes, char out[ACCESS_ORIGINS_BYTES],
                       sottod_refusal *why)
{
    static const char *const names[] = {"origins"};
    json_t *root = json_read_object(body, bytes, why);
    if (root == NULL) return false;
    const json_t *list = json_object_get(root, "origins");
    bool done = json_read_known(root, "", names, 1, why);
    if (done && list == NULL)
        done = json_read_refuse(why, "A required field is missing.", "origins", NULL, allowed);
    done = done && origins_read(list, out, why);
    json_decref(root);
    return done;
}

json_t *origins_json(const char *origins)
{
    json_t *list = json_array();
    while (*origins != '\0') {
        size_t bytes = strcspn(origins, " ");
        json_array_append_new(list, json_stringn(origins, bytes));
        origins += bytes;
        origins += *origins == ' ';
    }
    return list;
}

/* ---- requests ----------------------------------------------------------------------------- */

static bool is_listed(const sottod_experiment *experiment, const char *origin)
{
    const char *origins = experiment_access_of(experiment).origins;
    return strcmp(origins, "*") == 0 || access_origins_have(origins, origin, strlen(origin));
}

bool origins_admit(const sottod_experiment *experiment, const char *origin, sottod_refusal *why)
{
    if (origin == NULL || is_listed(experiment, origin)) return true;
    return refusal_set(why, 403, "The experiment does not accept reports from this page.", "Origin",
                       origin, "none, or an origin that the owner of the experiment has listed");
}

const char *origins_refusal(const sottod_experiment *experiment, const char *origin)
{
    journal_state state = experiment_state(experiment);
    if (origin != NULL && !is_listed(experiment, origin)) return "unlisted";
    return state == JOURNAL_OPEN ? NULL : journal_state_name(state);
}

bool origins_is_for_reports(const char *path)
{
    static const char end[] = "/reports";
    size_t bytes = strlen(path);
    return bytes >= sizeof end - 1 && strcmp(path + bytes - (sizeof end - 1), end) == 0;
}

const answer_style *origins_any(void)
{
    static const answer_style any = {{{ALLOW, "*"}, {EXPOSE, EXPOSED}, {NULL, NULL}}};
    return &any;
}

const answer_style *origins_none(void)
{
    static const answer_style none = {{{NULL, NULL}, {NULL, NULL}, {NULL, NULL}}};
    return &none;
}

const answer_style *origins_style(const char *path, const sottod_experiment *experiment,
                                  const char *origin, answer_style *room)
{
    if (!origins_is_for_reports(path)) return origins_any();
    if (origin == NULL || experiment == NULL || !is_listed(experiment, origin))
        return origins_none();
    *room = (answer_style){{{ALLOW, origin}, {EXPOSE, EXPOSED}, {"Vary", "Origin"}}};
    return room;
}

bool origins_dress(const char *origin, front_answer *answer)
{
    if (origin == NULL) return false;
    answer_add_header(answer, ALLOW, origin);
    answer_add_header(answer, EXPOSE, EXPOSED);
    answer_add_header(answer, "Vary", "Origin");
    return true;
}
