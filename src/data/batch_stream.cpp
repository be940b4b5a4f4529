#include "data/batch_stream.h"

#include <algorithm>

#include "base/error.h"

namespace hexapla {
namespace {

class MemoryStream : public BatchStream {
 public:
  MemoryStream(const Vocabulary& target, std::span<const Example> examples, const Batching& options)
      : target_(target), examples_(examples), options_(options) {
    plan(0);
  }

  void seek(int64_t epoch, int64_t place) override {
    if (epoch != epoch_) plan(epoch);
    HEXAPLA_CHECK(place >= 0 && place <= batches(), "batch ", place, " of ", batches());
    place_ = static_cast<size_t>(place);
    ended_ = false;
  }
  const Batch& next() override {
    if (place_ == plan_.size()) plan(epoch_ + 1);
    batch_ = make_batch(target_, examples_, plan_[place_++]);
    ended_ = place_ == plan_.size();
    return batch_;
  }
  bool epoch_ended() const override { return ended_; }
  int64_t batches() const override { return static_cast<int64_t>(plan_.size()); }
  int64_t pairs() const override { return static_cast<int64_t>(examples_.size()); }

  Batch largest() override {
    auto weight = [&](const std::vector<int32_t>& places) {
      int64_t tokens = 0;
      for (const int32_t p : places) tokens += int64_t(examples_[p].source.size() + 2 * examples_[p].target.size());
      return tokens;
    };
    return make_batch(target_, examples_,
                      *std::max_element(plan_.begin(), plan_.end(),
                                        [&](const auto& a, const auto& b) { return weight(a) < weight(b); }));
  }

 private:
  void plan(int64_t epoch) {
    plan_ = plan_epoch(examples_, options_, epoch);
    HEXAPLA_CHECK(!plan_.empty(), "no example to make batches of");
    epoch_ = epoch;
    place_ = 0;
  }

  Vocabulary target_;
  std::span<const Example> examples_;
  Batching options_;
  std::vector<std::vector<int32_t>> plan_;  // of this epoch
  int64_t epoch_ = 0;
  size_t place_ = 0;  // of the batch that comes next
  bool ended_ = false;
  Batch batch_;
};

}  // namespace

std::unique_ptr<BatchStream> stream_from_memory(const Vocabulary& target, std::span<const Example> examples,
                                                const Batching& options) {
  return std::make_unique<MemoryStream>(target, examples, options);
}

}  // namespace hexapla
