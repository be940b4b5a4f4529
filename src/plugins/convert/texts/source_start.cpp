#include "convert/texts/source_start.h"

#include <algorithm>

#include "base/error.h"
#include "text/utf8.h"
#include "text/vocabulary/pieces/piece_model.h"

namespace hexapla::convert {

void start_sources(ForeignModel& m, const ImportOptions& options, bool usual) {
  const std::string& asked = options.source_start;
  if (!asked.empty()) check_choice({"none", "bos"}, "source-start", asked);
  text::PieceModel pieces = text::PieceModel::parse(m.text.source_vocabulary, "the source's vocabulary");
  const bool begins = asked.empty() ? usual : asked == "bos";
  if (begins) {
    const bool control = std::any_of(pieces.pieces.begin(), pieces.pieces.end(), [&](const auto& piece) {
      return piece.text == pieces.bos && piece.type == text::PieceModel::Type::control;
    });
    if (!control)
      throw UsageError(cat("`source-start` bos: the source's vocabulary has no token ", text::printable(pieces.bos),
                           " that sources could begin with; leave it out"),
                       "source-start", asked);
  }
  const std::string opening = begins ? pieces.bos : "";
  if (pieces.opening != opening) {
    pieces.opening = opening;
    m.text.source_vocabulary = pieces.serialized();
  }
  if (asked.empty())
    m.notes.push_back(begins
                          ? cat("sources begin with ", pieces.bos, ", as usual in this code; `source-start` none if ",
                                "the model was trained without it")
                          : cat("sources are read without a token before them; if the model was trained on sources ",
                                "that begin with ", pieces.bos, ", as in PyTorch's tutorial and the Annotated ",
                                "Transformer, give `source-start` bos"));
}

}  // namespace hexapla::convert
