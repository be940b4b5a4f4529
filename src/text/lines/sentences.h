#pragma once
// Where a text that is too long for one translation can be parted.
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace hexapla::text {

// The sentences of a text, without the blanks around them (text/lines/sentence_ends.h).
std::vector<std::string_view> sentences(std::string_view text);
bool several_sentences(std::string_view text);  // whether there is more than one, without cutting most texts

// Parts of a text, in order, each of which fits; all that is left out are blanks between them. Parted at the ends of
// sentences; a sentence that does not fit, at full stops of any kind, then at commas, semicolons and colons, then at
// blanks, then between any two characters, and there into parts as long as they fit. A single character counts as
// fitting.
std::vector<std::string> parted(std::string_view text, const std::function<bool(const std::string&)>& fits);

// One text of the translations of parts: a blank between them, but not in a script that has none.
std::string joined(const std::vector<std::string>& parts);
// Appends one more part. between: what separates it, if it is not the usual blank. -> where it begins
size_t join(std::string& all, const std::string& part, std::string_view between = {});

}  // namespace hexapla::text
