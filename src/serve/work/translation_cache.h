#pragma once
// Translations that were given before. They are what would be computed again, to the bit: a line's translations depend
// on the model, the options and the line alone.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hexapla/translator.h"

namespace hexapla::serve {

class TranslationCache {
 public:
  // bytes: of all entries together, by an estimate; 0: nothing is kept.
  explicit TranslationCache(std::size_t bytes) : most_(bytes) {}

  // All that a line's translations depend on besides the line, as text: models by number, and options. None if they
  // depend on more: samples are drawn by a line's place among the others, and a glossary may be long.
  static std::optional<std::string> context_of(const std::vector<std::uint64_t>& models,
                                               const TranslatorOptions& options);

  // An estimate of the memory that these take.
  static std::size_t bytes_of(const std::vector<Translation>& translations);

  bool on() const { return most_ > 0; }
  std::optional<std::vector<Translation>> find(const std::string& context, const std::string& line);
  // Those that were not asked for longest make room; what would take more than a sixteenth of it all is not kept.
  void keep(const std::string& context, const std::string& line, std::vector<Translation> translations);
  std::size_t bytes() const;
  std::uint64_t hits() const { return hits_; }
  std::uint64_t misses() const { return misses_; }

 private:
  struct Entry {
    std::string key;
    std::vector<Translation> translations;
    std::size_t bytes;
  };
  using Entries = std::list<Entry>;  // the one that was asked for last first

  const std::size_t most_;
  mutable std::mutex mutex_;
  Entries entries_;
  std::unordered_map<std::string_view, Entries::iterator> by_key_;
  std::size_t bytes_ = 0;
  std::atomic<std::uint64_t> hits_ = 0, misses_ = 0;  // of find()
};

}  // namespace hexapla::serve
