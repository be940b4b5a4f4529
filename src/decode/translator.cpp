#include "decode/translator.h"

#include <algorithm>
#include <numeric>

#include "decode/line_encoder.h"
#include "decode/workers.h"

namespace hexapla {
namespace {

int64_t length(const Ids& ids) { return static_cast<int64_t>(ids.size()); }

// Places of sentences; those of length 0 are left out.
std::vector<size_t> longest_first(std::span<const int64_t> lengths) {
  std::vector<size_t> order(lengths.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::erase_if(order, [&](size_t i) { return lengths[i] == 0; });
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return lengths[a] > lengths[b]; });
  return order;
}

// Sharing out sentences is faster than sharing out products, if every worker gets a few.
int64_t workers_for(int64_t sentences) {
  constexpr int64_t few = 8;
  return std::clamp<int64_t>(sentences / few, 1, threads());
}

}  // namespace

void check(const TranslateOptions& o) {
  check(o.search);
  if (o.batch_sentences < 1)
    throw UsageError(cat("--batch-sentences ", o.batch_sentences, " is out of range; a batch has 1 or more"));
  if (o.batch_tokens < 1) throw UsageError(cat("--batch-tokens ", o.batch_tokens, " is out of range; give 1 or more"));
  if (o.max_length < 2)
    throw UsageError(cat("--max-length ", o.max_length, " is out of range; a token and </s> are the least"));
}

std::vector<std::vector<size_t>> plan_batches(std::span<const int64_t> lengths, const TranslateOptions& options) {
  const std::vector<size_t> order = longest_first(lengths);
  std::vector<std::vector<size_t>> batches;
  int64_t tokens = 0;
  for (size_t place : order) {
    if (batches.empty() || static_cast<int64_t>(batches.back().size()) == options.batch_sentences ||
        tokens + lengths[place] > options.batch_tokens) {
      batches.emplace_back();
      tokens = 0;
    }
    batches.back().push_back(place);
    tokens += lengths[place];
  }
  return batches;
}

TextTranslator::TextTranslator(const Transformer& model, const Vocabulary& source, const Vocabulary& target,
                               Backend& backend)
    : model_(model), source_(source), target_(target), backend_(backend) {
  HEXAPLA_CHECK(source.size() == model.config.source_vocab && target.size() == model.config.target_vocab,
                "translator: vocabularies of ", source.size(), " and ", target.size(),
                " pieces, but the model was made for ", model.config.source_vocab, " and ", model.config.target_vocab);
}

std::vector<std::vector<Translation>> TextTranslator::translate(std::span<const std::string> lines,
                                                                const TranslateOptions& options,
                                                                const LineWarning& warn) const {
  check(options);
  std::vector<Ids> sentences = LineEncoder(source_, model_.config, options.max_length, warn).encode(lines);
  std::vector<int64_t> lengths;
  for (Ids& ids : sentences) {
    if (!ids.empty()) ids.push_back(source_.eos());
    lengths.push_back(length(ids));
  }
  const std::vector<size_t> order = longest_first(lengths);
  const int64_t workers = workers_for(static_cast<int64_t>(order.size()));
  const int64_t share = (static_cast<int64_t>(order.size()) + workers - 1) / workers;
  Queue queue{sentences, order, std::min(options.batch_sentences, share), options.batch_tokens};
  const DType dtype = model_.target_embedding().table.value.dtype;
  const size_t memory = search_memory(model_, queue, options.search, dtype);
  std::vector<std::vector<Translation>> results(lines.size());
  const Done done = [&](size_t place, std::vector<Hypothesis> found) {
    for (Hypothesis& h : found)
      results[place].push_back(
          {target_.decode(h.ids), h.score, h.normalised, std::move(h.ids), std::move(h.token_scores)});
  };
  on_workers(workers, backend_, dtype, memory,
             [&](Context& cx) { search(cx, model_, queue, options.search, special_ids(target_), done); });
  for (std::vector<Translation>& r : results)
    if (r.empty()) r.emplace_back();
  return results;
}

}  // namespace hexapla
