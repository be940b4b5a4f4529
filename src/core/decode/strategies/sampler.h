#pragma once
// Samples translations token by token from the model's distribution, which may be sharpened,
// flattened or truncated.
#include "decode/strategies/constrained_tokens.h"
#include "decode/strategies/decoding_strategy.h"

namespace hexapla::decode {

// Identifies a random draw. The result depends on nothing else, neither on other sentences nor on
// threads.
struct DrawKey {
  uint64_t seed, line;    // of the input
  uint32_t part, sample;  // of the line; of the part
  int64_t step;
};
// In [0, 1), with 53 bits. attempt: number of the repetition.
double draw(const DrawKey& key, uint32_t attempt);

// Number of candidates that the sampler takes from each row of logits at once.
int64_t best_of_a_row(const SamplingOptions& options);

class Sampler final : public DecodingStrategy {
 public:
  Sampler(const AllConstraints& all, const SearchOptions& options, const SpecialIds& special)
      : options_(options), special_(special), constraints_(all, options, special) {}
  void begin(Sentence& s) override;
  void choose(Context& cx, const NextLogits& logits, std::span<Sentence> sentences,
              std::span<const int64_t> first) override;

 private:
  // The tokens to sample from, best first, their weights relative to the first, and the total
  // weight to which top_p refers.
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
  bool may_follow(const Partial& so_far, int32_t id) const {
    return constraints_.allows(so_far, id) && !constraints_.late(so_far, id);
  }
  // The next token and its log-probability under the model; none if no token is allowed.
  std::optional<Token> next(const Sentence& s, const BeamEntry& live, ConstrainedTokens& tokens, int64_t row) const;
  std::optional<Token> of_all(const Partial& so_far, const DrawKey& key, ConstrainedTokens& tokens, int64_t row) const;
  std::optional<Token> of_the_best(const Partial& so_far, const DrawKey& key, ConstrainedTokens& tokens,
                                   int64_t row) const;

  const SearchOptions& options_;
  SpecialIds special_;
  Constraints constraints_;
};

}  // namespace hexapla::decode
