/*
 * A cut as bytes, little-endian: for each gateway, in ascending order of numbers,
 *
 *   0   4  gateway, from 1 on
 *   4   8  gseq of the last folded row, from 1 on
 *   12  32 the digest of that row
 *
 * and nothing else. A cut without folded rows has no bytes. */
#include "inner.h"

#include "core/core.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define PLACE_BYTES (12u + JOURNAL_DIGEST_BYTES)
#define NUMBER_TEXT_BYTES 21u /* 20 digits and a comma */

void folding_cut_free(folding_cut *cut)
{
    free(cut->place);
    *cut = (folding_cut){.places = 0};
}

const folding_place *postgres__cut_find(const folding_cut *cut, uint32_t gateway)
{
    uint32_t low = 0, high = cut->places;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (cut->place[middle].gateway < gateway) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < cut->places && cut->place[low].gateway == gateway ? &cut->place[low] : NULL;
}

bool postgres__cut_is_same(const folding_cut *one, const folding_cut *other)
{
    if (one->places != other->places) return false;
    for (uint32_t i = 0; i < one->places; i++) {
        const folding_place *a = &one->place[i], *b = &other->place[i];
        if (a->gateway != b->gateway || a->gseq != b->gseq) return false;
        if (memcmp(a->digest, b->digest, sizeof a->digest) != 0) return false;
    }
    return true;
}

/* False: no memory; the cut is unchanged. */
static bool reserve(folding_cut *cut, uint32_t places)
{
    if (places <= cut->capacity) return true;
    uint32_t capacity = cut->capacity < 4 ? 4 : cut->capacity * 2;
    if (capacity < places) capacity = places;
    folding_place *place = realloc(cut->place, capacity * sizeof *place);
    if (place == NULL) return false;
    cut->place = place;
    cut->capacity = capacity;
    return true;
}

bool postgres__cut_copy(const folding_cut *from, folding_cut *to)
{
    if (!reserve(to, from->places)) return false;
    if (from->places > 0) memcpy(to->place, from->place, from->places * sizeof *to->place);
    to->places = from->places;
    return true;
}

bool postgres__cut_add(folding_cut *cut, const folding_place *place)
{
    if (!reserve(cut, cut->places + 1)) return false;
    cut->place[cut->places++] = *place;
    return true;
}

sotto_status postgres__cut_fault(const folding_cut *cut, sotto_fault *fault)
{
    uint32_t before = 0;
    for (uint32_t i = 0; i < cut->places; i++) {
        if (cut->place[i].gateway <= before)
            return sotto__refuse(fault, "its gateway numbers do not increase from 1");
        if (cut->place[i].gseq == 0) return sotto__refuse(fault, "it has a gateway without rows");
        before = cut->place[i].gateway;
    }
    return SOTTO_OK;
}

size_t postgres__cut_bytes(const folding_cut *cut)
{
    return (size_t)cut->places * PLACE_BYTES;
}

void postgres__cut_encode(const folding_cut *cut, uint8_t *out)
{
    for (uint32_t i = 0; i < cut->places; i++) {
        sotto__put_u32(out, cut->place[i].gateway);
        sotto__put_u64(out + 4, cut->place[i].gseq);
        memcpy(out + 12, cut->place[i].digest, JOURNAL_DIGEST_BYTES);
        out += PLACE_BYTES;
    }
}

bool postgres__cut_decode(journal_bytes bytes, folding_cut *cut)
{
    cut->places = 0;
    if (bytes.bytes % PLACE_BYTES != 0 || bytes.bytes / PLACE_BYTES > UINT32_MAX) return false;
    uint32_t places = (uint32_t)(bytes.bytes / PLACE_BYTES);
    if (!reserve(cut, places)) return false;
    for (uint32_t i = 0; i < places; i++) {
        const uint8_t *in = bytes.at + (size_t)i * PLACE_BYTES;
        cut->place[i] =
            (folding_place){.gateway = sotto__get_u32(in), .gseq = sotto__get_u64(in + 4)};
        memcpy(cut->place[i].digest, in + 12, JOURNAL_DIGEST_BYTES);
    }
    cut->places = places;
    if (postgres__cut_fault(cut, NULL) == SOTTO_OK) return true;
    cut->places = 0;
    return false;
}

static char *list_of(const folding_cut *cut, bool gseqs)
{
    size_t room = (size_t)cut->places * NUMBER_TEXT_BYTES + 3, length = 1;
    char *out = malloc(room);
    if (out == NULL) return NULL;
    out[0] = '{';
    for (uint32_t i = 0; i < cut->places; i++) {
        uint64_t number = gseqs ? cut->place[i].gseq : cut->place[i].gateway;
        length +=
            (size_t)snprintf(out + length, room - length, "%s%" PRIu64, i > 0 ? "," : "", number);
    }
    memcpy(out + length, "}", 2);
    return out;
}

char *postgres__cut_gateways(const folding_cut *cut)
{
    return list_of(cut, false);
}

char *postgres__cut_gseqs(const folding_cut *cut)
{
    return list_of(cut, true);
}
