/* Cuts: up to which row each gateway was taken. As bytes in the table `model`: see the head of cut.c. */
#ifndef SERVICE_POSTGRES_CUT_H
#define SERVICE_POSTGRES_CUT_H

#include "folding.h"

/* The place of a gateway; NULL if it has none. */
const folding_place *postgres__cut_find(const folding_cut *cut, uint32_t gateway);
bool postgres__cut_is_same(const folding_cut *one, const folding_cut *other);
/* False: no memory, and the cut is as before. */
bool postgres__cut_reserve(folding_cut *cut, uint32_t places);
bool postgres__cut_copy(const folding_cut *from, folding_cut *to);
/* Adds a place at the end, where it must belong. False: no memory. */
bool postgres__cut_add(folding_cut *cut, const folding_place *place);

size_t postgres__cut_bytes(const folding_cut *cut);
void postgres__cut_encode(const folding_cut *cut, uint8_t *out);
/* False if the bytes are no cut, or there is no memory; *cut is then empty. */
bool postgres__cut_decode(journal_bytes bytes, folding_cut *cut);
/* NULL if a cut can be stored: gateways ascend from 1, and none has the place 0. Otherwise what is wrong. */
const char *postgres__cut_fault(const folding_cut *cut);

/* Its gateways and their gseq as lists for a question, "{1,2}" both. NULL: no memory. The caller frees it. */
char *postgres__cut_gateways(const folding_cut *cut);
char *postgres__cut_gseqs(const folding_cut *cut);

#endif
