#pragma once
// Translations of documents that run in the background while clients poll their state.
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "serve/files/file_shelf.h"
#include "serve/http/message.h"
#include "serve/work/warnings.h"

namespace hexapla::serve {

// Takes the client's place after its request has been acknowledged, and puts the answer on the
// shelf as a file.
class DocumentJob final : public Exchange {
 public:
  struct State {
    bool ended = false;
    std::string file;   // name on the shelf, once translated
    std::string error;  // if the translation failed
  };

  // request: the upload; its body is not copied. name: of the translated file.
  DocumentJob(FileShelf& shelf, const Request& request, std::string name);

  const std::string id, key;  // random, cannot be guessed
  std::size_t characters = 0;
  const std::shared_ptr<Warnings> warnings = std::make_shared<Warnings>();
  State state() const;

  const Request& request() const override { return request_; }
  void answer(Response response) override;
  void keep(std::shared_ptr<void> what) override;
  // This client never leaves, waits forever, and takes its answer whole.
  void begin(Response) override {}
  void send(std::string) override {}
  void offer(std::string) override {}
  void end() override {}
  void on_gone(std::function<void()>) override {}
  void answer_at(std::chrono::steady_clock::time_point, Response) override {}

 private:
  FileShelf& shelf_;
  Request request_;
  const std::string name_;
  mutable std::mutex mutex_;
  State state_;
  std::vector<std::shared_ptr<void>> kept_;
};

class DocumentJobs {
 public:
  // HttpError 503: too many documents in progress.
  void add(const std::shared_ptr<DocumentJob>& job);
  // Null if there is no job with this id and key.
  std::shared_ptr<DocumentJob> find(const std::string& id, const std::string& key) const;

 private:
  static constexpr std::size_t kMostJobs = 256;
  mutable std::mutex mutex_;
  std::list<std::shared_ptr<DocumentJob>> jobs_;  // oldest first
};

}  // namespace hexapla::serve
