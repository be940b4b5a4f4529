#pragma once
// DecoderSteps without a cache: every step computes each hypothesis from its first token on. It is for
// a decoder without a mask, where a new token changes the rows of the earlier ones. For one sentence.
#include "decode/steps/decoder_steps.h"

namespace hexapla::decode {

class WholeSteps {
 public:
  // Keeps the encoder's output and the logits in cx's arena; a pass has an arena of its own. longest:
  // most tokens of the translation.
  WholeSteps(Context& cx, const model::Transformer& model, int64_t longest);
  // InternalError: not exactly one source.
  void encode(std::span<const text::Ids> sources, std::span<const int64_t> first_rows);
  // As DecoderSteps::step(), but no hypothesis gets a cache row.
  NextLogits step(std::span<Prefix* const> prefixes, Offsets hypotheses, Offsets memory);

 private:
  // Writes the logits after the last token of a prefix: row is [V].
  void compute(const Prefix& prefix, Tensor row) const;
  // Runs f(context) with an arena for these numbers of tokens.
  template <class F>
  void pass(int64_t source_tokens, int64_t target_tokens, F&& f) const;

  Context& cx_;
  const model::Transformer& model_;
  ArenaRewind before_;
  int64_t longest_;
  Tensor memory_;  // [source tokens, d_model]
  Arena::Mark step_{};
};

}  // namespace hexapla::decode
