#pragma once
// Messages of the library name an option as `beam-size`, between backticks; who shows them to a user writes the name as
// that user does: --beam-size, beam_size.
#include <functional>
#include <string>
#include <string_view>

namespace hexapla {

// The text with each name between backticks replaced, them included. Names have letters, digits and dashes; what else
// stands between backticks stays.
std::string spell_options(std::string_view text, const std::function<std::string(std::string_view name)>& spelling);

// Spellings.
std::string as_flag(std::string_view name);   // --beam-size
std::string as_field(std::string_view name);  // beam_size

}  // namespace hexapla
