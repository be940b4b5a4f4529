#pragma once
// Glossaries stored by clients. They are in memory and lost when the server ends.
#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "hexapla/glossary.h"
#include "serve/glossaries/entries.h"
#include "serve/work/account.h"

namespace hexapla::serve {

struct StoredGlossary {
  std::string id, owner, name;
  std::string source, target;  // language codes without regions
  std::string tsv;
  Glossary terms;
  std::chrono::system_clock::time_point made;
};

class GlossaryShelf {
 public:
  using Clock = std::chrono::steady_clock;
  using Stored = std::shared_ptr<const StoredGlossary>;
  static constexpr std::size_t kMost = 1000, kMostTerms = 10'000;

  // bytes: limit of all glossaries together. kept: a glossary unused for this long may be dropped
  // to make room.
  explicit GlossaryShelf(std::size_t bytes, Clock::duration kept = std::chrono::hours(24))
      : most_bytes_(bytes), kept_(kept) {}

  // Stores a glossary under a random id, with the current time. owner: a secret; only clients that
  // know it can use the glossary. HttpError: 400 for invalid or too many entries; 456, DeepL's
  // "quota exceeded", if there is no room.
  Stored put(StoredGlossary glossary, const Entries& entries);
  // This owner's glossary; null if there is none.
  Stored get(const std::string& owner, const std::string& id);
  std::vector<Stored> all(const std::string& owner);
  bool drop(const std::string& owner, const std::string& id);  // -> whether it existed
  std::size_t bytes() const { return bytes_.sum(); }

 private:
  struct Place {
    Stored glossary;
    Account::Share bytes;
    Clock::time_point used;
  };
  std::list<Place>::iterator find(const std::string& owner, const std::string& id);
  bool has_room(std::size_t bytes) const { return places_.size() < kMost && bytes_.sum() + bytes <= most_bytes_; }

  const std::size_t most_bytes_;
  const Clock::duration kept_;
  Account bytes_;
  std::mutex mutex_;
  std::list<Place> places_;  // oldest first
};

}  // namespace hexapla::serve
