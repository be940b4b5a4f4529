#pragma once
#include <memory>

#include "backend/backend.h"

namespace hexapla {

// A backend that does the products with weights as `inner` does them, and nothing else: a step of training on it takes
// as long as its products alone, in the same order and shapes. Its numbers mean nothing. inner must outlive it.
std::unique_ptr<Backend> make_products_only(Backend& inner);

}  // namespace hexapla
