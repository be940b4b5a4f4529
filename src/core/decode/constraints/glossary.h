#pragma once
// Terms with their required translations.
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/words.h"

namespace hexapla::decode {

// A target is one form or several alternatives: "Hund|Hunde". Blanks around a term or a form are
// ignored. Source terms are compared by text::folded(). Limits: 1,024 bytes per term or form, 32
// forms, a million terms.
class Glossary {
 public:
  using Pair = std::pair<std::string, std::string>;  // source term, target
  struct Term {
    std::string source;
    std::vector<std::string> forms;  // of its translation
    size_t place;                    // index of the entry, or of the line in the file, from 0
  };

  // UsageError naming the pair: an empty term or form, a source term twice, not UTF-8, a limit.
  explicit Glossary(std::span<const Pair> pairs);
  // One term per line: source, a tab, target. Blank lines are skipped. DataError naming file and
  // line: as above, or a line without exactly one tab.
  static Glossary read(const std::string& path);

  // An occurrence of a term.
  struct Found {
    const Term* term;
    text::TokenSpan place;  // bytes of the text
  };
  // The terms in a text, in order, one per occurrence, at most `most`. They are found as whole
  // words (in scripts without blanks: anywhere) in any case, and do not overlap: from left to
  // right, the longest that begins at each place.
  std::vector<Found> terms_in(std::string_view text, size_t most) const;
  std::vector<const Term*> terms() const;  // in the order given
  size_t size() const { return terms_.size(); }

 private:
  Glossary() = default;
  // -> the error, or ""
  std::string add(std::string_view source, std::string_view target, size_t place, const char* unit);
  // The longest term that begins at this byte, or null.
  const std::pair<const std::string, Term>* longest_at(std::string_view line, size_t at) const;

  std::map<std::string, Term, std::less<>> terms_;  // by their folded source
};

}  // namespace hexapla::decode
