#pragma once
// A small JSON file of another program, an object, read with checks: every value that is asked for has a type and, if
// it is a number, a range. DataError names the file, the key, what stands there and what is allowed.
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/range.h"

namespace hexapla::convert {

class JsonFile {
 public:
  static constexpr size_t max_bytes = size_t{1} << 20;

  // DataError: there is no such file, it is longer than max_bytes, or no JSON object.
  explicit JsonFile(const std::string& path);

  const std::string& path() const { return path_; }
  bool has(const std::string& key) const;  // and is not null
  int64_t whole(const std::string& key, const Range<int64_t>& allowed) const;
  int64_t whole(const std::string& key, const Range<int64_t>& allowed, int64_t otherwise) const;
  double number(const std::string& key, const Range<double>& allowed, double otherwise) const;
  bool flag(const std::string& key, bool otherwise) const;
  std::string word(const std::string& key, const std::string& otherwise) const;
  // As it stands, null where it does not.
  const nlohmann::json& value(const std::string& key) const;
  std::vector<std::string> keys() const;  // in alphabetical order

  [[noreturn]] void refuse(const std::string& key, const std::string& allowed) const;
  [[noreturn]] void refuse_unknown(const std::string& key) const;  // a key that might change what is computed

 private:
  std::string path_;
  nlohmann::json object_;
};

// {"piece": id, ...}, as tables of pieces are written: the piece of each id, "" where none has it. DataError as above,
// and where an id is not in [0, most) or has two pieces. Takes memory by the length of the file alone.
std::vector<std::string> read_piece_ids(const std::string& path, size_t most);

}  // namespace hexapla::convert
