/* docs/openapi.json agrees with the tables of routes and with actual answers. */
#include "house.h"
#include "service/api/inner.h"
#include "test.h"

#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static json_t *document;

FIXTURE(start)
{
    json_error_t error;
    document =
        json_load_file(SOTTO_PROJECT_DIR "/docs/openapi.json", JSON_REJECT_DUPLICATES, &error);
    if (document == NULL) fail_msg("line %d: %s", error.line, error.text);
}

FIXTURE(end)
{
    json_decref(document);
}

/* The path without the arguments of the query. */
static const char *bare(const char *path, char out[96])
{
    const char *arguments = strstr(path, "{?");
    size_t bytes = arguments != NULL ? (size_t)(arguments - path) : strlen(path);
    snprintf(out, 96, "%.*s", (int)bytes, path);
    return out;
}

static const json_t *operation(const char *path, const char *method)
{
    char own[96];
    char small[16] = "";
    for (size_t i = 0; method[i] != '\0' && i < sizeof small - 1; i++) {
        small[i] = (char)tolower((unsigned char)method[i]);
    }
    const json_t *item = json_object_get(json_object_get(document, "paths"), bare(path, own));
    return json_object_get(item, small);
}

static bool has_tag(const json_t *described, const char *tag)
{
    const json_t *tags = json_object_get(described, "tags");
    for (size_t i = 0; i < json_array_size(tags); i++) {
        if (strcmp(json_string_value(json_array_get(tags, i)), tag) == 0) return true;
    }
    return false;
}

static void assert_described(route_table table, const char *tag)
{
    for (size_t i = 0; i < table.count; i++) {
        const char *method = route_method_name(table.route[i].method);
        if (!has_tag(operation(table.route[i].path, method), tag)) {
            fail_msg("docs/openapi.json has no %s %s of the %s port", method, table.route[i].path,
                     tag);
        }
    }
}

static bool is_route(route_table table, const char *path, const char *method)
{
    char own[96];
    for (size_t i = 0; i < table.count; i++) {
        if (strcmp(bare(table.route[i].path, own), path) != 0) continue;
        if (strcasecmp(route_method_name(table.route[i].method), method) == 0) return true;
    }
    return false;
}

static bool has_path(route_table table, const char *path)
{
    char own[96];
    for (size_t i = 0; i < table.count; i++) {
        if (strcmp(bare(table.route[i].path, own), path) == 0) return true;
    }
    return false;
}

TEST_WITH(every_route_is_described, start, end)
{
    assert_described(api_public_routes(), "public");
    assert_described(api_admin_routes(), "admin");
}

/* Pages send OPTIONS to every public path; the admin port has no OPTIONS. */
TEST_WITH(every_description_is_a_route, start, end)
{
    const char *path, *method;
    json_t *item, *described;
    size_t options = 0;
    json_object_foreach(json_object_get(document, "paths"), path, item)
    {
        json_object_foreach(item, method, described)
        {
            if (strcmp(method, "parameters") == 0 || strcmp(method, "servers") == 0) continue;
            bool open = has_tag(described, "public"), admin = has_tag(described, "admin");
            if (!open && !admin) fail_msg("%s %s has no port", method, path);
            if (strcmp(method, "head") == 0) { /* exists for every GET */
                assert_non_null(json_object_get(item, "get"));
                continue;
            }
            if (strcmp(method, "get") == 0) assert_non_null(json_object_get(item, "head"));
            if (strcmp(method, "options") == 0) {
                assert_true(open && !admin && has_path(api_public_routes(), path));
                options++;
                continue;
            }
            if (open && !is_route(api_public_routes(), path, method)) {
                fail_msg("there is no public %s %s", method, path);
            }
            if (admin && !is_route(api_admin_routes(), path, method)) {
                fail_msg("there is no admin %s %s", method, path);
            }
        }
    }
    assert_int_equal(options, api_public_routes().count); /* each path has one method */
}

/* Query arguments of a route are the parameters of its description, in this order. */
TEST_WITH(arguments_are_described, start, end)
{
    const route_table tables[] = {api_public_routes(), api_admin_routes()};
    for (size_t t = 0; t < 2; t++) {
        for (size_t i = 0; i < tables[t].count; i++) {
            const api_route *route = &tables[t].route[i];
            const json_t *described = operation(route->path, route_method_name(route->method));
            const json_t *parameters = json_object_get(described, "parameters");
            char text[128] = "", own[96];
            for (size_t k = 0; k < json_array_size(parameters); k++) {
                const json_t *one = json_array_get(parameters, k);
                if (strcmp(json_string_value(json_object_get(one, "in")), "query") != 0) continue;
                size_t at = strlen(text);
                snprintf(text + at, sizeof text - at, "%s%s", at == 0 ? "{?" : ",",
                         json_string_value(json_object_get(one, "name")));
            }
            if (text[0] != '\0') strcat(text, "}");
            assert_string_equal(route->path + strlen(bare(route->path, own)), text);
        }
    }
}

