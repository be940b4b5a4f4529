#pragma once
// Word alignments from the decoder's attention over the encoder (section 3.2.3). The pair is run
// through the model again with the given translation (forced decoding), and the weights of one
// layer are recorded. So translations and given pairs are aligned alike, and the search itself
// stores nothing.
#include <span>
#include <string>
#include <vector>

#include "data/files/links.h"
#include "decode/options/attention_head.h"
#include "decode/steps/decoder_steps.h"
#include "decode/steps/hypothesis.h"

namespace hexapla::decode {

// Row t: the attention that each source unit (column) got when target unit t was written. Rows sum
// to one. The last row and the last column are </s>.
struct SoftAlignment {
  int64_t rows = 0, columns = 0;
  std::vector<double> weights;
  // For each column: whether it comes from the same token as the column before it. Empty: none
  // does.
  std::vector<bool> joined{};
  double at(int64_t row, int64_t column) const { return weights[row * columns + column]; }
  bool operator==(const SoftAlignment&) const = default;
};

// One alignment per pair, independent of the other pairs; units are tokens. Sources end with </s>;
// targets are without <s> and </s>. Takes memory from the arena temporarily. InternalError:
// different numbers of sources and targets, or no such head.
std::vector<SoftAlignment> align_pairs(Context& cx, const model::Transformer& model, std::span<const text::Ids> sources,
                                       std::span<const text::Ids> targets, const SpecialIds& special,
                                       const AttentionHead& head);
// Upper bound of the arena bytes needed.
size_t align_memory(const model::Transformer& model, std::span<const text::Ids> sources,
                    std::span<const text::Ids> targets, DType dtype);
// The part of it beyond decoding_memory(): the attention of a pair with these numbers of tokens.
size_t attention_memory(const model::Config& config, int64_t source, int64_t target);

// The unit of each token, from 0; </s>, the last token, is a unit of its own after them.
struct Units {
  std::span<const text::WordSpan> of_token;
  int64_t count;
};
// How much of the source was translated (Wu et al. 2016, equation 14): the sum over the source
// tokens except </s> of log(min(1, the attention that all target tokens and </s> together gave to
// it)). 0: all of it; never above 0.
double coverage(const SoftAlignment& tokens);

// Combines tokens into larger units: weights on the tokens of a source unit are summed, those of a
// target unit's tokens averaged. A token with several units (a piece of several Chinese characters)
// splits the weight on it equally among them, and gives each the same weights. A target unit
// without tokens (its line was truncated) gets a row of zeros.
SoftAlignment merge(const SoftAlignment& tokens, const Units& source, const Units& target);

// For each target unit except </s>: the source unit, except </s>, with the most attention (the
// first of equals), and the units joined to it. Sorted by target.
std::vector<data::Link> hard_links(const SoftAlignment& soft);
// Every pair of units, without </s>, with a weight of at least `threshold`. Sorted by target, then
// source.
std::vector<data::Link> links_above(const SoftAlignment& soft, double threshold);

// "0.7,0.2,0.1 0.1,0.8,0.1": a group per target unit and </s>, a number per source unit and </s>,
// in Marian's format.
std::string soft_text(const SoftAlignment& soft);

}  // namespace hexapla::decode
