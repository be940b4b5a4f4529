#pragma once
// Beam search, section 6.1; described at search().
#include "decode/strategies/best_tokens.h"
#include "decode/strategies/decoding_strategy.h"

namespace hexapla::decode {

struct Candidate {
  double score, last;  // of the whole hypothesis; of its last token
  size_t beam;
  int32_t id;
  double lost = 0;    // added to the score of this token by a penalty
  bool late = false;  // Constraints::late()
};

class BeamSearch : public DecodingStrategy {
 public:
  BeamSearch(const SearchOptions& options, const SpecialIds& special) : options_(options), special_(special) {}
  void begin(Sentence& s) override { s.live = {{{{special_.bos}, {}}, 0, {}, 0}}; }
  void choose(Context& cx, const NextLogits& logits, std::span<Sentence> sentences,
              std::span<const int64_t> first) override;

 protected:
  // Hook for TracedBeamSearch: the candidates of a step, best first, before any of them is
  // continued; at the maximum length each live hypothesis with </s>.
  virtual void weighed(const Sentence&, const std::vector<Candidate>&) {}

 private:
  void end(Context& cx, Sentence& s, const NextLogits& logits);

  const SearchOptions& options_;
  SpecialIds special_;
};

// Best first; stable.
void sort(std::vector<Candidate>& candidates);
// Select: candidates among the first `width` that end are finished; the best that do not end
// continue.
void advance(Sentence& s, const std::vector<Candidate>& candidates, const SearchOptions& options, int32_t eos);
// Retire: removes a sentence from the batch if it is done: `width` finished hypotheses, or no live
// one that can still win.
void retire(Sentence& s, const SearchOptions& options);

// Whether no live hypothesis (best first) can still beat the worst of the n_best finished ones,
// which are sorted.
bool passed(const Sentence& s, const SearchOptions& options);

}  // namespace hexapla::decode
