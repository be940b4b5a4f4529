#include "text/document/markdown/markdown_blocks.h"

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>

#include <memory>
#include <string>

#include "text/ascii.h"

namespace hexapla::text::document {
namespace {

constexpr std::size_t kDeepest = 100;  // list and quote marks of a line

// The length of the quote and list marks at the beginning of a line.
std::size_t size_of_containers(std::string_view line) {
  std::size_t at = 0;
  for (std::size_t marks = 0; marks < kDeepest; ++marks) {
    const std::size_t begin = line.find_first_not_of(" \t", at);
    if (begin == line.npos) return line.size();
    std::size_t end = begin;
    while (end < line.size() && end < begin + 9 && text::ascii::is_digit(line[end])) ++end;
    const bool number = end > begin && end < line.size() && (line[end] == '.' || line[end] == ')');
    const bool bullet = end == begin && std::string_view("-+*").find(line[end]) != std::string_view::npos;
    if (line[begin] == '>') {
      at = begin + 1;
    } else if ((number || bullet) && (end + 1 == line.size() || line[end + 1] == ' ' || line[end + 1] == '\t')) {
      at = end + 1;
    } else {
      return begin;
    }
  }
  return at;
}

// The line without characters that are inline markup, of the same length.
std::string without_inlines(std::string_view line) {
  const std::size_t begin = size_of_containers(line);
  const std::string_view rest = line.substr(begin);
  if (line.find_first_not_of("*_- \t") == line.npos && line.size() < 1000) return std::string(line);
  if (rest.starts_with(std::string(3, '`')) || rest.starts_with("~~~")) return std::string(line);
  std::string plain(line);
  for (std::size_t at = begin; at < plain.size(); ++at) {
    const bool tag = plain[at] == '<' && (at == begin || plain.compare(at, 2, "</") == 0);
    const bool quote = plain[at] == '>' && at == begin;
    if (quote || (!tag && std::string_view("[]_*`<").find(plain[at]) != std::string_view::npos)) plain[at] = 'x';
  }
  return plain;
}

std::size_t quotes_around(cmark_node* node) {
  std::size_t quotes = 0;
  for (; node != nullptr; node = cmark_node_parent(node)) quotes += cmark_node_get_type(node) == CMARK_NODE_BLOCK_QUOTE;
  return quotes;
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
  for (std::size_t i = from; i < lines.size(); ++i) text += without_inlines(lines[i].text), text += lines[i].end;
  const auto document = parsed(text);
  const std::unique_ptr<cmark_iter, void (*)(cmark_iter*)> all(cmark_iter_new(document.get()), cmark_iter_free);
  std::vector<MarkdownBlock> blocks;
  for (cmark_event_type event; (event = cmark_iter_next(all.get())) != CMARK_EVENT_DONE;) {
    cmark_node* const node = cmark_iter_get_node(all.get());
    const cmark_node_type type = cmark_node_get_type(node);
    const bool paragraph = type == CMARK_NODE_PARAGRAPH, heading = type == CMARK_NODE_HEADING;
    const bool table = cmark_node_get_type_string(node) == std::string_view("table");
    if (event != CMARK_EVENT_ENTER || (!paragraph && !heading && !table)) continue;
    const auto line = [&](int number) { return from + static_cast<std::size_t>(number > 0 ? number - 1 : 0); };
    blocks.push_back({paragraph ? Kind::paragraph
                      : heading ? Kind::heading
                                : Kind::table,
                      line(cmark_node_get_start_line(node)), line(cmark_node_get_end_line(node)),
                      static_cast<std::size_t>(cmark_node_get_start_column(node) - 1), quotes_around(node)});
  }
  return blocks;
}

}  // namespace hexapla::text::document
