#include "data/batches/unknown_tokens.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace hexapla::data {
namespace {

constexpr double kMany = 0.01;  // one in every fourth sentence of 25 tokens

double share(int64_t unknown, int64_t tokens) {
  return tokens == 0 ? 0 : static_cast<double>(unknown) / static_cast<double>(tokens);
}

}  // namespace

void UnknownTokens::add(const text::Ids& source, const text::Ids& target, const text::VocabularyPair& vocabularies) {
  const auto count = [&](size_t side, const text::Ids& ids, int32_t unk) {
    tokens[side] += static_cast<int64_t>(ids.size());
    unknown[side] += std::count(ids.begin(), ids.end(), unk);
  };
  count(0, source, vocabularies.source.unk());
  count(1, target, vocabularies.target.unk());
}

void UnknownTokens::add(const UnknownTokens& more) {
  for (size_t side : {0, 1}) tokens[side] += more.tokens[side], unknown[side] += more.unknown[side];
}

std::string UnknownTokens::text() const {
  return fmt::format("unknown tokens: {:.2f} % of the source, {:.2f} % of the target",
                     100 * share(unknown[0], tokens[0]), 100 * share(unknown[1], tokens[1]));
}

std::string UnknownTokens::warning(const std::string& where) const {
  if (std::max(share(unknown[0], tokens[0]), share(unknown[1], tokens[1])) < kMany) return "";
  return cat(where, ": ", text(),
             "; is this the text of this vocabulary (`vocab`, `init-from`)? If it is, train a vocabulary with more "
             "`character-coverage`, or with `byte-fallback`");
}

}  // namespace hexapla::data
