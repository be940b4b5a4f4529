#pragma once
// Documents that are translated while their senders ask how far they are.
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "serve/files/file_shelf.h"
#include "serve/http/message.h"

namespace hexapla::serve {

// Stands for the client of a request that has its answer already. The answer becomes a file on the shelf.
class DocumentJob final : public Exchange {
 public:
  struct State {
    bool ended = false;
    std::string file;   // its name on the shelf, once it is translated
    std::string error;  // why it is not
  };

  // request: whose; its body is left out. name: of the translated file.
  DocumentJob(FileShelf& shelf, const Request& request, std::string name);

  const std::string id, key;  // nobody can guess them
  std::size_t characters = 0;
  State state() const;

  const Request& request() const override { return request_; }
  void answer(Response response) override;
  void keep(std::shared_ptr<void> what) override;
  // Such a client never leaves, waits for ever, and takes its answer whole.
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
  // HttpError 503: too many are on their way.
  void add(const std::shared_ptr<DocumentJob>& job);
  // Null where there is none of this id, or it has another key.
  std::shared_ptr<DocumentJob> find(const std::string& id, const std::string& key) const;

 private:
  static constexpr std::size_t most_ = 256;
  mutable std::mutex mutex_;
  std::list<std::shared_ptr<DocumentJob>> jobs_;  // the oldest first
};

}  // namespace hexapla::serve
