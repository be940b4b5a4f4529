#pragma once
// Terms with the translations that they must have.
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hexapla::decode {

// A target is one form, or several of which any will do: "Hund|Hunde". Blanks around a term or a form do not count.
// Source terms are equal where text::folded() is. Limits: 1,024 bytes a term or form, 32 forms, a million terms.
class Glossary {
 public:
  using Pair = std::pair<std::string, std::string>;  // source term, target
  struct Term {
    std::string source;
    std::vector<std::string> forms;  // of its translation
    size_t place;                    // among those that were given, from 0
  };

  // UsageError naming the pair: an empty term or form, a source term twice, not UTF-8, a limit.
  explicit Glossary(std::span<const Pair> pairs);
  // One term a line: source, a tab, target. Blank lines are passed over. DataError naming file and line: as above, or a
  // line without a tab, or with several.
  static Glossary read(const std::string& path);

  // The first so many terms that a text contains, once for each time: as whole words (in scripts without blanks:
  // anywhere), whatever their case. They do not overlap: from left to right, the longest one that begins there.
  std::vector<const Term*> terms_in(std::string_view text, size_t most) const;
  size_t size() const { return terms_.size(); }

 private:
  Glossary() = default;
  // -> what is wrong with it, or ""
  std::string add(std::string_view source, std::string_view target, size_t place, const char* unit);
  // The longest term that the line has at this byte, or null.
  const std::pair<const std::string, Term>* longest_at(std::string_view line, size_t at) const;

  std::map<std::string, Term, std::less<>> terms_;  // by their folded source
};

}  // namespace hexapla::decode
