/* Every public function of transport.h with each of its pointers missing in turn. */
#include "missing.h"
#include "transport_scene.h"

#include <string.h>

typedef struct fixture {
    transport_scene *scene;
    sotto_ledger *ledger;
    sotto_device_options options;
    sotto_device *device;
    sotto_fault fault;
} fixture;

static fixture f;

FIXTURE(set_up)
{
    f.scene = scene_quick(10, 10);
    assert_ok(sotto_ledger_memory_new(&f.ledger));
    f.options = scene_device_options(f.scene, f.ledger);
    assert_ok(sotto_device_new(f.scene->site, &f.options, &f.device));
}

FIXTURE(tear_down)
{
    sotto_device_free(f.device);
    scene_free(f.scene);
    sotto_ledger_free(f.ledger);
}

TEST_WITH(nothing_is_made, set_up, tear_down)
{
    sotto_wire *wire;
    sotto_site *site;
    sotto_device *device;
    const sotto_wire_options options = sotto_wire_options_default();
    const sotto_answer answer = {.status = 200};
    sotto_request *request = &f.scene->site->get.asked;
    assert_not_made(sotto_wire_new(NULL, &wire), wire);
    assert_refused(sotto_wire_new(&options, NULL));
    assert_not_made(sotto_site_new(NULL, &f.scene->options, &site), site);
    assert_not_made(sotto_site_new(f.scene->wire, NULL, &site), site);
    assert_refused(sotto_site_new(f.scene->wire, &f.scene->options, NULL));
    assert_not_made(sotto_device_new(NULL, &f.options, &device), device);
    assert_not_made(sotto_device_new(f.scene->site, NULL, &device), device);
    assert_refused(sotto_device_new(f.scene->site, &f.options, NULL));
    assert_refused(sotto_device_adopt(NULL));
    sotto_wire_sending(NULL, true);
    sotto_request_answer(NULL, &answer);
    sotto_request_answer(request, NULL);
    sotto_wire_free(NULL);
    sotto_site_free(NULL);
    sotto_device_free(NULL);
}

/* The round goes on as if the call had not been made. */
TEST_WITH(a_round_is_where_it_was, set_up, tear_down)
{
    uint64_t round;
    uint32_t arm;
    assert_refused(sotto_device_begin(NULL, &round));
    assert_refused(sotto_device_begin(f.device, NULL));
    assert_int_equal(sotto_ledger_rounds(f.ledger), 0);
    assert_ok(sotto_device_begin(f.device, &round));
    assert_refused(sotto_device_decide(NULL, round, scene_context, SCENE_CELLS, &arm));
    assert_refused(sotto_device_decide(f.device, round, NULL, SCENE_CELLS, &arm));
    assert_refused(sotto_device_decide(f.device, round, scene_context, SCENE_CELLS, NULL));
    assert_int_equal(sotto_device_waiting(f.device), 0);
    assert_ok(sotto_device_decide(f.device, round, scene_context, SCENE_CELLS, &arm));
    assert_refused(sotto_device_finish(NULL, round, .5));
    assert_ok(sotto_device_finish(f.device, round, .5));
}

TEST_WITH(a_fault_function_never_finds_a_missing_pointer_good, set_up, tear_down)
{
    const sotto_wire_options wire = sotto_wire_options_default();
    assert_ok(sotto_wire_options_fault(&wire, &f.fault));
    assert_ok(sotto_wire_options_fault(&wire, NULL));
    assert_ok(sotto_site_options_fault(&f.scene->options, &f.fault));
    assert_ok(sotto_site_options_fault(&f.scene->options, NULL));
    assert_ok(sotto_device_options_fault(&f.options, &f.fault));
    assert_ok(sotto_device_options_fault(&f.options, NULL));
    assert_ok(sotto_site_fault(f.scene->site, &f.fault));
    assert_ok(sotto_site_fault(f.scene->site, NULL));
    assert_ok(sotto_device_fault(f.device, &f.fault));
    assert_ok(sotto_device_fault(f.device, NULL));
    assert_refused(sotto_wire_options_fault(NULL, &f.fault));
    assert_refused(sotto_site_options_fault(NULL, &f.fault));
    assert_refused(sotto_device_options_fault(NULL, &f.fault));
    assert_refused(sotto_site_fault(NULL, &f.fault));
    assert_refused(sotto_device_fault(NULL, &f.fault));
}

TEST_WITH(what_is_missing_has_nothing_to_tell, set_up, tear_down)
{
    const sotto_device_counts none = {0}, counts = sotto_device_counts_of(NULL);
    assert_refused(sotto_wire_turn(NULL, 0));
    assert_int_equal(sotto_wire_due_ms(NULL), UINT32_MAX); /* nothing that is known */
    assert_int_equal(sotto_site_state_of(NULL), SOTTO_SITE_REFUSED);
    assert_null(sotto_site_terms(NULL));
    assert_null(sotto_site_model(NULL));
    assert_int_equal(sotto_device_waiting(NULL), 0);
    assert_memory_equal(&counts, &none, sizeof none);
}
