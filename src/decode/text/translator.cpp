#include "decode/text/translator.h"

#include <algorithm>
#include <limits>

#include "decode/length_batches.h"
#include "decode/models/workers.h"
#include "decode/rescoring/rescoring.h"
#include "decode/search/beam_entry.h"
#include "decode/search/decoding_capacity.h"
#include "decode/text/sentences.h"

namespace hexapla {
namespace {

int64_t length(const Ids& ids) { return static_cast<int64_t>(ids.size()); }

constexpr int64_t few = 8;

// Sharing out sentences is faster than sharing out products, if every worker gets a few.
int64_t workers_for(int64_t sentences) { return std::clamp<int64_t>(sentences / few, 1, threads()); }

// Fewer sentences at a time, then fewer workers, until they need no more than `limit` bytes together or there is one
// sentence at a time. -> workers
template <class Models>
int64_t fit_into(size_t limit, int64_t workers, const Models& models, Queue& queue, const SearchOptions& options,
                 DType dtype) {
  while (static_cast<size_t>(workers) * search_memory(models, queue, options, dtype) > limit) {
    if (workers == 1 && queue.sentences == 1) break;
    if (workers > 1 && queue.sentences <= few) {
      --workers;
      continue;
    }
    queue.sentences = std::max<int64_t>(queue.sentences / 2, 1);
    queue.tokens = queue.sentences == 1 ? 1 : std::max<int64_t>(queue.tokens / 2, 1);
  }
  return workers;
}

}  // namespace

TextTranslator::TextTranslator(const Transformer& model, const Vocabulary& source, const Vocabulary& target,
                               Backend& backend)
    : TextTranslator(Ensemble{.models = {&model}}, source, target, backend) {}

TextTranslator::TextTranslator(const Ensemble& ensemble, const Vocabulary& source, const Vocabulary& target,
                               Backend& backend)
    : ensemble_(ensemble),
      source_(source),
      target_(target),
      backend_(backend),
      pieces_(std::make_shared<const PieceTexts>(target)) {
  check(ensemble);
  const Config& c = model().config;
  HEXAPLA_CHECK(source.size() == c.source_vocab && target.size() == c.target_vocab, "translator: vocabularies of ",
                source.size(), " and ", target.size(), " pieces, but the model was made for ", c.source_vocab, " and ",
                c.target_vocab);
}

int64_t TextTranslator::positions() const {
  int64_t n = hexapla::positions(model());
  for (const Transformer* m : ensemble_.models) n = std::min(n, hexapla::positions(*m));
  return n;
}

namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();  // the score of what there is not

// What is asked of each line, with what is asked of all. LineError: the first that cannot be.
class LineChecks {
 public:
  LineChecks(const SourceReader& reader, const ConstraintMaker& maker, const TranslateOptions& options)
      : reader_(reader), maker_(maker), options_(options) {}

  std::vector<SentenceConstraints> requests(const Lines& lines) const {
    std::vector<SentenceConstraints> all;
    for (size_t i = 0; i < lines.text.size(); ++i) {
      all.push_back(request(lines, i));
      const std::string wrong = what_is_wrong(all.back(), lines.text.subspan(i));
      if (!wrong.empty()) throw LineError(i, cat("line ", lines.first + i + 1, " has ", wrong));
    }
    return all;
  }

 private:
  SentenceConstraints request(const Lines& lines, size_t i) const {
    const uint64_t line = lines.first + i;
    if (lines.requests.empty()) return maker_.make({}, line);
    try {
      return maker_.make(lines.requests[i], line);
    } catch (const UsageError& e) {
      throw LineError(i, cat("line ", line + 1, ": ", e.what()));
    }
  }
  // rest: the line, and those behind it.
  std::string what_is_wrong(const SentenceConstraints& asked, std::span<const std::string> rest) const {
    if (!asked.required.empty() && options_.search.sampling)
      return "required phrases, which need beam search and cannot be sampled; leave one of them out";
    if (options_.long_input == LongInput::truncate) return "";
    if (options_.long_input == LongInput::refuse)
      return reader_.too_long(rest.front()) ? reader_.why_refused(rest) : "";
    if (asked.required.empty() || !reader_.too_long(rest.front())) return "";
    return cat("phrases that are required, but more than ", reader_.longest(),
               " tokens, and none of its parts would know which are its own; cut the line into sentences, or raise ",
               "`max-length`");
  }

