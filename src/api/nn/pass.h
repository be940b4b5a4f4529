#pragma once
// The implementation of nn::Workspace: one forward and backward pass.
#include <any>
#include <memory>

#include "backend/context.h"
#include "hexapla/nn.h"

namespace hexapla::api {

// State that a forward call leaves for its backward call.
struct Call {
  std::shared_ptr<LayerState> layer;
  uint64_t seed = 0;  // of its dropouts
  Shape out = {};
  std::any saved = {};
};

// A seed of its own for the n-th of several.
uint64_t named_seed(uint64_t seed, uint64_t n);

class Pass {
 public:
  static constexpr const char* kind = "workspace";
  explicit Pass(size_t bytes);  // RunError: the addresses cannot be had
  void begin(bool training, uint64_t seed, uint32_t step);

  Context context(uint64_t seed);
  uint64_t next_seed() { return named_seed(seed_, ++calls_); }

  // A tensor of the caller. UsageError: it is not of this pass, or has another size. columns or rows 0: any.
  Tensor take(const char* what, const nn::Tensor& given, int64_t columns = 0, int64_t rows = 0) const;
  // Copies, which live as long as the pass. UsageError: they are not ascending from 0 to `rows`; not from 0 to below
  // `end`.
  Offsets take(const char* what, const nn::Offsets& given, int64_t rows);
  Tensor take_ids(const char* what, const nn::Ids& given, int64_t end);
  nn::Tensor give(const Tensor& t) const;

  void remember(Call call) { open_.push_back(std::move(call)); }
  // The last call of the layer. UsageError: it has none.
  const Call& last(const LayerState& layer) const;
  void forget(const Call& call) { open_.erase(open_.begin() + (&call - open_.data())); }

  Arena::Mark mark() const { return arena_.mark(); }
  void rewind(Arena::Mark to) { arena_.rewind(to); }
  size_t bytes_in_use() const { return arena_.mark().bottom; }
  [[noreturn]] void refuse_more() const;  // RunError: the arena is full

 private:
  std::unique_ptr<Backend> backend_;
  Arena arena_;
  std::vector<Call> open_;  // those that no backward belonged to yet
  bool training_ = false;
  uint64_t seed_ = 1, calls_ = 0, number_ = 0;
  uint32_t step_ = 0;
};

}  // namespace hexapla::api
