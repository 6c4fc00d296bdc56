/* Methods and environments by name, or as plug-ins. */
#include "cli/option/option.h"
#include "core/core.h"
#include "inner.h"
#include "lab/environment/environment.h"
#include "lab/player/player.h"

#include <stdlib.h>
#include <string.h>

sotto_status simulate_parse_methods(const option *row, const char *text, void *fields,
                                    sotto_fault *fault)
{
    (void)row;
    simulate_options *s = fields;
    return method_list_parse(&s->methods, text, fault);
}

sotto_status simulate_parse_environment(const option *row, const char *text, void *fields,
                                        sotto_fault *fault)
{
    simulate_options *s = fields;
    sotto_scene *scene = &s->request.scene;
    free(s->environment);
    s->environment = NULL;
    scene->custom = NULL;
    if (!plugin_is_path(text, strlen(text))) {
        uint32_t kind;
        if (name_find(text, row->names, &kind, fault) != SOTTO_OK) return SOTTO_E_FAULT;
        scene->environment = (sotto_environment_kind)kind;
        return SOTTO_OK;
    }
    sotto_status status =
        plugin_load(text, strlen(text), PLUGIN_ENVIRONMENT, &s->environment, fault);
    if (status != SOTTO_OK) return status;
    if (sotto__custom_environment_fault(&s->environment->environment, fault) != SOTTO_OK) {
        return sotto__fault_within(fault, "%.300s: ", text);
    }
    scene->environment = SOTTO_ENVIRONMENT_SPHERE; /* ignored, because scene->custom is set */
    scene->custom = &s->environment->environment;
    return SOTTO_OK;
}
