#pragma once
// Regular expressions, as RE2 has them: the time that a text takes grows with its length alone, whatever the pattern.
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/words.h"

namespace hexapla::text {

class Patterns {
 public:
  // UsageError naming `protect-pattern` and the pattern: RE2 does not read it, or it finds nothing but empty text.
  explicit Patterns(std::span<const std::string> patterns);
  ~Patterns();

  // All that the patterns find in valid UTF-8, pattern by pattern; nothing empty.
  std::vector<TokenSpan> find(std::string_view text) const;

 private:
  struct Compiled;
  std::vector<std::unique_ptr<const Compiled>> all_;
};

}  // namespace hexapla::text
