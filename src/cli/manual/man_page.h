#pragma once
#include "cli/manual/description.h"

namespace hexapla::cli {

// A page of section 1 in the language of man(7).
std::string man_page(const CommandDescription& command);

}  // namespace hexapla::cli
