#pragma once
// Selects BLEU's tokenizer by the script of a text: without blanks between words, 13a would treat a
// line as one word, and BLEU would always be 0.
#include <span>
#include <string>

namespace hexapla::evaluate {

struct TokenizerChoice {
  std::string name;      // for bleu_tokenizer()
  std::string language;  // "Chinese", or a script: "Thai, Lao, Khmer or Burmese"; "": 13a is right
  std::string missing;   // what a better one needs, and how to get it; "": this is the best
};

// zh for Chinese; ja-mecab for Japanese, or char without MeCab; ko-mecab for Korean, or 13a without
// it (Korean has blanks); char for Thai, Lao, Khmer, Burmese and Tibetan; otherwise 13a. The
// predominant script counts: a run of other letters counts as much as one Chinese character.
TokenizerChoice tokenizer_for(std::span<const std::string> references);
// A message for the user; "": 13a, and nothing is better.
std::string text_of(const TokenizerChoice& choice);

}  // namespace hexapla::evaluate
