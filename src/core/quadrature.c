/* Gauss-Legendre quadrature in panels: exact for polynomials of degree 15 in each. */
#include "core.h"

#define HALF (SOTTO__PANEL_NODES / 2)

sotto__node sotto__quadrature_node(double from, double to, uint32_t panels, uint32_t i)
{
    static const double node[HALF] = {0.18343464249564980494, 0.52553240991632898582,
                                      0.79666647741362673959, 0.96028985649753623168};
    static const double weight[HALF] = {0.36268378337836198297, 0.31370664587788728734,
                                        0.22238103445337447054, 0.10122853629037625915};
    double half = (to - from) / (2 * panels);
    uint32_t panel = i / SOTTO__PANEL_NODES, j = i % SOTTO__PANEL_NODES;
    double offset = j < HALF ? -node[j] : node[j - HALF];
    return (sotto__node){
        .at = from + half * (2 * panel + 1 + offset),
        .weight = half * weight[j % HALF],
    };
}
