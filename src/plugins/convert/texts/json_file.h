#pragma once
// A small JSON file of another program, an object, read with checks: every value has a type and
// numbers have a range. DataError names the file, the key, the value and what is allowed.
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/range.h"

namespace hexapla::convert {

class JsonFile {
 public:
  static constexpr size_t kMaxBytes = size_t{1} << 20;

  // DataError: no such file, longer than kMaxBytes, or not a JSON object.
  explicit JsonFile(const std::string& path);

  const std::string& path() const { return path_; }
  // Sets a key that the file lacks.
  void set_default(const std::string& key, const nlohmann::json& value);
  bool has(const std::string& key) const;  // present and not null
  int64_t whole(const std::string& key, const Range<int64_t>& allowed) const;
  int64_t whole(const std::string& key, const Range<int64_t>& allowed, int64_t otherwise) const;
  double number(const std::string& key, const Range<double>& allowed, double otherwise) const;
  bool flag(const std::string& key, bool otherwise) const;
  std::string word(const std::string& key, const std::string& otherwise) const;
  // The unchecked value; null if absent.
  const nlohmann::json& value(const std::string& key) const;
  std::vector<std::string> keys() const;  // in alphabetical order

  [[noreturn]] void refuse(const std::string& key, const std::string& allowed) const;
  [[noreturn]] void refuse_unknown(const std::string& key) const;  // a key that might change what is computed

 private:
  std::string path_;
  nlohmann::json object_;
};

// {"piece": id, ...}, a table of pieces: the piece of each id, "" for unused ids. DataError as
// above, also if an id is not in [0, most) or has two pieces. Memory is proportional to the length
// of the file.
std::vector<std::string> read_piece_ids(const std::string& path, size_t most);

}  // namespace hexapla::convert
