#pragma once
// Beam search, section 6.1; what it does to a sentence stands at search().
#include "decode/search/best_tokens.h"
#include "decode/search/decoding_strategy.h"

namespace hexapla::decode {

struct Candidate {
  double score, last;  // of the whole hypothesis, of its last token alone
  size_t beam;
  int32_t id;
  double lost = 0;  // what a penalty adds to the score of this token
};

class BeamSearch : public DecodingStrategy {
 public:
  BeamSearch(const SearchOptions& options, const SpecialIds& special) : options_(options), special_(special) {}
  void begin(Sentence& s) override { s.live = {{{{special_.bos}, {}}, 0, {}, 0}}; }
  void choose(Context& cx, const NextLogits& logits, std::span<Sentence> sentences,
              std::span<const int64_t> first) override;

 protected:
  // For whoever wants to know (TracedBeamSearch): the candidates of a step, best first, before any of them goes on; at
  // the longest length each live hypothesis with </s>.
  virtual void weighed(const Sentence&, const std::vector<Candidate>&) {}

 private:
  void end(Context& cx, Sentence& s, const NextLogits& logits);

  const SearchOptions& options_;
  SpecialIds special_;
};

// Best first; equal ones as they came.
void sort(std::vector<Candidate>& candidates);
// Choose and move: what ends among the first `width` is finished, the best that do not end go on.
void advance(Sentence& s, const std::vector<Candidate>& candidates, const SearchOptions& options, int32_t eos);
// Retire: a sentence that is done, with `width` finished hypotheses or none that can still pass, leaves the batch.
void retire(Sentence& s, const SearchOptions& options);

// Whether nothing that is still live, the best of it first, can pass the worst of the n_best of the finished, which are
// sorted.
bool passed(const Sentence& s, const SearchOptions& options);

}  // namespace hexapla::decode
