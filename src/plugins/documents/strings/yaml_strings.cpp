#include "documents/strings/yaml_strings.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <sstream>
#include <utility>
#include <vector>

#include "base/classic.h"
#include "base/error.h"
#include "documents/file_lines.h"
#include "documents/strings/string_lines.h"
#include "documents/strings/yaml_scalars.h"
#include "text/ascii.h"
#include "text/plain_line.h"

namespace hexapla::text::document {
namespace {

using Style = YAML::EmitterStyle::value;
using YAML::anchor_t, YAML::Mark;

constexpr std::size_t kLargest = std::size_t{4} << 20;  // the parser takes a second for this much

// Aliases are not expanded, so a few lines cannot become gigabytes.
class YamlReader final : public YAML::EventHandler {
 public:
  // parsed: the bytes that the parser reads, one for each byte of yaml.
  YamlReader(std::string_view yaml, std::string_view parsed, Pieces& pieces)
      : yaml_(yaml), parsed_(parsed), pieces_(pieces) {}

  void finish() { keep_to(yaml_.size()); }

  // The parser treats stray text as a document of its own, and reports any number of them at a
  // comma.
  void OnDocumentStart(const Mark& mark) override {
    const auto at = static_cast<std::size_t>(mark.pos);
    const std::string_view before = parsed_.substr(0, parsed_.find_last_not_of(" \n\r\t", at == 0 ? 0 : at - 1) + 1);
    const bool marked = parsed_.substr(at, 3) == std::string(3, '-') || before.ends_with("...");
    if (std::exchange(begun_, true) && !marked) throw YAML::ParserException(mark, "this text belongs to nothing");
  }
  void OnDocumentEnd() override {}
  void OnNull(const Mark&, anchor_t) override { begin_node(); }
  void OnAlias(const Mark&, anchor_t) override { begin_node(); }
  void OnScalar(const Mark& mark, const std::string& tag, anchor_t, const std::string& value) override {
    const bool string = tag == "?" || tag == "!" || tag == "tag:yaml.org,2002:str";
    if (!begin_node() || !string || !is_text(value) || has_choices(value)) return;
    const auto scalar = yaml_scalar_at(parsed_, static_cast<std::size_t>(mark.pos), value);
    if (!scalar || (tag == "?" && scalar->style == YamlStyle::plain && is_other_than_string(value))) return;
    scalar->style == YamlStyle::block ? add_block(*scalar) : add(*scalar, value);
  }
  void OnSequenceStart(const Mark&, const std::string&, anchor_t, Style style) override { open(false, style); }
  void OnSequenceEnd() override { open_.pop_back(); }
  void OnMapStart(const Mark&, const std::string&, anchor_t, Style style) override { open(true, style); }
  void OnMapEnd() override { open_.pop_back(); }

 private:
  struct Collection {
    bool map, flow;
    bool inside_key;  // it is a key, or part of one
    bool key;         // whether its next node is a key
  };

  // -> whether the node is a value, or part of one
  bool begin_node() {
    if (open_.empty()) return true;
    Collection& c = open_.back();
    const bool value = !c.key && !c.inside_key;
    if (c.map) c.key = !c.key;
    return value;
  }
  void open(bool map, Style style) {
    const bool value = begin_node();
    open_.push_back({map, style == YAML::EmitterStyle::Flow, !value, map});
  }

  void keep_to(std::size_t end) {
    pieces_.keep(yaml_.substr(kept_, end - kept_));
    kept_ = end;
  }

  void add(const YamlScalar& scalar, const std::string& value) {
    keep_to(scalar.begin);
    kept_ = scalar.end;
    const std::string_view raw = yaml_.substr(scalar.begin, scalar.end - scalar.begin);
    if (value.find_first_of("\n\r\t") == value.npos) {
      const bool flow = !open_.empty() && open_.back().flow;
      const auto written = [style = scalar.style, flow](std::string_view t) { return yaml_scalar(t, style, flow); };
      return add_string_line(value, raw, written, pieces_);
    }
    const std::string_view inside = raw.substr(1, raw.size() - 2);
    const bool as_json = scalar.style == YamlStyle::double_quoted && json_unescaped(inside) == value;
    pieces_.keep("\"");
    add_string(as_json ? std::string(inside) : yaml_escaped(value), {json_unescaped, yaml_escaped}, pieces_);
    pieces_.keep("\"");
  }

