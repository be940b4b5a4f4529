#pragma once
// Glossary entries in the formats of DeepL's API.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hexapla::serve {

using Entries = std::vector<std::pair<std::string, std::string>>;  // source term, target term

// One entry per line: source, tab, target. Skips blank lines. HttpError 400 naming the line.
Entries entries_of_tsv(std::string_view text);
// RFC 4180: source,target, optionally quoted, with "" for a quotation mark. Ignores two language
// columns after them. HttpError 400 naming the line.
Entries entries_of_csv(std::string_view text);
std::string tsv_of(const Entries& entries);  // without a final newline

}  // namespace hexapla::serve
