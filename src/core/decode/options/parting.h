#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "text/marked/protected_text.h"

namespace hexapla::decode {

// Whether the sentences of a line are translated one by one. automatic: if the model was not
// trained on lines of several sentences.
enum class Sentences { automatic, split, keep };
// How to treat a line, or a sentence of a split line, that exceeds `max-length`.
enum class LongInput { split, refuse, truncate };
// UsageError: unknown word.
Sentences parse_sentences(const std::string& word);
LongInput parse_long_input(const std::string& word);

// How a line is split into parts.
struct Parting {
  Sentences sentences = Sentences::keep;
  int64_t familiar = 0;  // longest line of several sentences that the model was trained on, in tokens; 0: none
  LongInput long_input = LongInput::split;
  std::shared_ptr<const text::Protection> protection = {};  // text hidden from the model; null: none
  bool capitals = false;                                    // lowercase sentences in capitals (text::in_capitals)
};

}  // namespace hexapla::decode
