#include "convert/kinds/toolkits/words.h"

#include "base/error.h"
#include "convert/parsing/limits.h"
#include "convert/texts/bpe_codes.h"
#include "text/vocabulary/pieces/piece_model.h"

namespace hexapla::convert {
namespace {

std::string toolkit_vocabulary(const TokenSide& side, int64_t rows) {
  if (side.tokens.size() != static_cast<size_t>(rows))
    throw DataError(cat(side.path, ": it has ", side.tokens.size(), " tokens, but the model's table ", rows,
                        " rows; the files do not belong together"));
  const std::string bytes = vocabulary_of_tokens(side.tokens, side.names, side.pieces, side.path);
  if (side.opening.empty() && !side.open_ended) return bytes;
  text::PieceModel model = text::PieceModel::parse(bytes, side.path);
  model.opening = side.opening;
  model.open_ended = side.open_ended;
  return model.serialized();
}

}  // namespace

void put_words(ForeignModel& m, const TokenSide& source, const TokenSide& target) {
  m.text.source_vocabulary = toolkit_vocabulary(source, m.config.source_vocab);
  m.text.target_vocabulary = toolkit_vocabulary(target, m.config.target_vocab);
  if (!source.pieces.empty() && is_bpe_codes(source.pieces))
    m.notes.push_back("text comes cut into words, with blanks between them, as it was before its merges were learned");
  if (source.pieces.empty())
    m.notes.push_back(
        "text comes cut into tokens, with blanks between them, and so do translations; `source-spm` and "
        "`target-spm` name SentencePiece models that cut it");
}

std::string pieces_for(const std::string& asked, const std::string& folder, const std::vector<std::string>& names) {
  if (!asked.empty()) return asked;
  for (const std::string& name : names)
    if (!name.empty() && is_file(folder + "/" + name)) return folder + "/" + name;
  return "";
}

int64_t table_rows(const ForeignTensors& tensors, const std::string& name) {
  const ForeignTensor& table = tensors.get(name);
  if (table.shape.size() != 2)
    throw DataError(cat(tensors.path(), ": the tensor ", table.text(), " should be a matrix"));
  return static_cast<int64_t>(table.shape[0]);
}

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

std::string last_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace hexapla::convert
