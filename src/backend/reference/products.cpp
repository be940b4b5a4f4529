#include "backend/reference/internal.h"

namespace hexapla::reference {

void Reference::linear(Tensor x, Tensor w, Tensor b, Tensor y) { store(product(load(x), load(w), load(b)), y); }

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

void Reference::pack_quantised(Tensor w, Tensor, Tensor) {
  throw UsageError(cat("the reference backend has no copy of the quantized weight ", w.shape, "; dequantize it first"));
}

}  // namespace hexapla::reference
