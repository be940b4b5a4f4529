#pragma once
// Formats words with fmt, apart from word.h because that one is included by most of the program.
#include <fmt/format.h>

#include "base/options/word.h"

template <hexapla::Literal... kWords>
struct fmt::formatter<hexapla::Word<kWords...>> : fmt::formatter<std::string> {
  template <class Context>
  auto format(hexapla::Word<kWords...> word, Context& context) const {
    return fmt::formatter<std::string>::format(word.text(), context);
  }
};
