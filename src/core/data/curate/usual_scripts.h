#pragma once
// The scripts that a side is usually written in: a line in another one is in another language.
#include <cstdint>
#include <map>
#include <string_view>

namespace hexapla::data {

class UsualScripts {
 public:
  // A line to learn from.
  void add(std::string_view line);
  // Whether it has five words or more (characters, in scripts without blanks), and at most a tenth of them are in a
  // script that is the main one of a fifth of the lines. So a name or a number in letters is none, and neither is a
  // side that mixes scripts, as Japanese does.
  bool is_foreign(std::string_view line) const;

 private:
  bool usual(int script) const;
  std::map<int, int64_t> lines_;  // by their main script
  int64_t all_ = 0;
};

}  // namespace hexapla::data
