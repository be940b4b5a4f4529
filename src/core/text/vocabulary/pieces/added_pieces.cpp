#include "text/vocabulary/pieces/added_pieces.h"

#include <utf8proc.h>

#include <algorithm>
#include <optional>

#include "text/characters.h"
#include "text/vocabulary/pieces/byte_words.h"

namespace hexapla::text {
namespace {

struct Match {
  size_t from, to;
  int32_t index;
};

// The longest piece that begins at the first place where one does, from `at` on.
std::optional<Match> next_match(const PieceTrie& trie, std::string_view text, size_t at) {
  for (; at < text.size(); ++at) {
    std::optional<Match> found;
    trie.for_each_prefix(text.substr(at), [&](size_t bytes, int32_t index) { found = Match{at, at + bytes, index}; });
    if (found) return found;
  }
  return {};
}

size_t blanks_at_start(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    const size_t bytes = code_point_at(text, at).second;
    if (!is_white_space(text.substr(at, bytes))) break;
    at += bytes;
  }
  return at;
}

size_t begin_of_last(std::string_view text) {
  size_t at = text.size();
  while (at > 0 && (static_cast<unsigned char>(text[--at]) & 0xC0) == 0x80) continue;
  return at;
}

size_t blanks_at_end(std::string_view text) {
  size_t end = text.size();
  while (end > 0) {
    const size_t last = begin_of_last(text.substr(0, end));
    if (!is_white_space(text.substr(last, end - last))) break;
    end = last;
  }
  return text.size() - end;
}

// \w of Rust's regular expressions.
bool is_word_character(std::string_view text, size_t at) {
  const auto c = static_cast<utf8proc_int32_t>(code_point_at(text, at).first);
  const utf8proc_category_t kind = utf8proc_category(c);
  return (kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_NL) || kind == UTF8PROC_CATEGORY_PC ||
         c == 0x200C || c == 0x200D;
}

bool is_word(std::string_view text, const Match& m) {
  const bool begins = m.from == 0 || !is_word_character(text, begin_of_last(text.substr(0, m.from)));
  return begins && (m.to == text.size() || !is_word_character(text, m.to));
}

void append(AlignedText& to, const AlignedText& more) {
  to.text += more.text;
  to.at.pop_back();
  to.at.insert(to.at.end(), more.at.begin(), more.at.end());
}

}  // namespace

AddedPieces::AddedPieces(const PieceModel& model)
    : by_library_(model.added_by_library),
      joins_blanks_(model.normalizer.remove_extra_whitespaces),
      blank_(model.unknown()),
      charsmap_(model.normalizer.charsmap) {
  for (size_t id = 0; id < model.size(); ++id) {
    const PieceModel::Piece& piece = model.pieces[id];
    if (piece.text == "\u2581") blank_ = static_cast<int32_t>(id);
    if (!piece.added) continue;
    const auto index = static_cast<int32_t>(pieces_.size());
    pieces_.push_back(piece);
    ids_.push_back(static_cast<int32_t>(id));
    if (by_library_ && piece.added->normalized)
      normalized_.add(normalized(AlignedText::of(piece.text)).text, index);
    else
      raw_.add(piece.text, index);
  }
}

AlignedText AddedPieces::normalized(const AlignedText& text) const {
  const AlignedText all = with_charsmap(charsmap_, text);
  if (!joins_blanks_) return all;
  AlignedText joined;
  for (size_t i = 0; i < all.text.size(); ++i) {
    if (all.text[i] == ' ' && joined.text.ends_with(' ')) continue;
    joined.text += all.text[i];
    joined.at.push_back(all.at[i]);
  }
  joined.at.push_back(all.at.back());
  return joined;
}

