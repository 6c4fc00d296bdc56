/*
 * Colours are those of Okabe and Ito for the private methods, which people of all colour visions
 * tell apart, and dark or grey ones for the baselines. A baseline has the open mark of the private
 * method that is nearest to it, so that both are still told apart in grey. Pages and SVG files have
 * the same colours, and others for dark pages, from web/style/figure.css.
 */
#include "figure_style.h"

#include <assert.h>

typedef struct look {
    const char *colour;
    uint32_t dash, mark;
    double width;
} look;

static const char *const dash_of[SOTTO__DASHES] = {"", "7,4", "2,3", "9,3,2,3", "14,4"};

static const look look_of[SOTTO_PLAYERS] = {
    [SOTTO_PLAYER_SOTTO] = {"D55E00", 0, 7, 3.4},    /* vermilion, disc */
    [SOTTO_PLAYER_SOTTO_OLS] = {"E69F00", 0, 15, 2}, /* orange, filled pentagon */
    [SOTTO_PLAYER_LDP_SGD] = {"0072B2", 0, 9, 2},    /* blue, filled triangle */
    [SOTTO_PLAYER_LDP_OLS] = {"009E73", 0, 5, 2},    /* green, filled square */
    [SOTTO_PLAYER_LDP_UCB] = {"CC79A7", 0, 13, 2},   /* purple, filled diamond */
    [SOTTO_PLAYER_LDP_GLOC] = {"56B4E9", 0, 11, 2},  /* sky, filled triangle on its tip */
    [SOTTO_PLAYER_BEST_ARM] = {"B8860B", 0, 3, 2},   /* dark gold, asterisk */
    [SOTTO_PLAYER_OLS] = {"000000", 1, 4, 1.6},      /* black, square */
    [SOTTO_PLAYER_LINUCB] = {"882255", 3, 12, 1.6},  /* wine, diamond */
    [SOTTO_PLAYER_SGD] = {"332288", 4, 8, 1.6},      /* indigo, triangle */
    [SOTTO_PLAYER_GLM] = {"117733", 3, 6, 1.6},      /* dark green, circle */
    [SOTTO_PLAYER_GLM_UCB] = {"6F4E16", 1, 10, 1.6}, /* brown, triangle on its tip */
    [SOTTO_PLAYER_RANDOM] = {"6E6E6E", 2, 2, 1.6},   /* grey, cross */
    [SOTTO_PLAYER_ORACLE] = {"A0A0A0", 2, 1, 1.6},   /* light grey, plus */
};

sotto__style sotto__figure_style(sotto_player player, uint32_t dash)
{
    assert(player < SOTTO_PLAYERS);
    const look *own = &look_of[player];
    return (sotto__style){
        .colour = own->colour,
        .dash = dash_of[(own->dash + dash) % SOTTO__DASHES],
        .mark = own->mark,
        .width = own->width,
    };
}
