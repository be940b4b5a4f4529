#pragma once
// Languages as clients name them: ISO 639-1 codes, some with a script or a region.
#include <string>
#include <string_view>
#include <vector>

namespace hexapla::serve {

inline const std::string kUndetermined = "und";  // the language of a model without language information

// The normalized code, "de", "pt-BR", "zh-Hans", in any case; replaces other names ("zh", "zt",
// "pb"), and drops the region after a script ("zh-Hans-SG"). "" if it is not a code: two or three
// letters, optionally a hyphen and a script of four letters or a region of two letters or three
// digits.
std::string language_code(std::string_view name);
// "pt-BR" -> "pt".
std::string language_part(const std::string& code);

// The code that a client means by a word; "" for none. If it names an unknown region ("en-US"), the
// language itself; if it names none, the only code of this language ("pt" -> "pt-BR").
std::string language_among(const std::vector<std::string>& codes, const std::string& word);
// The code for a text in this language, whatever its script and region: the same code, or the first
// of the language; "" for none.
std::string variant_among(const std::vector<std::string>& codes, const std::string& code);

// "German"; the code itself if unknown.
std::string language_name(const std::string& code);

// DeepL's spelling: "DE", "PT-BR".
std::string code_in_capitals(std::string code);

bool known_language(const std::string& code);

}  // namespace hexapla::serve
