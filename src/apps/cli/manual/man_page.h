#pragma once
#include "cli/manual/description.h"

namespace hexapla::cli {

// A page of section 1 in man(7) format.
std::string man_page(const CommandDescription& command);

}  // namespace hexapla::cli
