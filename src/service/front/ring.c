#include "ring.h"

void ring_add(front_request *request, request_ring which)
{
    front_request **first = &request->front->ring[which];
    ring_link *link = &request->link[which];
    if (*first == NULL) {
        *first = link->before = link->behind = request;
        return;
    }
    link->behind = *first;
    link->before = (*first)->link[which].before;
    link->before->link[which].behind = request;
    link->behind->link[which].before = request;
}

void ring_remove(front_request *request, request_ring which)
{
    front_request **first = &request->front->ring[which];
    ring_link *link = &request->link[which];
    link->before->link[which].behind = link->behind;
    link->behind->link[which].before = link->before;
    if (*first == request) *first = link->behind != request ? link->behind : NULL;
}

front_request *ring_next(const front_request *request, request_ring which)
{
    front_request *behind = request->link[which].behind;
    return behind != request->front->ring[which] ? behind : NULL;
}
