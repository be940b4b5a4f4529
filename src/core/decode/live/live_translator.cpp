#include "decode/live/live_translator.h"

#include <algorithm>

#include "text/lines/sentences.h"

namespace hexapla::decode {

// A request that is not yet answered. Members that need the mutex say so.
class LiveTranslator::Job {
 public:
  const size_t name;
  const TextRequest request;
  std::vector<TextWarning> warnings;  // of its lines, then of its translations
  SourceSentences sentences;
  std::vector<size_t> lines;                    // the line of each sentence
  std::vector<std::vector<Translation>> found;  // for each sentence; written by its loop, read when all have ended

  Job(size_t own_name, TextRequest&& asked, const TextSides& sides) : name(own_name), request(std::move(asked)) {
    sentences = preprocess(sides, {request.lines, request.constraints, request.first}, request.options, warn());
    for (size_t line = 0; line < sentences.lines(); ++line) lines.resize(sentences.first[line + 1], line);
    found.resize(lines.size());
    so_far.resize(lines.size());
    open = lines.size();
  }
  LineWarning warn() {
    return [this](size_t line, const std::string& what) { warnings.push_back({line, what}); };
  }

  std::mutex mutex;
  // Guarded by the mutex:
  size_t first_name = 0;            // name of the first sentence in the queue
  size_t open = 0;                  // number of sentences that have not ended
  std::vector<std::string> so_far;  // text of each sentence
  std::set<size_t> news;            // lines to report to on_step
  bool telling = false;             // a thread is calling on_step or on_end
  LiveEnd end = LiveEnd::finished;  // so far
  std::exception_ptr error;

