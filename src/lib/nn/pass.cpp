#include "lib/nn/pass.h"

#include <atomic>
#include <cstring>

#include "backend/cpu/cpu.h"
#include "base/compute/random.h"

namespace hexapla::api {
namespace {

std::atomic<uint64_t> passes{0};

Arena reserve(size_t bytes) try { return Arena(bytes); } catch (const RunError&) {
  throw RunError(cat("cannot reserve ", bytes >> 20, " MiB for a workspace; ask for less"));
}

std::string size_of(int64_t rows, int64_t columns) {
  return cat("[", rows == 0 ? "any" : cat(rows), ", ", columns == 0 ? "any" : cat(columns), "]");
}

}  // namespace

uint64_t named_seed(uint64_t seed, uint64_t n) {
  Random random(seed, n);
  const uint64_t high = random.next();
  return high << 32 | random.next();
}

Pass::Pass(size_t bytes) : backend_(make_cpu_backend()), arena_(reserve(bytes)) { begin(false, 1, 0); }

void Pass::begin(bool training, uint64_t seed, uint32_t step) {
  arena_.clear();
  open_.clear();
  training_ = training;
  seed_ = seed;
  step_ = step;
  calls_ = 0;
  number_ = ++passes;
}

Context Pass::context(uint64_t seed) {
  Context cx{*backend_, arena_};
  cx.training = training_;
  cx.seed = seed;
  cx.step = step_;
  return cx;
}

Tensor Pass::take(const char* what, const nn::Tensor& given, int64_t columns, int64_t rows) const {
  if (!given) throw UsageError(cat(what, " is no tensor"), what, "");
  if (given.pass_ != number_)
    throw UsageError(cat(what, " is a tensor of an earlier pass or of another workspace"), what, "");
  if ((columns != 0 && given.columns() != columns) || (rows != 0 && given.rows() != rows))
    throw UsageError(cat(what, " is [", given.rows(), ", ", given.columns(), "], but must be ", size_of(rows, columns)),
                     what, cat("[", given.rows(), ", ", given.columns(), "]"));
  return Tensor::of(given.data(), {given.rows(), given.columns()});
}

Offsets Pass::take(const char* what, const nn::Offsets& given, int64_t rows) {
  if (given.size() < 2 || given.front() != 0 || given.back() != rows)
    throw UsageError(cat(what, " must begin with 0 and end with the ", rows, " rows, but ",
                         given.empty() ? "are empty" : cat("go from ", given.front(), " to ", given.back())),
                     what, "");
  for (size_t b = 0; b + 1 < given.size(); ++b)
    if (given[b] >= given[b + 1])
      throw UsageError(cat(what, "[", b + 1, "] is ", given[b + 1], " after ", given[b], ", but no sentence is empty"),
                       what, cat(given[b + 1]));
  auto* copy = static_cast<int32_t*>(arena_.keep(given.size() * sizeof(int32_t)));
  std::memcpy(copy, given.data(), given.size() * sizeof(int32_t));
  return {copy, given.size()};
}

Tensor Pass::take_ids(const char* what, const nn::Ids& given, int64_t end) {
  if (given.empty()) throw UsageError(cat(what, " are empty"), what, "");
  for (size_t i = 0; i < given.size(); ++i)
    if (given[i] < 0 || given[i] >= end)
      throw UsageError(cat(what, "[", i, "] is ", given[i], ", but must be from 0 to ", end - 1), what, cat(given[i]));
  void* copy = arena_.keep(given.size() * sizeof(int32_t));
  std::memcpy(copy, given.data(), given.size() * sizeof(int32_t));
  return Tensor(copy, {std::ssize(given)}, DType::i32);
}

nn::Tensor Pass::give(const Tensor& t) const { return {t.data<float>(), t.shape[0], t.shape[1], number_}; }

const Call& Pass::last(const LayerState& layer) const {
  for (size_t i = open_.size(); i-- > 0;)
    if (open_[i].layer.get() == &layer) return open_[i];
  throw UsageError("this layer has no forward() in this pass whose backward() is still to come");
}

void Pass::refuse_more() const {
  throw RunError(cat("the workspace of ", arena_.capacity() >> 20,
                     " MiB is full; make a larger one, or give fewer rows in a pass"));
}

}  // namespace hexapla::api
