#pragma once
#include <memory>

#include "backend/backend.h"

namespace hexapla {

// A backend that computes only the products with weights, with `inner`: a training step on it takes
// as long as its products alone, in the same order and shapes. The results are meaningless. inner
// must outlive it.
std::unique_ptr<Backend> make_products_only(Backend& inner);

}  // namespace hexapla
