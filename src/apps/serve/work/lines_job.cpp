#include "serve/work/lines_job.h"

#include <algorithm>

#include "serve/work/chained_alignment.h"

namespace hexapla::serve {

LinesJob::LinesJob(TaskPool& workers, LinesTask task, Then then)
    : workers_(workers), task_(std::move(task)), then_(std::move(then)), deadline_(Clock::now() + task_.timeout) {}

std::shared_ptr<LinesJob> LinesJob::begin(TaskPool& workers, LinesTask task, Then then) {
  const std::shared_ptr<LinesJob> job(new LinesJob(workers, std::move(task), std::move(then)));
  job->submit();
  return job;
}

void LinesJob::submit() {
  const bool last = hop_ + 1 == task_.hops.size();
  TranslatorOptions options = task_.options;
  RequestOptions request;
  request.client = task_.client;
  request.aligned = task_.aligned;
  // The first hop's bound also serves for the last one's answer: a translation is about as long as
  // its line.
  if (task_.on_size)
    request.on_size =
        [this, each = last ? 1 : static_cast<std::size_t>(task_.options.n_best.value_or(1))](const RequestSize& most) {
          task_.on_size({each * most.translations, each * most.tokens, most.alignment_cells});
        };
  if (last) {
    request.constraints = task_.constraints;
    request.on_progress = task_.on_progress;
  } else {
    options.n_best.reset();
    options.glossary = {};
  }
  if (task_.timeout.count() > 0)
    request.timeout = std::max(std::chrono::milliseconds(1),
                               std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - Clock::now()));
  request.on_end = [self = shared_from_this()] { self->hop_ended(); };
  {
    const std::lock_guard lock(mutex_);
    ended_ = false;
  }
  const PendingTranslation pending = task_.hops[hop_]->translator.submit(task_.lines, options, request);
  bool ended = false, canceled = false;
  {
    const std::lock_guard lock(mutex_);
    pending_ = pending;
    ended = ended_;
    canceled = canceled_;
  }
  if (ended)
    workers_.post([self = shared_from_this()] { self->go_on(); });
  else if (canceled)
    pending.cancel();
}

// Translation may end before submit() has stored the pending translation: whichever comes second
// continues.
void LinesJob::hop_ended() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    if (!pending_) return;
  }
  workers_.post([self = shared_from_this()] { self->go_on(); });
}

void LinesJob::go_on() {
  LinesResult result;
  try {
    std::optional<PendingTranslation> pending;
    {
      const std::lock_guard lock(mutex_);
      pending = std::exchange(pending_, std::nullopt);
    }
    result.lines = pending->get();
    chain(result.lines);
    if (++hop_ < task_.hops.size()) return submit();
  } catch (...) {
    result = {{}, std::current_exception()};
  }
  std::exchange(then_, {})(std::move(result));
}

// Makes this hop's translations the next one's lines, and relates their alignments to the first
// lines.
void LinesJob::chain(PendingTranslation::Lines& found) {
  const bool last = hop_ + 1 == task_.hops.size();
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!before_.empty())
      for (Translation& t : found[i]) t.alignment = chained(before_[i], std::move(t.alignment));
    if (!last) task_.lines[i] = found[i].front().text;
  }
  if (last || task_.options.alignment.empty()) return;
  before_.resize(found.size());
  for (std::size_t i = 0; i < found.size(); ++i) before_[i] = std::move(found[i].front().alignment);
}

void LinesJob::cancel() {
  std::optional<PendingTranslation> pending;
  {
    const std::lock_guard lock(mutex_);
    canceled_ = true;
    pending = pending_;
  }
  if (pending) pending->cancel();
}

}  // namespace hexapla::serve
