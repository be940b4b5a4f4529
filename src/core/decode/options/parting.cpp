#include "decode/options/parting.h"

#include "base/error.h"

namespace hexapla::decode {

LongInput parse_long_input(const std::string& word) {
  if (word == "split") return LongInput::split;
  if (word == "refuse") return LongInput::refuse;
  if (word == "truncate") return LongInput::truncate;
  throw UsageError(cat("`long-input` '", word, "' is unknown; choose split, refuse or truncate"));
}

Sentences parse_sentences(const std::string& word) {
  if (word == "auto") return Sentences::automatic;
  if (word == "split") return Sentences::split;
  if (word == "keep") return Sentences::keep;
  throw UsageError(cat("`sentences` '", word, "' is unknown; choose auto, split or keep"));
}

}  // namespace hexapla::decode
