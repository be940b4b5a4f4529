#include "documents/strings/json_strings.h"

#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "documents/file_lines.h"
#include "documents/strings/string_lines.h"

namespace hexapla::text::document {
namespace {

// Tracks the nesting of valid JSON.
class JsonScanner {
 public:
  JsonScanner(std::string_view json, Pieces& pieces) : json_(json), pieces_(pieces) {}

  void scan() {
    std::size_t kept = 0;
    for (std::size_t at = 0; at < json_.size(); ++at) {
      const char c = json_[at];
      if (c == '{' || c == '[') objects_.push_back(c == '{'), key_ = c == '{';
      if (c == '}' || c == ']') objects_.pop_back(), key_ = false;
      if (c == ',') key_ = objects_.back();
      if (c == ':') key_ = false;
      if (c != '"') continue;
      const std::size_t end = end_of_string(at);
      if (!key_) {
        pieces_.keep(json_.substr(kept, at + 1 - kept));
        add(json_.substr(at + 1, end - at - 1));
        kept = end;
      }
      at = end;
    }
    pieces_.keep(json_.substr(kept));
  }

 private:
  std::size_t end_of_string(std::size_t at) const {
    for (++at; json_[at] != '"'; ++at)
      if (json_[at] == '\\') ++at;
    return at;
  }
  void add(std::string_view raw) {
    if (has_choices(raw)) return pieces_.keep(raw);
    add_string(raw, {json_unescaped, json_escaped}, pieces_);
  }

  std::string_view json_;
  Pieces& pieces_;
  std::vector<bool> objects_;  // whether each enclosing container is an object
  bool key_ = false;           // whether the next string is a key
};

}  // namespace

Pieces json_strings(const std::string& content) {
  const std::size_t mark = size_of_mark(content);
  parse_json(content.substr(mark), "the file", "send a file that a JSON parser takes");
  Pieces pieces([](std::string_view text) { return std::string(text); });
  pieces.keep(content.substr(0, mark));
  JsonScanner(std::string_view(content).substr(mark), pieces).scan();
  return pieces;
}

}  // namespace hexapla::text::document
