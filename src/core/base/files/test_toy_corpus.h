#pragma once
// For tests that train: text in a toy language with its translation. Each word has one translation
// and the order is reversed, so the right answer is known.
#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/classic.h"
#include "base/compute/random.h"
#include "base/error.h"

namespace hexapla {

// Writes `pairs` lines of 1 to `longest` words.
inline void write_toy_corpus(const std::filesystem::path& source, const std::filesystem::path& target, int pairs,
                             uint64_t seed = 7, uint32_t longest = 5) {
  constexpr std::array from{"red", "green", "small", "large", "house", "tree", "dog", "cat"};
  constexpr std::array to{"rot", "gruen", "klein", "gross", "haus", "baum", "hund", "katze"};
  Classic<std::ofstream> a(source), b(target);
  Random random(seed);
  for (int i = 0; i < pairs; ++i) {
    std::string x, y;
    for (uint32_t n = 1 + random.below(longest); n > 0; --n) {
      const uint32_t w = random.below(from.size());
      x += cat(x.empty() ? "" : " ", from[w]);
      y = cat(to[w], y.empty() ? "" : " ", y);
    }
    a << x << "\n";
    b << y << "\n";
  }
}

}  // namespace hexapla
