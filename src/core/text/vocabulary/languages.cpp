#include "text/vocabulary/languages.h"

#include <algorithm>

#include "text/vocabulary/pieces/piece_model.h"

namespace hexapla::text {
namespace {

std::string piece_of(const std::string& language) { return ">>" + language + "<<"; }

}  // namespace

std::string usual_language(const Vocabulary& vocabulary) {
  const std::string opening = PieceModel::parse(vocabulary.bytes(), "the vocabulary").opening;
  for (const std::string& language : vocabulary.languages())
    if (piece_of(language) == opening) return language;
  return "";
}

Vocabulary beginning_with(const Vocabulary& source, const std::string& language, const std::string& option) {
  PieceModel model = PieceModel::parse(source.bytes(), "the vocabulary");
  const std::vector<std::string> all = source.languages();
  if (!all.empty()) model.opening = piece_of(all.front());
  return Vocabulary::parse(model.serialized(), "the vocabulary").opening_with(language, option);
}

}  // namespace hexapla::text
