#pragma once
// Members of a request. What is wrong with one is a UsageError that names it.
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "hexapla/translator.h"

namespace hexapla::serve {

std::string text_member(const nlohmann::json& request, const char* name);
std::optional<std::string> optional_text(const nlohmann::json& request, const char* name);  // null: as if missing
// None where it is missing. At most `most` texts.
std::vector<std::string> list_member(const nlohmann::json& request, const char* name, std::size_t most);
// {"beam_size": 4, "unk": "copy"}; the defaults where it is missing. An unknown one is refused with the nearest name.
TranslatorOptions options_member(const nlohmann::json& request, const char* name = "options");
// The options of a request by name. UsageError, too: patterns of protected text, which only the operator gives.
TranslatorOptions options_of_request(const Options& given);

}  // namespace hexapla::serve