// AddedVocabulary::find_matches() of the tokenizers library.
void AddedPieces::find_by_library(const PieceTrie& trie, const AlignedText& text, Parts& to) const {
  const std::string_view all = text.text;
  size_t done = 0;
  for (size_t at = 0; const std::optional<Match> found = next_match(trie, all, at);) {
    at = found->to;
    const PieceModel::Added& how = *pieces_[found->index].added;
    if (how.word && !is_word(all, *found)) continue;
    size_t from = found->from, end = found->to;
    if (how.left) from = std::max(done, from - blanks_at_end(all.substr(0, from)));
    if (how.right) end += blanks_at_start(all.substr(end));
    if (done < from) to.push_back({-1, text.part(done, from)});
    to.push_back({ids_[found->index], text.part(from, end)});
    done = end;
  }
  if (done < all.size()) to.push_back({-1, text.part(done, all.size())});
}

AddedPieces::Parts AddedPieces::split_by_library(const AlignedText& text) const {
  Parts raw, all;
  find_by_library(raw_, text, raw);
  for (Part& part : raw)
    if (part.id >= 0)
      all.push_back(std::move(part));
    else
      find_by_library(normalized_, normalized(part.from), all);
  return all;
}

// PreTrainedTokenizer.tokenize() of transformers, step by step: a piece that must be a word and is
// not becomes text of a neighbor, which may be such a piece itself.
AddedPieces::Parts AddedPieces::split_in_python(const AlignedText& text) const {
  std::vector<AlignedText> all;
  size_t done = 0;
  while (const std::optional<Match> found = next_match(raw_, text.text, done)) {
    if (done < found->from) all.push_back(text.part(done, found->from));
    all.push_back(text.part(found->from, found->to));
    done = found->to;
  }
  if (done < text.text.size()) all.push_back(text.part(done, text.text.size()));
  for (size_t i = 0; i < all.size(); ++i) {
    const int32_t index = raw_.find(all[i].text);
    if (index < 0) continue;
    const PieceModel::Added& how = *pieces_[index].added;
    AlignedText *left = i > 0 ? &all[i - 1] : nullptr, *right = i + 1 < all.size() ? &all[i + 1] : nullptr;
    if (how.right && right) *right = right->part(blanks_at_start(right->text), right->text.size());
    if (how.left && left) *left = left->part(0, left->text.size() - blanks_at_end(left->text));
    if (!how.word) continue;
    if (left && !left->text.empty() && !left->text.ends_with(' ')) {
      append(*left, all[i]);
      all[i] = {"", {0}};
    } else if (right && !right->text.empty() && !right->text.starts_with(' ')) {
      append(all[i], *right);
      *right = all[i];
      all[i] = {"", {0}};
    }
  }
  Parts parts;
  for (AlignedText& from : all) {
    if (from.text.empty()) continue;
    const int32_t index = raw_.find(from.text);
    parts.push_back({index < 0 ? -1 : ids_[index], std::move(from)});
  }
  return parts;
}

// SentencePiece drops the blank at the end of a text, the library only at the end of the whole.
AddedPieces::Parts AddedPieces::with_blanks(Parts parts) const {
  Parts all;
  for (size_t i = 0; i < parts.size(); ++i) {
    const AlignedText from = std::move(parts[i].from);
    const size_t size = from.text.size(), kept = parts[i].id < 0 && i + 1 < parts.size() && from.text.ends_with(' ');
    if (size > kept) all.push_back({parts[i].id, from.part(0, size - kept)});
    if (kept > 0) all.push_back({blank_, from.part(size - kept, size)});
  }
  return all;
}

AddedPieces::Parts AddedPieces::split(std::string_view text) const {
  if (empty()) return {};
  AlignedText whole = AlignedText::of(text);
  Parts parts = by_library_ ? split_by_library(whole) : split_in_python(whole);
  // In Python, text is split even where a piece is found that must be a word and is not.
  const bool split = !by_library_ && parts.size() > 1;
  if (split || std::any_of(parts.begin(), parts.end(), [](const Part& part) { return part.id >= 0; }))
    return by_library_ && joins_blanks_ ? with_blanks(std::move(parts)) : parts;
  parts.clear();
  parts.push_back({-1, std::move(whole)});
  return parts;
}

}  // namespace hexapla::text
