/* A group keeps the frames of each experiment together, sorted by nonce. */
#include "service/experiment/inner.h"
#include "tape.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define EXPERIMENTS 5
#define FRAMES 700
#define LONGEST 60u

/* Experiments with different frame lengths; the group needs nothing else of them. */
typedef struct scene {
    epoch_engine engine[EXPERIMENTS];
    sottod_experiment experiment[EXPERIMENTS];
    sottod_group group;
    tape random;
} scene;

static void set_up(scene *s, size_t bytes)
{
    memset(s, 0, sizeof *s);
    s->random = tape_seeded(11);
    for (uint32_t i = 0; i < EXPERIMENTS; i++) {
        s->engine[i].frame_bytes = 42 + 2 * i;
        s->experiment[i].engine = &s->engine[i];
    }
    assert_true(group_make(&s->group, bytes));
}

/* `alike`: the number of first bytes that all nonces share. */
static void add_random(scene *s, uint32_t alike)
{
    uint8_t frame[LONGEST], which;
    assert_ok(s->random.rng.fill(&s->random.rng, frame, sizeof frame));
    assert_ok(s->random.rng.fill(&s->random.rng, &which, 1));
    memset(frame + 24, 0xab, alike);
    group_slot *slot = group_slot_of(&s->group, &s->experiment[which % EXPERIMENTS]);
    assert_non_null(slot);
    group_add(&s->group, slot, frame, which);
}

TEST(too_large_a_group_is_not_made)
{
    sottod_group group = {0};
    assert_false(group_make(&group, (size_t)GROUP_BYTES_MAX + 1));
    assert_null(group.bytes);
    group_free(&group);
}

/* Each added frame is in its experiment's slot once, after those with smaller nonces. */
static void assert_sorted(const scene *s)
{
    const sottod_group *group = &s->group;
    uint32_t total = 0;
    for (uint32_t k = 0; k < group->slots; k++) {
        const group_slot *slot = &group->slot[k];
        size_t each = slot->frame_bytes;
        assert_int_equal(slot->sorted.bytes, slot->frames * each);
        for (uint32_t i = 1; i < slot->frames; i++) {
            const uint8_t *frame = slot->sorted.at + i * each;
            assert_true(memcmp(frame - each + 24, frame + 24, SOTTO_NONCE_BYTES) < 0);
        }
        total += slot->frames;
    }
    assert_int_equal(total, group->frames);
    for (uint32_t i = 0; i < group->frames; i++) {
        const group_slot *slot = &group->slot[group->frame[i].slot];
        size_t each = slot->frame_bytes;
        bool found = false;
        for (uint32_t j = 0; j < slot->frames && !found; j++) {
            found =
                memcmp(slot->sorted.at + j * each, group->bytes + group->frame[i].at, each) == 0;
        }
        assert_true(found);
    }
}

TEST(frames_are_sorted_by_nonce)
{
    static const uint32_t alikes[] = {0, 1, 7, 8, 9, 12};
    for (size_t a = 0; a < sizeof alikes / sizeof alikes[0]; a++) {
        scene s;
        set_up(&s, FRAMES * LONGEST);
        for (uint32_t count = 0; count <= FRAMES; count += count < 10 ? 1 : 230) {
            while (s.group.frames < count) {
                add_random(&s, alikes[a]);
            }
            group_sort(&s.group);
            assert_sorted(&s);
        }
        group_clear(&s.group);
        assert_int_equal(s.group.frames + s.group.slots + s.group.used, 0);
        for (uint32_t i = 0; i < EXPERIMENTS; i++) {
            assert_int_equal(s.experiment[i].slot, 0);
        }
        group_free(&s.group);
    }
}

TEST(the_last_frames_can_be_taken_back)
{
    scene s;
    set_up(&s, 20 * LONGEST);
    for (int i = 0; i < 10; i++) {
        add_random(&s, 0);
    }
    size_t used = s.group.used;
    uint8_t before[20 * LONGEST];
    memcpy(before, s.group.bytes, used);
    for (int i = 0; i < 10; i++) {
        add_random(&s, 0);
    }
    for (int i = 0; i < 10; i++) {
        group_drop(&s.group);
    }
    assert_int_equal(s.group.used, used);
    assert_memory_equal(s.group.bytes, before, used);
    group_sort(&s.group);
    assert_sorted(&s);
    group_free(&s.group);
}

TEST(a_slot_knows_its_newest_epoch)
{
    scene s;
    uint8_t frame[LONGEST] = {0};
    set_up(&s, 20 * LONGEST);
    static const uint32_t epochs[] = {4, 9, 7};
    for (uint32_t i = 0; i < 3; i++) {
        frame[24] = (uint8_t)i;
        group_add(&s.group, group_slot_of(&s.group, &s.experiment[1]), frame, epochs[i]);
    }
    assert_int_equal(group_slot_of(&s.group, &s.experiment[1])->epoch, 9);
    assert_int_equal(group_slot_of(&s.group, &s.experiment[2])->epoch, 0);
    group_drop_slot(&s.group);
    assert_ints(s.experiment[2].slot, 0, s.experiment[1].slot, 1);
    group_free(&s.group);
}
