#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "decode/constraints/phrases.h"

namespace hexapla::decode {

// A term of a glossary in the sentence. It is no constraint on the search: decode/text/put_terms.h
// writes it in place of the words that are aligned with it.
struct SourceTerm {
  text::TokenSpan place;                                  // bytes of the sentence's text
  std::string source;                                     // as in the glossary
  std::shared_ptr<const std::vector<std::string>> forms;  // of its translation, at least one
};

// Constraints on the translation of one sentence.
struct SentenceConstraints {
  std::optional<int32_t> opening;           // first token, before the text
  std::string prefix;                       // beginning of the text, normalized; a blank at the end ends the last word
  bool word_ends = false;                   // the prefix ends a word, even without a blank
  int64_t prefix_tokens = 0;                // most that the prefix can take
  std::string written;                      // the prefix with text that is hidden from the model; empty: it has none
  std::vector<text::TokenSpan> names = {};  // that text in `written`
  std::vector<Requirement> required;        // it must have each of these
  std::vector<Phrase> forbidden;            // it must have none of these
  std::vector<SourceTerm> terms;            // in the order of the sentence; their places do not overlap
  bool capitals = false;                    // the final text is put into capitals, except prefix and required phrases
  uint64_t line = 0;                        // seeds this sentence's samples, together with `part`
  uint32_t part = 0;                        // of the line
};

// The constraints of all sentences of a search.
struct AllConstraints {
  std::span<const SentenceConstraints> sentences = {};  // one per sentence, or empty
  const PieceTexts* pieces = nullptr;                   // required if constraints or options concern text
};

}  // namespace hexapla::decode
