#pragma once
// Translates the sentences of a LiveQueue.
#include "decode/live/live_queue.h"
#include "decode/search/ensemble.h"

namespace hexapla::decode {

// Runs until the queue is closed and empty. cx: its arena needs live_memory() bytes, whatever the
// requests. Several threads may serve one queue, each with its own context. An exception in a
// request's step or callback fails that request; one in the model fails the requests of that step.
// Any other exception (no memory to begin with) fails all requests in progress here and propagates.
void run_live_loop(Context& cx, const Ensemble& ensemble, LiveQueue& queue);
inline void run_live_loop(Context& cx, const model::Transformer& model, LiveQueue& queue) {
  run_live_loop(cx, Ensemble{.models = {&model}}, queue);
}

size_t live_memory(const Ensemble& ensemble, const LiveLimits& limits, DType dtype);
inline size_t live_memory(const model::Transformer& model, const LiveLimits& limits, DType dtype) {
  return live_memory(Ensemble{.models = {&model}}, limits, dtype);
}
// The memory that run_live_loop() takes besides the arena: for the models of an ensemble.
size_t live_memory_of_members(const Ensemble& ensemble, const LiveLimits& limits, DType dtype);

}  // namespace hexapla::decode
