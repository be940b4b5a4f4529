#include "data/curate/shifts/association.h"

#include <algorithm>
#include <string>

#include "base/files/hash.h"
#include "text/utf8.h"

namespace hexapla::data {
namespace {

bool ascii_word(unsigned char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }
// A Chinese, Japanese or Korean character (three or more bytes, from U+3000 on), or one of another
// script without blanks.
bool stands_alone(std::string_view line, size_t at) {
  const auto c = static_cast<unsigned char>(line[at]);
  return c >= 0xE3 || (c >= 0xE0 && text::begins_without_blank(line.substr(at)));
}

template <class Key>
void count_down(std::unordered_map<Key, uint32_t>& counts, Key key) {
  const auto found = counts.find(key);
  if (found != counts.end() && --found->second == 0) counts.erase(found);
}

}  // namespace

Words words_of(std::string_view line) {
  Words words;
  std::string word;
  auto end_word = [&] {
    if (!word.empty()) words.push_back(static_cast<uint32_t>(hash_64(word)));
    word.clear();
  };
  for (size_t i = 0; i < line.size(); ++i) {
    const auto c = static_cast<unsigned char>(line[i]);
    if (stands_alone(line, i)) {
      end_word();
      word = line.substr(i, c >= 0xF0 ? 4 : 3);
      i += word.size() - 1;
      end_word();
    } else if (ascii_word(c)) {
      word += static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    } else if (c >= 0x80) {
      word += line[i];
    } else {
      end_word();
    }
  }
  end_word();
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

void Association::add(const Words& source, const Words& target) {
  for (const uint32_t s : source) ++source_[s];
  for (const uint32_t t : target) ++target_[t];
  for (const uint32_t s : source) {
    for (const uint32_t t : target) ++both_[uint64_t{s} << 32 | t];
  }
}

void Association::remove(const Words& source, const Words& target) {
  for (const uint32_t s : source) count_down(source_, s);
  for (const uint32_t t : target) count_down(target_, t);
  for (const uint32_t s : source) {
    for (const uint32_t t : target) count_down(both_, uint64_t{s} << 32 | t);
  }
}

double Association::score(const Words& source, const Words& target) const {
  double sum = 0;
  for (const uint32_t t : target) {
    const auto alone = target_.find(t);
    if (alone == target_.end()) continue;
    double best = 0;
    for (const uint32_t s : source) {
      const auto both = both_.find(uint64_t{s} << 32 | t);
      if (both != both_.end()) best = std::max(best, 2.0 * both->second / (source_.at(s) + alone->second));
    }
    sum += best;
  }
  return target.empty() ? 0 : sum / static_cast<double>(target.size());
}

}  // namespace hexapla::data
