#include "hexapla/glossary.h"

#include "decode/constraints/glossary.h"
#include "lib/guard.h"

namespace hexapla {

std::shared_ptr<const decode::Glossary> api::terms_of(const Glossary& glossary) { return glossary.terms_; }

Glossary::Glossary(const std::vector<std::pair<std::string, std::string>>& terms)
    : terms_(api::guarded([&] { return std::make_shared<const decode::Glossary>(terms); })) {}

Glossary Glossary::read(const std::string& path) {
  Glossary glossary;
  glossary.terms_ =
      api::guarded([&] { return std::make_shared<const decode::Glossary>(decode::Glossary::read(path)); });
  return glossary;
}

std::size_t Glossary::size() const noexcept { return terms_ ? terms_->size() : 0; }

}  // namespace hexapla
