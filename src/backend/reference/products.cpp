#include "backend/reference/internal.h"

namespace hexapla::reference {

std::unique_ptr<PackedWeight> Reference::pack_quantized(Tensor integers, Tensor) {
  throw UsageError(
      cat("the reference backend has no copy of the quantized weight ", integers.shape, "; dequantize it first"));
}

void Reference::linear(Tensor x, const Weight& w, Tensor b, Tensor y) {
  HEXAPLA_CHECK(!w.packed, "the weight ", w.shape(), " was packed by another device than the reference");
  store(product(load(x), load(w.values), load(b)), y);
}

void Reference::linear_backward_input(Tensor dy, Tensor w, Tensor dx, Write how) {
  const Rows d = product(load(dy), transpose(load(w)), {});
  if (how == Write::add)
    add_to(d, dx);
  else
    store(d, dx);
}

void Reference::linear_backward_weight(Tensor x, Tensor dy, Tensor dw, Tensor db) {
  const Rows d = load(dy);
  if (dw) add_to(product(transpose(load(x)), d, {}), dw);
  add_to(sum_of_rows(d), db);
}

}  // namespace hexapla::reference
