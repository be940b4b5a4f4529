#include "documents/strings/po_strings.h"

#include <string>
#include <vector>

#include "base/error.h"
#include "documents/file_lines.h"
#include "documents/strings/string_lines.h"

namespace hexapla::text::document {
namespace {

constexpr std::string_view kLetters = "ntrabfv", kControls = "\n\t\r\a\b\f\v";

std::string decoded_string(std::string_view raw) {
  std::string text;
  for (std::size_t at = 0; at < raw.size(); ++at) {
    if (raw[at] != '\\' || at + 1 == raw.size()) {
      text += raw[at];
      continue;
    }
    const std::size_t i = kLetters.find(raw[++at]);
    text += i == kLetters.npos ? raw[at] : kControls[i];
  }
  return text;
}

std::string encoded(std::string_view text) {
  std::string raw;
  for (const char c : text) {
    const std::size_t i = kControls.find(c);
    if (i != kControls.npos)
      raw += '\\', raw += kLetters[i];
    else
      raw += c == '"' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
  }
  return raw;
}

// A line like `msgid "text"` or `"text"`: the keyword, and the text between the quotes.
struct PoLine {
  std::string_view word, before, text;  // before: up to and including the first quote
  bool quoted = false;
};

PoLine po_line(std::string_view line) {
  const std::size_t first = line.find('"'), last = line.rfind('"');
  if (first == line.npos || last == first || line.starts_with("#")) return {};
  const std::string_view words = line.substr(0, first);
  const std::size_t begin = words.find_first_not_of(" \t"), end = words.find_last_not_of(" \t");
  const std::string_view word = begin == words.npos ? "" : words.substr(begin, end + 1 - begin);
  return {word, line.substr(0, first + 1), line.substr(first + 1, last - first - 1), true};
}

class PoReader {
 public:
  explicit PoReader(Pieces& pieces) : pieces_(pieces) {}

  void read(std::string_view content) {
    lines_ = file_lines(content);
    const std::size_t mark = size_of_mark(content);
    if (mark > 0) pieces_.keep(content.substr(0, mark)), lines_[0].text.remove_prefix(mark);
    while (at_ < lines_.size()) read_field();
  }

 private:
  void keep(const FileLine& line) {
    pieces_.keep(line.text);
    pieces_.keep(line.end);
  }

  // Reads a keyword with its text, which may span several lines, or keeps any other line.
  void read_field() {
    const std::size_t first = at_++;
    const PoLine field = po_line(lines_[first].text);
    if (!field.quoted || field.word.empty()) return keep(lines_[first]);
    std::string text(field.text);
    for (; at_ < lines_.size(); ++at_) {
      const PoLine more = po_line(lines_[at_].text);
      if (!more.quoted || !more.word.empty()) break;
      text += more.text;
    }
    if (field.word == "msgid") id_ = text, plural_.clear();
    if (field.word == "msgid_plural") plural_ = text;
    if (field.word.starts_with("msgstr") && text.empty() && !source_of(field.word).empty()) return fill(first, field);
    for (std::size_t i = first; i < at_; ++i) keep(lines_[i]);
  }

  bool is_last() const { return at_ == lines_.size() || !po_line(lines_[at_].text).word.starts_with("msgstr"); }
  std::string_view source_of(std::string_view word) const {
    if (has_choices(id_) || id_.empty()) return {};
    const bool singular = word == "msgstr" || plural_.empty() || (word == "msgstr[0]" && !is_last());
    return singular ? id_ : plural_;
  }

  // A text of several lines begins below its keyword, each line on its own, as gettext's tools
  // write it.
  void fill(std::size_t first, const PoLine& field) {
    const FileLine& line = lines_[first];
    const std::string_view source = source_of(field.word), end = line.end.empty() ? "\n" : line.end;
    const std::string next = cat('"', end, '"');
    const std::size_t break_at = source.find("\\n");
    pieces_.keep(field.before);
    if (break_at != source.npos && break_at + 2 < source.size()) pieces_.keep(next);
    add_string(source, {decoded_string, encoded, next}, pieces_);
    pieces_.keep(line.text.substr(line.text.rfind('"')));
    pieces_.keep(line.end);
  }

  Pieces& pieces_;
  std::vector<FileLine> lines_;
  std::size_t at_ = 0;
  std::string id_, plural_;
};

}  // namespace

Pieces po_strings(std::string_view content) {
  Pieces pieces([](std::string_view text) { return std::string(text); });
  PoReader(pieces).read(content);
  return pieces;
}

}  // namespace hexapla::text::document
