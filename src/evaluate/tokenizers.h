#pragma once
// The words that BLEU counts, as sacreBLEU cuts them.
#include <string>
#include <string_view>
#include <vector>

namespace hexapla {

using Tokenize = std::vector<std::string> (*)(std::string_view line);

std::vector<std::string> tokenize_13a(std::string_view line);   // mteval-v13a: European languages
std::vector<std::string> tokenize_none(std::string_view line);  // at white space only: text that is tokenised already
std::vector<std::string> tokenize_intl(std::string_view line);  // mteval-v14: punctuation and symbols of all scripts
std::vector<std::string> tokenize_char(std::string_view line);  // every character
std::vector<std::string> tokenize_zh(std::string_view line);    // Chinese characters one by one, the rest as 13a

// One of 13a, none, intl, char and zh; UsageError for another name.
Tokenize bleu_tokenizer(std::string_view name);

}  // namespace hexapla
