#pragma once
// Reads members of a request. Errors are UsageErrors that name the member.
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "hexapla/translator.h"

namespace hexapla::serve {

std::string text_member(const nlohmann::json& request, const char* name);
std::optional<std::string> optional_text(const nlohmann::json& request, const char* name);  // null counts as missing
// Empty if missing. UsageError: more than `most` texts.
std::vector<std::string> list_member(const nlohmann::json& request, const char* name, std::size_t most);
// 0 if missing. UsageError: no whole number from 0 to `most`.
std::int64_t count_member(const nlohmann::json& request, const char* name, std::int64_t most);
// {"beam_size": 4, "unk": "copy"}; defaults if missing. UsageError for an unknown option, naming
// the most similar one.
TranslatorOptions options_member(const nlohmann::json& request, const char* name = "options");
// The options of a request by name. UsageError also for patterns of protected text, which only the
// operator may give.
TranslatorOptions options_of_request(const Options& given);

}  // namespace hexapla::serve
