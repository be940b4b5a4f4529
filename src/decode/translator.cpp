#include "decode/translator.h"

#include <algorithm>
#include <numeric>

#include "decode/workers.h"
#include "text/utf8.h"

namespace hexapla {
namespace {

void check(const TranslateOptions& o) {
  check(o.search);
  if (o.batch_sentences < 1)
    throw UsageError(cat("--batch-sentences ", o.batch_sentences, " is out of range; a batch has 1 or more"));
  if (o.batch_tokens < 1) throw UsageError(cat("--batch-tokens ", o.batch_tokens, " is out of range; give 1 or more"));
  if (o.max_length < 2)
    throw UsageError(cat("--max-length ", o.max_length, " is out of range; a token and </s> are the least"));
}

std::vector<Ids> gather(std::span<const Ids> sentences, std::span<const size_t> places) {
  std::vector<Ids> batch;
  for (size_t place : places) batch.push_back(sentences[place]);
  return batch;
}

int64_t length(const Ids& ids) { return static_cast<int64_t>(ids.size()); }

// Text to ids, one side of the input; warns of what it had to change.
struct Reader {
  const Vocabulary& vocabulary;
  int64_t longest;     // tokens of a sentence, </s> counted
  const char* remedy;  // for a longer one
  const LineWarning& warn;

  Reader(const Vocabulary& v, const Config& c, int64_t max_length, const LineWarning& w)
      : vocabulary(v), longest(max_length), remedy("cut the line into sentences, or raise --max-length"), warn(w) {
    if (c.positions != "learned" || c.max_positions >= max_length) return;
    longest = c.max_positions;
    remedy = "the model has no more learned positions, so cut the line into sentences";
  }

  // Without </s>; empty for a blank line.
  Ids read(const std::string& text, size_t line) const {
    Ids ids = vocabulary.encode(invalid_utf8(text) ? mended(text, line) : text);
    if (length(ids) < longest) return ids;
    if (warn)
      warn(line,
           cat("of ", length(ids) + 1, " tokens only the first ", longest, " were read (</s> counted); ", remedy));
    ids.resize(static_cast<size_t>(longest - 1));
    return ids;
  }

  std::vector<Ids> read(std::span<const std::string> lines) const {
    std::vector<Ids> all;
    for (size_t i = 0; i < lines.size(); ++i) all.push_back(read(lines[i], i));
    return all;
  }

 private:
  std::string mended(const std::string& text, size_t line) const {
    const std::string clean = clean_utf8(text);
    const size_t bytes = (clean.size() - text.size()) / 2;  // each became the three bytes of U+FFFD
    if (warn) warn(line, cat(bytes, " bytes are not UTF-8, each was read as U+FFFD; convert the text to UTF-8 first"));
    return clean;
  }
};

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
  std::vector<Ids> sentences = Reader(source_, model_.config, options.max_length, warn).read(lines);
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

std::vector<PairScore> TextTranslator::score(std::span<const std::string> sources, std::span<const std::string> targets,
                                             const TranslateOptions& options, const LineWarning& warn) const {
  check(options);
  if (sources.size() != targets.size())
    throw UsageError(cat("cannot score ", targets.size(), " translations of ", sources.size(),
                         " lines; line i of one must belong to line i of the other"));
  std::vector<Ids> from = Reader(source_, model_.config, options.max_length, warn).read(sources);
  const std::vector<Ids> to = Reader(target_, model_.config, options.max_length, warn).read(targets);
  std::vector<int64_t> lengths;
  for (size_t i = 0; i < from.size(); ++i) {
    from[i].push_back(source_.eos());
    lengths.push_back(std::max(length(from[i]), length(to[i]) + 1));
  }
  const auto batches = plan_batches(lengths, options);
  const DType dtype = model_.target_embedding().table.value.dtype;
  size_t memory = 0;
  for (const std::vector<size_t>& places : batches)
    memory = std::max(memory, score_memory(model_, gather(from, places), gather(to, places), dtype));
  std::vector<PairScore> results(sources.size());
  std::atomic<size_t> next = 0;
  const auto workers = std::min<int64_t>(threads(), static_cast<int64_t>(batches.size()));
  on_workers(workers, backend_, dtype, memory, [&](Context& cx) {
    for (size_t i = next++; i < batches.size(); i = next++) {
      const std::vector<size_t>& places = batches[i];
      const auto scores = score_pairs(cx, model_, gather(from, places), gather(to, places), special_ids(target_));
      for (size_t b = 0; b < places.size(); ++b) results[places[b]] = scores[b];
    }
  });
  return results;
}

}  // namespace hexapla
