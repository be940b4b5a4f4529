#include "decode/rescoring/score.h"

#include <algorithm>

#include "decode/strategies/best_tokens.h"

namespace hexapla::decode {
namespace {

constexpr int64_t kTileRows = 256;  // rows of logits at a time

std::vector<text::Ids> with_start(std::span<const text::Ids> targets, int32_t bos) {
  std::vector<text::Ids> all;
  for (const text::Ids& target : targets) {
    all.push_back({bos});
    all.back().insert(all.back().end(), target.begin(), target.end());
  }
  return all;
}

struct LabelScores {
  std::vector<double> log_p, logits;
};

Tensor logits_of(Context& cx, const Ensemble& ensemble, std::span<const Tensor> outputs, int64_t from, int64_t n) {
  std::vector<Tensor> logits;
  for (size_t m = 0; m < outputs.size(); ++m)
    logits.push_back(ensemble.models[m]->logits(cx, outputs[m].slice(from, n)));
  if (logits.size() == 1) return logits.front();
  const Tensor mixture = cx.keep(logits.front().shape);
  mix(cx, ensemble, logits, mixture);
  return mixture;
}

// Scores every label from the output of each model's decoder, [N, d_model].
LabelScores label_scores(Context& cx, const Ensemble& ensemble, std::span<const Tensor> outputs,
                         std::span<const int32_t> labels) {
  LabelScores scores;
  for (int64_t from = 0; from < std::ssize(labels); from += kTileRows) {
    const ArenaRewind tile(cx.arena);
    const int64_t n = std::min(kTileRows, std::ssize(labels) - from);
    const Tensor there = logits_of(cx, ensemble, outputs, from, n);
    const OnHost log_p(cx.backend, log_softmax(cx, there)), logits(cx.backend, there);
    for (int64_t i = 0; i < n; ++i) {
      const int64_t at = i * log_p->shape[1] + labels[from + i];
      scores.log_p.push_back(number(log_p, at)), scores.logits.push_back(number(logits, at));
      if (!std::isfinite(scores.log_p.back())) throw_not_a_number();
    }
  }
  return scores;
}

}  // namespace

std::vector<PairScore> score_pairs(Context& cx, const Ensemble& ensemble, std::span<const text::Ids> sources,
                                   std::span<const text::Ids> targets, const SpecialIds& special) {
  HEXAPLA_CHECK(sources.size() == targets.size(), "scoring: ", sources.size(), " sources, but ", targets.size(),
                " targets");
  HEXAPLA_CHECK(!cx.training, "scoring: the context is set to training, so dropout would change the scores");
  if (sources.empty()) return {};
  const Ragged source(sources), target(with_start(targets, special.bos));
  std::vector<int32_t> labels(target.ids.begin() + 1, target.ids.end());
  labels.push_back(special.eos);
  for (size_t b = 1; b < target.offsets.size(); ++b) labels[target.offsets[b] - 1] = special.eos;

  const ArenaRewind whole(cx.arena);
  const ForwardOnly forward_only(cx);
  std::vector<Tensor> outputs;
  for (const model::Transformer* model : ensemble.models) {
    model::Transformer::Saved saved;
    const Tensor memory = model->encode(cx, source.ids, source.offsets, saved);
    outputs.push_back(model->decode(cx, {memory, source.offsets}, target.ids, target.offsets, saved));
  }
  const LabelScores tokens = label_scores(cx, ensemble, outputs, labels);

  std::vector<PairScore> scores(sources.size());
  for (size_t b = 0; b < scores.size(); ++b) {
    scores[b].tokens = target.offsets[b + 1] - target.offsets[b];
    const auto own = [&](const std::vector<double>& all) {
      return std::vector(all.begin() + target.offsets[b], all.begin() + target.offsets[b + 1]);
    };
    scores[b].log_p = own(tokens.log_p), scores[b].logits = own(tokens.logits);
    for (double log_p : scores[b].log_p) scores[b].score += log_p;
  }
  return scores;
}

size_t score_memory(const Ensemble& ensemble, std::span<const text::Ids> sources, std::span<const text::Ids> targets,
                    DType dtype) {
  DecodingSizes sizes{};
  for (const auto& side : {sources, targets})
    for (const text::Ids& ids : side) sizes.longest = std::max(sizes.longest, std::ssize(ids) + 1);
  for (const text::Ids& ids : sources) sizes.source_tokens += std::ssize(ids);
  for (const text::Ids& ids : targets) sizes.hypotheses += std::ssize(ids) + 1;
  sizes.logit_rows = std::min(kTileRows, sizes.hypotheses);
  size_t bytes = ensemble.models.size() == 1 ? 0 : mixture_memory(ensemble, sizes.logit_rows, 0, dtype);
  for (const model::Transformer* model : ensemble.models) bytes += decoding_memory(model->config, sizes, dtype);
  return bytes;
}

}  // namespace hexapla::decode
