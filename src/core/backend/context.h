#pragma once
#include <string_view>

#include "backend/backend.h"
#include "tensor/arena.h"

namespace hexapla {

// Receives named intermediates while a model runs (inspection, golden tests). The tensor lies in
// the memory of the host and is valid only during the call. The name is the dotted scope in the
// model plus the tensor's name: "encoder.layers.0.self_attention.q".
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void observe(const std::string& name, Tensor value, Offsets rows) = 0;
  // The weights of every head for sequence b: scores and weights are [H, queries, keys].
  virtual void observe_attention(const std::string& scope, int64_t b, Tensor scores, Tensor weights) = 0;
  // In a backward pass: the derivative of the loss with respect to the intermediate with this name.
  virtual void observe_gradient(const std::string& /*name*/, Tensor /*gradient*/) {}
};

// Is told during a backward pass which gradients are final: those of this layer, of everything that
// the forward pass computed after it, and so of all parameters after it in the model.
class GradientListener {
 public:
  enum class Stack { encoder, decoder };
  virtual ~GradientListener() = default;
  virtual void final_from(Stack stack, int layer) = 0;
};

// Where and how to compute: device, memory, precision, randomness. Passed explicitly to every op
// and layer.
struct Context {
  Backend& backend;
  Arena& arena;
  DType dtype = DType::f32;
  bool training = false;      // dropout is active, BatchNorm uses batch statistics
  bool forward_only = false;  // no backward pass will follow, so memory can be saved
  uint64_t seed = 1;          // with step and the tensor's number, identifies a dropout mask
  uint32_t step = 0;
  Observer* observer = nullptr;
  GradientListener* listener = nullptr;

  // Ids, positions or lengths for an op: kept. In host memory this is a view of `numbers`, which must outlive it; a
  // device gets a copy. The arena always has room for the copy, so that a pass takes the same arena on every device.
  Tensor on_device(std::span<const int32_t> numbers, Shape s);
  Tensor on_device(std::span<const int32_t> numbers) { return on_device(numbers, {std::ssize(numbers)}); }

  Tensor keep(Shape s) { return keep(s, dtype); }
  Tensor keep(Shape s, DType t) { return Tensor(arena.keep(s.size() * size_of(t)), s, t); }
  Tensor scratch(Shape s) { return scratch(s, dtype); }
  Tensor scratch(Shape s, DType t) { return Tensor(arena.scratch(s.size() * size_of(t)), s, t); }
};

// An arena in memory of the backend; capacity in bytes. RunError: there is not so much.
Arena make_arena(Backend& backend, size_t capacity);

// Passes an intermediate of the current scope to the observer, if any.
void observe(Context& cx, const char* name, Tensor value, Offsets rows);
// The same in a backward pass: the derivative of the loss with respect to the intermediate of this
// name.
void observe_gradient(Context& cx, const char* name, Tensor gradient);

}  // namespace hexapla
