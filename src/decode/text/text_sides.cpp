#include "decode/text/text_sides.h"

namespace hexapla {

TextSides::TextSides(const Ensemble& ensemble, const Vocabulary& source_side, const Vocabulary& target_side)
    : source(source_side), target(target_side), pieces(std::make_shared<const PieceTexts>(target_side)) {
  check(ensemble);
  positions = hexapla::positions(ensemble);
  const Config& c = ensemble.models.front()->config;
  HEXAPLA_CHECK(source.size() == c.source_vocab && target.size() == c.target_vocab, "translator: vocabularies of ",
                source.size(), " and ", target.size(), " pieces, but the model was made for ", c.source_vocab, " and ",
                c.target_vocab);
}

}  // namespace hexapla
