/* A person at a site whose model serves a fallback. */
#include "transport_scene.h"

/* Half of the rounds measure. Those that learn are played, send nothing and cost nothing; a place is free again when
 * its time has come, whatever the reward was. */
static void a_fallback_is_served_without_reports(void **state)
{
    (void)state;
    sotto_ledger *own;
    sotto_device *served;
    sotto_spec spec = scene_spec(600, 60);
    spec.version = 2;
    spec.measure = 1u << 31;
    transport_scene *scene = scene_new(spec, sotto_wire_options_default());
    scene->model->theta[0] = 0.5;
    if (scene->model->tbar != NULL) scene->model->tbar[0] = 0.5;
    scene->model->served = 2;
    scene_add_site(scene);
    scene_until(scene, sotto_site_state_of(scene->site) == SOTTO_SITE_READY);
    assert_ok(sotto_ledger_memory_new(&own));
    sotto_device_options settings = sotto_device_options_default();
    settings.ledger = own;
    settings.rounds_max = 32;
    settings.policy.epsilon_lifetime = 100;
    settings.policy.measure_share_max = 0.5;
    assert_ok(sotto_device_new(scene->site, &settings, &served));
    uint64_t free_of_charge = 0;
    for (uint32_t i = 0; i < 32; i++) {
        uint64_t round, before = sotto_ledger_rounds(own);
        uint32_t arm;
        assert_ok(sotto_device_begin(served, &round));
        assert_status(sotto_device_decide(served, round, scene_context, 1, &arm), SOTTO_E_LENGTH);
        assert_ok(sotto_device_decide(served, round, scene_context, SCENE_CELLS, &arm));
        assert_status(sotto_device_decide(served, round, scene_context, SCENE_CELLS, &arm),
                      SOTTO_E_ORDER);
        bool booked = sotto_ledger_rounds(own) > before;
        if (!booked) assert_int_equal(arm, 1);
        assert_true(booked == (round < UINT64_C(1) << 63));
        free_of_charge += !booked;
        if (i % 2 == 0) assert_ok(sotto_device_finish(served, round, 0.5));
        if (i % 2 == 0) assert_status(sotto_device_finish(served, round, 0.5), SOTTO_E_ORDER);
    }
    sotto_device_counts counts = sotto_device_counts_of(served);
    assert_true(free_of_charge > 2 && free_of_charge < 30); /* else 2.5e-7 */
    assert_int_equal(counts.served, free_of_charge);
    assert_int_equal(counts.begun, 32);
    assert_int_equal(sotto_device_waiting(served), 32 - free_of_charge);
    uint64_t one_more;
    assert_status(sotto_device_begin(served, &one_more), SOTTO_E_ORDER); /* all places are taken */
    scene_pass(scene, 660000);
    scene_settle(scene);
    assert_int_equal(sotto_device_counts_of(served).sent, 32 - free_of_charge);
    assert_ok(sotto_device_begin(served, &one_more));
    sotto_device_free(served);
    sotto_ledger_free(own);
    scene_free(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fallback_is_served_without_reports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
