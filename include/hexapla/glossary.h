#pragma once
// Terms with the translations that they must have.
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hexapla/error.h"

namespace hexapla {
namespace decode {
class Glossary;
}
class Glossary;
namespace api {
std::shared_ptr<const decode::Glossary> terms_of(const Glossary& glossary);
}

// Wherever a line contains a source term (as whole words, in scripts without spaces anywhere; in any case; of terms
// that overlap the longest), its translation contains the target, once for each time. A target may list forms,
// "Hund|Hunde", of which any will do. Copies share the terms, and any number of threads may use them. Lines are looked
// at sentence by sentence. A term that the model's vocabulary cannot write is left out and warned of
// (TranslatorOptions::warn).
class Glossary {
 public:
  Glossary() = default;  // of no terms
  // Source terms and their targets. UsageError naming the pair: an empty term or form, the same source term twice
  // (whatever its case), a term or form of more than 1,024 bytes, more than 32 forms or 1,000,000 terms.
  explicit Glossary(const std::vector<std::pair<std::string, std::string>>& terms);
  // A file with a line for each term: source, a tab, target; blank lines are passed over. DataError naming file and
  // line: as above, or no line of this kind, or the file cannot be read.
  static Glossary read(const std::string& path);

  std::size_t size() const noexcept;  // terms

 private:
  friend std::shared_ptr<const decode::Glossary> api::terms_of(const Glossary& glossary);
  std::shared_ptr<const decode::Glossary> terms_;
};

}  // namespace hexapla
