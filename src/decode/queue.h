#pragma once
#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "decode/constraints/phrases.h"
#include "decode/hypothesis.h"

namespace hexapla::decode {

// Constraints on the translation of one sentence.
struct SentenceConstraints {
  std::optional<int32_t> opening;     // first token, before the text
  std::string prefix;                 // beginning of the text, normalized; a blank at the end ends the last word
  int64_t prefix_tokens = 0;          // most that the prefix can take
  std::vector<Requirement> required;  // it must have each of these
  std::vector<Phrase> forbidden;      // it must have none of these
  bool capitals = false;              // the final text is put into capitals, except prefix and required phrases
  uint64_t line = 0;                  // seeds this sentence's samples, together with `part`
  uint32_t part = 0;                  // of the line
};

// The constraints of all sentences of a search.
struct AllConstraints {
  std::span<const SentenceConstraints> sentences = {};  // one per sentence, or empty
  const PieceTexts* pieces = nullptr;                   // required if constraints or options concern text
};

// Sentences to translate: ids that end with </s>. Several workers may take from the same queue.
struct Queue {
  std::span<const text::Ids> sources;
  std::span<const size_t> order;  // indices into sources, in the order of translation
  int64_t sentences;              // that one worker translates at a time, at most
  int64_t tokens;                 // of their sources, at most; a longer sentence is translated alone
  std::atomic<size_t> next = 0;   // of order
  std::span<const SentenceConstraints> requests = {};  // one per source, or empty
  const PieceTexts* pieces = nullptr;                  // required if constraints or options concern text
  const std::atomic<bool>* stop = nullptr;             // if true, unfinished sentences are abandoned

  bool stopped() const { return stop && *stop; }
  AllConstraints constraints() const { return {requests, pieces}; }
};

// Called for each finished sentence: hypotheses best first.
using Done = std::function<void(size_t index, std::vector<Hypothesis>)>;

}  // namespace hexapla::decode
