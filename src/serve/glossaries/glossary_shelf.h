#pragma once
// Glossaries that clients have left with the server. They are in memory, and gone when the server ends.
#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "hexapla/glossary.h"
#include "serve/glossaries/entries.h"

namespace hexapla::serve {

struct StoredGlossary {
  std::string id, owner, name;
  std::string source, target;  // codes of languages without regions
  std::string tsv;
  Glossary terms;
  std::chrono::system_clock::time_point made;
};

class GlossaryShelf {
 public:
  using Clock = std::chrono::steady_clock;
  using Stored = std::shared_ptr<const StoredGlossary>;
  static constexpr std::size_t most = 1000, most_terms = 10'000;

  // bytes: of all glossaries together. kept: one that was not asked for in so long makes room for another.
  explicit GlossaryShelf(std::size_t bytes, Clock::duration kept = std::chrono::hours(24))
      : most_bytes_(bytes), kept_(kept) {}

  // Gives it an id that nobody can guess, and the time. owner: whoever knows the same word may use it. HttpError: 400
  // for entries that are no glossary or too many; 456, DeepL's "quota exceeded", where there is no room.
  Stored put(StoredGlossary glossary, const Entries& entries);
  // The glossary of this owner; null if there is none.
  Stored get(const std::string& owner, const std::string& id);
  std::vector<Stored> all(const std::string& owner);
  bool drop(const std::string& owner, const std::string& id);  // -> whether it was there

 private:
  struct Place {
    Stored glossary;
    std::size_t bytes;
    Clock::time_point used;
  };
  std::list<Place>::iterator find(const std::string& owner, const std::string& id);
  bool has_room(std::size_t bytes) const { return places_.size() < most && bytes_ + bytes <= most_bytes_; }
  void drop(std::list<Place>::iterator place);

  const std::size_t most_bytes_;
  const Clock::duration kept_;
  std::mutex mutex_;
  std::list<Place> places_;  // the oldest first
  std::size_t bytes_ = 0;
};

}  // namespace hexapla::serve
