#pragma once
// The tokenizer of BLEU that a text asks for by its script: where no blanks are written between words, 13a would take a
// line for one word, and BLEU would be 0 whatever the translations are.
#include <span>
#include <string>

namespace hexapla::evaluate {

struct TokenizerChoice {
  std::string name;      // of bleu_tokenizer()
  std::string language;  // "Chinese", or a script: "Thai, Lao, Khmer or Burmese"; "" where 13a is right
  std::string missing;   // what a better one would need, and how to get it; "" where this is the best
};

// zh for Chinese; ja-mecab for Japanese, char where this machine has no MeCab for it; ko-mecab for Korean, 13a where
// this machine has none (Korean writes blanks); char for Thai, Lao, Khmer, Burmese and Tibetan; else 13a. The script is
// the one that most is written in: a run of other letters counts as much as one Chinese character.
TokenizerChoice tokenizer_for(std::span<const std::string> references);
// What to tell the user of it; "" for 13a where nothing is better.
std::string text_of(const TokenizerChoice& choice);

}  // namespace hexapla::evaluate
