#pragma once
// Places where a text that is too long for one translation can be split.
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace hexapla::text {

// The sentences of a text, without surrounding blanks (text/lines/sentence_ends.h).
std::vector<std::string_view> sentences(std::string_view text);
bool several_sentences(std::string_view text);  // more than one; avoids splitting most texts

// Parts of a text in order, each of which fits; only blanks between them are omitted. Splits at the
// ends of sentences; a sentence that does not fit is split at any stops, then at commas, semicolons
// and colons, then at blanks, then between any characters, into parts as long as possible. A single
// character is assumed to fit.
std::vector<std::string> parted(std::string_view text, const std::function<bool(const std::string&)>& fits);

// Joins the translations of parts with blanks, or without in a script that has none.
std::string joined(const std::vector<std::string>& parts);
// Appends a part and returns where it begins. between: the separator, if not the usual blank.
size_t join(std::string& all, const std::string& part, std::string_view between = {});

}  // namespace hexapla::text
