#include "train/validation.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "evaluate/chrf.h"

namespace hexapla {
namespace {

// Sums over the validation set in batches of like length. In the order of the batches, so always the same bits.
LossSums validation_loss(Context& cx, const Transformer& model, const TrainingData& data, const TrainOptions& options) {
  LossSums total;
  Transformer::Saved saved;
  const auto mark = cx.arena.mark();
  for (const auto& places : plan_epoch(data.valid, {options.batch_tokens, options.max_length, options.seed}, 0)) {
    const Batch b = make_batch(data.pairs.target, data.valid, places);
    const LossSums sums = model.loss(cx, {b.source, b.target_in, b.target_out, b.source_starts, b.target_starts},
                                     options.label_smoothing, saved);
    cx.arena.rewind(mark);
    total.loss += sums.loss;
    total.nll += sums.nll;
    total.tokens += sums.tokens;
  }
  return total;
}

}  // namespace

double score_of(const Validation& v, const std::string& metric) {
  if (metric == "loss") return v.loss;
  return metric == "chrf" ? v.chrf.value() : v.bleu.value();
}

Validation validate(Context& cx, const Transformer& model, const TrainingData& data, const TrainOptions& options) {
  Validation v;
  const LossSums sums = validation_loss(cx, model, data, options);
  v.loss = sums.loss / double(sums.tokens);
  v.perplexity = std::exp(sums.nll / double(sums.tokens));

  const TextTranslator translator(model, data.pairs.source, data.pairs.target, cx.backend);
  TranslateOptions how;
  how.search.beam_size = static_cast<int>(options.valid_beam);
  std::vector<std::string> hypotheses;
  for (auto& best : translator.translate(data.valid_source, how)) hypotheses.push_back(std::move(best.front().text));
  v.bleu = corpus_bleu(hypotheses, data.valid_reference, {}).score;
  v.chrf = corpus_score(Chrf(), hypotheses, {&data.valid_reference, 1});
  for (size_t i = 0; i < std::min<size_t>(5, hypotheses.size()); ++i)
    v.examples.push_back({data.valid_source[i], data.valid_reference[i], hypotheses[i]});
  return v;
}

std::string says_nothing_is_validated(const TrainOptions& o, int64_t updates_an_epoch) {
  const Interval valid = Interval::parse("valid-every", o.valid_every);
  const int64_t first = valid.updates > 0 ? valid.updates : valid.epochs * updates_an_epoch;
  int64_t end = first;
  if (o.max_updates > 0) end = std::min(end, o.max_updates);
  if (o.max_epochs > 0) end = std::min(end, o.max_epochs * updates_an_epoch);
  if (end >= first) return "";
  return cat("the run ends at update ", end, ", before its first validation at update ", first, " (--valid-every ",
             o.valid_every, "): lower --valid-every to ", end, " or less to have one",
             o.average_best > 0 ? cat("; without any, --average-best ", o.average_best, " has no models") : "");
}

std::string to_json(const Validation& v) {
  // Doubles in the shortest digits that read back as the same, as everywhere in the logs.
  const auto samples = nlohmann::json(v.examples).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return fmt::format(
      "{{\"update\": {}, \"epoch\": {}, \"loss\": {}, \"perplexity\": {}, \"bleu\": {}, \"chrf\": {}, \"samples\": "
      "{}}}",
      v.update, v.epoch, v.loss, v.perplexity, v.bleu.value_or(-1), v.chrf.value_or(-1), samples);
}

}  // namespace hexapla
