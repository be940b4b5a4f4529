#pragma once
// Which words of the source a translation came from, as the decoder's attention over the encoder has it
// (section 3.2.3): the pair is run through the model once more, with the translation given (forced decoding), and the
// weights of one layer are looked at. So a translation and a given pair are aligned alike, and searching keeps nothing.
#include <span>
#include <string>
#include <vector>

#include "data/links.h"
#include "decode/search/search.h"

namespace hexapla::decode {

// An attention over the encoder: a decoder layer (from 0), and one of its heads or the mean over them.
struct AttentionHead {
  static constexpr int64_t mean = -1;
  int64_t layer = 0, head = mean;
  bool operator==(const AttentionHead&) const = default;
};
// UsageError where the model has no such layer or head: names the options.
void check(const AttentionHead& head, const model::Config& config);

// Row t: how much of the attention each source unit (columns) had when target unit t was written. Rows sum to one.
// The last row and the last column are </s>.
struct SoftAlignment {
  int64_t rows = 0, columns = 0;
  std::vector<double> weights;
  // Of each column: whether the same token brought it in as the column before it. Empty: none.
  std::vector<bool> joined{};
  double at(int64_t row, int64_t column) const { return weights[static_cast<size_t>(row * columns + column)]; }
  bool operator==(const SoftAlignment&) const = default;
};

// One for each pair, whatever the other pairs are; units are tokens. Sources end with </s>, targets are without <s> and
// </s>. Takes memory from the arena and gives it back. InternalError: not as many targets as sources, or no such head.
std::vector<SoftAlignment> align_pairs(Context& cx, const model::Transformer& model, std::span<const text::Ids> sources,
                                       std::span<const text::Ids> targets, const SpecialIds& special,
                                       const AttentionHead& head);
// Bytes of arena that it can need at most.
size_t align_memory(const model::Transformer& model, std::span<const text::Ids> sources,
                    std::span<const text::Ids> targets, DType dtype);
// Of these, what goes beyond decoding_memory(): the attention of a pair of so many tokens.
size_t attention_memory(const model::Config& config, int64_t source, int64_t target);

// The units that tokens belong to, from 0; </s>, the last token, is a unit of its own behind them.
struct Units {
  std::span<const text::WordSpan> of_token;
  int64_t count;
};
// How much of the source was translated (Wu et al. 2016, equation 14): the sum over the source tokens but </s> of
// log(min(1, what all target tokens and </s> together gave it)). 0: all of it; never above.
double coverage(const SoftAlignment& tokens);

// Tokens put together to larger units: the weights on a source unit are summed, those of a target unit's tokens
// averaged. A token of several units (a piece of several Chinese characters) gives each an equal share of the weight on
// it, and its own weights to each. A target unit without tokens (its line was cut) has a row of zeros.
SoftAlignment merge(const SoftAlignment& tokens, const Units& source, const Units& target);

// For each target unit but </s> the source unit, not </s>, that has most of its attention, the first among equals; and
// those that are joined to it. Sorted by target.
std::vector<data::Link> hard_links(const SoftAlignment& soft);
// Every pair of units, without </s>, of a weight of at least `threshold`. Sorted by target, then source.
std::vector<data::Link> links_above(const SoftAlignment& soft, double threshold);

// "0.7,0.2,0.1 0.1,0.8,0.1": a group for each target unit and </s>, a number for each source unit and </s>, as Marian
// has it.
std::string soft_text(const SoftAlignment& soft);

}  // namespace hexapla::decode
