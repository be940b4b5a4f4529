#pragma once
// The words that BLEU counts, as sacreBLEU cuts them.
#include <string>
#include <string_view>
#include <vector>

namespace hexapla::evaluate {

using Tokenize = std::vector<std::string> (*)(std::string_view line);

std::vector<std::string> tokenize_13a(std::string_view line);   // mteval-v13a: European languages
std::vector<std::string> tokenize_none(std::string_view line);  // at white space only: text that is tokenized already
std::vector<std::string> tokenize_intl(std::string_view line);  // mteval-v14: punctuation and symbols of all scripts
std::vector<std::string> tokenize_char(std::string_view line);  // every character
std::vector<std::string> tokenize_zh(std::string_view line);    // Chinese characters one by one, the rest as 13a

std::vector<std::string> tokenize_ja_mecab(std::string_view line);  // Japanese morphemes; needs MeCab
std::vector<std::string> tokenize_ko_mecab(std::string_view line);  // Korean ones; needs mecab-ko

// One of 13a, none, intl, char, zh, ja-mecab and ko-mecab; UsageError for another name, and where what it needs is not
// on this machine.
Tokenize bleu_tokenizer(std::string_view name);
// What a tokenizer needs and this machine has not, and how to get it; "" where it has all.
std::string missing_for(std::string_view tokenizer);
// As a score's signature names it: "zh", "ja-mecab-0.996-IPA".
std::string signature_of_tokenizer(std::string_view name);

}  // namespace hexapla::evaluate
