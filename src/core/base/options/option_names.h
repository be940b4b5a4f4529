#pragma once
// Messages of the library write the name of an option in backticks, `beam-size`; each interface then spells it its own
// way: --beam-size, beam_size. What only the program has is in `{ }`: "import it`{ with: hexapla import FILE}`".
#include <functional>
#include <string>
#include <string_view>

namespace hexapla {

// Replaces each name in backticks, including the backticks. Names consist of letters, digits and dashes; other text in
// backticks is kept. `{text}` becomes its text if spelling is as_flag, and otherwise nothing.
std::string spell_options(std::string_view text, const std::function<std::string(std::string_view name)>& spelling);

std::string as_flag(std::string_view name);   // --beam-size
std::string as_field(std::string_view name);  // beam_size

}  // namespace hexapla
