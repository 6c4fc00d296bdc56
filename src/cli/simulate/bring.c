/* Methods and environments by name, or as plug-ins. */
#include "cli/option/option.h"
#include "core/core.h"
#include "inner.h"
#include "lab/environment/environment.h"
#include "lab/player/player.h"

#include <stdlib.h>
#include <string.h>

const char *simulate_parse_methods(const option *row, const char *text, void *fields, char *fault)
{
    (void)row;
    simulate_options *s = fields;
    return method_list_parse(&s->methods, text, fault);
}

const char *simulate_parse_environment(const option *row, const char *text, void *fields,
                                       char *fault)
{
    simulate_options *s = fields;
    sotto_scene *scene = &s->request.scene;
    free(s->environment);
    s->environment = NULL;
    scene->custom = NULL;
    if (!plugin_is_path(text, strlen(text))) {
        uint32_t kind;
        if (name_find(text, row->names, &kind, fault) != NULL) return fault;
        scene->environment = (sotto_environment_kind)kind;
        return NULL;
    }
    const char *wrong = plugin_load(text, strlen(text), PLUGIN_ENVIRONMENT, &s->environment, fault);
    if (wrong != NULL) return wrong;
    sotto_fault table_fault;
    if (sotto__custom_environment_fault(&s->environment->environment, &table_fault) != SOTTO_OK) {
        return plugin_of_file(text, strlen(text), table_fault.sentence, fault);
    }
    scene->environment = SOTTO_ENVIRONMENT_SPHERE; /* does not count */
    scene->custom = &s->environment->environment;
    return NULL;
}
