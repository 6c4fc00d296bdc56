/*
 * A device: a person takes part in an experiment over HTTP. This is the way to embed one.
 *
 *     04_device URL LEDGER
 *
 * URL is https://HOST/v1/experiments/ID, or http:// on this machine; LEDGER is the file that
 * records what the person has spent. It plays one round, with a made-up context and reward. You can
 * run it again with the same ledger, even after it was killed: reports that are not acknowledged
 * are sent when they are due.
 */
#include <sotto/transport.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the program unless all is well. */
static void need(const char *what, sotto_status status, const sotto_fault *fault)
{
    if (status == SOTTO_OK) return;
    fprintf(stderr, "04_device: %s: %s\n", what,
            fault != NULL ? fault->sentence : sotto_status_text(status));
    exit(1);
}

static void tell(void *state, const sotto_device_event *event)
{
    static const char *const what[] = {"sent", "acknowledged", "put off", "dropped"};
    (void)state;
    printf("round %llu %s\n", (unsigned long long)event->round, what[event->kind]);
}

int main(int argc, char **argv)
{
    sotto_fault fault;
    if (argc != 3) need("usage: 04_device URL LEDGER", SOTTO_E_ARGUMENT, NULL);

    /* The person: limits, and what was spent so far in all experiments. */
    sotto_device_options person = sotto_device_options_default();
    person.event = tell;
    sotto_status made = sotto_ledger_file_create(argv[2]); /* once per person */
    if (made != SOTTO_E_EXISTS) need(argv[2], made, NULL);
    need(argv[2], sotto_ledger_file_fault(argv[2], &fault), &fault);
    need(argv[2], sotto_ledger_file_open(argv[2], &person.ledger), NULL);

    /* The experiment: its terms and its model, fetched and checked. */
    sotto_wire *wire;
    sotto_site *site;
    sotto_wire_options network = sotto_wire_options_default();
    sotto_site_options experiment = sotto_site_options_default();
    experiment.url = argv[1];
    need(argv[1], sotto_site_options_fault(&experiment, &fault), &fault);
    need("wire", sotto_wire_new(&network, &wire), NULL);
    need("site", sotto_site_new(wire, &experiment, &site), NULL);
    while (sotto_site_state_of(site) != SOTTO_SITE_READY) {
        need("wire", sotto_wire_turn(wire, 1000), NULL);
        need(argv[1], sotto_site_fault(site, &fault), &fault); /* an app would keep trying */
    }

    /* Takes part, if the person's limits admit these terms. */
    sotto_device *device;
    const sotto_spec *spec = &sotto_site_terms(site)->spec;
    need("refused", sotto_policy_refusal(&person.policy, spec, &fault), &fault);
    need("device", sotto_device_new(site, &person, &device), NULL);

    /* A round: booked before there is a context. Context, arm and reward stay here. */
    uint64_t round;
    uint32_t arm, vectors = spec->parameters == SOTTO_PARAMETERS_SHARED ? spec->arms : 1;
    static double context[SOTTO_CELLS_MAX] = {0.5, -0.3};
    sotto_status begun = sotto_device_begin(device, &round);
    need("begin", begun, sotto_device_fault(device, &fault) == SOTTO_OK ? NULL : &fault);
    need("decide", sotto_device_decide(device, round, context, vectors * spec->dim, &arm), NULL);
    printf("round %llu plays arm %u\n", (unsigned long long)round, arm);
    need("finish", sotto_device_finish(device, round, spec->reward_hi), NULL);

    /* The wire sends what is due. An app keeps turning it, whatever the person does. */
    while (sotto_device_waiting(device) > 0)
        need("wire", sotto_wire_turn(wire, 1000), NULL);
    sotto_device_free(device);
    sotto_site_free(site);
    sotto_wire_free(wire);
    sotto_ledger_free(person.ledger);
    return 0;
}