  const SourceReader& reader_;
  const ConstraintMaker& maker_;
  const TranslateOptions& options_;
};

// Lines as the sentences that are translated one by one: usually one a line.
struct Sentences {
  std::vector<Ids> ids;            // with </s>
  std::vector<std::string> texts;  // that they were made of
  std::vector<SentenceConstraints> requests;
  std::vector<size_t> first;  // of each line, and the end

  Sentences(const Lines& lines, const std::vector<SentenceConstraints>& asked, const SourceReader& reader, bool split,
            int32_t eos) {
    for (size_t i = 0; i < lines.text.size(); ++i) {
      first.push_back(ids.size());
      for (auto& [text, part] : split ? reader.parts(lines.text[i], i) : reader.whole(lines.text[i], i)) {
        texts.push_back(std::move(text));
        ids.push_back(std::move(part));
        ids.back().push_back(eos);
        requests.push_back(asked[i]);
        requests.back().part = static_cast<uint32_t>(ids.size() - 1 - first.back());
        if (requests.back().part > 0) requests.back().prefix.clear();
      }
    }
    first.push_back(ids.size());
  }
};

// The i-th best of every part, one after the other. Sums of what falls from part to part fall, too: the joined ones are
// best first, and the first is the one that is found alone.
Translation in_one(std::span<const std::vector<Translation>> parts, size_t i) {
  Translation whole;
  std::vector<std::string> texts;
  for (const std::vector<Translation>& found : parts) {
    if (found.empty()) {
      whole.score = whole.normalised = kNone;
      continue;
    }
    const Translation& t = found[std::min(i, found.size() - 1)];
    texts.push_back(t.text);
    whole.score += t.score;
    whole.normalised += t.normalised;
    whole.coverage += t.coverage;
    whole.ids.insert(whole.ids.end(), t.ids.begin(), t.ids.end());
    whole.token_scores.insert(whole.token_scores.end(), t.token_scores.begin(), t.token_scores.end());
  }
  whole.text = joined(texts);
  return whole;
}

// One at least.
std::vector<Translation> of_line(std::span<std::vector<Translation>> parts) {
  if (parts.empty()) return {Translation()};
  if (parts.size() == 1 && !parts[0].empty()) return std::move(parts[0]);
  size_t most = 1;
  for (const std::vector<Translation>& p : parts) most = std::max(most, p.size());
  std::vector<Translation> all;
  for (size_t i = 0; i < most; ++i) all.push_back(in_one(parts, i));
  return all;
}

void warn_of_none(std::span<const std::vector<Translation>> parts, size_t line, const LineWarning& warn) {
  for (size_t i = 0; i < parts.size() && warn; ++i) {
    if (!parts[i].empty()) continue;
    const std::string what = parts.size() > 1 ? cat("of part ", i + 1, " of ", parts.size(), " ") : "";
    warn(line, cat(what, "no translation satisfies the constraints; relax them"));
  }
}

}  // namespace

// A prefix that was asked for is kept to the letter, even where the vocabulary has none for it.
Translation TextTranslator::read(Hypothesis&& found, const std::string& prefix,
                                 std::span<const std::string> copies) const {
  Translation t{.text = {},
                .score = found.score,
                .normalised = found.normalised,
                .ids = std::move(found.ids),
                .token_scores = std::move(found.token_scores),
                .coverage = found.coverage,
                .places = {}};
  const bool unknown = std::find(t.ids.begin(), t.ids.end(), target_.unk()) != t.ids.end();
  if (!unknown || (prefix.empty() && copies.empty())) {
    t.text = target_.decode(t.ids);
    return t;
  }
  Ids all{target_.bos()};
  all.insert(all.end(), t.ids.begin(), t.ids.end());
  PieceTexts::Reading reading = pieces_->read(all, prefix, copies);
  t.text = std::move(reading.text);
  t.places = std::move(reading.places);
  return t;
}

