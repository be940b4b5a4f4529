#include "text/marked/patterns.h"

#include <re2/re2.h>

#include "base/error.h"
#include "text/utf8.h"

namespace hexapla::text {
namespace {

[[noreturn]] void refuse(const std::string& pattern, const std::string& why) {
  throw UsageError(cat("`protect-pattern` '", printable(pattern), "': ", printable(why),
                       "; the syntax is that of RE2 (https://github.com/google/re2/wiki/Syntax)"),
                   "protect-pattern", printable(pattern));
}

RE2::Options quiet() {
  RE2::Options options;
  options.set_log_errors(false);
  return options;
}

}  // namespace

struct Patterns::Compiled {
  RE2 re;
  explicit Compiled(const std::string& pattern) : re(pattern, quiet()) {
    if (!re.ok()) refuse(pattern, re.error());
    if (RE2::FullMatch("", re)) refuse(pattern, "it matches an empty text, which stands everywhere");
  }
};

Patterns::Patterns(std::span<const std::string> patterns) {
  for (const std::string& pattern : patterns) all_.push_back(std::make_unique<Compiled>(pattern));
}
Patterns::~Patterns() = default;

std::vector<TokenSpan> Patterns::find(std::string_view text) const {
  std::vector<TokenSpan> spans;
  const re2::StringPiece all(text.data(), text.size());
  for (const auto& compiled : all_) {
    re2::StringPiece found;
    for (std::size_t at = 0; at < text.size();) {
      if (!compiled->re.Match(all, at, text.size(), RE2::UNANCHORED, &found, 1)) break;
      const auto from = static_cast<std::size_t>(found.data() - text.data());
      if (!found.empty()) spans.push_back({from, from + found.size()});
      at = from + (found.empty() ? character_bytes(text.substr(from)) : found.size());
      if (found.empty() && from >= text.size()) break;
    }
  }
  return spans;
}

}  // namespace hexapla::text
