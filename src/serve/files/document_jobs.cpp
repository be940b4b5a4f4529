#include "serve/files/document_jobs.h"

#include <algorithm>
#include <utility>

#include "base/json.h"

namespace hexapla::serve {
DocumentJob::DocumentJob(FileShelf& shelf, const Request& request, std::string name)
    : id(random_digits(32)),
      key(random_digits(64)),
      shelf_(shelf),
      request_(without_body(request)),
      name_(std::move(name)) {}

DocumentJob::State DocumentJob::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

void DocumentJob::answer(Response response) {
  State state{true};
  if (response.status != 200) {
    state.error = json_or_null(response.body).value("error", "the document was not translated");
  } else if (auto put = shelf_.put(name_, std::move(response.body))) {
    state.file = *std::move(put);
  } else {
    state.error = "the translated document is larger than the files that this server keeps";
  }
  std::vector<std::shared_ptr<void>> kept;
  const std::lock_guard lock(mutex_);
  state_ = std::move(state);
  kept.swap(kept_);
}

void DocumentJob::keep(std::shared_ptr<void> what) {
  const std::lock_guard lock(mutex_);
  if (!state_.ended) kept_.push_back(std::move(what));
}

void DocumentJobs::add(const std::shared_ptr<DocumentJob>& job) {
  const std::lock_guard lock(mutex_);
  if (jobs_.size() >= kMostJobs) {
    const auto ended = std::find_if(jobs_.begin(), jobs_.end(), [](const auto& j) { return j->state().ended; });
    if (ended == jobs_.end())
      throw HttpError(503, "too many documents are being translated; try again in a while", {{"Retry-After", "10"}});
    jobs_.erase(ended);
  }
  jobs_.push_back(job);
}

std::shared_ptr<DocumentJob> DocumentJobs::find(const std::string& id, const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const auto found =
      std::find_if(jobs_.begin(), jobs_.end(), [&](const auto& job) { return job->id == id && job->key == key; });
  return found == jobs_.end() ? nullptr : *found;
}

}  // namespace hexapla::serve
