#include "data/held_out.h"

#include <algorithm>

#include "base/files/hash.h"

namespace hexapla::data {
namespace {

// Bytes beyond ASCII stay: folding them would take longer than reading the text.
uint64_t key_of(const std::string& source) {
  std::string plain;
  plain.reserve(source.size());
  for (const char c : source) {
    if (c >= 'A' && c <= 'Z')
      plain += static_cast<char>(c + ('a' - 'A'));
    else if (c < 0 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'))
      plain += c;
  }
  return hash_64(plain.empty() ? source : plain);
}

}  // namespace

void HeldOut::show(const TextPair& pair) {
  ++shown_;
  const uint64_t key = key_of(pair.source);
  if (smallest_.size() == most_ && key > smallest_.rbegin()->first) return;
  ++smallest_.try_emplace(key, Held{pair}).first->second.times;
  if (smallest_.size() > most_) smallest_.erase(std::prev(smallest_.end()));
}

void HeldOut::settle() {
  int64_t pairs = 0;
  for (const auto& [key, held] : smallest_) pairs += held.times;
  while (2 * pairs > shown_) {
    const auto most = std::max_element(smallest_.begin(), smallest_.end(),
                                       [](const auto& a, const auto& b) { return a.second.times < b.second.times; });
    pairs -= most->second.times;
    smallest_.erase(most);
  }
}

bool HeldOut::holds(const std::string& source) const { return smallest_.contains(key_of(source)); }

std::vector<TextPair> HeldOut::pairs() const {
  std::vector<TextPair> all;
  for (const auto& [key, held] : smallest_) all.push_back(held.pair);
  std::sort(all.begin(), all.end(), [](const TextPair& a, const TextPair& b) {
    return std::pair(a.corpus, a.line) < std::pair(b.corpus, b.line);
  });
  return all;
}

}  // namespace hexapla::data
