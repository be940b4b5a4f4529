#include "decode/constraints/piece_texts.h"

#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "text/plain_line.h"
#include "text/utf8.h"
#include "text/vocabulary/pieces/piece_model.h"
#include "text/vocabulary/pieces/piece_table.h"

namespace hexapla::decode {
namespace {

constexpr std::string_view kBlank = "\u2581", kUnknown = " \u2047 ";

std::string with_blanks(std::string piece) {
  for (size_t at = piece.find(kBlank); at != std::string::npos; at = piece.find(kBlank, at))
    piece.replace(at, kBlank.size(), 1, ' ');
  return piece;
}

// "<0xE4>" -> the byte
bool read_byte(std::string& piece) {
  if (piece.size() != 6 || !piece.starts_with("<0x") || piece.back() != '>') return false;
  unsigned value = 0;
  const auto [end, error] = std::from_chars(piece.data() + 3, piece.data() + 5, value, 16);
  if (error != std::errc() || end != piece.data() + 5) return false;
  piece = std::string(1, static_cast<char>(value));
  return true;
}

}  // namespace

std::string_view whole_characters(std::string_view text) {
  size_t at = text.size();
  while (at > 0 && text.size() - at < 3 && (static_cast<unsigned char>(text[at - 1]) & 0xC0) == 0x80) --at;
  if (at == 0) return text;
  const auto first = static_cast<unsigned char>(text[at - 1]);
  const size_t needed = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1;
  std::string completed(text.substr(at - 1));
  if (completed.size() >= needed) return text;
  if (completed.size() == 1) completed += first == 0xE0 ? '\xA0' : first == 0xF0 ? '\x90' : '\x80';
  completed.resize(needed, '\x80');
  return text::character_bytes(completed) == needed ? text.substr(0, at - 1) : text;
}

PieceTexts::PieceTexts(const text::Vocabulary& target) : vocabulary_(target), unk_(target.unk()) {
  const text::PieceModel model = text::PieceModel::parse(target.bytes(), "the vocabulary");
  const auto is_control = [&](int32_t id) { return model.pieces[id].type == text::PieceModel::Type::control; };
  for (int32_t id = 0; id < target.size(); ++id) {
    std::string piece = target.piece(id);
    from_byte_.push_back(false);
    const bool writes = id != target.bos() && id != target.eos() && !is_control(id);
    if (id == unk_)
      piece = kUnknown;
    else if (id == target.bos() || id == target.eos() || id == target.pad() || id == target.opening() ||
             is_control(id) || text::begins_text(piece))
      piece.clear();
    else if (target.byte_level())
      piece = target.bytes_of(id), bytes_ = true;
    else if (read_byte(piece))
      bytes_ = from_byte_.back() = true;
    else
      piece = with_blanks(piece);
    // As in the final line. Single bytes of longer characters cannot be converted alone.
    const bool whole = target.byte_level() ? !text::invalid_utf8(piece)
                                           : static_cast<unsigned char>(piece[0]) < 0x80 || piece.size() > 1;
    if (whole) piece = text::plain_line(piece);
    vanishes_.push_back(writes && piece.empty());
    texts_.push_back(std::move(piece));
  }
  for (int32_t id = 0; id < size(); ++id) {
    const std::string& piece = texts_[id];
    if (id == unk_ || piece.empty()) continue;
    longest_ = std::max(longest_, piece.size());
    sorted_.push_back(piece);
    const auto [same, is_new] = ids_.emplace(piece, id);
    if (!is_new && from_byte_[same->second] && !from_byte_[id]) same->second = id;
  }
  std::sort(sorted_.begin(), sorted_.end());
  learn_blanks();
}

// Versions of SentencePiece differ in the blanks that they drop.
void PieceTexts::learn_blanks() {
  if (vocabulary_.byte_level()) return;
  const auto found = [&](auto&& wanted) {
    for (int32_t id = 0; id < size(); ++id)
      if (id != unk_ && !from_byte_[id] && !texts_[id].empty() && wanted(texts_[id])) return id;
    return -1;
  };
  const int32_t word = found([](const std::string& t) { return t.front() != ' ' && t.back() != ' '; });
  const int32_t begins = found([](const std::string& t) { return t.front() == ' ' && t.back() != ' '; });
  const int32_t ends = found([](const std::string& t) { return t.front() != ' ' && t.back() == ' '; });
  const int32_t blank = piece_of(" ") >= 0 && !from_byte_[piece_of(" ")] ? piece_of(" ") : -1;
  const auto decoded = [&](const text::Ids& ids) { return vocabulary_.decode(ids); };
  const int32_t first = begins >= 0 ? begins : blank, last = word >= 0 ? word : begins;
  if (first >= 0 && last >= 0 && !decoded({first, last}).starts_with(' '))
    at_start_ =
        blank >= 0 && !decoded({blank, blank, last}).starts_with(' ') ? Blanks::all_dropped : Blanks::first_dropped;
  const int32_t end = ends >= 0 ? ends : blank;
  if (end >= 0 && last >= 0) blanks_end_words_ = !decoded({last, end}).ends_with(' ');
}

std::string_view PieceTexts::added(const TextSoFar& so_far, int32_t id, std::string_view forced) const {
  const std::string& text = so_far.text;
  if (id == unk_ && text.size() < forced.size())
    if (const size_t n = unwritable(forced.substr(text.size()), text.empty())) return forced.substr(text.size(), n);
  const std::string_view piece = texts_[id];
  // Bytes of a character with something between them are none, in the final line, either.
  if (piece.empty() && !vocabulary_.byte_level() && whole_characters(text).size() < text.size()) return "\x01";
  const bool drops = text.empty() && !so_far.begun && at_start_ != Blanks::kept && !from_byte_[id];
  return drops && piece.starts_with(' ') ? piece.substr(1) : piece;
}

void PieceTexts::add(TextSoFar& so_far, int32_t id, std::string_view forced) const {
  const std::string_view more = added(so_far, id, forced);
  if (more.empty() && so_far.text.size() < forced.size()) ++so_far.silent;
  const bool drops_first = at_start_ == Blanks::first_dropped && texts_[id].starts_with(' ') && !from_byte_[id];
  so_far.text += more;
  so_far.begun = so_far.begun || drops_first || vanishes_[id] || !so_far.text.empty();
}

TextSoFar PieceTexts::read(const text::Ids& ids, std::string_view forced) const {
  TextSoFar so_far{.text = {}, .begun = at_start_ == Blanks::kept};
  for (size_t i = 1; i < ids.size(); ++i) add(so_far, ids[i], forced);
  return so_far;
}

std::string_view PieceTexts::closed(std::string_view text) const {
  return text.substr(0, text.size() - (blanks_end_words_ && text.ends_with(' ') ? 1 : 0));
}

PieceTexts::Reading PieceTexts::read(const text::Ids& ids, std::string_view forced,
                                     std::span<const std::string> copies) const {
  Reading reading;
  TextSoFar so_far = read({}, forced);
  size_t unknown = 0;
  for (size_t i = 1; i < ids.size(); ++i) {
    const std::string_view piece = added(so_far, ids[i], forced);
    const size_t from = so_far.text.size();
    if (ids[i] == unk_ && unknown++ < copies.size() && kUnknown.ends_with(piece))
      so_far.text += copies[unknown - 1];
    else
      add(so_far, ids[i], forced);
    reading.spans.push_back({from, so_far.text.size()});
  }
  reading.text = closed(so_far.text);
  for (text::TokenSpan& span : reading.spans) span.to = std::min(span.to, reading.text.size());
  text::make_plain_line(reading.text, reading.spans);
  return reading;
}

int32_t PieceTexts::piece_of(std::string_view text) const {
  const auto found = ids_.find(text);
  return found == ids_.end() ? -1 : found->second;
}

bool PieceTexts::continues(std::string_view text) const {
  const auto next = std::lower_bound(sorted_.begin(), sorted_.end(), text);
  return next != sorted_.end() && next->starts_with(text);
}

bool PieceTexts::begins_word(std::string_view text) const { return continues(cat(" ", text)) || continues(text); }

size_t PieceTexts::unwritable(std::string_view text, bool first) const {
  const auto begins = [&](std::string_view rest) {
    for (size_t n = 1; n <= std::min(rest.size(), longest_); ++n)
      if (piece_of(rest.substr(0, n)) >= 0) return true;
    return continues(rest);
  };
  size_t n = 0;
  while (!bytes_ && n < text.size()) {
    const std::string_view rest = text.substr(n);
    if (begins(rest) || (first && n == 0 && at_start_ != Blanks::kept && begins(cat(" ", rest)))) break;
    n += text::character_bytes(rest);
  }
  return n;
}

bool PieceTexts::has_characters(std::string_view text) const {
  while (!bytes_ && !text.empty()) {
    const size_t bytes = text::character_bytes(text);
    if (piece_of(text.substr(0, bytes)) < 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

int64_t PieceTexts::most_tokens(std::string_view text) const {
  if (bytes_) return std::ssize(text);
  int64_t n = 0;
  for (; !text.empty(); text.remove_prefix(text::character_bytes(text))) ++n;
  return n;
}

std::string PieceTexts::normalized(const std::string& text) const {
  const std::string line = text::plain_line(text);
  if (vocabulary_.byte_level()) return line;
  std::string all;
  for (const std::string& piece : vocabulary_.pieces(line)) {
    std::string read = piece;
    read_byte(read);
    all += with_blanks(read);
  }
  if (at_start_ != Blanks::kept && all.starts_with(' ')) all.erase(0, 1);
  if (blanks_end_words_ && all.ends_with(' ')) all.pop_back();
  if (!all.empty() && line.ends_with(' ') && all.back() != ' ') all += ' ';
  return all;
}

}  // namespace hexapla::decode
