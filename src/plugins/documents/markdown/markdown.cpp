#include "documents/markdown/markdown.h"

#include <algorithm>

#include "documents/markdown/markdown_blocks.h"
#include "documents/markdown/markdown_inlines.h"
#include "text/ascii.h"

namespace hexapla::text::document {
namespace {

using BlockKind = MarkdownBlock::Kind;
constexpr std::string_view kMarkdownBlanks = " \t";

std::size_t skip_blanks(std::string_view line, std::size_t at) {
  return std::min(line.find_first_not_of(kMarkdownBlanks, at), line.size());
}

// The length of the quote marks and the indentation at the beginning of a continuation line.
std::size_t size_of_indent(std::string_view line, std::size_t quotes) {
  std::size_t at = skip_blanks(line, 0);
  for (; quotes > 0 && at < line.size() && line[at] == '>'; --quotes) at = skip_blanks(line, at + 1);
  return at;
}

// "[label]: ..": the length up to the target; 0: it is no definition.
std::size_t size_of_definition(std::string_view line) {
  if (!line.starts_with("[")) return 0;
  const std::size_t end = line.find(']');
  if (end == line.npos || end == 1 || line.substr(end + 1, 1) != ":") return 0;
  return skip_blanks(line, end + 2);
}

// The number of lines of front matter, from the first delimiter (three dashes) to the next; 0:
// there is none.
std::size_t lines_of_front_matter(const std::vector<FileLine>& lines) {
  const auto is = [&](std::size_t i, std::string_view mark) {
    return lines[i].text.substr(0, lines[i].text.find_last_not_of(kMarkdownBlanks) + 1) == mark;
  };
  const std::string yaml(3, '-'), toml(3, '+');
  if (lines.empty() || !(is(0, yaml) || is(0, toml))) return 0;
  for (std::size_t i = 1; i < lines.size(); ++i)
    if (is(i, yaml) || is(i, toml) || is(i, "...")) return i + 1;
  return 0;
}

// Escapes with a backslash a beginning that Markdown would read as a list, heading, quote or
// underline.
std::string with_safe_begin(std::string text) {
  const auto word_ends = [&](std::size_t at) { return at >= text.size() || text[at] == ' '; };
  std::size_t digits = 0;
  while (digits < text.size() && text::ascii::is_digit(text[digits])) ++digits;
  const std::size_t hashes = std::min(text.find_first_not_of('#'), text.size());
  const bool bullet = !text.empty() && std::string_view("-+*").find(text[0]) != std::string_view::npos && word_ends(1);
  const bool underline = !text.empty() && text.find_first_not_of(text[0] == '=' ? "= " : "- ") == text.npos;
  if (digits > 0 && digits < text.size() && (text[digits] == '.' || text[digits] == ')') && word_ends(digits + 1))
    text.insert(digits, 1, '\\');
  else if (bullet || underline || text.starts_with(">") || (hashes > 0 && hashes < 7 && word_ends(hashes)))
    text.insert(std::size_t{0}, 1, '\\');
  return text;
}
std::string with_safe_end(std::string text) {  // of a heading
  if (text.ends_with("#")) text.insert(text.size() - 1, 1, '\\');
  return text;
}
std::string with_safe_bars(std::string text) {
  std::string all;
  for (const char c : text) {
    if (c == '|' && !all.ends_with("\\")) all += '\\';
    all += c;
  }
  return all;
}

class MarkdownReader {
 public:
  MarkdownReader(const std::string& content, Pieces& pieces)
      : content_(content), lines_(file_lines(content)), pieces_(pieces) {}

  void read() {
    if (const std::size_t mark = size_of_mark(content_)) lines_[0].text.remove_prefix(mark);
    const std::size_t from = lines_of_front_matter(lines_);
    const std::vector<MarkdownBlock> blocks = markdown_blocks(lines_, from);
    for (const MarkdownBlock& block : blocks)
      if (block.kind == BlockKind::paragraph) read_labels(block);
    for (const MarkdownBlock& block : blocks) {
      if (block.first >= lines_.size() || place(block.first) < kept_) continue;
      const std::size_t last = std::min(block.last, lines_.size() - 1);
      if (block.kind == BlockKind::table)
        read_table(block, last);
      else if (block.kind == BlockKind::heading)
        read_heading(block);
      else
        read_lines(block, block.first, last, with_safe_begin);
    }
    pieces_.keep(std::string_view(content_).substr(kept_));
  }

 private:
  std::size_t place(std::size_t line, std::size_t column = 0) const {
    return static_cast<std::size_t>(lines_[line].text.data() - content_.data()) + column;
  }
  void keep_to(std::size_t place) {
    if (place > kept_) pieces_.keep(std::string_view(content_).substr(kept_, place - kept_)), kept_ = place;
  }
  std::size_t begin_of(const MarkdownBlock& block, std::size_t line) const {
    if (line == block.first) return std::min(block.column, lines_[line].text.size());
    return size_of_indent(lines_[line].text, block.quotes);
  }