void TextTranslator::search_queue(Queue& queue, const SearchOptions& options, size_t memory, const Done& done) const {
  const int64_t most = workers_for(static_cast<int64_t>(queue.order.size()));
  const auto share = (static_cast<int64_t>(queue.order.size()) + most - 1) / most;
  queue.sentences = std::min(queue.sentences, share);
  const DType dtype = model().target_embedding().table.value.dtype;
  std::atomic<size_t> answered = 0;
  const Done counted = [&](size_t place, std::vector<Hypothesis> found) {
    ++answered;
    done(place, std::move(found));
  };
  const auto run = [&](const auto& models) {
    const int64_t workers = memory == 0 ? most : fit_into(memory, most, models, queue, options, dtype);
    on_workers(workers, backend_, dtype, search_memory(models, queue, options, dtype),
               [&](Context& cx) { search(cx, models, queue, options, special_ids(target_), counted); });
  };
  ensemble_.models.size() == 1 ? run(model()) : run(ensemble_);
  HEXAPLA_CHECK(answered == queue.order.size(), "translator: of ", queue.order.size(), " sentences ", answered,
                " were answered");
}

// Of each sentence, best first. The coverage penalty chooses among all that a beam has finished.
std::vector<std::vector<Hypothesis>> TextTranslator::find(Queue& queue, const TranslateOptions& options) const {
  const bool cover = options.coverage_penalty > 0;
  SearchOptions search = options.search;
  if (cover) search.n_best = search.beam_size;
  std::vector<std::vector<Hypothesis>> found(queue.sources.size());
  search_queue(queue, search, options.memory,
               [&](size_t place, std::vector<Hypothesis> of_one) { found[place] = std::move(of_one); });
  if (!cover) return found;
  add_coverage({model(), special_ids(target_), backend_}, queue.sources, found, options);
  for (auto& of_one : found) of_one.resize(std::min(of_one.size(), static_cast<size_t>(options.search.n_best)));
  return found;
}

std::vector<std::vector<Translation>> TextTranslator::translate(const Lines& lines, const TranslateOptions& options,
                                                                const LineWarning& warn) const {
  check(options);
  const SourceReader reader(source_, positions(), options.max_length, warn);
  const ConstraintMaker requests(target_, *pieces_, options.everywhere);
  const Sentences sentences(lines, LineChecks(reader, requests, options).requests(lines), reader,
                            options.long_input == LongInput::split, source_.eos());
  std::vector<int64_t> lengths;
  for (const Ids& ids : sentences.ids) lengths.push_back(length(ids));
  const std::vector<size_t> order = longest_first(lengths);
  Queue queue{.sources = sentences.ids,
              .order = order,
              .sentences = options.batch_sentences,
              .tokens = options.batch_tokens,
              .requests = sentences.requests,
              .pieces = pieces_.get()};
  std::vector<std::vector<Hypothesis>> found = find(queue, options);
  Copies copied;
  if (options.copy_unknown)
    copied = copies({model(), special_ids(target_), backend_}, {sentences.ids, sentences.texts, source_}, target_,
                    found, options);
  std::vector<std::vector<Translation>> all(found.size());
  for (size_t i = 0; i < found.size(); ++i)
    for (Hypothesis& h : found[i]) {
      const auto copy = copied.find(&h);
      all[i].push_back(read(std::move(h), sentences.requests[i].prefix,
                            copy == copied.end() ? std::span<const std::string>() : copy->second));
    }
  std::vector<std::vector<Translation>> results;
  for (size_t i = 0; i < lines.text.size(); ++i) {
    const size_t n = sentences.first[i + 1] - sentences.first[i];
    const std::span<std::vector<Translation>> parts(all.data() + sentences.first[i], n);
    warn_of_none(parts, i, warn);
    results.push_back(of_line(parts));
  }
  return results;
}

// The longest sentence needs the most.
size_t least_memory(const Transformer& model, const Vocabulary& source, std::span<const std::string> lines,
                    const TranslateOptions& options) {
  const LineWarning nobody;
  const SourceReader reader(source, positions(model), options.max_length, nobody);
  std::vector<Ids> longest(1);
  for (const std::string& line : lines)
    for (SourceReader::Part& part : reader.parts(line, 0))
      if (part.ids.size() > longest[0].size()) longest[0] = std::move(part.ids);
  longest[0].push_back(source.eos());
  return search_memory(model, longest, options.search, model.target_embedding().table.value.dtype);
}

}  // namespace hexapla
