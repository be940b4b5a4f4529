#pragma once
// Caches translations. Results are bit-identical to a new translation: they depend only on the
// model, the options and the line.
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
#include "serve/work/account.h"

namespace hexapla::serve {

class TranslationCache {
 public:
  // bytes: limit of all entries together, estimated; 0: disabled.
  explicit TranslationCache(std::size_t bytes) : most_(bytes) {}

  // Everything besides the line that determines its translations, as text: model numbers and
  // options. Nothing if they depend on more (sampling depends on a line's position) or the text may
  // be long (a glossary).
  static std::optional<std::string> context_of(const std::vector<std::uint64_t>& models,
                                               const TranslatorOptions& options);

  // Estimated memory of these translations.
  static std::size_t bytes_of(const std::vector<Translation>& translations);

  bool on() const { return most_ > 0; }
  std::optional<std::vector<Translation>> find(const std::string& context, const std::string& line);
  // Evicts the least recently used entries. An entry larger than a sixteenth of the limit is not
  // kept.
  void keep(const std::string& context, const std::string& line, std::vector<Translation> translations);
  std::size_t bytes() const { return bytes_.sum(); }
  std::uint64_t hits() const { return hits_; }
  std::uint64_t misses() const { return misses_; }

 private:
  struct Entry {
    std::string key;
    std::vector<Translation> translations;
    Account::Share bytes = {};
  };
  using Entries = std::list<Entry>;  // most recently used first

  const std::size_t most_;
  Account bytes_;
  std::mutex mutex_;
  Entries entries_;
  std::unordered_map<std::string_view, Entries::iterator> by_key_;
  std::atomic<std::uint64_t> hits_ = 0, misses_ = 0;  // of find()
};

}  // namespace hexapla::serve
