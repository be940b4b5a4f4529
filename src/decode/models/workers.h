#pragma once
// Work shared out among workers: each is one thread with an arena of its own; model, packed weights and backend are
// shared. A single worker has all the threads to itself.
#include "backend/context.h"
#include "base/compute/parallel.h"

namespace hexapla::decode {

// f(cx) on so many workers; memory: bytes of arena of each. The backend must allow calls from several threads, which
// those of this library do unless they train.
template <class F>
void on_workers(int64_t workers, Backend& backend, DType dtype, size_t memory, F&& f) {
  parallel_for(workers, [&](int64_t) {
    Arena arena(memory);
    Context cx{backend, arena, dtype};
    f(cx);
  });
}

}  // namespace hexapla::decode
