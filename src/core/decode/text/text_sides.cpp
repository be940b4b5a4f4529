#include "decode/text/text_sides.h"

namespace hexapla::decode {

TextSides::TextSides(const Ensemble& ensemble, const text::Vocabulary& source_side, const text::Vocabulary& target_side)
    : source(source_side), target(target_side), pieces(std::make_shared<const PieceTexts>(target_side)) {
  check(ensemble);
  positions = decode::positions(ensemble);
  const model::Config& c = ensemble.models.front()->config;
  HEXAPLA_CHECK(source.size() == c.source_vocab && target.size() == c.target_vocab, "translator: vocabularies of ",
                source.size(), " and ", target.size(), " pieces, but the model was made for ", c.source_vocab, " and ",
                c.target_vocab);
}

}  // namespace hexapla::decode
