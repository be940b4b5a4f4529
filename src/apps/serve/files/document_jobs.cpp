#include "serve/files/document_jobs.h"

#include <algorithm>
#include <utility>

#include "base/json.h"

namespace hexapla::serve {

DocumentRecord::DocumentRecord(std::string its_owner, std::size_t its_characters)
    : owner(std::move(its_owner)), id(random_digits(32)), key(random_digits(64)), characters(its_characters) {}

DocumentRecord::State DocumentRecord::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

void DocumentRecord::end(State state) {
  const std::lock_guard lock(mutex_);
  state_ = std::move(state);
}

DocumentJob::DocumentJob(FileShelf& shelf, const Request& request, std::string name,
                         std::shared_ptr<DocumentRecord> record, Account::Share place)
    : shelf_(shelf),
      request_(without_body(request)),
      name_(std::move(name)),
      record_(std::move(record)),
      place_(std::move(place)) {}

DocumentJob::~DocumentJob() {
  if (!ended_) finish({true, "", "the server has lost this document"});
}

void DocumentJob::answer(Response response) {
  DocumentRecord::State state{true};
  if (response.status != 200) {
    state.error = json_or_null(response.body).value("message", "the document was not translated");
  } else if (auto put = shelf_.put(name_, std::move(response.body))) {
    state.file = *std::move(put);
  } else {
    state.error = "the translated document is larger than the files that this server keeps";
  }
  finish(std::move(state));
}

void DocumentJob::finish(DocumentRecord::State state) {
  record_->end(std::move(state));
  std::vector<std::shared_ptr<void>> kept;
  Account::Share place;
  const std::lock_guard lock(mutex_);
  ended_ = true;
  kept.swap(kept_);
  place = std::move(place_);
}

void DocumentJob::keep(std::shared_ptr<void> what) {
  const std::lock_guard lock(mutex_);
  if (!ended_) kept_.push_back(std::move(what));
}

Account::Share DocumentJobs::enter() {
  auto place = in_progress_.take(1, kMost);
  if (!place)
    throw HttpError(503, "too many documents are being translated; try again in a while", {{"Retry-After", "10"}});
  return *std::move(place);
}

void DocumentJobs::add(std::shared_ptr<const DocumentRecord> record) {
  const std::lock_guard lock(mutex_);
  if (records_.size() >= kMost) {
    const auto ended = std::find_if(records_.begin(), records_.end(), [](const auto& r) { return r->state().ended; });
    if (ended != records_.end()) records_.erase(ended);
  }
  records_.push_back(std::move(record));
}

std::shared_ptr<const DocumentRecord> DocumentJobs::find(const std::string& owner, const std::string& id,
                                                         const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(records_.begin(), records_.end(),
                                  [&](const auto& r) { return r->id == id && r->key == key && r->owner == owner; });
  return found == records_.end() ? nullptr : *found;
}

}  // namespace hexapla::serve
