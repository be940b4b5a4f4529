#pragma once
// Terms with required translations.
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hexapla/error.h"
#include "hexapla/export.h"

namespace hexapla {
namespace decode {
class Glossary;
}
class Glossary;
namespace api {
std::shared_ptr<const decode::Glossary> terms_of(const Glossary& glossary);
}

// For every occurrence of a source term in a line, the target replaces the words of the translation
// that are aligned with it. Where there are none, TranslatorOptions::warn is called with the line.
// Source terms match whole words (in scripts without spaces: anywhere), ignoring case; among
// overlapping terms the longest one matches. A target may list alternative forms, "Hund|Hunde".
// Copies share the terms, and any number of threads may use them. Lines are searched sentence by
// sentence. A term that the model's vocabulary cannot write is ignored with a warning
// (TranslatorOptions::warn).
class Glossary {
 public:
  Glossary() = default;  // no terms
  // Source terms and their targets. UsageError naming the pair: an empty term or form, one that is not UTF-8, a
  // duplicate source term (ignoring case), a term or form of more than 1,024 bytes, more than 32 forms or
  // 1,000,000 terms.
  HEXAPLA_API explicit Glossary(const std::vector<std::pair<std::string, std::string>>& terms);
  explicit Glossary(std::initializer_list<std::pair<std::string, std::string>> terms)  // ({{"dog", "Hund"}})
      : Glossary(std::vector<std::pair<std::string, std::string>>(terms)) {}
  // Reads a file with one term per line: source, a tab, target; blank lines are ignored. DataError
  // naming file and line: as above, an invalid line, or the file cannot be read.
  HEXAPLA_API static Glossary read(const std::string& path);

  HEXAPLA_API std::size_t size() const noexcept;  // number of terms

 private:
  friend std::shared_ptr<const decode::Glossary> api::terms_of(const Glossary& glossary);
  std::shared_ptr<const decode::Glossary> terms_;
};

}  // namespace hexapla
