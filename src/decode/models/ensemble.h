#pragma once
// Several models that write one translation together: at every step their distributions are mixed. They must have the
// same vocabularies; widths, depths and everything else may differ.
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "decode/models/steps.h"
#include "decode/search/decoding_capacity.h"

namespace hexapla::decode {

// log sum_i w_i p_i: the mean of the probabilities.
struct LinearMixture {};
// sum_i w_i log p_i, normalized again: the geometric mean.
struct LogLinearMixture {};
using Mixture = std::variant<LinearMixture, LogLinearMixture>;

const std::vector<std::string>& mixture_names();  // "linear", "log-linear"
Mixture make_mixture(const std::string& name);    // UsageError: another name

struct Ensemble {
  std::vector<const model::Transformer*> models;
  Mixture mixture = LinearMixture{};
  std::vector<double> weights = {};  // one a model, of sum 1; none: all alike
};
// UsageError: no model, vocabularies of different sizes, not as many weights as models, a weight that is not above 0.
void check(const Ensemble& ensemble);
int64_t positions(const Ensemble& ensemble);  // that every model has

// log_p: of each model [N, V], as logits, which are normalized in place. -> out [N, V]: the logarithms of the mixture.
void mix(Context& cx, const Ensemble& ensemble, std::span<const Tensor> logits, Tensor out);

// Bytes of arena that the mixture takes at most, from so many rows of logits of which so many candidates are taken.
size_t mixture_memory(const Ensemble& ensemble, int64_t logit_rows, int64_t candidates, DType dtype);
// And that its models take, each in an arena of its own.
size_t members_memory(const Ensemble& ensemble, const DecodingCapacity& capacity, DType dtype);

// What DecoderSteps is for one model.
class EnsembleSteps {
 public:
  // The mixture is kept in cx's arena, the models work in arenas of their own.
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
