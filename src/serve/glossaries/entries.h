#pragma once
// The entries of a glossary as DeepL's clients send and read them.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hexapla::serve {

using Entries = std::vector<std::pair<std::string, std::string>>;  // source terms and targets

// A line each: source, a tab, target. Blank lines are passed over. HttpError 400 naming the line.
Entries entries_of_tsv(std::string_view text);
// RFC 4180: source,target, each perhaps between quotation marks, in which "" is one. What comes after the second value,
// languages, is passed over. HttpError 400 naming the line.
Entries entries_of_csv(std::string_view text);
std::string tsv_of(const Entries& entries);  // no newline at the end

}  // namespace hexapla::serve
