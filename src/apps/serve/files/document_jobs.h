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
#include "serve/work/account.h"
#include "serve/work/warnings.h"

namespace hexapla::serve {

// Everything that a client learns about its document.
class DocumentRecord {
 public:
  struct State {
    bool ended = false;
    std::string file;   // name on the shelf, once translated
    std::string error;  // if the translation failed
  };

  // owner: the key of the client that sent it, the only one that finds it; "" if no key is needed.
  DocumentRecord(std::string its_owner, std::size_t its_characters);

  const std::string owner, id, key;  // id and key are random, cannot be guessed
  const std::size_t characters;
  const std::shared_ptr<Warnings> warnings = std::make_shared<Warnings>();
  State state() const;
  void end(State state);

 private:
  mutable std::mutex mutex_;
  State state_;
};

// Takes the client's place after its request has been acknowledged, and puts the answer on the shelf as a file. Owns
// whatever the translation takes.
class DocumentJob final : public Exchange {
 public:
  // request: the upload; its body is not copied. name: of the translated file. place: from DocumentJobs.
  DocumentJob(FileShelf& shelf, const Request& request, std::string name, std::shared_ptr<DocumentRecord> record,
              Account::Share place);
  ~DocumentJob() override;
  DocumentJob(const DocumentJob&) = delete;
  DocumentJob& operator=(const DocumentJob&) = delete;

  const Request& request() const override { return request_; }
  void answer(Response response) override;
  void keep(std::shared_ptr<void> what) override;

 private:
  void finish(DocumentRecord::State state);

  FileShelf& shelf_;
  Request request_;
  const std::string name_;
  const std::shared_ptr<DocumentRecord> record_;
  std::mutex mutex_;
  bool ended_ = false;
  Account::Share place_;
  std::vector<std::shared_ptr<void>> kept_;
};

class DocumentJobs {
 public:
  // A place for a document in progress. HttpError 503: all are taken.
  Account::Share enter();
  // Makes an accepted document known to clients; forgets the oldest one that has ended, if there are many.
  void add(std::shared_ptr<const DocumentRecord> record);
  // Null if this owner has no document with this id and key.
  std::shared_ptr<const DocumentRecord> find(const std::string& owner, const std::string& id,
                                             const std::string& key) const;
  std::size_t in_progress() const { return in_progress_.sum(); }

 private:
  static constexpr std::size_t kMost = 256;
  Account in_progress_;
  mutable std::mutex mutex_;
  std::list<std::shared_ptr<const DocumentRecord>> records_;  // oldest first
};

}  // namespace hexapla::serve