  void read_labels(const MarkdownBlock& block) {
    for (std::size_t i = block.first; i <= block.last && i < lines_.size(); ++i) {
      const std::string_view line = lines_[i].text.substr(begin_of(block, i));
      if (size_of_definition(line) == 0) return;
      labels_.insert(markdown_label(line.substr(1, line.find(']') - 1)));
    }
  }

  // Reads the lines of one text and the bytes between them.
  void read_lines(const MarkdownBlock& block, std::size_t first, std::size_t last, Pieces::Writing writing) {
    std::size_t begin = begin_of(block, first);
    for (; first <= last; begin = ++first <= last ? begin_of(block, first) : 0) {  // skips definitions
      const std::string_view line = lines_[first].text.substr(begin);
      const std::size_t definition = size_of_definition(line);
      if (line.starts_with("[ ] ") || line.starts_with("[x] ") || line.starts_with("[X] ")) begin += 4;
      if (line.starts_with("[^")) begin += definition;
      if (definition == 0 || line.starts_with("[^")) break;
    }
    if (first > last) return;
    std::string text;
    std::vector<std::string> breaks;
    for (std::size_t i = first; i <= last; ++i) {
      const std::size_t from = i == first ? begin : begin_of(block, i);
      if (i > first) {
        const std::size_t end = place(i - 1) + lines_[i - 1].text.size();
        text += '\n', breaks.push_back(content_.substr(end, place(i, from) - end));
      }
      text += lines_[i].text.substr(from);
    }
    keep_to(place(first, begin));
    add(text, breaks, std::move(writing));
    kept_ = place(last) + lines_[last].text.size();
  }

  // Adds one block; each \n in it is written as the next of `breaks`.
  void add(std::string_view text, const std::vector<std::string>& breaks, Pieces::Writing writing) {
    Runs runs(pieces_, std::move(writing));
    std::size_t next = 0;
    for (Token& token : markdown_tokens(text, labels_)) {
      std::string raw;
      for (const char c : token.raw) c == '\n' ? raw += breaks[next++] : raw += c;
      token.raw = std::move(raw);
      runs.add(std::move(token));
    }
    runs.finish();
  }

  void read_heading(const MarkdownBlock& block) {
    const std::string_view line = lines_[block.first].text;
    if (block.column >= line.size()) return;
    const std::size_t hashes = std::min(line.find_first_not_of('#', block.column), line.size());
    if (hashes > block.column && hashes < block.column + 7) {
      const std::size_t begin = skip_blanks(line, hashes);
      std::size_t end = line.find_last_not_of(kMarkdownBlanks) + 1, text = end;
      while (text > begin && line[text - 1] == '#') --text;
      if (text == begin || kMarkdownBlanks.find(line[text - 1]) != kMarkdownBlanks.npos) end = text;
      if (end <= begin) return;
      keep_to(place(block.first, begin));
      add(line.substr(begin, end - begin), {}, with_safe_end);
      kept_ = place(block.first, end);
      return;
    }
    std::size_t underline = block.first + 1;  // === or ---
    const auto is_underline = [&](std::string_view l) {
      return !l.empty() && l.find_first_not_of(l[0] == '=' ? "= \t" : "- \t") == l.npos;
    };
    while (underline < lines_.size() && underline <= block.last + 1 &&
           !is_underline(lines_[underline].text.substr(begin_of(block, underline))))
      ++underline;
    if (underline < lines_.size() && underline <= block.last + 1)
      read_lines(block, block.first, underline - 1, with_safe_begin);
  }

  void read_table(const MarkdownBlock& block, std::size_t last) {
    for (std::size_t i = block.first; i <= last; ++i) {
      const std::string_view line = lines_[i].text;
      if (i == block.first + 1) continue;  // :--- | ---
      std::size_t begin = begin_of(block, i);
      for (std::size_t at = begin; at <= line.size(); ++at) {
        if (at < line.size() && line[at] == '\\' && ++at < line.size()) continue;
        if (at < line.size() && line[at] != '|') continue;
        const std::size_t end = std::min(at, line.size());
        keep_to(place(i, begin));
        add(line.substr(begin, end - begin), {}, with_safe_bars);
        kept_ = place(i, end);
        begin = at + 1;
      }
    }
  }

  const std::string& content_;
  std::vector<FileLine> lines_;
  Pieces& pieces_;
  Labels labels_;
  std::size_t kept_ = 0;  // bytes of the content already handled
};

}  // namespace

Pieces markdown(const std::string& content) {
  Pieces pieces(with_backslashes);
  MarkdownReader(content, pieces).read();
  return pieces;
}

}  // namespace hexapla::text::document
