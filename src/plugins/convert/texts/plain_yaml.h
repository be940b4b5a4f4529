#pragma once
// YAML as programs write their settings: keys with a scalar or a list of scalars, with one level
// (Marian) or several (JoeyNMT). All other YAML is rejected. A scalar is the plain text or the
// content of its quotes.
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/range.h"

namespace hexapla::convert {

class PlainYaml {
 public:
  static constexpr size_t kMaxBytes = size_t{1} << 20;

  // DataError naming `name` and the line: deeper levels, a duplicate key, more than kMaxBytes.
  PlainYaml(std::string_view text, const std::string& name);
  static PlainYaml read(const std::string& path);  // from a file
  // A file written by people: several levels, whose keys are joined by dots ("model.encoder.type"),
  // and comments after values. DataError as above: tab indentation, too many levels, no key in a
  // line.
  static PlainYaml read_nested(const std::string& path);

  const std::string& name() const { return name_; }
  bool has(const std::string& key) const;
  std::vector<std::string> keys() const;                        // all of them, sorted
  std::vector<std::string> list(const std::string& key) const;  // empty if there is no such key
  std::string word(const std::string& key, const std::string& otherwise) const;
  bool flag(const std::string& key, bool otherwise) const;
  int64_t whole(const std::string& key, const Range<int64_t>& allowed) const;
  double number(const std::string& key, const Range<double>& allowed, double otherwise) const;

  [[noreturn]] void refuse(const std::string& key, const std::string& allowed) const;

 private:
  explicit PlainYaml(std::string name) : name_(std::move(name)) {}
  // Adds the text after a key, or after the dash of a list item.
  void put(const std::string& key, std::string_view value, size_t line);

  std::string name_;
  std::map<std::string, std::vector<std::string>> values_;
};

// Reads "a: 3", "'it''s': 4", "\"\\x22\": 5" and "? a\n: 3", as in Marian's vocabularies (*.yml):
// the piece of each id, "" for unused ids. DataError naming file and line; an id that is not in [0,
// most) or has two pieces.
std::vector<std::string> read_yaml_piece_ids(const std::string& path, size_t most);

}  // namespace hexapla::convert
