#pragma once
// Regular expressions (RE2): the time grows only with the length of the text, whatever the pattern.
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/words.h"

namespace hexapla::text {

class Patterns {
 public:
  // UsageError naming `protect-pattern` and the pattern: RE2 cannot parse it, or it only matches
  // empty text.
  explicit Patterns(std::span<const std::string> patterns);
  ~Patterns();

  // All non-empty matches in valid UTF-8, pattern by pattern.
  std::vector<TokenSpan> find(std::string_view text) const;

 private:
  struct Compiled;
  std::vector<std::unique_ptr<const Compiled>> all_;
};

}  // namespace hexapla::text
