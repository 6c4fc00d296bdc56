/* What an experiment found, as a section of the page. */
#ifndef SOTTO_LAB_PAPER_SECTIONS_H
#define SOTTO_LAB_PAPER_SECTIONS_H

#include "section.h"

/* All of it except the figures. It lives as long as the reproduction. False if there is no memory. */
bool sotto__section_of(sotto__reproduction *reproduction, const sotto__experiment *experiment,
                       sotto__html_section *out);

#endif
