#include "decode/search/ensemble.h"

#include <algorithm>
#include <cmath>
#include <list>
#include <numeric>

#include "backend/on_host.h"
#include "base/compute/parallel.h"
#include "decode/options/option_ranges.h"

namespace hexapla::decode {
namespace {

std::vector<double> shares(const Ensemble& e) {
  std::vector<double> w = e.weights;
  if (w.empty()) w.assign(e.models.size(), 1);
  const double sum = std::accumulate(w.begin(), w.end(), 0.0);
  for (double& x : w) x /= sum;
  return w;
}

// Combines one row of each model's log-probabilities.
template <class T>
void mix_row(const LinearMixture&, std::span<const T* const> rows, std::span<const double> w, std::span<T> out) {
  for (size_t id = 0; id < out.size(); ++id) {
    T most = rows[0][id];
    for (const T* row : rows) most = std::max(most, row[id]);
    T sum = 0;
    for (size_t m = 0; m < rows.size(); ++m) sum += static_cast<T>(w[m]) * std::exp(rows[m][id] - most);
    out[id] = most + std::log(sum);
  }
}

// Not normalized: the next softmax does that.
template <class T>
void mix_row(const LogLinearMixture&, std::span<const T* const> rows, std::span<const double> w, std::span<T> out) {
  std::fill(out.begin(), out.end(), T(0));
  for (size_t m = 0; m < rows.size(); ++m)
    for (size_t id = 0; id < out.size(); ++id) out[id] += static_cast<T>(w[m]) * rows[m][id];
}

template <class T>
void mix_rows(const Ensemble& e, std::span<const Tensor> log_p, Tensor out) {
  const std::vector<double> w = shares(e);
  const int64_t v = out.shape[1];
  parallel_for(out.shape[0], [&](int64_t row) {
    std::vector<const T*> rows;
    for (const Tensor& t : log_p) rows.push_back(t.slice(row, 1).template data<T>());
    T* to = out.slice(row, 1).template data<T>();
    std::visit([&](const auto& mixture) { mix_row<T>(mixture, rows, w, std::span<T>(to, static_cast<size_t>(v))); },
               e.mixture);
  });
}

size_t member_memory(const model::Transformer& model, const DecodingCapacity& capacity, DType dtype) {
  const int64_t hypotheses = capacity.sentences * capacity.widest;
  return decoding_memory(model.config,
                         {.source_tokens = capacity.tokens,
                          .hypotheses = hypotheses,
                          .logit_rows = hypotheses,
                          .longest = capacity.longest,
                          .cache_rows = capacity.cache_rows,
                          .candidates = 0},
                         dtype);
}

}  // namespace

const std::vector<std::string>& mixture_names() {
  static const std::vector<std::string> names = {"linear", "log-linear"};
  return names;
}

Mixture make_mixture(const std::string& name) {
  if (name == "linear") return LinearMixture{};
  if (name == "log-linear") return LogLinearMixture{};
  throw UsageError(
      cat("`ensemble` '", name,
          "' is unknown; choose linear, the mean of probabilities, or log-linear, the mean of their logarithms"));
}

void check(const Ensemble& e) {
  if (e.models.empty()) throw UsageError("an ensemble needs at least one model");
  for (const model::Transformer* m : e.models) {
    const model::Config &c = m->config, &first = e.models[0]->config;
    if (c.source_vocab != first.source_vocab || c.target_vocab != first.target_vocab)
      throw UsageError(cat("models of ", first.source_vocab, " and ", c.source_vocab, " source pieces and ",
                           first.target_vocab, " and ", c.target_vocab,
                           " target pieces cannot form an ensemble; train them with one vocabulary"));
  }
  if (e.weights.empty()) return;
  if (e.weights.size() != e.models.size())
    throw UsageError(cat("`weights` is given for ", e.weights.size(), " of ", e.models.size(),
                         " models; give one number per model"));
  for (const double w : e.weights) ranges::kModelWeight.check("weights", w);
}

int64_t positions(const Ensemble& ensemble) {
  int64_t n = positions(*ensemble.models.at(0));
  for (const model::Transformer* m : ensemble.models) n = std::min(n, positions(*m));
  return n;
}

void mix(Context& cx, const Ensemble& ensemble, std::span<const Tensor> logits, Tensor out) {
  for (const Tensor& t : logits) log_softmax_in_place(cx, t);
  std::list<OnHost> copies;
  std::vector<Tensor> here;
  for (const Tensor& t : logits) here.push_back(copies.emplace_back(cx.backend, t));
  const OnHost to = set_on_host(cx.backend, out);
  out.dtype == DType::f64 ? mix_rows<double>(ensemble, here, to) : mix_rows<float>(ensemble, here, to);
  to.write_back();
}

size_t mixture_memory(const Ensemble& ensemble, int64_t logit_rows, int64_t candidates, DType dtype) {
  const int64_t numbers = logit_rows * (2 * ensemble.models.at(0)->config.target_vocab + 2 * candidates);
  return static_cast<size_t>(numbers) * size_of(dtype) + 4096;
}

size_t members_memory(const Ensemble& ensemble, const DecodingCapacity& capacity, DType dtype) {
  size_t bytes = 0;
  for (const model::Transformer* m : ensemble.models) bytes += member_memory(*m, capacity, dtype);
  return bytes;
}

EnsembleSteps::Member::Member(Context& outer, const model::Transformer& model, const DecodingCapacity& capacity)
    : arena(make_arena(outer.backend, member_memory(model, capacity, outer.dtype))),
      cx{outer.backend, arena, outer.dtype},
      steps(cx, model, capacity.tokens, capacity.cache_rows) {}

EnsembleSteps::EnsembleSteps(Context& cx, const Ensemble& ensemble, const DecodingCapacity& capacity)
    : cx_(cx), ensemble_(ensemble), before_(cx.arena) {
  for (const model::Transformer* m : ensemble.models) members_.push_back(std::make_unique<Member>(cx, *m, capacity));
}

void EnsembleSteps::encode(std::span<const text::Ids> sources, std::span<const int64_t> first_rows) {
  for (auto& m : members_) m->steps.encode(sources, first_rows);
}

Tensor EnsembleSteps::step(std::span<Prefix* const> prefixes, Offsets hypotheses, Offsets memory) {
  cx_.arena.rewind(before_.mark());
  members_[0]->steps.take_rows(prefixes);
  std::vector<Tensor> logits;
  for (auto& m : members_) logits.push_back(m->steps.compute(prefixes, hypotheses, memory).values);
  const Tensor out = cx_.keep(logits[0].shape);
  mix(cx_, ensemble_, logits, out);
  return out;
}

}  // namespace hexapla::decode
