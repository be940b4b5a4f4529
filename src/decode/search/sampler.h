#pragma once
// Draws translations: each token by the model's probabilities, which may be sharpened, flattened or cut off.
#include "decode/constraints/constrained_tokens.h"
#include "decode/search/decoding_strategy.h"

namespace hexapla::decode {

// Names a draw. What is drawn depends on nothing else, so neither on neighbors nor on threads.
struct DrawKey {
  uint64_t seed, line;    // of the input
  uint32_t part, sample;  // of the line; of the part
  int64_t step;
};
// In [0, 1), of 53 bits. attempt: where a draw is repeated.
double draw(const DrawKey& key, uint32_t attempt);

// Candidates that the sampler takes from each row of logits at once.
int64_t best_of_a_row(const SamplingOptions& options);

class Sampler final : public DecodingStrategy {
 public:
  Sampler(const AllConstraints& all, const SearchOptions& options, const SpecialIds& special)
      : options_(options), special_(special), constraints_(all, options, special) {}
  void begin(Sentence& s) override;
  void choose(Context& cx, const NextLogits& logits, std::span<Sentence> sentences,
              std::span<const int64_t> first) override;

 private:
  // The tokens that may be drawn, best first, their weights relative to the first, and the weight of which top_p is a
  // share.
  struct Nucleus {
    std::vector<Token> tokens;
    std::vector<double> weights;
    double total = 0;
    double weight(double score, double temperature) const { return std::exp((score - tokens[0].score) / temperature); }
    double add(Token t, double temperature) {
      tokens.push_back(t);
      weights.push_back(weight(t.score, temperature));
      return weights.back();
    }
  };
  Nucleus of_the_first(const Partial& so_far, ConstrainedTokens& tokens, int64_t row) const;
  Nucleus of_the_whole(const Partial& so_far, ConstrainedTokens& tokens, int64_t row) const;
  DrawKey key(const Sentence& s, const BeamEntry& live) const;
  // The next token and its log-probability of the model; none if no token is allowed.
  std::optional<Token> next(const Sentence& s, const BeamEntry& live, ConstrainedTokens& tokens, int64_t row) const;
  std::optional<Token> of_all(const Partial& so_far, const DrawKey& key, ConstrainedTokens& tokens, int64_t row) const;
  std::optional<Token> of_the_best(const Partial& so_far, const DrawKey& key, ConstrainedTokens& tokens,
                                   int64_t row) const;

  const SearchOptions& options_;
  SpecialIds special_;
  Constraints constraints_;
};

}  // namespace hexapla::decode
