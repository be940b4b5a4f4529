#pragma once
// Several models that translate together: their distributions are mixed at every step. They must
// have the same vocabularies; widths, depths and everything else may differ.
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "decode/search/decoding_capacity.h"
#include "decode/steps/decoder_steps.h"

namespace hexapla::decode {

// log sum_i w_i p_i: the arithmetic mean of the probabilities.
struct LinearMixture {};
// sum_i w_i log p_i, renormalized: the geometric mean.
struct LogLinearMixture {};
using Mixture = std::variant<LinearMixture, LogLinearMixture>;

const std::vector<std::string>& mixture_names();  // "linear", "log-linear"
Mixture make_mixture(const std::string& name);    // UsageError: unknown name

struct Ensemble {
  std::vector<const model::Transformer*> models;  // borrowed
  Mixture mixture = LinearMixture{};
  std::vector<double> weights = {};  // one per model, summing to 1; empty: equal
};
// UsageError: no model, vocabularies of different sizes, wrong number of weights, or a weight not
// above 0.
void check(const Ensemble& ensemble);
int64_t positions(const Ensemble& ensemble);  // that every model supports

// logits: [N, V] for each model, normalized in place. Sets out [N, V] to the logarithms of the
// mixture.
void mix(Context& cx, const Ensemble& ensemble, std::span<const Tensor> logits, Tensor out);

// An upper bound of the arena bytes that the mixture takes, for this many rows of logits and
// candidates per row.
size_t mixture_memory(const Ensemble& ensemble, int64_t logit_rows, int64_t candidates, DType dtype);
// The bytes for its models, each in an arena of its own.
size_t members_memory(const Ensemble& ensemble, const DecodingCapacity& capacity, DType dtype);

// DecoderSteps for an ensemble.
class EnsembleSteps {
 public:
  // The mixture is kept in cx's arena; the models work in their own arenas.
  EnsembleSteps(Context& cx, const Ensemble& ensemble, const DecodingCapacity& capacity);
  void encode(std::span<const text::Ids> sources, std::span<const int64_t> first_rows);
  Tensor step(std::span<Prefix* const> prefixes, Offsets hypotheses, Offsets memory);

 private:
  struct Member {
    Arena arena;
    Context cx;
    DecoderSteps steps;
    Member(Context& outer, const model::Transformer& model, const DecodingCapacity& capacity);
  };
  Context& cx_;
  const Ensemble& ensemble_;
  ArenaRewind before_;
  std::vector<std::unique_ptr<Member>> members_;
};

}  // namespace hexapla::decode
