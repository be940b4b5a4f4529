#pragma once
// The words that BLEU counts, as split by sacreBLEU.
#include <string>
#include <string_view>
#include <vector>

namespace hexapla::evaluate {

using Tokenize = std::vector<std::string> (*)(std::string_view line);

std::vector<std::string> tokenize_13a(std::string_view line);   // mteval-v13a: European languages
std::vector<std::string> tokenize_none(std::string_view line);  // only at white space: for tokenized text
std::vector<std::string> tokenize_intl(std::string_view line);  // mteval-v14: punctuation and symbols of all scripts
std::vector<std::string> tokenize_char(std::string_view line);  // every character
std::vector<std::string> tokenize_zh(std::string_view line);    // single Chinese characters, the rest as 13a

std::vector<std::string> tokenize_ja_mecab(std::string_view line);  // Japanese morphemes; needs MeCab
std::vector<std::string> tokenize_ko_mecab(std::string_view line);  // Korean morphemes; needs mecab-ko

// One of 13a, none, intl, char, zh, ja-mecab and ko-mecab. UsageError: another name, or it needs
// something that is missing on this machine.
Tokenize bleu_tokenizer(std::string_view name);
// Names what is missing on this machine for the tokenizer, and how to get it; "": nothing.
std::string missing_for(std::string_view tokenizer);
// Its name in a score's signature: "zh", "ja-mecab-0.996-IPA".
std::string signature_of_tokenizer(std::string_view name);

}  // namespace hexapla::evaluate
