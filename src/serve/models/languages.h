#pragma once
// Languages as clients name them: codes of ISO 639-1, some with a script or a region.
#include <string>
#include <string_view>

namespace hexapla::serve {

inline const std::string undetermined = "und";  // the language of a model that says nothing of its languages

// A code as it is written: "de", "pt-BR", "zh-Hans", whatever its case; other names of these ("zh", "zt", "pb") become
// them. "" where it is no code: two or three letters, with a script of four or a region of two behind a hyphen.
std::string language_code(std::string_view name);

// "German"; the code itself where this list does not have it.
std::string language_name(const std::string& code);

// As DeepL writes it: "DE", "PT-BR".
std::string code_in_capitals(std::string code);

bool known_language(const std::string& code);

}  // namespace hexapla::serve