  std::string line_so_far(size_t line) const {
    std::string all;
    for (size_t i = sentences.first[line]; i < sentences.first[line + 1]; ++i)
      if (!so_far[i].empty()) text::join(all, so_far[i], sentences.between[i]);
    return all;
  }
  void read(size_t sentence, std::string text) {
    so_far[sentence] = std::move(text);
    if (request.on_step) news.insert(lines[sentence]);
  }
};

LiveTranslator::LiveTranslator(const Ensemble& ensemble, const text::Vocabulary& source, const text::Vocabulary& target,
                               const LiveLimits& limits)
    : ensemble_(ensemble),
      sides_(ensemble, source, target),
      queue_(limits, special_ids(target), sides_.positions, sides_.pieces.get()) {}

LiveTranslator::~LiveTranslator() = default;

void LiveTranslator::check(const TextRequest& request) const {
  decode::check(request.options);
  const auto has_terms = [](const LineConstraints& c) { return c.glossary != nullptr; };
  const bool terms = has_terms(request.options.everywhere) ||
                     std::any_of(request.constraints.begin(), request.constraints.end(), has_terms);
  if (request.options.copy_unknown || request.options.coverage_penalty > 0 || request.options.parting.protection ||
      terms)
    decode::check(request.options.attention, ensemble_.models.front()->config);
  HEXAPLA_CHECK(request.on_end, "live translator: a request without on_end");
  HEXAPLA_CHECK(request.constraints.empty() || request.constraints.size() == request.lines.size(),
                "live translator: ", request.constraints.size(), " constraints of ", request.lines.size(), " lines");
}

size_t LiveTranslator::submit(TextRequest request) {
  check(request);
  size_t name = 0;
  {
    const std::lock_guard lock(mutex_);
    name = names_++;
  }
  const auto job = std::make_shared<Job>(name, std::move(request), sides_);
  if (job->request.on_size) job->request.on_size(size_of(*job));
  {
    const std::lock_guard lock(mutex_);
    jobs_.emplace(name, job);
  }
  try {
    begin(job);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    jobs_.erase(name);
    throw;
  }
  tell(job);
  return name;
}

TextSize LiveTranslator::size_of(const Job& job) const {
  const SearchOptions options = options_of_search(job.request.options);
  const SourceSentences& all = job.sentences;
  const auto best = static_cast<size_t>(options.n_best);
  TextSize size;
  for (size_t line = 0; line < all.lines(); ++line) {
    size_t source = 0, target = 0;
    for (size_t i = all.first[line]; i < all.first[line + 1]; ++i) {
      source += all.ids[i].size();
      target += static_cast<size_t>(longest_translation(sides_.positions, all.ids[i], options, all.constraints[i]));
    }
    size.translations += source > 0 ? best : 0;
    size.tokens += best * target;
    const size_t usual = std::max(2 * source, static_cast<size_t>(options.min_length));
    size.pairs.push_back(source > 0 ? best * (std::min(target, usual) + 1) * (source + 1) : 0);  // with </s>
  }
  return size;
}

// The lock makes sentences that end immediately wait until first_name is known.
void LiveTranslator::begin(const JobPtr& job) {
  std::vector<LiveRequest> requests;
  for (size_t i = 0; i < job->lines.size(); ++i) requests.push_back(sentence_request(job, i));
  const std::lock_guard lock(job->mutex);
  job->first_name = queue_.submit_all(std::move(requests));
}

LiveRequest LiveTranslator::sentence_request(const JobPtr& job, size_t i) {
  LiveRequest r{.source = job->sentences.ids[i],
                .options = options_of_search(job->request.options),
                .constraints = job->sentences.constraints[i],
                .client = job->request.client,
                .deadline = job->request.deadline,
                .stop = job->request.options.stop,
                .on_step = {},
                .on_found = {},
                .on_end = {}};
  if (job->request.on_step)
    r.on_step = [this, job, i](const text::Ids& ids) {
      std::string text = text_so_far(sides_, ids, job->sentences.constraints[i]);
      {
        const std::lock_guard lock(job->mutex);
        job->read(i, std::move(text));
      }
      tell(job);
    };
  r.on_found = [this, job, i](Context& cx, const model::Transformer& model, std::vector<Hypothesis>& found) {
    const TranslateOptions& options = job->request.options;
    std::vector<std::vector<Hypothesis>> one;
    one.push_back(std::move(found));
    const Aligner align = loop_aligner(cx, model, special_ids(sides_.target), options.attention);
    job->found[i] = std::move(translations(sides_, job->sentences.one(i), std::move(one), options, align).front());
  };
  r.on_end = [this, job, i](const LiveResult& result) { sentence_ended(job, i, result); };
  return r;
}

void LiveTranslator::sentence_ended(const JobPtr& job, size_t i, const LiveResult& result) {
  if (result.end != LiveEnd::finished) give_up(job, result.end, result.error);
  {
    const std::lock_guard lock(job->mutex);
    --job->open;
    if (result.end == LiveEnd::finished) job->read(i, job->found[i].empty() ? "" : job->found[i].front().text);
  }
  tell(job);
}

// If one sentence is given up, so are all others of the request.
void LiveTranslator::give_up(const JobPtr& job, LiveEnd why, const std::exception_ptr& error) {
  size_t first = 0;
  {
    const std::lock_guard lock(job->mutex);
    if (job->end != LiveEnd::finished) return;
    job->end = why;
    job->error = error;
    first = job->first_name;
  }
  for (size_t i = 0; i < job->lines.size(); ++i) queue_.cancel(first + i);
}

// If another thread is already delivering callbacks, let it continue: so they come one at a time
// and in order.
void LiveTranslator::tell(const JobPtr& job) {
  std::unique_lock lock(job->mutex);
  if (job->telling) return;
  job->telling = true;
  while (job->open > 0 && job->end == LiveEnd::finished && !job->news.empty()) {
    const size_t line = job->news.extract(job->news.begin()).value();
    const std::string text = job->line_so_far(line);
    lock.unlock();
    try {
      job->request.on_step(line, text);
    } catch (...) {
      give_up(job, LiveEnd::failed, std::current_exception());
    }
    lock.lock();
  }
  if (job->open > 0) {
    job->telling = false;
    return;
  }
  TextResult result{job->end, {}, {}, job->error};
  lock.unlock();
  finish(job, std::move(result));
}

void LiveTranslator::finish(const JobPtr& job, TextResult result) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.erase(job->name);
  }
  try {
    if (result.end == LiveEnd::finished)
      result.lines = of_lines(sides_.target, job->sentences, std::move(job->found), job->request.options, job->warn());
    result.warnings = std::move(job->warnings);
  } catch (...) {
    result = {LiveEnd::failed, {}, {}, std::current_exception()};
  }
  try {
    job->request.on_end(std::move(result));
  } catch (...) {  // NOLINT(bugprone-empty-catch): nobody is left to report it to
  }
}

bool LiveTranslator::cancel(size_t name) {
  JobPtr job;
  {
    const std::lock_guard lock(mutex_);
    const auto found = jobs_.find(name);
    if (found == jobs_.end()) return false;
    job = found->second;
  }
  give_up(job, LiveEnd::canceled, {});
  return true;
}

}  // namespace hexapla::decode
