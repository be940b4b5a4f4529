#include "convert/texts/bpe_codes.h"

#include <algorithm>
#include <unordered_set>

#include "base/error.h"
#include "base/files/file.h"
#include "base/range.h"
#include "convert/parsing/limits.h"
#include "text/utf8.h"

namespace hexapla::convert {
namespace {

using text::PieceModel;

constexpr const char *kWordEnd = "</w>", *kBlankMark = "\u2581", *kGoesOn = "@@";
constexpr float kFirstMerge = 1;  // joins a word's last character and its end before any other merge
constexpr float kNeverMerged = -1e9F;

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  for (size_t at = line.find_first_not_of(" \r"); at != line.npos; at = line.find_first_not_of(" \r", at)) {
    const size_t end = std::min(line.find_first_of(" \r", at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

std::string with_mark(const std::string& text) {
  const std::string_view end = kWordEnd;
  return text.ends_with(end) ? text.substr(0, text.size() - end.size()) + kBlankMark : text;
}

class Builder {
 public:
  explicit Builder(const std::string& path) : path_(path) {
    model_.kind = PieceModel::Kind::bpe;
    model_.treat_whitespace_as_suffix = true;
  }

  void merge(const std::string& left, const std::string& right, size_t rank, size_t line) {
    const std::string end = kWordEnd;
    if (left.find(end) != left.npos || right == end)
      throw DataError(
          cat(path_, ":", line, ": ", shown(left + " " + right),
              " is of version 0.1, whose words end with a symbol of their own; learn or convert the merges ",
              "with subword-nmt 0.3"));
    characters(left);
    characters(with_mark(right));
    add(with_mark(left + right), -static_cast<float>(rank));
  }
  void characters(const std::string& piece) {
    const std::string_view mark = kBlankMark;
    std::string text = piece.ends_with(mark) ? piece.substr(0, piece.size() - mark.size()) : piece;
    for (size_t at = 0; at < text.size();) {
      size_t next = at + 1;
      while (next < text.size() && (text[next] & 0xC0) == 0x80) ++next;
      const std::string character = text.substr(at, next - at);
      add(character, kNeverMerged);
      add(character + kBlankMark, kFirstMerge);
      at = next;
    }
  }
  PieceModel take() { return std::move(model_); }

 private:
  void add(const std::string& piece, float score) {
    if (piece.size() > PieceModel::kMaxPieceBytes || text::invalid_utf8(piece))
      throw DataError(cat(path_, ": ", shown(piece), " is too long, or not UTF-8; the file is damaged"));
    if (seen_.insert(piece).second) model_.pieces.push_back({piece, score, PieceModel::Type::normal});
  }

  const std::string& path_;
  PieceModel model_;
  std::unordered_set<std::string> seen_;
};

bool is_count(const std::string& word) { return parse_number<int64_t>(word).has_value(); }

// Lines of two symbols, as transformers writes merges; one line alone may be anything.
bool are_pairs(const std::string& lines) {
  size_t count = 0;
  for (size_t at = 0, end; at < lines.size(); at = end + 1, ++count) {
    end = lines.find('\n', at);
    const std::string line = lines.substr(at, end - at);
    const std::vector<std::string> words = words_of(line);
    if (words.size() != 2 || is_count(words[1]) || text::invalid_utf8(line)) return false;
  }
  return count > 1;
}

}  // namespace

bool is_bpe_codes(const std::string& path) {
  const FileReader file(path);
  std::string start(std::min<size_t>(file.size(), 4096), '\0');
  file.read(0, start.data(), start.size());
  if (start.starts_with("#version:")) return true;
  const std::string line = start.substr(0, start.find('\n'));
  const std::vector<std::string> words = words_of(line);
  if (words.size() == 3) return is_count(words[2]) && !text::invalid_utf8(line);
  return are_pairs(start.substr(0, start.rfind('\n') + 1));
}

std::string piece_of_bpe_token(const std::string& token) {
  const std::string_view end = kGoesOn;
  return token.size() > end.size() && token.ends_with(end) ? token.substr(0, token.size() - end.size())
                                                           : token + kBlankMark;
}

PieceModel read_bpe_codes(const std::string& path, const std::vector<std::string>& tokens) {
  const std::string text = read_limited(path, limits::kText);
  Builder builder(path);
  size_t number = 0, rank = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    ++number;
    if (number == 1 && line.starts_with("#version:")) continue;
    const std::vector<std::string> words = words_of(line);
    if (words.size() != 2 && !(words.size() == 3 && is_count(words[2])))
      throw DataError(cat(path, ":", number, ": ", shown(line),
                          " is no pair of symbols; give the codes of subword-nmt ", "or fastBPE"));
    if (rank == limits::kMerges)
      throw DataError(cat(path, ":", number, ": there are more than ", limits::kMerges, " merges"));
    builder.merge(words[0], words[1], ++rank, number);
  }
  for (const std::string& token : tokens) builder.characters(piece_of_bpe_token(token));
  return builder.take();
}

}  // namespace hexapla::convert
