#include "data/joined_pairs.h"

#include "base/compute/random.h"
#include "text/lines/sentences.h"

namespace hexapla::data {
namespace {

constexpr uint64_t kJoinStream = 0x6A6F696E00000000;

bool is_drawn(double probability, const TextPair& pair) {
  const uint64_t place = static_cast<uint64_t>(pair.corpus) << 48 ^ static_cast<uint64_t>(pair.line);
  return probability > 0 && Random(0, kJoinStream ^ place).uniform() < probability;
}

bool usable(const EncodedPair& pair) { return !pair.ids.source.empty() && !pair.ids.target.empty(); }

}  // namespace

bool PairJoiner::joins(const EncodedPair& pair) const {
  const auto fits = [this](size_t tokens) { return tokens < static_cast<size_t>(max_length_); };  // and </s>
  return open_ && open_->text.corpus == pair.text.corpus && open_->text.line + open_->lines == pair.text.line &&
         is_drawn(probability_, pair.text) && usable(*open_) && usable(pair) &&
         fits(source_tokens_ + pair.ids.source.size()) && fits(target_tokens_ + pair.ids.target.size());
}

std::optional<EncodedPair> PairJoiner::add(EncodedPair pair) {
  if (joins(pair)) {
    text::join(open_->text.source, pair.text.source);
    text::join(open_->text.target, pair.text.target);
    ++open_->lines;
    source_tokens_ += pair.ids.source.size();
    target_tokens_ += pair.ids.target.size();
    return {};
  }
  source_tokens_ = pair.ids.source.size();
  target_tokens_ = pair.ids.target.size();
  return std::exchange(open_, std::move(pair));
}

}  // namespace hexapla::data
