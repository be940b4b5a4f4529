#include "decode/text/translator.h"

#include <algorithm>

#include "decode/lines/length_batches.h"
#include "decode/search/decoding_capacity.h"
#include "decode/search/search.h"
#include "decode/steps/workers.h"

namespace hexapla::decode {
namespace {

int64_t length(const text::Ids& ids) { return std::ssize(ids); }

constexpr int64_t kFew = 8;

// Distributing sentences is faster than distributing products if every worker gets a few.
int64_t workers_for(int64_t sentences) { return std::clamp<int64_t>(sentences / kFew, 1, threads()); }

// Reduces sentences per batch, then workers, until all workers together need at most `limit` bytes
// or there is one sentence at a time. Returns the number of workers.
template <class Models>
int64_t fit_into(size_t limit, int64_t workers, const Models& models, Queue& queue, const SearchOptions& options,
                 DType dtype) {
  while (static_cast<size_t>(workers) * search_memory(models, queue, options, dtype) > limit) {
    if (workers == 1 && queue.sentences == 1) break;
    if (workers > 1 && queue.sentences <= kFew) {
      --workers;
      continue;
    }
    queue.sentences = std::max<int64_t>(queue.sentences / 2, 1);
    queue.tokens = queue.sentences == 1 ? 1 : std::max<int64_t>(queue.tokens / 2, 1);
  }
  return workers;
}

}  // namespace

TextTranslator::TextTranslator(const model::Transformer& model, const text::Vocabulary& source,
                               const text::Vocabulary& target, Backend& backend)
    : TextTranslator(Ensemble{.models = {&model}}, source, target, backend) {}

TextTranslator::TextTranslator(const Ensemble& ensemble, const text::Vocabulary& source, const text::Vocabulary& target,
                               Backend& backend)
    : ensemble_(ensemble), sides_(ensemble, source, target), backend_(backend) {}

void TextTranslator::search_queue(Queue& queue, const SearchOptions& options, size_t memory, const Done& done) const {
  const int64_t most = workers_for(std::ssize(queue.order));
  const auto share = (std::ssize(queue.order) + most - 1) / most;
  queue.sentences = std::min(queue.sentences, share);
  const DType dtype = model().target_embedding().table.value.dtype;
  std::atomic<size_t> answered = 0;
  const Done counted = [&](size_t index, std::vector<Hypothesis> found) {
    ++answered;
    done(index, std::move(found));
  };
  const auto run = [&](const auto& models) {
    const int64_t workers = memory == 0 ? most : fit_into(memory, most, models, queue, options, dtype);
    on_workers(workers, backend_, dtype, search_memory(models, queue, options, dtype),
               [&](Context& cx) { search(cx, models, queue, options, special_ids(sides_.target), counted); });
  };
  ensemble_.models.size() == 1 ? run(model()) : run(ensemble_);
  if (queue.stopped()) throw Canceled("the translation was canceled");
  HEXAPLA_CHECK(answered == queue.order.size(), "translator: of ", queue.order.size(), " sentences ", answered,
                " were answered");
}

std::vector<std::vector<Translation>> TextTranslator::translate(const Lines& lines, const TranslateOptions& options,
                                                                const LineWarning& warn) const {
  check(options);
  const SourceSentences sentences = preprocess(sides_, lines, options, warn);
  std::vector<int64_t> lengths;
  for (const text::Ids& ids : sentences.ids) lengths.push_back(length(ids));
  const std::vector<size_t> order = longest_first(lengths);
  Queue queue{.sources = sentences.ids,
              .order = order,
              .sentences = options.batch_sentences,
              .tokens = options.batch_tokens,
              .requests = sentences.constraints,
              .pieces = sides_.pieces.get(),
              .stop = options.stop};
  std::vector<std::vector<Hypothesis>> found(sentences.ids.size());
  search_queue(queue, options_of_search(options), options.memory,
               [&](size_t index, std::vector<Hypothesis> of_one) { found[index] = std::move(of_one); });
  const Aligner align = worker_aligner({model(), special_ids(sides_.target), backend_}, options);
  return of_lines(sides_.target, sentences, translations(sides_, sentences.all(), std::move(found), options, align),
                  options, warn);
}

// The longest sentence needs the most memory.
size_t least_memory(const model::Transformer& model, const text::Vocabulary& source, std::span<const std::string> lines,
                    const TranslateOptions& options) {
  const LineWarning nobody;
  const SourceReader reader(source, positions(model), options.max_length, nobody);
  std::vector<text::Ids> longest(1);
  for (const std::string& line : lines)
    for (SourceReader::Part& part : reader.read(line, 0, options.parting))
      if (part.ids.size() > longest[0].size()) longest[0] = std::move(part.ids);
  source.end_source(longest[0]);
  return search_memory(model, longest, options.search, model.target_embedding().table.value.dtype);
}

}  // namespace hexapla::decode
