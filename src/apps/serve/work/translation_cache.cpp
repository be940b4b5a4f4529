#include "serve/work/translation_cache.h"

#include "base/error.h"
#include "hexapla/options.h"

namespace hexapla::serve {
namespace {

constexpr std::size_t kPerEntry = 200, kPerText = 48;  // overhead in bytes of lists, maps and strings

std::size_t bytes_of(const std::vector<std::string>& texts) {
  std::size_t bytes = 0;
  for (const std::string& text : texts) bytes += text.size() + kPerText;
  return bytes;
}

std::size_t bytes_of(const Translation& t) {
  return sizeof t + t.text.size() + bytes_of(t.tokens) + 8 * t.tokens.size() + bytes_of(t.alignment.source_words) +
         bytes_of(t.alignment.target_words) + 8 * (t.alignment.weights.values.size() + t.alignment.links.size());
}

}  // namespace

std::optional<std::string> TranslationCache::context_of(const std::vector<std::uint64_t>& models,
                                                        const TranslatorOptions& options) {
  if (options.sample.value_or(false) || options.glossary.size() > 0) return {};
  std::string context;
  for (const std::uint64_t model : models) context += cat(" ", model);
  for (const auto& [name, value] : options.named()) {
    context += " " + name;
    for (const std::string& word : value.words()) context += " " + word;
  }
  return context + "\n";
}

std::size_t TranslationCache::bytes_of(const std::vector<Translation>& translations) {
  std::size_t bytes = 0;
  for (const Translation& t : translations) bytes += serve::bytes_of(t);
  return bytes;
}

std::optional<std::vector<Translation>> TranslationCache::find(const std::string& context, const std::string& line) {
  const std::lock_guard lock(mutex_);
  const auto found = by_key_.find(context + line);
  ++(found == by_key_.end() ? misses_ : hits_);
  if (found == by_key_.end()) return {};
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->translations;
}

void TranslationCache::keep(const std::string& context, const std::string& line,
                            std::vector<Translation> translations) {
  Entry entry{context + line, std::move(translations)};
  const std::size_t bytes = kPerEntry + entry.key.size() + bytes_of(entry.translations);
  const std::lock_guard lock(mutex_);
  if (bytes > most_ / 16 || by_key_.count(entry.key) > 0) return;
  entry.bytes = bytes_.take(bytes);
  entries_.push_front(std::move(entry));
  by_key_.emplace(entries_.front().key, entries_.begin());
  while (bytes_.sum() > most_) {
    by_key_.erase(entries_.back().key);
    entries_.pop_back();
  }
}

}  // namespace hexapla::serve
