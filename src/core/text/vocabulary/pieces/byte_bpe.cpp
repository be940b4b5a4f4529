#include "text/vocabulary/pieces/byte_bpe.h"

#include <queue>

#include "base/error.h"
#include "text/vocabulary/pieces/byte_words.h"

namespace hexapla::text {
namespace {

// A possible merge: the first of its two symbols, and the resulting piece. Orders by rank, then by
// position from the left.
struct Candidate {
  size_t rank, place;
  int32_t id;
  bool operator<(const Candidate& other) const { return rank != other.rank ? rank > other.rank : place > other.place; }
};

struct Symbol {
  int32_t id;
  size_t size;           // bytes; 0: merged into the one before
  size_t before, after;  // positions of its neighbors
};

}  // namespace

ByteBpe::ByteBpe(const PieceModel& model) : blank_first_(model.normalizer.add_dummy_prefix), of_byte_(256, -1) {
  std::unordered_map<std::string_view, int32_t> ids;
  for (size_t i = 0; i < model.pieces.size(); ++i) {
    const PieceModel::Piece& piece = model.pieces[i];
    const bool spells = piece.type == PieceModel::Type::normal,
               read = piece.added && piece.type == PieceModel::Type::unused;
    // A piece with characters that represent no byte is kept as it is.
    bytes_.push_back(piece.type == PieceModel::Type::unknown ? model.unknown_surface
                     : spells || read                        ? bytes_of_visible(piece.text).value_or(piece.text)
                                                             : "");
    if (!spells) continue;
    ids.emplace(piece.text, static_cast<int32_t>(i));
    if (bytes_.back().size() == 1) of_byte_[static_cast<unsigned char>(bytes_.back()[0])] = static_cast<int32_t>(i);
  }
  size_t rank = 0;
  for (const auto& [left, right] : model.merges) {
    const std::string made = model.pieces[left].text + model.pieces[right].text;
    merges_.insert_or_assign(key(left, right), Merge{rank++, ids.at(made)});
  }
}

void ByteBpe::merge_word(std::string_view word, size_t from, std::vector<Token>& to) const {
  std::vector<Symbol> symbols;
  for (size_t i = 0; i < word.size(); ++i)
    symbols.push_back({of_byte_[static_cast<unsigned char>(word[i])], 1, i - 1, i + 1});
  std::priority_queue<Candidate> queue;
  const auto look = [&](size_t place) {
    if (place >= symbols.size() || symbols[place].after >= symbols.size()) return;
    const auto found = merges_.find(key(symbols[place].id, symbols[symbols[place].after].id));
    if (found != merges_.end()) queue.push({found->second.rank, place, found->second.id});
  };
  for (size_t i = 0; i < symbols.size(); ++i) look(i);
  while (!queue.empty()) {
    const Candidate best = queue.top();
    queue.pop();
    Symbol& left = symbols[best.place];
    if (left.size == 0 || left.after >= symbols.size()) continue;
    Symbol& right = symbols[left.after];
    const auto still = merges_.find(key(left.id, right.id));
    if (still == merges_.end() || still->second.id != best.id) continue;  // one of the two has been merged otherwise
    left = {best.id, left.size + right.size, left.before, right.after};
    right.size = 0;
    if (left.after < symbols.size()) symbols[left.after].before = best.place;
    look(left.before);
    look(best.place);
  }
  for (size_t i = 0; i < symbols.size(); i = symbols[i].after)
    to.push_back({symbols[i].id, {from + i, from + i + symbols[i].size}});
}

std::vector<ByteBpe::Token> ByteBpe::encode(std::string_view text) const {
  if (text.empty()) return {};
  const bool blank = blank_first_ && !text.starts_with(' ');
  const std::string all = blank ? cat(" ", text) : "";
  const std::string_view read = blank ? std::string_view(all) : text;
  std::vector<Token> tokens;
  for (const TokenSpan& word : byte_level_words(read))
    merge_word(read.substr(word.from, word.to - word.from), word.from, tokens);
  if (blank)
    for (Token& token : tokens) token.span = {token.span.from - (token.span.from > 0), token.span.to - 1};
  return tokens;
}

}  // namespace hexapla::text
