#pragma once
// Translates what comes through a LiveQueue.
#include "decode/live/live_queue.h"
#include "decode/models/ensemble.h"

namespace hexapla::decode {

// Until the queue is closed and empty. cx: its arena has live_memory() bytes, whatever comes. Several threads may serve
// one queue, each with a context of its own. What a request's step or callback throws is the end of that request, what
// the model throws the end of those that were in that step; what else is thrown (there is no memory to begin with)
// comes out, after those that were on their way here have failed with it.
void serve(Context& cx, const Ensemble& ensemble, LiveQueue& queue);
inline void serve(Context& cx, const model::Transformer& model, LiveQueue& queue) {
  serve(cx, Ensemble{.models = {&model}}, queue);
}

size_t live_memory(const Ensemble& ensemble, const LiveLimits& limits, DType dtype);
inline size_t live_memory(const model::Transformer& model, const LiveLimits& limits, DType dtype) {
  return live_memory(Ensemble{.models = {&model}}, limits, dtype);
}
// And what serve() takes beside the arena: of an ensemble, for its models.
size_t live_memory_of_members(const Ensemble& ensemble, const LiveLimits& limits, DType dtype);

}  // namespace hexapla::decode
