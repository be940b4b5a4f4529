#include "decode/constraints/piece_texts.h"

#include <algorithm>
#include <charconv>

#include "text/plain_line.h"
#include "text/utf8.h"
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

PieceTexts::PieceTexts(const text::Vocabulary& target) : vocabulary_(target), unk_(target.unk()) {
  for (int32_t id = 0; id < target.size(); ++id) {
    std::string piece = target.piece(id);
    if (id == unk_)
      piece = kUnknown;
    else if (id == target.bos() || id == target.eos() || id == target.pad() || id == target.opening() ||
             text::begins_text(piece))
      piece.clear();
    else if (target.byte_level())
      piece = target.bytes_of(id), bytes_ = true;
    else if (read_byte(piece))
      bytes_ = true;
    else
      piece = with_blanks(piece);
    // As in the final line. Single bytes of longer characters cannot be converted alone.
    const bool whole = target.byte_level() ? !text::invalid_utf8(piece)
                                           : static_cast<unsigned char>(piece[0]) < 0x80 || piece.size() > 1;
    if (whole) piece = text::plain_line(piece);
    if (text::character_bytes(piece) == piece.size()) characters_.insert(piece);
    texts_.push_back(std::move(piece));
  }
}

std::string_view PieceTexts::added(std::string_view text, int32_t id, std::string_view forced) const {
  if (id == unk_ && text.size() < forced.size()) {
    const std::string_view rest = forced.substr(text.size());
    if (const size_t n = unwritable(rest)) return rest.substr(0, n);
  }
  const std::string_view piece = (*this)[id];
  return text.empty() && piece.starts_with(' ') && !vocabulary_.byte_level() ? piece.substr(1) : piece;
}

std::string PieceTexts::read(const text::Ids& ids, std::string_view forced) const {
  std::string text;
  for (size_t i = 1; i < ids.size(); ++i) text += added(text, ids[i], forced);
  return text;
}

PieceTexts::Reading PieceTexts::read(const text::Ids& ids, std::string_view forced,
                                     std::span<const std::string> copies) const {
  Reading reading;
  size_t unknown = 0;
  for (size_t i = 1; i < ids.size(); ++i) {
    std::string_view piece = added(reading.text, ids[i], forced);
    if (ids[i] == unk_ && unknown++ < copies.size() && kUnknown.ends_with(piece)) piece = copies[unknown - 1];
    const size_t from = reading.text.size();
    reading.text += piece;
    reading.spans.push_back({from, reading.text.size()});
  }
  text::make_plain_line(reading.text, reading.spans);
  return reading;
}

size_t PieceTexts::unwritable(std::string_view text) const {
  size_t n = 0;
  while (!bytes_ && n < text.size()) {
    const size_t bytes = text::character_bytes(text.substr(n));
    if (characters_.count(std::string(text.substr(n, bytes)))) break;
    n += bytes;
  }
  return n;
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
  if (all.starts_with(' ')) all.erase(0, 1);
  if (!all.empty() && line.ends_with(' ') && all.back() != ' ') all += ' ';
  return all;
}

}  // namespace hexapla::decode
