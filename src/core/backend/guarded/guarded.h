#pragma once
#include <memory>

#include "backend/backend.h"

namespace hexapla {

// A device for tests, to find code that reads or writes tensors in place: computes with `inner`, which works in the
// host's memory, but the addresses of its tensors cannot be accessed, so such code ends the process. InternalError: a
// tensor that does not lie in memory from allocate().
std::unique_ptr<Backend> make_guarded_backend(std::unique_ptr<Backend> inner);

}  // namespace hexapla
