#include "text/vocabulary/pieces/piece_table.h"

#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "text/plain_line.h"
#include "text/utf8.h"

namespace hexapla::text {
namespace {

using Piece = PieceModel::Piece;
using Type = PieceModel::Type;

// BPE merges pieces that only the table has last, and SentencePiece then splits them again.
constexpr float kLeast = -1e19F;

class TableReader {
 public:
  TableReader(const PieceTable& table, const PieceModel& model, const std::string& name) : table_(table), name_(name) {
    for (const Piece& piece : model.pieces) of_model_.emplace(piece.text, &piece);
    for (const std::string* special : {&table.start, &table.end, &table.unknown}) require_entry(*special);
  }

  Piece piece(size_t id) const {
    const std::string& text = table_.pieces[id];
    if (text.empty()) return {cat("<no piece ", id, ">"), 0, Type::control};
    check(text, id);
    if (text == table_.unknown) return {text, 0, Type::unknown};
    if (text == table_.start || text == table_.end || text == table_.padding || begins_text(text))
      return {text, 0, Type::control};
    const auto own = of_model_.find(text);
    if (own == of_model_.end() || own->second->type == Type::unknown) return {text, kLeast, Type::unused};
    return *own->second;
  }

 private:
  void require_entry(const std::string& piece) const {
    for (const std::string& text : table_.pieces)
      if (text == piece) return;
    throw DataError(cat(name_, " has no piece ", printable(piece), ", which the model's configuration asks for; the ",
                        "files do not belong together"));
  }
  void check(const std::string& text, size_t id) const {
    const char* fault = text.size() > PieceModel::kMaxPieceBytes                     ? "is too long"
                        : invalid_utf8(text) || text.find('\0') != std::string::npos ? "is not UTF-8, or has a NUL"
                                                                                     : nullptr;
    if (fault)
      throw DataError(cat(name_, ": the piece of id ", id, " ", fault, " (", text.size(),
                          " bytes); the file is damaged, get it again from its source"));
  }

  const PieceTable& table_;
  const std::string& name_;
  std::unordered_map<std::string_view, const Piece*> of_model_;
};

}  // namespace

bool begins_text(std::string_view piece) {
  return piece.size() > 4 && piece.starts_with(">>") && piece.ends_with("<<");
}

PieceModel with_ids_of(const PieceTable& table, const PieceModel& model, const std::string& name) {
  const TableReader reader(table, model, name);
  PieceModel result = model;
  result.pieces.clear();
  std::unordered_set<std::string> seen;
  bool has_bytes = false;
  for (size_t id = 0; id < table.pieces.size(); ++id) {
    result.pieces.push_back(reader.piece(id));
    if (!seen.insert(result.pieces.back().text).second)
      throw DataError(
          cat(name, ": the piece ", printable(result.pieces.back().text), " is there twice; the file is damaged"));
  }
  result.ids = result.pieces.size();
  for (const Piece& piece : model.pieces) {
    const bool spells = piece.type == Type::normal || piece.type == Type::user || piece.type == Type::byte;
    if (spells && seen.insert(piece.text).second) result.pieces.push_back(piece);
  }
  for (const Piece& piece : result.pieces) has_bytes |= piece.type == Type::byte;
  result.byte_fallback = has_bytes;
  result.bos = table.start;
  result.eos = table.end;
  result.pad = table.padding;
  return result;
}

}  // namespace hexapla::text