static bool has_response(const json_t *described, const char *status)
{
    return json_object_get(json_object_get(described, "responses"), status) != NULL;
}

/* Statuses that follow from the table: access, experiment, body. */
TEST_WITH(descriptions_have_the_statuses_that_follow_from_the_table, start, end)
{
    const route_table tables[] = {api_public_routes(), api_admin_routes()};
    for (size_t t = 0; t < 2; t++) {
        for (size_t i = 0; i < tables[t].count; i++) {
            const api_route *route = &tables[t].route[i];
            const json_t *described = operation(route->path, route_method_name(route->method));
            bool one =
                strstr(route->path, "{id}") != NULL || strstr(route->path, "{?experiment}") != NULL;
            assert_int_equal(one, has_response(described, "404"));
            assert_int_equal(one && !route->gone, has_response(described, "410"));
            assert_int_equal(t == 1 && route->access != ROUTE_ANYBODY,
                             has_response(described, "401"));
            if (t == 1) assert_true(has_response(described, "403")); /* Host */
            assert_int_equal(route->admit != NULL, has_response(described, "415"));
            assert_int_equal(route->admit != NULL,
                             json_object_get(described, "requestBody") != NULL);
        }
    }
}

TEST_WITH(the_version_is_that_of_the_library, start, end)
{
    const json_t *info = json_object_get(document, "info");
    assert_string_equal(json_string_value(json_object_get(info, "version")), SOTTO_VERSION);
}

/* An object has the keys that its schema names, no more and no fewer. */
static void assert_schema_of(const json_t *schema, json_t *value, const char *name)
{
    const char *key;
    json_t *inner;
    json_t *properties = json_object_get(schema, "properties");
    assert_true(json_is_object(value) && json_is_object(properties));
    json_object_foreach(value, key, inner)
    {
        if (json_object_get(properties, key) == NULL) fail_msg("%s has no %s", name, key);
    }
    json_object_foreach(properties, key, inner)
    {
        if (json_object_get(value, key) == NULL) fail_msg("no %s in an answer of %s", key, name);
    }
    assert_true(json_is_false(json_object_get(schema, "additionalProperties")));
}

static void assert_schema(const char *name, json_t *value)
{
    const json_t *components = json_object_get(document, "components");
    assert_schema_of(json_object_get(json_object_get(components, "schemas"), name), value, name);
}

TEST_WITH(answers_have_the_fields_of_their_schemas, start, end)
{
    house made;
    house_open(&made);
    sottod_experiment *experiment = house_experiment(&made, 0);
    house_epoch(&made, experiment, 1, 30);
    json_t *row = describe_row(experiment), *one = describe_experiment(experiment, false);
    json_t *privacy = describe_privacy(experiment, false);
    json_t *results = results_json(experiment, 0.05);
    const history_query query = {.until = INT64_MAX, .limit = 10, .resolution = "epoch"};
    sottod_history *reading = history_open(made.journal, experiment, &query);
    char text[4096];
    size_t bytes = 0;
    for (ptrdiff_t more; (more = history_more(reading, text + bytes, sizeof text - bytes)) > 0;) {
        bytes += (size_t)more;
    }
    json_t *history = json_loadb(text, bytes, 0, NULL);
    history_free(reading);
    assert_schema("ExperimentRow", row);
    assert_schema("Experiment", one);
    assert_schema("Spec", json_object_get(one, "spec"));
    assert_schema("Learning", json_object_get(one, "learning"));
    assert_schema("Card", json_object_get(one, "privacy"));
    assert_schema("Privacy", privacy);
    assert_schema("Error", json_array_get(json_object_get(privacy, "warnings"), 0));
    assert_schema("Results", results);
    json_t *measured = json_object_get(results, "measurement");
    assert_schema("Interval", json_object_get(measured, "uplift"));
    assert_schema("History", history);
    char stamp[CHANGES_BYTES];
    changes_stamp(&made.service, stamp);
    json_t *changes = changes_json(&made.service, stamp);
    assert_schema("Changes", changes);
    json_decref(changes);
    json_decref(row);
    json_decref(one);
    json_decref(privacy);
    json_decref(results);
    json_decref(history);
    house_close(&made);
}

/* Every "$ref" names a place in the document. */
TEST_WITH(every_reference_leads_somewhere, start, end)
{
    char *text = json_dumps(document, JSON_COMPACT);
    size_t references = 0;
    static const char start_of_one[] = "\"$ref\":\"#/components/";
    for (char *at = strstr(text, start_of_one); at != NULL; at = strstr(at, start_of_one)) {
        char kind[40], name[40];
        at += sizeof start_of_one - 1;
        assert_int_equal(sscanf(at, "%39[^/]/%39[^\"]", kind, name), 2);
        const json_t *of_kind = json_object_get(json_object_get(document, "components"), kind);
        if (json_object_get(of_kind, name) == NULL) fail_msg("there is no %s/%s", kind, name);
        references++;
    }
    free(text);
    assert_true(references > 100);
}
