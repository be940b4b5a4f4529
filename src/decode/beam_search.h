#pragma once
// Beam search, section 6.1; what it does to a sentence stands at search().
#include "decode/best_tokens.h"
#include "decode/chooser.h"

namespace hexapla {

class BeamSearch final : public Chooser {
 public:
  BeamSearch(const SearchOptions& options, const SpecialIds& special) : options_(options), special_(special) {}
  void begin(Sentence& s) override { s.live = {{{{special_.bos}, {}}, 0, {}}}; }
  void choose(Context& cx, Tensor logits, std::span<Sentence> sentences, std::span<const int64_t> first) override;

 private:
  void end(Context& cx, Sentence& s, Tensor logits) const;

  const SearchOptions& options_;
  SpecialIds special_;
};

// Best first by their normalised scores, equal ones as they came.
void sort_finished(Sentence& s);

// Whether nothing that is still live can be among the n_best of a sentence whose finished hypotheses are sorted.
bool settled(const Sentence& s, const SearchOptions& options);

}  // namespace hexapla
