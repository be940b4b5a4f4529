#include "convert/kinds/hugging_face/pieces/byte_level.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "convert/kinds/hugging_face/pieces/added_tokens.h"
#include "convert/parsing/limits.h"
#include "convert/texts/json_file.h"
#include "text/characters.h"

namespace hexapla::convert {
namespace {

using text::PieceModel;
using Type = PieceModel::Type;

constexpr const char *kStart = "<s>", *kSentenceEnd = "</s>", *kUnknown = "<unk>", *kPadding = "<pad>",
                     *kMask = "<mask>";

std::vector<std::pair<std::string, std::string>> read_merges(const std::string& path) {
  const std::string text = read_limited(path, limits::kText);
  std::vector<std::pair<std::string, std::string>> merges;
  size_t number = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    at = end + 1;
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty() || line.starts_with("#version")) continue;
    const size_t blank = line.find(' ');
    if (blank == line.npos || blank == 0 || blank + 1 == line.size() || line.find(' ', blank + 1) != line.npos)
      throw DataError(cat(path, ":", number, ": ", shown(line), " is no pair of pieces with a blank between them; the ",
                          "file is damaged, get it again from its source"));
    if (merges.size() == limits::kMerges)
      throw DataError(cat(path, ":", number, ": there are more than ", limits::kMerges, " merges"));
    merges.emplace_back(line.substr(0, blank), line.substr(blank + 1));
  }
  return merges;
}

// Their places among the pieces, which may have them already.
void put_added(const std::string& folder, const std::vector<AddedToken>& added, ByteLevelPieces& pieces) {
  for (const AddedToken& token : added) {
    std::string& place = pieces.pieces[token.id];
    if (!place.empty() && place != token.text)
      throw DataError(cat(folder, ": the tokenizer's files have ", shown(token.text), " as ", token.id,
                          ", which vocab.json calls ", shown(place), "; the files do not belong together"));
    if (token.special || place.empty()) pieces.special.insert(token.text);
    place = token.text;
  }
}

// A few pieces are not produced by any merge ("madeupword0000" of BART). Many such pieces indicate
// a truncated list.
void check_made(const PieceModel& model, const std::string& path) {
  constexpr size_t some = 8, of = 100;
  std::unordered_set<std::string> made;
  for (const auto& [left, right] : model.merges) made.insert(model.pieces[left].text + model.pieces[right].text);
  size_t words = 0, lost = 0;
  for (const PieceModel::Piece& piece : model.pieces) {
    if (piece.type != Type::normal || text::characters_of(piece.text).size() < 2) continue;
    ++words;
    lost += made.contains(piece.text) ? 0 : 1;
  }
  if (lost > some + words / of)
    throw DataError(cat(path, ": ", lost, " of ", words,
                        " pieces of several characters are made by no merge; the list ",
                        "of merges is cut short or of another model, get the files again from their source"));
}

}  // namespace

text::PieceModel byte_level_model(const ByteLevelPieces& from, const std::string& path) {
  PieceModel model;
  model.kind = PieceModel::Kind::byte_bpe;
  model.normalizer = {.charsmap = "", .add_dummy_prefix = from.blank_first, .remove_extra_whitespaces = false};
  model.bos = kSentenceEnd;  // translations start with it
  model.ids = from.pieces.size();
  std::unordered_map<std::string, int32_t> ids;
  for (size_t id = 0; id < from.pieces.size(); ++id) {
    const std::string& piece = from.pieces[id];
    const bool means = piece == kStart || piece == kSentenceEnd || piece == kPadding || piece == kMask;
    const Type type = piece == kUnknown                                        ? Type::unknown
                      : piece.empty() || means || from.special.contains(piece) ? Type::control
                                                                               : Type::normal;
    model.pieces.push_back({piece.empty() ? cat("<no piece ", id, ">") : piece, 0, type});
    ids.emplace(piece, static_cast<int32_t>(id));
  }
  for (const char* needed : {kStart, kSentenceEnd, kPadding, kUnknown})
    if (!ids.contains(needed))
      throw DataError(cat(path, " has no piece ", needed, ", which the model's configuration asks for; the files do ",
                          "not belong together"));
  for (const auto& [left, right] : from.merges) {
    const auto first = ids.find(left), second = ids.find(right);
    if (first == ids.end() || second == ids.end())
      throw DataError(cat(path, " has no piece ", shown(first == ids.end() ? left : right), " of the merge ",
                          shown(cat(left, " ", right)), "; the files do not belong together"));
    model.merges.emplace_back(first->second, second->second);
  }
  check_made(model, path);
  return PieceModel::parse(model.serialized(), path);
}

bool has_byte_level_files(const std::string& folder) {
  return is_file(folder + "/vocab.json") && is_file(folder + "/merges.txt");
}

text::PieceModel read_byte_level_files(const std::string& folder, size_t size) {
  const std::string vocab = folder + "/vocab.json", config = folder + "/tokenizer_config.json";
  ByteLevelPieces all;
  all.pieces = read_piece_ids(vocab, size);
  all.pieces.resize(size);
  all.merges = read_merges(folder + "/merges.txt");
  if (is_file(config)) all.blank_first = JsonFile(config).flag("add_prefix_space", false);
  const std::vector<AddedToken> added = read_added_tokens(folder, size);
  put_added(folder, added, all);
  PieceModel model = byte_level_model(all, vocab);
  put_added_tokens(model, added, folder, true);
  return model;
}

}  // namespace hexapla::convert
