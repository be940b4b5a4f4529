#include "documents/markdown/markdown_blocks.h"

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>

#include <algorithm>
#include <memory>
#include <string>

#include "base/error.h"
#include "base/system/cancellation.h"
#include "text/ascii.h"

namespace hexapla::text::document {
namespace {

constexpr std::size_t kMostMarks = 100;  // list and quote marks of a line
constexpr std::size_t kMostBars = 100;   // in a line: more do not change what kind of block it is
// For each line the parser looks at all open lists and quotes, and fills up the cells of a table.
constexpr std::size_t kMostOpen = 20'000'000, kMostCells = 500'000;

struct Containers {
  std::size_t size, marks;  // of the quote and list marks at the beginning of a line: their bytes, and their number
};
Containers containers_of(std::string_view line) {
  std::size_t at = 0;
  for (std::size_t marks = 0; marks < kMostMarks; ++marks) {
    const std::size_t begin = line.find_first_not_of(" \t", at);
    if (begin == line.npos) return {line.size(), marks};
    std::size_t end = begin;
    while (end < line.size() && end < begin + 9 && text::ascii::is_digit(line[end])) ++end;
    const bool number = end > begin && end < line.size() && (line[end] == '.' || line[end] == ')');
    const bool bullet = end == begin && std::string_view("-+*").find(line[end]) != std::string_view::npos;
    if (line[begin] == '>') {
      at = begin + 1;
    } else if ((number || bullet) && (end + 1 == line.size() || line[end + 1] == ' ' || line[end + 1] == '\t')) {
      at = end + 1;
    } else {
      return {begin, marks};
    }
  }
  return {std::min(line.find_first_not_of(" \t", at), line.size()), kMostMarks};
}

bool line_is_blank(std::string_view line) { return line.find_first_not_of(" \t") == line.npos; }

// Lines such as "* * *", which is no list.
bool is_rule(std::string_view line) {
  const std::size_t first = line.find_first_of("*_-");
  return first != line.npos && line.find_first_not_of(std::string{line[first], ' ', '\t'}) == line.npos;
}

// How many of the open lists and quotes may go on in a line that begins like this.
std::size_t most_that_go_on(std::string_view line) {
  std::size_t quotes = 0, columns = 0;
  for (const char c : line.substr(0, line.find_first_not_of(" \t>"))) quotes += c == '>', columns += c == '\t' ? 4 : 1;
  return quotes + columns / 2;
}

// Bounds what grows with the product of lines and open blocks.
class Work {
 public:
  void add(std::string_view line, std::size_t number) {
    const bool blank = line_is_blank(line);
    const Containers marks = containers_of(line);
    const bool lazy = after_text_ && marks.marks == 0;  // may go on with a paragraph, whatever it is in
    if (!blank && !lazy) open_ = std::min(open_, most_that_go_on(line)) + marks.marks;
    after_text_ = !blank;
    const std::string_view rest = line.substr(marks.size);
    const bool delimiters = rest.find('-') != rest.npos && rest.find_first_not_of("|-: \t") == rest.npos;
    if (blank) columns_ = 0;
    if (delimiters) columns_ = std::max<std::size_t>(columns_, std::min<std::size_t>(kMostBars, bars_in(rest)) + 1);
    if ((all_open_ += open_) > kMostOpen)
      throw DataError(cat("line ", number, ": ", open_, " lists and quotes are open in a text of so many lines; ",
                          "nest fewer, or translate it in parts"));
    if ((cells_ += columns_) > kMostCells)
      throw DataError(
          cat("line ", number, ": the tables have more than ", kMostCells, " cells; translate them in parts"));
  }

 private:
  static std::size_t bars_in(std::string_view line) {
    return static_cast<std::size_t>(std::count(line.begin(), line.end(), '|'));
  }

  std::size_t open_ = 0, all_open_ = 0, columns_ = 0, cells_ = 0;
  bool after_text_ = false;
};

// The line without characters that are inline markup, of the same length.
std::string without_inlines(std::string_view line) {
  const auto [begin, marks] = containers_of(line);
  const std::string_view rest = line.substr(begin);
  if (is_rule(line) || (marks < kMostMarks && line.find_first_not_of("*_- \t") == line.npos)) return std::string(line);
  if (rest.starts_with(std::string(3, '`')) || rest.starts_with("~~~")) return std::string(line);
  std::string plain(line);
  if (marks == kMostMarks && begin < plain.size()) plain[begin] = 'x';  // no further list or quote
  std::size_t bars = 0;
  for (std::size_t at = begin; at < plain.size(); ++at) {
    const bool bar = plain[at] == '|' && (at == 0 || line[at - 1] != '\\');
    if (bar && ++bars > kMostBars) plain[at] = 'x';
    const bool tag = plain[at] == '<' && (at == begin || plain.compare(at, 2, "</") == 0);
    const bool quote = plain[at] == '>' && at == begin;
    if (quote || (!tag && std::string_view("[]_*`<").find(plain[at]) != std::string_view::npos)) plain[at] = 'x';
  }
  return plain;
}

std::unique_ptr<cmark_node, void (*)(cmark_node*)> parsed(const std::string& text) {
  cmark_gfm_core_extensions_ensure_registered();
  const std::unique_ptr<cmark_parser, void (*)(cmark_parser*)> parser(cmark_parser_new(CMARK_OPT_DEFAULT),
                                                                      cmark_parser_free);
  cmark_parser_attach_syntax_extension(parser.get(), cmark_find_syntax_extension("table"));
  cmark_parser_feed(parser.get(), text.data(), text.size());
  return {cmark_parser_finish(parser.get()), cmark_node_free};
}

}  // namespace

std::vector<MarkdownBlock> markdown_blocks(const std::vector<FileLine>& lines, std::size_t from) {
  using Kind = MarkdownBlock::Kind;
  std::string text;
  Work work;
  for (std::size_t i = from; i < lines.size(); ++i) {
    check_canceled();
    work.add(lines[i].text, i + 1);
    text += without_inlines(lines[i].text), text += lines[i].end;
  }
  const auto document = parsed(text);
  const std::unique_ptr<cmark_iter, void (*)(cmark_iter*)> all(cmark_iter_new(document.get()), cmark_iter_free);
  std::vector<MarkdownBlock> blocks;
  std::size_t quotes = 0;  // around the node
  for (cmark_event_type event; (event = cmark_iter_next(all.get())) != CMARK_EVENT_DONE;) {
    cmark_node* const node = cmark_iter_get_node(all.get());
    const cmark_node_type type = cmark_node_get_type(node);
    if (type == CMARK_NODE_BLOCK_QUOTE) event == CMARK_EVENT_ENTER ? ++quotes : --quotes;
    const bool paragraph = type == CMARK_NODE_PARAGRAPH, heading = type == CMARK_NODE_HEADING;
    const bool table = cmark_node_get_type_string(node) == std::string_view("table");
    if (event != CMARK_EVENT_ENTER || (!paragraph && !heading && !table)) continue;
    const auto line = [&](int number) { return from + static_cast<std::size_t>(number > 0 ? number - 1 : 0); };
    blocks.push_back({paragraph ? Kind::paragraph
                      : heading ? Kind::heading
                                : Kind::table,
                      line(cmark_node_get_start_line(node)), line(cmark_node_get_end_line(node)),
                      static_cast<std::size_t>(cmark_node_get_start_column(node) - 1), quotes});
  }
  return blocks;
}

}  // namespace hexapla::text::document