  // Joins adjacent lines of a folded block (>) if neither is empty or indented.
  void add_block(const YamlScalar& block) {
    const std::string_view raw = yaml_.substr(block.begin, block.end - block.begin);
    std::vector<FileLine> lines = file_lines(raw);
    keep_to(block.begin + lines[0].text.size() + lines[0].end.size());
    const auto content = [&](std::size_t i) {
      return lines[i].text.substr(std::min(block.indent, lines[i].text.size()));
    };
    const auto folds = [&](std::size_t i) {
      return raw[0] == '>' && i < lines.size() && !content(i).empty() && !text::ascii::is_space(content(i)[0]);
    };
    for (std::size_t i = 1, last = 1; i < lines.size(); i = last + 1) {
      std::string line(content(i));
      for (last = i; folds(last) && folds(last + 1);) line += cat(' ', content(++last));
      const auto begin = static_cast<std::size_t>(content(i).data() - yaml_.data());
      const auto end = static_cast<std::size_t>(lines[last].end.data() - yaml_.data());
      add_block_line(line, begin, end);
    }
    keep_to(block.end);
  }
  void add_block_line(const std::string& line, std::size_t begin, std::size_t end) {
    keep_to(begin);
    const std::string blanks = line.substr(0, std::min(line.find_first_not_of(" \t"), line.size()));
    const auto written = [blanks](const std::string& text) {
      const std::string all = text::plain_line(text);
      return blanks + all.substr(std::min(all.find_first_not_of(' '), all.size()));
    };
    add_string_line(line, yaml_.substr(begin, end - begin), written, pieces_);
    kept_ = end;
  }

  std::string_view yaml_, parsed_;
  Pieces& pieces_;
  std::size_t kept_ = 0;
  bool begun_ = false;  // whether the first document has begun
  std::vector<Collection> open_;
};

// The file, at the same length, with line ends that the parser knows, and with version directives
// ("%YAML 1.1") as comments, because the parser reads their numbers in the program's locale.
// DataError: control characters that YAML forbids, or a file that is too large.
std::string readable_yaml(std::string_view content) {
  if (content.size() > kLargest)
    throw DataError(cat("the file has ", content.size(), " bytes, at most ", kLargest,
                        " of YAML are read: send it in several files"));
  std::string yaml(content);
  for (std::size_t at = 0; at < yaml.size(); ++at) {
    const char c = yaml[at];
    if ((at == 0 || yaml[at - 1] == '\n') && content.substr(at).starts_with("%YAML ")) yaml[at] = '#';
    if (c == '\r' && yaml[std::min(at + 1, yaml.size() - 1)] != '\n') yaml[at] = '\n';
    if (c >= 0 && c < ' ' && !text::ascii::is_space(c))
      throw DataError(cat("byte ", at, " is a control character (", int{c}, "), which YAML does not have: remove it"));
  }
  return yaml;
}

}  // namespace

Pieces yaml_strings(const std::string& content) {
  const std::size_t mark = size_of_mark(content);
  const std::string_view yaml = std::string_view(content).substr(mark);
  const std::string parsed = readable_yaml(yaml);
  Pieces pieces([](std::string_view text) { return std::string(text); });
  pieces.keep(content.substr(0, mark));
  YamlReader reader(yaml, parsed, pieces);
  Classic<std::istringstream> stream(parsed);
  try {
    YAML::Parser events(stream);
    while (events.HandleNextDocument(reader)) {
    }
  } catch (const YAML::Exception& e) {
    throw DataError(
        cat("line ", e.mark.line + 1, ": not valid YAML: ", e.msg, "; send a file that a YAML parser takes"));
  }
  reader.finish();
  return pieces;
}

}  // namespace hexapla::text::document
