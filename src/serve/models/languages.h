#pragma once
// Languages as clients name them: codes of ISO 639-1, some with a script or a region.
#include <string>
#include <string_view>
#include <vector>

namespace hexapla::serve {

inline const std::string undetermined = "und";  // the language of a model that says nothing of its languages

// A code as it is written: "de", "pt-BR", "zh-Hans", whatever its case; other names of these ("zh", "zt", "pb") become
// them, and of a script and a region the script is left ("zh-Hans-SG"). "" where it is no code: two or three letters,
// after a hyphen a script of four letters, or a region of two letters or three digits.
std::string language_code(std::string_view name);
// "pt" of "pt-BR".
std::string language_part(const std::string& code);

// Which of these codes a client means by a word; "" for none. Where it names a region ("en-US") that none has, the
// language itself; where it names none, the only one of this language ("pt": "pt-BR").
std::string language_among(const std::vector<std::string>& codes, const std::string& word);
// Which of these a text in this language is for, in any script and region: the same code, or the first of the language.
std::string variant_among(const std::vector<std::string>& codes, const std::string& code);

// "German"; the code itself where this list does not have it.
std::string language_name(const std::string& code);

// As DeepL writes it: "DE", "PT-BR".
std::string code_in_capitals(std::string code);

bool known_language(const std::string& code);

}  // namespace hexapla::serve
