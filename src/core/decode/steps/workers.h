#pragma once
// Workers: each is one thread with its own arena; they share model, packed weights and backend. A
// single worker uses all threads.
#include "backend/context.h"
#include "base/compute/parallel.h"

namespace hexapla::decode {

// Runs f(cx) on this many workers; memory: arena bytes of each. The backend must allow concurrent
// calls, as those of this library do except in training.
template <class F>
void on_workers(int64_t workers, Backend& backend, DType dtype, size_t memory, F&& f) {
  parallel_for(workers, [&](int64_t) {
    Arena arena = make_arena(backend, memory);
    Context cx{backend, arena, dtype};
    f(cx);
  });
}

}  // namespace hexapla::decode
