#include "data/batches/batch.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/compute/parallel.h"
#include "base/compute/random.h"
#include "base/error.h"
#include "text/lines/sentences.h"

namespace hexapla::data {
namespace {

constexpr int64_t kLinesPerChunk = 128;

// Separates this file's random streams from those of others with the same seed.
constexpr uint64_t kPlanStream = 0x706C616E00000000;

std::vector<Example> encode_all(const Corpus& corpus, const text::Vocabulary& source, const text::Vocabulary& target) {
  std::vector<Example> examples(corpus.source.size());
  parallel_for((corpus.size() + kLinesPerChunk - 1) / kLinesPerChunk, [&](int64_t chunk) {
    const int64_t end = std::min(corpus.size(), (chunk + 1) * kLinesPerChunk);
    for (int64_t i = chunk * kLinesPerChunk; i < end; ++i) {
      Example& example = examples[i];
      example.source = source.encode(corpus.source[i]);
      example.target = target.encode(corpus.target[i]);
      example.line = corpus.lines[i];
    }
  });
  return examples;
}

int64_t source_tokens(const Example& example) { return std::ssize(example.source); }
int64_t target_tokens(const Example& example) { return std::ssize(example.target) + 1; }

// Appends the links of each target row, including </s>.
void append_links(Batch& batch, const Example& example) {
  size_t next = 0;
  for (int32_t t = 0; t <= static_cast<int32_t>(example.target.size()); ++t) {
    for (; next < example.links.size() && example.links[next].target == t; ++next)
      batch.linked.push_back(example.links[next].source);
    batch.link_offsets.push_back(static_cast<int32_t>(batch.linked.size()));
  }
}

}  // namespace

Random plan_random(uint64_t seed, int64_t epoch) { return Random(seed, kPlanStream ^ static_cast<uint64_t>(epoch)); }

Encoded encode_corpus(const Corpus& corpus, const text::Vocabulary& source, const text::Vocabulary& target,
                      int64_t max_length) {
  DropCount too_long, nothing;
  Encoded out;
  std::vector<Example> all = encode_all(corpus, source, target);
  for (size_t i = 0; i < all.size(); ++i) {
    Example& example = all[i];
    if (example.source.empty() || example.target.empty()) {
      nothing.add(example.line);
      continue;
    }
    out.unknown.add(example.source, example.target, {source, target});
    const size_t tokens = example.source.size();
    source.end_source(example.source);
    if (std::max(source_tokens(example), target_tokens(example)) > max_length) {
      too_long.add(example.line);
      continue;
    }
    out.lines.add(tokens, example.target.size(), text::several_sentences(corpus.source[i]));
    out.examples.push_back(std::move(example));
  }
  const std::string both = corpus.source_name + " + " + corpus.target_name;
  if (nothing.count()) out.notes.push_back(nothing.note(both, "a line has no tokens"));
  if (too_long.count()) out.notes.push_back(too_long.note(both, cat("a side has more than ", max_length, " tokens")));
  if (out.examples.empty()) {
    throw DataError(cat("no usable pair in ", both, out.notes.empty() ? "" : ": " + out.notes.back(),
                        "; raise `max-length` or check the text"));
  }
  return out;
}

void add_links(std::span<Example> examples, const Corpus& corpus, const GoldLinks& links,
               const text::Vocabulary& source, const text::Vocabulary& target) {
  const auto n = std::ssize(examples);
  parallel_for((n + kLinesPerChunk - 1) / kLinesPerChunk, [&](int64_t chunk) {
    for (int64_t i = chunk * kLinesPerChunk; i < std::min(n, (chunk + 1) * kLinesPerChunk); ++i) {
      const auto index = std::lower_bound(corpus.lines.begin(), corpus.lines.end(), examples[i].line);
      examples[i].links = links.of_pair(index - corpus.lines.begin(), source, target);
    }
  });
}

Batch make_batch(const text::Vocabulary& target, std::span<const Example> examples, std::span<const int32_t> indices) {
  Batch batch;
  batch.source_offsets = batch.target_offsets = {0};
  for (const int32_t index : indices) {
    HEXAPLA_CHECK(index >= 0 && static_cast<size_t>(index) < examples.size(), "example ", index, " of ",
                  examples.size());
    const Example& example = examples[index];
    batch.source.insert(batch.source.end(), example.source.begin(), example.source.end());
    batch.target_in.push_back(target.bos());
    batch.target_in.insert(batch.target_in.end(), example.target.begin(), example.target.end());
    batch.target_out.insert(batch.target_out.end(), example.target.begin(), example.target.end());
    batch.target_out.push_back(target.eos());
    batch.source_offsets.push_back(static_cast<int32_t>(batch.source.size()));
    batch.target_offsets.push_back(static_cast<int32_t>(batch.target_out.size()));
    batch.lines.push_back(example.line);
    batch.corpora.push_back(example.corpus);
  }
  const auto has_links = [&](int32_t index) { return !examples[index].links.empty(); };
  if (std::none_of(indices.begin(), indices.end(), has_links)) return batch;
  batch.link_offsets = {0};
  for (const int32_t index : indices) append_links(batch, examples[index]);
  return batch;
}

Plan plan_epoch(std::span<const Example> examples, const Batching& options, int64_t epoch) {
  std::vector<PairSize> sizes;
  for (const Example& e : examples)
    sizes.push_back({static_cast<int32_t>(source_tokens(e)), static_cast<int32_t>(target_tokens(e))});
  std::vector<int32_t> order(examples.size());
  std::iota(order.begin(), order.end(), 0);
  Random random = plan_random(options.seed, epoch);
  return plan_batches(sizes, std::move(order), options.batch_tokens, random);
}

Plan plan_batches(std::span<const PairSize> sizes, std::vector<int32_t> order, int64_t batch_tokens, Random& random) {
  if (batch_tokens < 1) throw UsageError(cat("`batch-tokens` ", batch_tokens, " is too small: use 1 or more"));
  random.shuffle(order);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return std::pair(sizes[a].target, sizes[a].source) < std::pair(sizes[b].target, sizes[b].source);
  });
  Plan batches;
  int64_t sources = 0, targets = 0;
  for (const int32_t index : order) {
    const int64_t n = sizes[index].source, m = sizes[index].target;
    const bool full = targets + m > batch_tokens || 2 * (sources + n) > 3 * batch_tokens;
    if (batches.empty() || full) {
      if (full && !batches.empty()) batches.back().shrink_to_fit();  // the plan is kept for the whole epoch
      batches.emplace_back();
      sources = targets = 0;
    }
    batches.back().push_back(index);
    sources += n;
    targets += m;
  }
  random.shuffle(batches);
  return batches;
}

std::string name_lines(std::span<const Batch> batches, std::span<const std::string> sets) {
  std::string text;
  for (size_t set = 0; set < std::max<size_t>(sets.size(), 1); ++set) {
    std::string lines;
    for (const Batch& batch : batches)
      for (size_t i = 0; i < batch.lines.size(); ++i)
        if (batch.corpora[i] == static_cast<int32_t>(set)) lines += cat(lines.empty() ? "" : ", ", batch.lines[i]);
    if (lines.empty()) continue;
    text += (text.empty() ? "lines " : "; ") + lines;
    if (sets.size() > 1) text += " of " + sets[set];
  }
  return text;
}

}  // namespace hexapla::data
