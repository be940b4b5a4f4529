#pragma once
// Beam search with constraints: finds the same as BeamSearch if there are none.
#include "decode/strategies/beam_search.h"
#include "decode/strategies/constrained_tokens.h"
#include "decode/strategies/repetition_penalty.h"

namespace hexapla::decode {

class ConstrainedBeamSearch final : public DecodingStrategy {
 public:
  ConstrainedBeamSearch(const AllConstraints& all, const SearchOptions& options, const SpecialIds& special)
      : options_(options), special_(special), constraints_(all, options, special), repeated_(options) {}
  void begin(Sentence& s) override { s.live = {{{{special_.bos}, {}}, 0, {}, 0}}; }
  void choose(Context& cx, const NextLogits& logits, std::span<Sentence> sentences,
              std::span<const int64_t> first) override;

 private:
  // A candidate and the number of tokens of required phrases that it would have.
  struct Banked {
    Candidate candidate;
    int64_t bank;
  };
  // The rows of one sentence.
  struct Step {
    Sentence& sentence;
    ConstrainedTokens& tokens;
    int64_t first_row;
  };
  void grow(const Step& step) const;
  void end(const Step& step) const;
  void retire(Sentence& s) const;
  void add_row(const Step& step, size_t beam, std::vector<Banked>& all) const;
  void add_required(const Step& step, size_t beam, const Partial& so_far, std::vector<Banked>& all) const;
  int64_t bank(const Partial& so_far, int32_t id) const;

  const SearchOptions& options_;
  SpecialIds special_;
  Constraints constraints_;
  RepetitionPenalty repeated_;
};

}  // namespace hexapla::decode
