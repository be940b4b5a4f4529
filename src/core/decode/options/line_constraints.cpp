#include "decode/options/line_constraints.h"

#include "base/error.h"
#include "text/encoding.h"
#include "text/utf8.h"

namespace hexapla::decode {

void check_utf8(const LineConstraints& constraints, const std::string& place) {
  const auto check = [&](const char* name, const std::string& text) {
    if (!text::invalid_utf8(text)) return;
    throw UsageError(
        cat(place, "`", name, "` '", text::printable(text), "' is not UTF-8; ", text::advice(text::encoding_of(text))),
        name, text::printable(text));
  };
  check("prefix", constraints.prefix);
  for (const std::string& phrase : constraints.require) check("require", phrase);
  for (const std::string& phrase : constraints.forbid) check("forbid", phrase);
}

}  // namespace hexapla::decode
