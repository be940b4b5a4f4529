#pragma once
// A gated recurrent unit (Cho et al. 2014) over ragged sequences, in PyTorch's form:
//   r  = sigmoid(x W_r + b_r + h U_r + c_r)       reset
//   z  = sigmoid(x W_z + b_z + h U_z + c_z)       update
//   n  = tanh(x W_n + b_n + r * (h U_n + c_n))    candidate
//   h' = (1 - z) * n + z * h
// starting from h = 0. A step has one product, for the states of all active sequences; the rest is
// host code, the same on every backend, by row.
#include "ops/ops.h"

namespace hexapla {

enum class Direction { onward, back };  // from the first token of each sequence to the last, or in reverse

struct GruInput {
  Tensor gates;   // [N, 3 h]: x W + b for r, z and n, concatenated; overwritten by r, z and n
  Weight weight;  // U, [h, 3 h]
  Tensor bias;    // c, [3 h]
  Offsets rows;
  Direction direction;
};
struct GruStates {
  Tensor states;    // [N, h]: h' of every token; rows may be strided
  Tensor products;  // [N, 3 h]: h U + c, in the order of computation
};
// Sets `states`. InternalError: shapes that do not fit.
GruStates gru(Context& cx, const GruInput& in, Tensor states);

struct GruGradient {
  Tensor sums;          // [N, 3 h], set: of the arguments of sigmoid and tanh, which equals that of x W + b
  Tensor gates;         // [N, 3 h] or empty, set: of r, z and n
  Tensor weight, bias;  // added to
};
// in.gates as returned by gru(); d_states: [N, h], rows may be strided.
void gru_backward(Context& cx, const GruInput& in, const GruStates& s, Tensor d_states, const GruGradient& d);

}  // namespace hexapla
