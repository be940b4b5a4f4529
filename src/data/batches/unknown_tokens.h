#pragma once
// How much of a text a vocabulary does not have.
#include <array>
#include <cstdint>
#include <string>

#include "text/vocabulary/vocabulary.h"

namespace hexapla::data {

// Counts for the source and the target of some pairs.
struct UnknownTokens {
  std::array<int64_t, 2> tokens{}, unknown{};  // without </s>

  void add(const text::Ids& source, const text::Ids& target, const text::VocabularyPair& vocabularies);
  void add(const UnknownTokens& more);
  std::string text() const;  // "unknown tokens: 0.01 % of the source, 0.00 % of the target"
  // The same of a text, and what to do; "" where they are few.
  std::string warning(const std::string& where) const;
};

}  // namespace hexapla::data
