#include "api/translator_options.h"

#include "base/error.h"

namespace hexapla::api {
namespace {

template <class Public, class Declared>
constexpr bool alike = std::same_as<Public, Declared> ||
                       (Number<Public> && Number<Declared> && std::integral<Public> == std::integral<Declared>);

}  // namespace

decode::DecodingOptions declared_options(const TranslatorOptions& options) {
  decode::DecodingOptions all;
  visit_public(options, [&](const std::string& name, const auto& value) {
    bool found = false;
    const auto take = [&](const std::string& declared, auto& field, const char*, const auto& allowed) {
      using Field = std::remove_reference_t<decltype(field)>;
      if constexpr (alike<std::remove_cvref_t<decltype(value)>, Field>) {
        if (declared != name) return;
        found = true;
        field = static_cast<Field>(value);
        check_allowed(name, field, allowed);
      }
    };
    decode::DecodingOptions::visit(all, take);
    HEXAPLA_CHECK(found, "api: nothing is declared that is like the public option ", name);
  });
  return all;
}

}  // namespace hexapla::api
