#pragma once
// An artificial language pair for tests: sentences and their word-by-word translations.
#include <string>
#include <vector>

#include "base/compute/random.h"

namespace hexapla::data {

struct MadeText {
  std::vector<std::string> source, target;
};

inline std::string made_word(const std::string& language, uint32_t k) {
  return language + std::string(1 + k % 7, static_cast<char>('a' + k % 26)) + std::to_string(k * 7919 % 1000 + 1000);
}

// 5 to 20 words per line; small numbers are much more frequent than large ones.
inline MadeText made_text(int64_t lines, uint64_t seed) {
  Random random(seed);
  MadeText text;
  for (int64_t i = 0; i < lines; ++i) {
    std::string x, y;
    for (uint32_t n = 5 + random.below(16); n > 0; --n) {
      const auto k = static_cast<uint32_t>(random.uniform() * random.uniform() * 200);
      x += (x.empty() ? "" : " ") + made_word("s", k);
      y += (y.empty() ? "" : " ") + made_word("t", k);
    }
    text.source.push_back(x);
    text.target.push_back(y);
  }
  return text;
}

}  // namespace hexapla::data
