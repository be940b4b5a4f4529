#pragma once
// The share of a text that is unknown to its vocabulary.
#include <array>
#include <cstdint>
#include <string>

#include "text/vocabulary/vocabulary.h"

namespace hexapla::data {

// Counts for the source and target sides of pairs.
struct UnknownTokens {
  std::array<int64_t, 2> tokens{}, unknown{};  // without </s>

  void add(const text::Ids& source, const text::Ids& target, const text::VocabularyPair& vocabularies);
  void add(const UnknownTokens& more);
  double share(size_t side) const;  // 0: of the source, 1: of the target; 0 to 1
  std::string text() const;         // "unknown tokens: 0.01 % of the source, 0.00 % of the target"
  // The same text with a remedy; "" if there are few.
  std::string warning(const std::string& where) const;
};

}  // namespace hexapla::data
