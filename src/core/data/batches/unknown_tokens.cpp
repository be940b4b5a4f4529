#include "data/batches/unknown_tokens.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace hexapla::data {
namespace {

constexpr double kMany = 0.01;  // one in every fourth sentence of 25 tokens

}  // namespace

void UnknownTokens::add(const text::Ids& source, const text::Ids& target, const text::VocabularyPair& vocabularies) {
  // SentencePiece writes an unknown word as "▁" and an unknown piece: together they are one token, all of it unknown.
  const auto count = [&](size_t side, const text::Ids& ids, const text::Vocabulary& vocabulary) {
    const int32_t unk = vocabulary.unk();
    for (size_t i = 0; i < ids.size(); ++i) {
      const bool begins_unknown = i + 1 < ids.size() && ids[i + 1] == unk && ids[i] != unk;
      unknown[side] += ids[i] == unk;
      tokens[side] += !(begins_unknown && vocabulary.piece(ids[i]) == "\u2581");
    }
  };
  count(0, source, vocabularies.source);
  count(1, target, vocabularies.target);
}

void UnknownTokens::add(const UnknownTokens& more) {
  for (size_t side : {0, 1}) tokens[side] += more.tokens[side], unknown[side] += more.unknown[side];
}

double UnknownTokens::share(size_t side) const {
  return tokens[side] == 0 ? 0 : static_cast<double>(unknown[side]) / static_cast<double>(tokens[side]);
}

std::string UnknownTokens::text() const {
  return fmt::format("unknown tokens: {:.2f} % of the source, {:.2f} % of the target", 100 * share(0), 100 * share(1));
}

std::string UnknownTokens::warning(const std::string& where) const {
  if (std::max(share(0), share(1)) < kMany) return "";
  return cat(where, ": ", text(),
             "; is this the text of this vocabulary (`vocab`, `init-from`)? If it is, train a vocabulary with more "
             "`character-coverage`, or with `byte-fallback`");
}

}  // namespace hexapla::data
