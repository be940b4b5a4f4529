#pragma once
// The implementation of nn::Workspace: one forward and backward pass.
#include <any>
#include <memory>

#include "backend/context.h"
#include "hexapla/nn.h"

namespace hexapla::api {

// State that a forward call keeps for its backward call.
struct Call {
  std::shared_ptr<LayerState> layer;
  uint64_t seed = 0;  // for dropout
  Shape out = {};
  std::any saved = {};
};

// A separate seed for the n-th of several.
uint64_t named_seed(uint64_t seed, uint64_t n);

class Pass {
 public:
  static constexpr const char* kind = "workspace";
  explicit Pass(size_t bytes);  // RunError: cannot reserve the addresses
  void begin(bool training, uint64_t seed, uint32_t step);

  Context context(uint64_t seed);
  uint64_t next_seed() { return named_seed(seed_, ++calls_); }

  // A tensor from the caller. UsageError: it is not from this pass, or has the wrong size; columns
  // or rows 0: any.
  Tensor take(const char* what, const nn::Tensor& given, int64_t columns = 0, int64_t rows = 0) const;
  // Copies that live until the end of the pass. UsageError: offsets that do not ascend from 0 to
  // `rows`; ids outside of [0, end).
  Offsets take(const char* what, const nn::Offsets& given, int64_t rows);
  Tensor take_ids(const char* what, const nn::Ids& given, int64_t end);
  nn::Tensor give(const Tensor& t) const;

  void remember(Call call) { open_.push_back(std::move(call)); }
  // The layer's last open call. UsageError: there is none.
  const Call& last(const LayerState& layer) const;
  void forget(const Call& call) { open_.erase(open_.begin() + (&call - open_.data())); }

  Arena::Mark mark() const { return arena_.mark(); }
  void rewind(Arena::Mark to) { arena_.rewind(to); }
  size_t bytes_in_use() const { return arena_.mark().bottom; }
  [[noreturn]] void refuse_more() const;  // RunError: the arena is full

 private:
  std::unique_ptr<Backend> backend_;
  Arena arena_;
  std::vector<Call> open_;  // without a backward call so far
  bool training_ = false;
  uint64_t seed_ = 1, calls_ = 0, number_ = 0;
  uint32_t step_ = 0;
};

}  // namespace hexapla::api
